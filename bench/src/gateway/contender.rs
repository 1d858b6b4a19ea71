//! A gateway that is measured.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use toolmend::{Keep, Settings};
use toolmend_proxy::{Credentials, Proxy, Setup};
use toolmend_store::{Place, Store};

use super::process::{self, Running};

/// A gateway that is measured, or none.
#[derive(Debug)]
pub(super) struct Contender {
    pub(super) name: String,
    /// Where it listens.
    pub(super) address: String,
    /// Its process; none where there is no gateway.
    running: Option<Running>,
}

impl Contender {
    /// No gateway at all.
    pub(super) fn direct(model: &Running) -> Self {
        Self { name: super::DIRECT.to_owned(), address: model.address.clone(), running: None }
    }

    /// A part of this program.
    pub(super) fn own(name: &str, part: &str, model: &Running) -> Result<Self, Box<dyn Error>> {
        Ok(Self::new(name, process::own(&format!("{part}={}", model.address))?))
    }

    pub(super) fn new(name: &str, running: Running) -> Self {
        Self { name: name.to_owned(), address: running.address.clone(), running: Some(running) }
    }

    /// The processor's time that it took so far, in microseconds.
    pub(super) fn cpu_us(&self) -> f64 {
        self.running.as_ref().map_or(0.0, |running| process::cpu_us(running.id()))
    }

    /// Removes what it kept.
    pub(super) fn clean(self) {
        let folder = self.running.as_ref().map(|running| store_folder(running.id()));
        drop(self);
        // Not every one keeps something.
        let _ = folder.map(std::fs::remove_dir_all);
    }

    /// The memory that it holds, in kilobytes.
    pub(super) fn resident_kb(&self) -> f64 {
        self.running.as_ref().map_or(0.0, |running| process::resident_kb(running.id()))
    }

    /// The files and sockets that it has open.
    pub(super) fn descriptors(&self) -> f64 {
        self.running.as_ref().map_or(0.0, |running| process::descriptors(running.id()))
    }
}

fn store_folder(id: u32) -> PathBuf {
    std::env::temp_dir().join(format!("bench-store-{id}"))
}

/// The proxy in front of this server. What it keeps goes to a file, as it does by default.
pub(super) async fn serve_ours(upstream: &str, keep: Keep) -> Result<(), Box<dyn Error>> {
    let mut settings = Settings::default();
    settings.store.keep = keep;
    let place = Place::File(store_folder(std::process::id()).join("calls.db"));
    let store = match keep {
        Keep::None => None,
        _ => Some(Arc::new(Store::open(&place, &settings.store)?)),
    };
    "127.0.0.1:0".clone_into(&mut settings.proxy.listen);
    let upstream = format!("http://{upstream}");
    let credentials = Credentials::Passed;
    let setup = Setup { upstream, key: None, credentials, observer: None, store };
    let proxy = Proxy::bind(Arc::new(settings), setup).await?;
    println!("{}", proxy.address()?);
    proxy.serve(std::future::pending()).await;
    Ok(())
}

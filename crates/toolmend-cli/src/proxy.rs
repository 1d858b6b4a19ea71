//! `toolmend proxy` and `toolmend run`: the proxy, started for people.

mod guide;
mod live;
mod run;
mod urls;

use std::net::SocketAddr;
use std::sync::Arc;
use std::{env, io};

use anstream::{AutoStream, ColorChoice};
use tokio::runtime::Runtime;
use toolmend::{Keep, Mode, Settings};
use toolmend_proxy::{Admin, Credentials, Proxy, Setup, demo, find, introduction};
use toolmend_store::Store;
use tracing_subscriber::filter::{EnvFilter, LevelFilter};

use crate::args::ProxyArgs;
use crate::config;
use crate::console::{BOLD, Console};
use crate::exit::{Exit, Failure};
use crate::glyph::line;
use crate::store;

pub(crate) use run::run as run_command;

/// What the requests go to, and what a person should know of it.
struct Target {
    url: String,
    told: String,
    /// Whether nobody named it. No key is sent to such a server.
    is_found: bool,
    is_demo: bool,
}

pub(crate) fn run(args: &ProxyArgs, console: &mut Console) -> Result<Exit, Failure> {
    let settings = settings(args)?;
    let admin = args.admin.clone().unwrap_or_else(|| settings.proxy.admin.clone());
    let (has_key, mode) = (settings.proxy.client_key_env.is_some(), settings.proxy.mode);
    let runtime = start_runtime()?;
    runtime.block_on(async {
        let (proxy, target, store) = open(args, settings.clone(), console).await?;
        let address = proxy.address().map_err(|error| failed("cannot tell the address", error))?;
        let counters = proxy.counters();
        let is_thrown_away = target.is_demo && settings.store.place.is_none();
        let guide = guide::guide(&target.told, settings);
        let bound = Admin::bind(&admin, proxy.sinks(), guide).await;
        let admin = bound.map_err(|error| not_bound(&admin, "--admin", error))?;
        let page = admin.address().map(reachable).unwrap_or_default();
        console.tell(&format!("{}\n{}", target.told, urls::page(address, &page)));
        console.tell(&warned(address, has_key, mode));
        tokio::spawn(admin.serve(std::future::pending()));
        if target.is_demo {
            console
                .tell(&format!("{BOLD}A scripted agent is at work: watch it on {page}{BOLD:#}\n"));
            tokio::spawn(toolmend_proxy::agent::work(reachable(address)));
        }
        proxy.serve(stopped()).await;
        if let Some(store) = &store {
            store.flush();
        }
        let kept = store.as_deref().filter(|_| !is_thrown_away);
        console.tell(&live::summary(&counters, kept));
        if target.is_demo {
            store::remove_demo();
        }
        Ok(Exit::Done)
    })
}

fn start_runtime() -> Result<Runtime, Failure> {
    // Events go to standard error where `RUST_LOG` asks for them; the lines for people go there anyway.
    let filter =
        EnvFilter::builder().with_default_directive(LevelFilter::OFF.into()).from_env_lossy();
    let has_colour = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(has_colour);
    let _ = log.with_writer(io::stderr).try_init();
    Runtime::new().map_err(|error| failed("cannot start", error))
}

fn settings(args: &ProxyArgs) -> Result<Settings, Failure> {
    let mut settings = config::settings(args.config.as_deref())?;
    if let Some(listen) = &args.listen {
        settings.proxy.listen.clone_from(listen);
    }
    if let Some(upstream) = &args.upstream {
        settings.proxy.upstream = Some(upstream.clone());
    }
    if let Some(mode) = args.mode {
        settings.proxy.mode = Mode::from(mode);
    }
    if let Some(place) = &args.store {
        settings.store.place = Some(place.clone());
    }
    if let Some(keep) = args.keep {
        settings.store.keep = Keep::from(keep);
    }
    Ok(settings)
}

/// Binds the proxy to where the settings say, in front of the server that they name or that is
/// found.
async fn open(
    args: &ProxyArgs,
    mut settings: Settings,
    console: &mut Console,
) -> Result<(Proxy, Target, Option<Arc<Store>>), Failure> {
    let target = target(args, &settings).await?;
    let goes_with_demo = target.is_demo && settings.store.place.is_none();
    let is_silent = args.keep.is_none() && settings.store.keep == Keep::default();
    if is_silent && target.is_demo && (args.demo || goes_with_demo) {
        // There is more to see with texts. Where the demo only steps in, they are those of a real agent, and
        // stay in no store that was named.
        settings.store.keep = Keep::All;
    }
    let store = match goes_with_demo {
        true => store::open_demo(&settings.store),
        false => store::open(&settings.store, console)?,
    };
    let store = store.map(Arc::new);
    let key = key(settings.proxy.client_key_env.as_deref())?;
    let credentials = match key_for(&target, &settings)? {
        Some(key) => Credentials::Own(key),
        None if target.is_found => Credentials::Withheld,
        None => Credentials::Passed,
    };
    let listen = settings.proxy.listen.clone();
    let observer = Some(live::observer(settings.proxy.mode));
    let upstream = target.url.clone();
    let setup = Setup { upstream, key, credentials, observer, store: store.clone() };
    let proxy = Proxy::bind(Arc::new(settings), setup).await;
    let proxy = proxy.map_err(|error| not_bound(&listen, "--listen", error))?;
    proxy.on_reach(live::reach());
    Ok((proxy, target, store))
}

/// The key in a variable that the settings name.
fn key(variable: Option<&str>) -> Result<Option<String>, Failure> {
    let read = |name: &str| {
        env::var(name).map_err(|_| {
            Failure::Usage(format!("the settings want a key in {name}, and it is not set"))
        })
    };
    variable.map(read).transpose()
}

/// The key for the server, unless it was merely found.
fn key_for(target: &Target, settings: &Settings) -> Result<Option<String>, Failure> {
    let variable = settings.proxy.upstream_key_env.as_deref();
    key(variable.filter(|_| !target.is_found))
}

async fn target(args: &ProxyArgs, settings: &Settings) -> Result<Target, Failure> {
    if let Some(url) = settings.proxy.upstream.clone().filter(|_| !args.demo) {
        // What stands behind a question mark is not sent, and may be a key.
        let shown = url.split('?').next().unwrap_or_default();
        let told = format!("Sending requests to {BOLD}{shown}{BOLD:#}.");
        let told = match introduction(&url).await {
            Some(other) => format!(
                "{told}\nThat is a toolmend proxy itself: name the server behind it, {}, and calls are mended once.",
                line(&other.upstream)
            ),
            None => told,
        };
        return Ok(Target { url, told, is_found: false, is_demo: false });
    }
    if !args.demo
        && let Some(found) = find().await
    {
        let told = format!(
            "Found {BOLD}{}{BOLD:#} at {} with {} models.",
            found.kind.as_str(),
            found.url,
            found.models.len()
        );
        return Ok(Target { url: found.url, told, is_found: true, is_demo: false });
    }
    let address = demo::start().await.map_err(|error| failed("cannot start the demo", error))?;
    let why = if args.demo { "The" } else { "No model server was named or found, so the" };
    let told = format!(
        "{why} {BOLD}built-in demo model{BOLD:#} answers: it is scripted, and its calls go wrong on purpose.\n\
         Name a server with --upstream URL."
    );
    Ok(Target { url: format!("http://{address}"), told, is_found: true, is_demo: true })
}

/// Why nothing listens, and what to do about it.
fn not_bound(address: &str, flag: &str, error: io::Error) -> Failure {
    match error.kind() {
        // It is the upstream that makes no sense.
        io::ErrorKind::Other => Failure::Usage(error.to_string()),
        io::ErrorKind::InvalidInput => Failure::Usage(format!(
            "cannot listen on {address}: an address and a port are wanted, as 127.0.0.1:5506"
        )),
        io::ErrorKind::AddrInUse => failed(
            &format!(
                "cannot listen on {address} (is another toolmend running? {flag} names another place)"
            ),
            error,
        ),
        _ => failed(&format!("cannot listen on {address} ({flag})"), error),
    }
}

/// What a person should know before others use it.
fn warned(address: SocketAddr, has_key: bool, mode: Mode) -> String {
    let mut told = String::new();
    if !address.ip().is_loopback() && !has_key {
        told.push_str(
            "Whoever reaches this machine may use it: proxy.client_key_env names a key that clients must show.\n",
        );
    }
    match mode {
        Mode::On => {}
        Mode::Observe => told
            .push_str("It only observes: what would be mended is told, and nothing is changed.\n"),
        Mode::Off => told.push_str("It is off: nothing is looked at.\n"),
    }
    told
}

fn failed(what: &str, error: io::Error) -> Failure {
    Failure::Io(what.to_owned(), error)
}

/// Waits until someone wants this to end.
async fn stopped() {
    #[cfg(unix)]
    if let Ok(mut ended) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
    {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = ended.recv() => {}
        }
        return;
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// The address under which clients on this machine reach the proxy.
fn reachable(address: SocketAddr) -> String {
    match address.ip().is_unspecified() {
        true => format!("http://127.0.0.1:{}", address.port()),
        false => format!("http://{address}"),
    }
}

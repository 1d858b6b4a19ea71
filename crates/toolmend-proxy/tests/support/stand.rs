//! A proxy with a store, and what was left in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;
use tokio::sync::oneshot;
use toolmend::Settings;
use toolmend_proxy::{Admin, Credentials, Guide, Proxy, Setup};
use toolmend_store::{Place, Store};

use crate::listen::get;

/// A proxy with a store and its listener for operators, until it is dropped.
pub(crate) struct Stand {
    pub(crate) proxy: String,
    pub(crate) admin: String,
    pub(crate) store: Arc<Store>,
    pub(crate) folder: PathBuf,
    _stop: oneshot::Sender<()>,
}

impl Stand {
    pub(crate) async fn start(upstream: &str, mut settings: Settings) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("toolmend-admin-{}-{number}", std::process::id()));
        let place = Place::File(folder.join("calls.db"));
        let store = Arc::new(Store::open(&place, &settings.store).unwrap());
        "127.0.0.1:0".clone_into(&mut settings.proxy.listen);
        let setup = Setup {
            upstream: upstream.to_owned(),
            key: None,
            credentials: Credentials::Passed,
            observer: None,
            store: Some(Arc::clone(&store)),
        };
        let proxy = Proxy::bind(Arc::new(settings), setup).await.unwrap();
        let admin = Admin::bind("127.0.0.1:0", proxy.sinks(), Guide::default()).await.unwrap();
        let urls = (proxy.address().unwrap(), admin.address().unwrap());
        tokio::spawn(admin.serve(std::future::pending()));
        let (stop, stopped) = oneshot::channel();
        tokio::spawn(proxy.serve(async {
            let _ = stopped.await;
        }));
        Self {
            proxy: format!("http://{}", urls.0),
            admin: format!("http://{}", urls.1),
            store,
            folder,
            _stop: stop,
        }
    }

    pub(crate) async fn ask(&self, path: &str) -> Value {
        let heard = get(&format!("{}/api/{path}", self.admin), &[]).await;
        assert_eq!(heard.status, 200, "{path}: {}", heard.body);
        serde_json::from_str(&heard.body).unwrap()
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Everything under a folder, as bytes.
pub(crate) fn bytes_of(folder: &Path) -> Vec<u8> {
    let files = std::fs::read_dir(folder).unwrap().flatten();
    files.flat_map(|file| std::fs::read(file.path()).unwrap()).collect()
}

pub(crate) fn has(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|window| window == word.as_bytes())
}

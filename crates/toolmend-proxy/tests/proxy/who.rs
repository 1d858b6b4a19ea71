//! One toolmend before another, and before itself.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use toolmend::Settings;
use toolmend_proxy::doctor::{Complaint, Health, examine};
use toolmend_proxy::{Credentials, Proxy, Setup, demo, introduction};

use crate::support::{Script, nobody, proxy, upstream};

fn complaint(url: &str) -> Complaint {
    let wait = Duration::from_secs(20);
    Complaint { url: url.to_owned(), key: None, model: None, wait }
}

#[tokio::test]
async fn a_proxy_says_who_it_is_and_a_server_does_not() {
    let (url, _) = upstream(Script::json("200 OK", r#"{"data":[]}"#)).await;
    let proxy = proxy(&format!("{url}/token-in-path"), None, Settings::default()).await;
    let told = introduction(&format!("{}/v1", proxy.url)).await.unwrap();
    assert_eq!((told.mode.as_str(), told.upstream.as_str()), ("on", url.as_str()));
    assert_eq!(introduction(&url).await, None);
    assert_eq!(introduction(&nobody().await).await, None);
}

#[tokio::test]
async fn a_key_is_wanted_of_who_asks_as_of_all_others() {
    let (url, _) = upstream(Script::json("200 OK", r#"{"data":[]}"#)).await;
    let proxy = proxy(&url, Some("key"), Settings::default()).await;
    assert_eq!(introduction(&proxy.url).await, None);
}

/// What stands behind it is examined as it is, and no proxy is proposed before the proxy.
#[tokio::test]
async fn the_doctor_looks_behind_a_proxy() {
    let model = format!("http://{}", demo::start().await.unwrap());
    let proxy = proxy(&model, None, Settings::default()).await;
    let found = examine(&complaint(&proxy.url)).await.unwrap();
    let check = |name: &str| found.checks.iter().find(|check| check.name == name).unwrap();
    assert!(check("proxy").told.contains("this is a toolmend proxy"), "{found:?}");
    assert!(check("proxy").told.contains(&model), "{found:?}");
    assert_eq!(check("calls").health, Health::Mended, "the demo's calls go wrong: {found:?}");
    let settings = found.settings(&proxy.url);
    assert!(settings.starts_with("[models.") && !settings.contains("upstream"), "{settings}");
    let found = examine(&complaint(&model)).await.unwrap();
    assert!(found.proxy.is_none() && found.settings(&model).contains(&model), "{found:?}");
}

#[tokio::test]
async fn the_doctor_tells_that_nothing_stands_behind_a_proxy() {
    let away = nobody().await;
    let proxy = proxy(&away, None, Settings::default()).await;
    let found = examine(&complaint(&proxy.url)).await.unwrap();
    assert!(!found.is_well());
    let last = found.checks.last().unwrap();
    assert_eq!((last.name, last.health), ("server", Health::Bad), "{found:?}");
    assert!(last.told.contains("cannot be reached"), "{found:?}");
}

#[tokio::test]
async fn a_proxy_is_not_its_own_server() {
    for (listen, host) in
        [("127.0.0.1", "127.0.0.1"), ("127.0.0.1", "localhost"), ("0.0.0.0", "127.0.0.1")]
    {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut settings = Settings::default();
        settings.proxy.listen = format!("{listen}:{free}");
        let setup = Setup {
            upstream: format!("http://{host}:{free}/v1"),
            key: None,
            credentials: Credentials::Passed,
            observer: None,
            store: None,
        };
        let error = Proxy::bind(Arc::new(settings), setup).await.unwrap_err().to_string();
        assert!(error.contains("is this proxy itself"), "{listen} {host}: {error}");
    }
}

//! Asks the listener for operators.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Empty};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;

use crate::support::Heard;

pub(crate) async fn get(url: &str, headers: &[(&str, &str)]) -> Heard {
    let client = Client::builder(TokioExecutor::new()).build_http::<Empty<Bytes>>();
    let mut request = Request::get(url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = client.request(request.body(Empty::new()).unwrap()).await.unwrap();
    let (head, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let body = String::from_utf8(body.to_vec()).unwrap();
    Heard { status: head.status, headers: head.headers, body }
}

/// Listens to a stream until it says something.
pub(crate) async fn listen(url: String, word: &str) -> String {
    let client = Client::builder(TokioExecutor::new()).build_http::<Empty<Bytes>>();
    let request = Request::get(url).body(Empty::new()).unwrap();
    let mut body = client.request(request).await.unwrap().into_body();
    let mut heard = String::new();
    while !heard.contains(word) {
        let frame = tokio::time::timeout(Duration::from_secs(20), body.frame()).await.unwrap();
        let data = frame.unwrap().unwrap().into_data().unwrap();
        heard.push_str(std::str::from_utf8(&data).unwrap());
    }
    heard
}

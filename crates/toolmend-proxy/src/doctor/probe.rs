//! Small questions to a server.

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, HeaderValue};
use http::{Method, Request, StatusCode, Uri};
use serde_json::{Value, json};
use tokio::time::timeout;
use toolmend::ProxySettings;

use crate::body::{collect, full};
use crate::upstream::{BadUpstream, Sender, Server, Unanswered};
use crate::who::HEADER;

/// An answer is no longer than this.
const ANSWER_BYTES_MAX: usize = 4 << 20;

/// Whoever asks a server.
pub(super) struct Probe {
    server: Server,
    sender: Sender,
    key: Option<HeaderValue>,
    /// What the proxy is told, where the server stands behind one.
    switch: Option<&'static str>,
    wait: Duration,
}

/// What a server said.
pub(super) struct Said {
    pub(super) status: StatusCode,
    pub(super) body: Bytes,
    pub(super) took: Duration,
}

impl Said {
    pub(super) fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }
}

impl Probe {
    pub(super) fn new(url: &str, key: Option<&str>, wait: Duration) -> Result<Self, BadUpstream> {
        let mut key =
            key.and_then(|key| HeaderValue::from_str(&format!("Bearer {}", key.trim())).ok());
        if let Some(key) = &mut key {
            key.set_sensitive(true);
        }
        let sender = Sender::new(&ProxySettings::default());
        Ok(Self { server: Server::read(url)?, sender, key, switch: None, wait })
    }

    /// Tells a proxy of ours to say who it is, or to pass on what comes.
    pub(super) fn switch(&mut self, word: Option<&'static str>) {
        self.switch = word;
    }

    /// What stands before the path of each request.
    pub(super) fn address(&self) -> String {
        self.server.uri(&Uri::from_static("/")).map(|uri| uri.to_string()).unwrap_or_default()
    }

    pub(super) async fn get(&self, path: &'static str) -> Result<Said, String> {
        self.send(Method::GET, path, Bytes::new()).await
    }

    /// Asks a model. What is said here goes over what every such question has.
    pub(super) async fn chat(&self, model: &str, more: Value) -> Result<Said, String> {
        let mut body =
            json!({"model": model, "max_tokens": 300, "temperature": 0, "stream": false});
        if let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) {
            body.extend(more);
        }
        self.send(Method::POST, "/v1/chat/completions", Bytes::from(body.to_string())).await
    }

    async fn send(&self, method: Method, path: &'static str, body: Bytes) -> Result<Said, String> {
        let started = Instant::now();
        let uri = self.server.uri(&Uri::from_static(path)).ok_or("the path cannot be sent")?;
        // Some servers close a connection just when it is used again, and are not ill for that.
        let mut request = Request::builder().method(method).uri(uri).header(CONNECTION, "close");
        if !body.is_empty() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        if let Some(word) = self.switch {
            request = request.header(HEADER, word);
        }
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, key);
        }
        let request = request.body(full(body)).map_err(|error| error.to_string())?;
        let answer = async {
            let response = self.sender.send(request).await.map_err(|error| match error {
                Unanswered::Unreachable => "it cannot be reached".to_owned(),
                Unanswered::Unsendable | Unanswered::Silent | Unanswered::Broken => {
                    "it broke off".to_owned()
                }
            })?;
            let (head, body) = response.into_parts();
            let body = collect(body, ANSWER_BYTES_MAX, self.wait).await;
            let body = body.map_err(|_| "its answer broke off or is too large".to_owned())?;
            Ok(Said { status: head.status, body, took: started.elapsed() })
        };
        let late = |_| format!("it did not answer within {} seconds", self.wait.as_secs());
        timeout(self.wait, answer).await.map_err(late)?
    }
}

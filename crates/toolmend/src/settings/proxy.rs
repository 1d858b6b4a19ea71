//! How the proxy listens, where it sends, and how long it waits.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How the proxy works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProxySettings {
    /// What is done to requests and replies.
    pub mode: Mode,
    /// Where clients come to.
    pub listen: String,
    /// Where the page, the counters and the health check are.
    pub admin: String,
    /// The server of models. Without one, a local server is looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
    /// Other servers for some models, by a pattern of their names.
    pub upstreams: BTreeMap<String, String>,
    /// The variable of the environment that holds the key that clients must show; without one,
    /// anyone who reaches the proxy may use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_key_env: Option<String>,
    /// The variable of the environment that holds the key for the upstream; without one, clients
    /// show their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream_key_env: Option<String>,
    /// A request body is no larger than this.
    pub body_bytes_max: usize,
    /// A stream of the server is read up to this size: it has to be remembered until its end.
    pub stream_bytes_max: usize,
    /// So many clients may be connected.
    pub connections_max: usize,
    /// How long to wait for the head of a request.
    pub header_seconds: u64,
    /// How long to wait for a connection to the server.
    pub connect_seconds: u64,
    /// How long to wait until the server starts to answer.
    pub head_seconds: u64,
    /// How long a stream may bring nothing but comments.
    pub idle_seconds: u64,
    /// How long streams may go on after the proxy was told to stop.
    pub shutdown_seconds: u64,
}

/// What is done to requests and replies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// They are mended.
    #[default]
    On,
    /// What would be mended is told, and nothing is changed.
    Observe,
    /// Nothing.
    Off,
}

impl Mode {
    /// Reads the word for it.
    #[must_use]
    pub fn read(word: &str) -> Option<Self> {
        match word {
            "on" => Some(Self::On),
            "observe" => Some(Self::Observe),
            "off" => Some(Self::Off),
            _ => None,
        }
    }
}

impl Default for ProxySettings {
    fn default() -> Self {
        Self {
            mode: Mode::On,
            listen: "127.0.0.1:5506".to_owned(),
            admin: "127.0.0.1:5507".to_owned(),
            upstream: None,
            upstreams: BTreeMap::new(),
            client_key_env: None,
            upstream_key_env: None,
            body_bytes_max: 64 << 20,
            stream_bytes_max: 512 << 20,
            connections_max: 4096,
            header_seconds: 15,
            connect_seconds: 10,
            head_seconds: 600,
            idle_seconds: 300,
            shutdown_seconds: 30,
        }
    }
}

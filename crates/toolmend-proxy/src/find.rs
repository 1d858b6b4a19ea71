//! Looks for a model server on this machine, by asking who it is. Nothing is sent but a question
//! for the list of models: no key goes to a server that was merely found.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use tokio::time::timeout;
use toolmend::Continuation;

use crate::exchange::Demand;
use crate::who::introduction;

/// How long a server may take to say who it is.
const WAIT: Duration = Duration::from_millis(400);
/// An answer is no longer than this.
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// A model server on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where it is.
    pub url: String,
    /// What it is.
    pub kind: ServerKind,
    /// The models that it has.
    pub models: Vec<String>,
}

/// What a model server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerKind {
    /// LM Studio.
    LmStudio,
    /// Ollama.
    Ollama,
    /// The server of llama.cpp.
    LlamaCpp,
    /// vLLM.
    Vllm,
    /// `SGLang`.
    Sglang,
    /// Something that speaks the API of `OpenAI`.
    OpenAi,
}

impl ServerKind {
    /// What people call it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LmStudio => "LM Studio",
            Self::Ollama => "Ollama",
            Self::LlamaCpp => "llama.cpp",
            Self::Vllm => "vLLM",
            Self::Sglang => "SGLang",
            Self::OpenAi => "a server with the API of OpenAI",
        }
    }
}

impl ServerKind {
    /// How such a server is asked for the rest of a turn.
    #[must_use]
    pub const fn continuation(self) -> Continuation {
        match self {
            Self::LlamaCpp => Continuation::Prefill,
            Self::Vllm | Self::Sglang => Continuation::ContinueFinal,
            Self::LmStudio | Self::Ollama | Self::OpenAi => Continuation::None,
        }
    }

    /// How such a server is told that a call must come. The server of llama.cpp takes the name of a
    /// tool for no choice at all (October 2026), and LM Studio refuses it.
    pub(crate) const fn demand(self) -> Demand {
        match self {
            Self::LlamaCpp | Self::LmStudio => Demand::Required,
            Self::Ollama | Self::Vllm | Self::Sglang | Self::OpenAi => Demand::Named,
        }
    }
}

/// Where each kind of server listens unless it is told otherwise.
const PLACES: [(u16, ServerKind); 4] = [
    (1234, ServerKind::LmStudio),
    (11434, ServerKind::Ollama),
    (8080, ServerKind::LlamaCpp),
    (8000, ServerKind::Vllm),
];

/// The first model server that answers.
pub async fn find() -> Option<Found> {
    for (port, guess) in PLACES {
        let url = format!("http://127.0.0.1:{port}");
        // A proxy of ours answers for the server behind it, and is none itself.
        if let Ok(found) = ask(&url, guess).await
            && introduction(&url).await.is_none()
        {
            return Some(found);
        }
    }
    None
}

/// What a server is, if it says so.
pub(crate) async fn kind_of(url: &str) -> Result<ServerKind, Silence> {
    ask(url, ServerKind::OpenAi).await.map(|found| found.kind)
}

/// Why nobody says what a server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Silence {
    /// Nobody is there.
    Unreachable,
    /// Whoever is there says nothing that tells.
    Unclear,
}

/// Asks a server who it is. What answers something else is none.
async fn ask(url: &str, guess: ServerKind) -> Result<Found, Silence> {
    let list = get(&format!("{url}/v1/models")).await?;
    let models = list.get("data").and_then(Value::as_array).ok_or(Silence::Unclear)?;
    let kind = match kind_by_list(&list) {
        ServerKind::OpenAi
            if guess == ServerKind::Ollama && get(&format!("{url}/api/version")).await.is_ok() =>
        {
            ServerKind::Ollama
        }
        kind => kind,
    };
    let models = models.iter().filter_map(|model| Some(model.get("id")?.as_str()?.to_owned()));
    Ok(Found { url: url.to_owned(), kind, models: models.collect() })
}

/// What a server is, by who owns the models that it lists.
pub(crate) fn kind_by_list(list: &Value) -> ServerKind {
    let first = list.get("data").and_then(|models| models.get(0));
    let owner = first.and_then(|model| model.get("owned_by")).and_then(Value::as_str);
    match owner {
        Some("llamacpp") => ServerKind::LlamaCpp,
        Some("vllm") => ServerKind::Vllm,
        Some("sglang") => ServerKind::Sglang,
        Some("library") => ServerKind::Ollama,
        Some("organization_owner") => ServerKind::LmStudio,
        _ => ServerKind::OpenAi,
    }
}

async fn get(url: &str) -> Result<Value, Silence> {
    get_with(url, &[]).await
}

/// Asks a server without TLS something, with these headers.
pub(crate) async fn get_with(url: &str, headers: &[(&str, &str)]) -> Result<Value, Silence> {
    let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
    let mut request = Request::get(url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::default()).map_err(|_| Silence::Unclear)?;
    let answer = async {
        let response = client.request(request).await.map_err(|error| match error.is_connect() {
            true => Silence::Unreachable,
            false => Silence::Unclear,
        })?;
        if !response.status().is_success() {
            return Err(Silence::Unclear);
        }
        let body = Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await;
        let body = body.map_err(|_| Silence::Unclear)?;
        serde_json::from_slice(&body.to_bytes()).map_err(|_| Silence::Unclear)
    };
    timeout(WAIT, answer).await.map_err(|_| Silence::Unclear)?
}

//! Finds out what a model server is, what it can do, and where its tool calls go wrong.

mod probe;

use std::time::Duration;

use serde_json::{Value, json};
use toolmend::{
    Continuation, Declared, Echo, Mended, Origin, Outcome, Settings, ToolSet, Turn, Written,
};
use toolmend_wire::{Api, Channel, Decoder, Delta, Normalizer, Reply, error_message};

use crate::find::{ServerKind, kind_by_list};
use crate::upstream::BadUpstream;
use crate::who::{Introduction, WHO};
use probe::{Probe, Said};

/// What is asked about a server.
#[derive(Clone)]
pub struct Complaint {
    /// Where it is.
    pub url: String,
    /// The key to show.
    pub key: Option<String>,
    /// The model to ask; without one, the first that the server lists.
    pub model: Option<String>,
    /// How long each answer may take.
    pub wait: Duration,
}

impl std::fmt::Debug for Complaint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Complaint").field("url", &self.url).finish_non_exhaustive()
    }
}

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// As it should be.
    Good,
    /// Not as it should be, and the proxy mends it.
    Mended,
    /// Not as it should be.
    Bad,
    /// It cannot be told.
    Unknown,
}

impl Health {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Mended => "mended",
            Self::Bad => "bad",
            Self::Unknown => "unknown",
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was looked at.
    pub name: &'static str,
    /// How it came out.
    pub health: Health,
    /// What was found, for a person.
    pub told: String,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// Each check, in order.
    pub checks: Vec<Check>,
    /// The model that was asked.
    pub model: Option<String>,
    /// The proxy of ours that was asked for, where it is one: what was examined stands behind it.
    pub proxy: Option<Introduction>,
    /// How the model is asked for the rest of a turn.
    pub continuation: Continuation,
}

impl Diagnosis {
    fn note(&mut self, name: &'static str, health: Health, told: impl Into<String>) {
        self.checks.push(Check { name, health, told: told.into() });
    }

    /// Whether tool calls can work: the server answers, and calls arrive.
    #[must_use]
    pub fn is_well(&self) -> bool {
        self.checks.iter().all(|check| check.health != Health::Bad)
    }

    /// A settings file for this server; where it stands behind a proxy already, what that one has to add.
    #[must_use]
    pub fn settings(&self, url: &str) -> String {
        let mut out = match &self.proxy {
            Some(_) => String::new(),
            None => format!("[proxy]\nupstream = {}\n\n", Value::from(url)),
        };
        let word = match self.continuation {
            Continuation::None => "none",
            Continuation::Prefill => "prefill",
            Continuation::Prefix => "prefix",
            Continuation::ContinueFinal => "continue-final",
        };
        if let Some(model) = &self.model {
            let model = Value::from(model.as_str());
            out = format!("{out}[models.{model}]\ncontinuation = \"{word}\"\n");
        }
        out
    }
}

/// Examines a server: a handful of short requests, one after the other.
///
/// # Errors
///
/// The URL names no server.
pub async fn examine(complaint: &Complaint) -> Result<Diagnosis, BadUpstream> {
    let mut probe = Probe::new(&complaint.url, complaint.key.as_deref(), complaint.wait)?;
    let mut found = Diagnosis {
        checks: Vec::new(),
        model: complaint.model.clone(),
        proxy: None,
        continuation: Continuation::None,
    };
    let Some(kind) = who(&mut probe, &mut found).await else { return Ok(found) };
    let Some(model) = found.model.clone() else {
        found.note("model", Health::Bad, "it lists no model; name one");
        return Ok(found);
    };
    plain(&probe, &model, &mut found).await;
    streamed(&probe, &model, &mut found).await;
    calls(&probe, &model, &mut found).await;
    continued(&probe, &model, kind, &mut found).await;
    Ok(found)
}

/// Asks who the server is; `None` where it does not answer.
async fn who(probe: &mut Probe, found: &mut Diagnosis) -> Option<ServerKind> {
    probe.switch(Some(WHO));
    let mut said = models(probe, "reachable", found).await?;
    let told = format!("{} in {} ms", probe.address(), said.took.as_millis());
    found.note("reachable", Health::Good, told);
    probe.switch(None);
    if let Some(proxy) = said.json().as_ref().and_then(Introduction::read) {
        let told = format!(
            "this is a toolmend proxy ({}, mode {}); {} behind it is examined through it",
            proxy.version, proxy.mode, proxy.upstream
        );
        found.note("proxy", Health::Good, told);
        found.proxy = Some(proxy);
        // The server is examined as if nobody mended what it says.
        probe.switch(Some("off"));
        said = models(probe, "server", found).await?;
        if said.status.is_server_error() {
            let why = error_message(&said.body).unwrap_or_default();
            found.note("server", Health::Bad, why);
            return None;
        }
    }
    if said.status.as_u16() == 401 || said.status.as_u16() == 403 {
        found.note("key", Health::Bad, "it wants a key, or another one");
        return None;
    }
    let list = said.json().unwrap_or_default();
    let kind = kind_by_list(&list);
    let version = version(probe, kind).await;
    let told =
        version.map_or(kind.as_str().to_owned(), |version| format!("{} {version}", kind.as_str()));
    found.note("server", Health::Good, told);
    let models = list.get("data").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let ids: Vec<&str> =
        models.iter().filter_map(|model| model.get("id").and_then(Value::as_str)).collect();
    let told = match ids.len() {
        0 => "none are listed".to_owned(),
        count => format!("{count}: {}", ids.iter().take(5).copied().collect::<Vec<_>>().join(", ")),
    };
    found.note("models", if ids.is_empty() { Health::Unknown } else { Health::Good }, told);
    found.model = found.model.take().or_else(|| ids.first().map(|id| (*id).to_owned()));
    Some(kind)
}

/// Asks for the models; what keeps a server from answering is noted under this name.
async fn models(probe: &Probe, name: &'static str, found: &mut Diagnosis) -> Option<Said> {
    let said = probe.get("/v1/models").await;
    said.map_err(|why| found.note(name, Health::Bad, format!("{}: {why}", probe.address()))).ok()
}

/// The version, as each kind of server tells it.
async fn version(probe: &Probe, kind: ServerKind) -> Option<String> {
    let (path, pointer) = match kind {
        ServerKind::LlamaCpp => ("/props", "/build_info"),
        ServerKind::Ollama => ("/api/version", "/version"),
        ServerKind::Vllm => ("/version", "/version"),
        ServerKind::Sglang => ("/get_server_info", "/version"),
        ServerKind::LmStudio | ServerKind::OpenAi => return None,
    };
    let said = probe.get(path).await.ok()?.json()?;
    said.pointer(pointer).and_then(Value::as_str).map(str::to_owned)
}

const HELLO: &str = "Say hello in three words.";

async fn plain(probe: &Probe, model: &str, found: &mut Diagnosis) {
    let said = probe.chat(model, json!({"messages": [{"role": "user", "content": HELLO}]})).await;
    let Some(said) = answered("answer", said, found) else { return };
    let message = message_of(&said);
    let text = |field: &str| message.get(field).and_then(Value::as_str).unwrap_or_default();
    found.note("answer", Health::Good, format!("in {} ms", said.took.as_millis()));
    let field = ["reasoning_content", "reasoning", "thinking"]
        .into_iter()
        .find(|field| !text(field).is_empty());
    let leaks = text("content").contains("<think>");
    match (field, leaks) {
        (Some(field), _) => found.note("reasoning", Health::Good, format!("in `{field}`")),
        (None, true) => found.note("reasoning", Health::Mended, "stands in the answer as <think>"),
        (None, false) => found.note("reasoning", Health::Unknown, "none came"),
    }
}

async fn streamed(probe: &Probe, model: &str, found: &mut Diagnosis) {
    let more = json!({"messages": [{"role": "user", "content": HELLO}], "stream": true});
    let Some(said) = answered("streaming", probe.chat(model, more).await, found) else { return };
    let (health, told) = defects(&said);
    found.note("streaming", health, told);
}

/// What a stream does that clients choke on.
fn defects(said: &Said) -> (Health, String) {
    let mut normalizer = Normalizer::new(Api::Chat);
    let mut out = Vec::new();
    normalizer.push(&said.body, &mut out);
    normalizer.finish(&mut out);
    let rules: Vec<String> =
        normalizer.rules().iter().map(|(rule, count)| format!("{} ({count})", rule.id())).collect();
    match rules.is_empty() {
        true => (Health::Good, "well-formed".to_owned()),
        false => (Health::Mended, format!("defects: {}", rules.join(", "))),
    }
}

fn tool() -> Value {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"},
        "days": {"type": "integer"}}, "required": ["city", "days"]});
    json!({"type": "function", "function": {"name": "get_weather",
        "description": "The weather in a city for the next days.", "parameters": schema}})
}

const WEATHER: &str = "Call the tool to find out how the weather is in Paris for the next 3 days.";

async fn calls(probe: &Probe, model: &str, found: &mut Diagnosis) {
    for (name, is_stream) in [("calls", false), ("calls, streamed", true)] {
        let more = json!({"messages": [{"role": "user", "content": WEATHER}], "tools": [tool()],
            "stream": is_stream});
        let Some(said) = answered(name, probe.chat(model, more).await, found) else { continue };
        let turn = if is_stream { streamed_turn(&said) } else { whole_turn(&said) };
        let (health, told) = judged(turn);
        found.note(name, health, told);
        if is_stream && let (health @ Health::Mended, told) = defects(&said) {
            found.note("calls, as a stream", health, told);
        }
    }
}

fn whole_turn(said: &Said) -> Turn {
    let turns = Reply::read(Api::Chat, &said.body).map(|reply| reply.turns()).unwrap_or_default();
    let Some(turn) = turns.into_iter().next() else { return Turn::default() };
    Turn {
        id: "doctor".to_owned(),
        reasoning: turn.reasoning,
        content: turn.content,
        calls: turn.calls.iter().map(crate::exchange::declared).collect(),
        finish: None,
    }
}

fn streamed_turn(said: &Said) -> Turn {
    let mut deltas = Vec::new();
    let mut decoder = Decoder::new(Api::Chat);
    decoder.push(&said.body, &mut deltas);
    decoder.finish(&mut deltas);
    let mut turn = Turn { id: "doctor".to_owned(), ..Turn::default() };
    for (_, delta) in deltas {
        match delta {
            Delta::Text(Channel::Content, text) => turn.content += &text,
            Delta::Text(Channel::Reasoning, text) => turn.reasoning += &text,
            Delta::Call(_, call) => turn.calls.push(Declared {
                id: Some(call.id),
                name: Some(call.name),
                arguments: Written::Text(call.arguments),
            }),
            _ => {}
        }
    }
    turn
}

/// How a turn that should make a call did so.
fn judged(turn: Turn) -> (Health, String) {
    let tools = ToolSet::read(&[tool()]);
    let echo = Echo::of(&[json!({"role": "user", "content": WEATHER})]);
    let settings = Settings::default();
    let request = toolmend::Request {
        tools: &tools,
        may_call: true,
        echo: &echo,
        past: toolmend::Past::Unknown,
        settings: &settings,
    };
    let mended = request.mend(turn);
    let Some(call) = mended.calls.first() else { return uncalled(&mended) };
    match (call.origin, call.outcome) {
        (Origin::Declared { .. }, Outcome::Untouched) => {
            (Health::Good, "made as they should be".to_owned())
        }
        (Origin::Declared { .. }, Outcome::Mended) => {
            let rules: Vec<&str> = mended.report.repairs.iter().map(|change| change.rule).collect();
            (Health::Mended, format!("arguments are mended: {}", rules.join(", ")))
        }
        (Origin::Found { channel, dialect }, _) => {
            let place = channel.as_str();
            (Health::Mended, format!("stand in the {place} as {dialect}"))
        }
    }
}

fn uncalled(mended: &Mended) -> (Health, String) {
    match mended.refused.first() {
        Some(refused) => (Health::Bad, format!("refused: {}", refused.message)),
        None => (Health::Unknown, "the model made none".to_owned()),
    }
}

/// The start of a turn that nobody but this model goes on with in one way.
const BEGUN: &str = "One, two, three, four,";

async fn continued(probe: &Probe, model: &str, kind: ServerKind, found: &mut Diagnosis) {
    let user = json!({"role": "user", "content": "Count from one to eight in words."});
    let ways = match kind {
        ServerKind::Vllm | ServerKind::Sglang => {
            [Continuation::ContinueFinal, Continuation::Prefill]
        }
        _ => [Continuation::Prefill, Continuation::Prefix],
    };
    for way in ways {
        let mut message = json!({"role": "assistant", "content": BEGUN});
        let mut more = json!({"max_tokens": 30});
        if let (Continuation::Prefix, Some(message)) = (way, message.as_object_mut()) {
            message.insert("prefix".to_owned(), true.into());
        }
        if let Some(more) = more.as_object_mut() {
            more.insert("messages".to_owned(), json!([user, message]));
            if way == Continuation::ContinueFinal {
                more.insert("continue_final_message".to_owned(), true.into());
                more.insert("add_generation_prompt".to_owned(), false.into());
            }
        }
        let Ok(said) = probe.chat(model, more).await else { continue };
        let message = message_of(&said);
        let text = message.get("content").and_then(Value::as_str).unwrap_or_default();
        let text = text.trim_start().to_lowercase();
        let rest = text.strip_prefix(&BEGUN.to_lowercase()).unwrap_or(&text).trim_start();
        if said.status.is_success() && rest.starts_with("five") {
            found.continuation = way;
            return found.note("continuation", Health::Good, "it goes on with a turn that was cut");
        }
    }
    // Those that are known to do so are asked in their own way, also where this model strayed.
    found.continuation = kind.continuation();
    let (health, told) = match found.continuation {
        Continuation::None => (Health::Unknown, "it does not go on with a turn that was cut"),
        _ => (Health::Good, "by what the server is; this model did not show it"),
    };
    found.note("continuation", health, told);
}

/// The message of the first choice.
fn message_of(said: &Said) -> Value {
    let reply = said.json().unwrap_or_default();
    reply.pointer("/choices/0/message").cloned().unwrap_or_default()
}

/// An answer that can be looked at; what else came is noted.
fn answered(name: &'static str, said: Result<Said, String>, found: &mut Diagnosis) -> Option<Said> {
    match said {
        Ok(said) if said.status.is_success() => Some(said),
        Ok(said) => {
            let why = error_message(&said.body).unwrap_or_default();
            let why: String = why.chars().take(200).collect();
            found.note(name, Health::Bad, format!("status {}: {why}", said.status.as_u16()));
            None
        }
        Err(why) => {
            found.note(name, Health::Bad, why);
            None
        }
    }
}

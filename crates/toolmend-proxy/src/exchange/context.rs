//! What a reply is judged by: the tools, the messages and the model of its request.

use std::sync::Arc;

use serde_json::Value;
use toolmend::history::{self, History, heal};
use toolmend::{Echo, Past, Profile, Request, Settings, ToolSet};
use toolmend_wire::{Api, glance, is_json, is_talk};

use super::shelf::{Flat, Shelf, flatten};
use super::shelves::SHELVES;

/// What a reply is judged by. It is made from the request alone, so that any replica judges alike.
#[derive(Debug)]
pub(crate) struct Context {
    shelf: Arc<Shelf>,
    pub(crate) may_call: bool,
    echo: Echo,
    history: Arc<str>,
    api: history::Api,
    pub(crate) settings: Arc<Settings>,
    pub(crate) model: String,
    pub(crate) profile: Profile,
}

impl Context {
    /// The tools that are offered.
    pub(crate) fn tools(&self) -> &ToolSet {
        self.shelf.tools()
    }

    /// The same as their host wrote them: a list as JSON. Requests with the same tools share it.
    pub(crate) fn tools_written(&self) -> Arc<str> {
        Arc::clone(self.shelf.written())
    }

    /// Those of them that the model sees with flat names.
    pub(crate) fn flat(&self) -> &Flat {
        self.shelf.flat()
    }

    /// Whether the model has tools that it may call.
    pub(crate) fn offers_tools(&self) -> bool {
        self.may_call && !self.tools().is_empty()
    }

    /// The messages as JSON, as they went up.
    pub(crate) fn messages(&self) -> Arc<str> {
        Arc::clone(&self.history)
    }

    /// How the calls of this exchange and their results stand.
    pub(crate) fn chain(&self) -> history::Status {
        let history = History::read(&self.history, self.api);
        history.map(|history| history::status(&history)).unwrap_or_default()
    }

    /// The request as the library wants it.
    pub(crate) fn request(&self) -> Request<'_> {
        Request {
            tools: self.tools(),
            may_call: self.may_call,
            echo: &self.echo,
            past: Past::Written(&self.history, self.api),
            settings: &self.settings,
        }
    }
}

/// A request on its way up.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The body, where something in it had to change.
    pub(crate) body: Option<Vec<u8>>,
    /// How many choices the client wants.
    pub(crate) choices: u64,
    pub(crate) is_stream: bool,
    /// Whether calls are wanted in the form that came before `tools`.
    pub(crate) is_legacy: bool,
    pub(crate) context: Arc<Context>,
}

/// Reads a request; `None` where it is no object, and nothing is understood of it. What is no valid JSON
/// goes up as it came.
pub(crate) fn prepare(api: Api, body: &[u8], settings: &Arc<Settings>) -> Option<Prepared> {
    let text = std::str::from_utf8(body).ok()?;
    let said = if api == Api::Responses { "input" } else { "messages" };
    let [model, messages, tools, functions, choice, stream, choices, before] = glance(
        text,
        ["model", said, "tools", "functions", "tool_choice", "stream", "n", "previous_response_id"],
    )?;
    let is_given = |raw: Option<&str>| raw.is_some_and(|raw| raw != "null");
    let is_legacy = api == Api::Chat && !is_given(tools) && is_given(functions);
    let model: String = model.and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
    let messages = messages.unwrap_or("[]");
    let profile = settings.profile(&model);
    let shape = shape_of(api);
    let mut options = history::Options::default();
    if profile.needs_reasoning == Some(true) {
        options.reasoning = history::Reasoning::Demanded;
    }
    if before.is_some_and(|id| id != "null") {
        options.start = history::Start::Elsewhere;
    }
    let needs_care = options.reasoning == history::Reasoning::Demanded || !is_talk(messages);
    let history = needs_care.then(|| History::read(messages, shape).ok()).flatten();
    let healed = history.map(|history| heal(&history, options));
    let edited = healed.filter(|healed| !healed.edits.is_empty()).map(|healed| healed.text);
    let mut out = edited.as_deref().and_then(|edited| splice(text, messages, edited));
    let history: Arc<str> = edited.as_deref().unwrap_or(messages).into();
    let shelf = SHELVES.find(tools.unwrap_or("[]"), flatten(settings, profile), settings);
    out = shelf.dress(api, out.as_deref().unwrap_or(body)).or(out);
    // A glance is enough for what goes up as it came. What is no JSON is not for us to change.
    let out = out.filter(|_| is_json(text));
    let context = Context {
        shelf,
        may_call: may_call(choice),
        echo: Echo::written(Arc::clone(&history)),
        history,
        api: shape,
        settings: Arc::clone(settings),
        model,
        profile,
    };
    let wants_stream = stream.and_then(|raw| serde_json::from_str(raw).ok());
    let choices = choices.and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or(1);
    let is_stream = wants_stream.unwrap_or(api == Api::Ollama);
    Some(Prepared { body: out, choices, is_stream, is_legacy, context: Arc::new(context) })
}

fn shape_of(api: Api) -> history::Api {
    match api {
        Api::Chat => history::Api::Chat,
        Api::Responses => history::Api::Responses,
        Api::Messages => history::Api::Anthropic,
        Api::Ollama => history::Api::Ollama,
    }
}

/// Whether the request allows calls at all.
fn may_call(choice: Option<&str>) -> bool {
    let choice: Option<Value> = choice.and_then(|raw| serde_json::from_str(raw).ok());
    let word = choice.as_ref().and_then(|choice| choice.get("type").unwrap_or(choice).as_str());
    word != Some("none")
}

/// Puts another text in the place of a part of the body; every other byte stays.
fn splice(body: &str, part: &str, with: &str) -> Option<Vec<u8>> {
    let start = (part.as_ptr() as usize).checked_sub(body.as_ptr() as usize)?;
    let before = body.get(..start)?;
    let after = body.get(start + part.len()..)?;
    Some([before, with, after].concat().into_bytes())
}

#[cfg(test)]
mod tests {
    use toolmend::history::{self, Api, History, heal};
    use toolmend_wire::is_talk;

    /// Talk is not read for healing, so nothing in it may have to be healed.
    #[test]
    fn there_is_nothing_to_heal_in_talk() {
        let says = |role: &str, text: &str| format!(r#"{{"role":"{role}","content":"{text}"}}"#);
        let texts = ["", " ", "\u{3000}", r"\n", "Hi", "你好", r"x\u0020", "\u{a0}x"];
        let mut talks = 0;
        for text in texts {
            for roles in [
                ["user", "assistant"],
                ["assistant", "user"],
                ["assistant", "assistant"],
                ["tool", "user"],
            ] {
                let messages = [roles[0], roles[1], "user"].map(|role| says(role, text));
                let messages = format!("[{}]", messages.join(", "));
                if !is_talk(&messages) {
                    continue;
                }
                talks += 1;
                for api in [Api::Chat, Api::Responses, Api::Anthropic, Api::Ollama] {
                    let read = History::read(&messages, api).unwrap();
                    let healed = heal(&read, history::Options::default());
                    assert_eq!(healed.edits, [], "{api:?} {messages}");
                }
            }
        }
        assert_eq!(talks, 9);
    }
}

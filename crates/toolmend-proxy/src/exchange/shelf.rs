//! The tools of a request as the model gets to see them: without hints, with contract hints in their
//! descriptions, and flat where that helps the model; past calls are shown in the same way.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use toolmend::schema::{Cache, Flatten, Shown};
use toolmend::{Profile, Settings, Tool, ToolSet, When};
use toolmend_wire::{Api, Request, Verdict, WireCall};

/// The tools of a request.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    tools: ToolSet,
    /// Those that the model sees otherwise than they were written, by their place in the request.
    dressed: Vec<(usize, Value)>,
    /// Those with flat names.
    flat: Flat,
    /// All of them as their host wrote them, where someone asked.
    written: OnceLock<Arc<str>>,
}

/// Tools that are shown with flat names, by name.
#[derive(Debug, Default)]
pub(crate) struct Flat(BTreeMap<String, Shown>);

impl Shelf {
    pub(super) fn read(tools: &[Value], flatten: Flatten, compiled: &Cache) -> Self {
        let mut shelf = Self::default();
        let mut read = Vec::new();
        for (number, source) in tools.iter().enumerate() {
            let Ok(tool) = compiled.read(source) else { continue };
            let shown = tool.shown(flatten);
            if shown.tool != *source {
                shelf.dressed.push((number, shown.tool.clone()));
            }
            if shown.is_flat {
                shelf.flat.0.insert(tool.name().to_owned(), shown);
            }
            read.push(tool);
        }
        shelf.tools = ToolSet::of(read);
        shelf
    }

    /// The tools, also by these other names.
    pub(super) fn with_synonyms(self, settings: &Settings) -> Self {
        Self { tools: self.tools.with_synonyms(settings.synonyms.clone()), ..self }
    }

    /// The body as it goes up; `None` where nothing in it has to change.
    pub(crate) fn dress(&self, api: Api, body: &[u8]) -> Option<Vec<u8>> {
        if self.dressed.is_empty() {
            return None;
        }
        let mut request = Request::read(api, body)?;
        for (number, tool) in &self.dressed {
            request.set_tool(*number, &tool.to_string());
        }
        if !self.flat.0.is_empty() {
            for (number, mut message) in request.messages().into_iter().enumerate() {
                if self.flat.show(api, &mut message) {
                    request.set_message(number, &message.to_string());
                }
            }
        }
        Some(request.body().as_bytes().to_vec())
    }

    pub(crate) fn tools(&self) -> &ToolSet {
        &self.tools
    }

    pub(crate) fn flat(&self) -> &Flat {
        &self.flat
    }

    /// The tools as their host wrote them: a list as JSON.
    pub(crate) fn written(&self) -> &Arc<str> {
        self.written.get_or_init(|| {
            let sources: Vec<&Value> = self.tools.iter().map(Tool::source).collect();
            serde_json::to_string(&sources).unwrap_or_default().into()
        })
    }
}

impl Flat {
    /// Gives the calls of a past message flat names. Tells whether anything changed.
    fn show(&self, api: Api, message: &mut Value) -> bool {
        let mut is_changed = false;
        let mut change = |call: &mut Value, key: &str| {
            let name = call.get("name").and_then(Value::as_str);
            let Some(shown) = name.and_then(|name| self.0.get(name)) else { return };
            let Some(arguments) = call.get_mut(key) else { return };
            let flat = |value: Value| shown.flatten(value);
            let after = match arguments.as_str() {
                Some(text) => match serde_json::from_str(text) {
                    Ok(value) => Value::String(flat(value).to_string()),
                    Err(_) => return,
                },
                None => flat(arguments.clone()),
            };
            is_changed |= after != *arguments;
            *arguments = after;
        };
        match api {
            Api::Chat | Api::Ollama => {
                let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut);
                for call in calls.into_iter().flatten().filter_map(|c| c.get_mut("function")) {
                    change(call, "arguments");
                }
            }
            Api::Responses if message.get("type").is_some_and(|kind| kind == "function_call") => {
                change(message, "arguments");
            }
            Api::Responses => {}
            Api::Messages => {
                let blocks = message.get_mut("content").and_then(Value::as_array_mut);
                let is_call =
                    |block: &&mut Value| block.get("type").is_some_and(|kind| kind == "tool_use");
                for block in blocks.into_iter().flatten().filter(is_call) {
                    change(block, "input");
                }
            }
        }
        is_changed
    }

    /// The call with objects in place of flat names; `None` where there are none, or where they
    /// contradict each other.
    pub(crate) fn nest(&self, call: &WireCall) -> Option<WireCall> {
        let shown = self.0.get(&call.name)?;
        let came: Value = serde_json::from_str(&call.arguments).ok()?;
        let nested = shown.nest(came);
        if nested.repairs.is_empty() || !nested.conflicts.is_empty() {
            return None;
        }
        Some(WireCall { arguments: nested.arguments.to_string(), ..call.clone() })
    }
}

impl Flat {
    /// The call as it is meant: with objects in place of flat names.
    pub(crate) fn meant(&self, call: &WireCall) -> WireCall {
        self.nest(call).unwrap_or_else(|| call.clone())
    }

    /// What becomes of a call that came with flat names.
    pub(crate) fn settle(&self, verdict: Verdict, came: &WireCall) -> Verdict {
        let call = match &verdict {
            Verdict::Keep => came,
            Verdict::Change(call) => call,
            _ => return verdict,
        };
        self.nest(call).map_or(verdict, Verdict::Change)
    }
}

/// Which tools this model sees flat. What the settings say of all models goes over what is known of
/// one; where they leave it open, only models that are known to need it see flat names.
pub(crate) fn flatten(settings: &Settings, profile: Profile) -> Flatten {
    let over = Flatten::Over { leaves: settings.flatten.leaves, depth: settings.flatten.depth };
    match (settings.flatten.when, profile.flatten) {
        (When::Off, _) | (When::Auto, None | Some(When::Off)) => Flatten::Off,
        (When::Always, _) | (When::Auto, Some(When::Always)) => Flatten::Always,
        (When::Auto, Some(When::Auto)) => over,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use toolmend::schema::{Cache, Flatten};
    use toolmend::{Layer, Layers};
    use toolmend_wire::{Api, WireCall};

    use super::Shelf;

    fn shelf(tools: &[Value], flatten: Flatten) -> Shelf {
        Shelf::read(tools, flatten, &Cache::default())
    }

    fn tool() -> Value {
        let retry = json!({"type": "object", "properties": {"max": {"type": "integer"}}});
        let config = json!({"type": "object", "properties": {"retry": retry}});
        json!({"type": "function", "function": {"name": "deploy", "description": "Deploys.",
            "parameters": {"type": "object", "properties": {"config": config, "name": {"type": "string"}}}}})
    }

    /// What the settings make of the tools that a model is shown.
    fn flatten_of(said: &str, model: &str) -> Flatten {
        let layer = Layer::file("toolmend.toml", said).unwrap();
        let settings = Layers::new().over(layer).settings().unwrap();
        super::flatten(&settings, settings.profile(model))
    }

    #[test]
    fn the_settings_say_which_model_sees_flat_tools() {
        let over = |leaves, depth| Flatten::Over { leaves, depth };
        for (said, small, large) in [
            ("", over(10, 2), Flatten::Off),
            ("flatten.leaves = 3", over(3, 2), Flatten::Off),
            ("flatten.depth = 1", over(10, 1), Flatten::Off),
            ("flatten.when = 'always'", Flatten::Always, Flatten::Always),
            ("flatten.when = 'off'", Flatten::Off, Flatten::Off),
            ("models.'tern-*'.flatten = 'off'", Flatten::Off, Flatten::Off),
            ("models.'tern-70b'.flatten = 'always'", over(10, 2), Flatten::Always),
        ] {
            let seen = (flatten_of(said, "tern-3b"), flatten_of(said, "tern-70b"));
            assert_eq!(seen, (small, large), "{said}");
        }
    }

    #[test]
    fn what_has_no_hints_goes_up_as_it_is() {
        let shelf = shelf(&[tool()], Flatten::Off);
        assert_eq!(shelf.dress(Api::Chat, b"{}"), None);
    }

    #[test]
    fn hints_are_taken_out_and_contracts_are_told() {
        let mut hinted = tool();
        hinted["function"]["parameters"]["x-toolmend"] =
            json!({"mutating": true, "semantic": {"name": "path"}});
        hinted["function"]["contract_hint"] = json!("Deploy once.");
        let body = json!({"model": "m", "tools": [tool(), hinted], "seed": 1}).to_string();
        let tools: Vec<Value> =
            serde_json::from_str::<Value>(&body).unwrap()["tools"].as_array().unwrap().clone();
        let up = shelf(&tools, Flatten::Off).dress(Api::Chat, body.as_bytes()).unwrap();
        let up: Value = serde_json::from_slice(&up).unwrap();
        assert_eq!(up["tools"][0], tool());
        let mut told = tool();
        told["function"]["description"] = json!("Deploys.\n\nDeploy once.");
        assert_eq!(up["tools"][1], told);
        assert_eq!(up["seed"], 1);
    }

    #[test]
    fn flat_tools_and_past_calls_go_up_and_calls_come_back_nested() {
        let nested = json!({"config": {"retry": {"max": 3}}, "name": "a"});
        let call = json!({"id": "c", "type": "function",
            "function": {"name": "deploy", "arguments": nested.to_string()}});
        let messages = json!([{"role": "assistant", "content": null, "tool_calls": [call]}]);
        let body = json!({"messages": messages, "tools": [tool()]}).to_string();
        let shelf = shelf(&[tool()], Flatten::Always);
        let up = shelf.dress(Api::Chat, body.as_bytes()).unwrap();
        let up: Value = serde_json::from_slice(&up).unwrap();
        let shown = &up["tools"][0]["function"]["parameters"]["properties"];
        assert!(shown.get("config.retry.max").is_some(), "{shown}");
        let past = up["messages"][0]["tool_calls"][0]["function"]["arguments"].as_str().unwrap();
        assert_eq!(past, r#"{"config.retry.max":3,"name":"a"}"#);
        let came = WireCall { id: "c".into(), name: "deploy".into(), arguments: past.into() };
        let back: Value =
            serde_json::from_str(&shelf.flat().nest(&came).unwrap().arguments).unwrap();
        assert_eq!(back, nested);
    }
}

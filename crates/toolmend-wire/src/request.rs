//! Requests: what matters of them is read, and little of them is changed.

use serde_json::Value;

use crate::api::Api;
use crate::draft::{Draft, at};
use crate::json::Json;

/// What a request says about calling tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolChoice {
    /// The model may call or not; also where nothing is said.
    Auto,
    /// The model must not call.
    Never,
    /// The model must call some tool.
    Any,
    /// The model must call this tool.
    Tool(String),
}

/// The members of these names of a body that is an object, as they stand there.
///
/// It is a quick look, for bodies that mostly go on as they came: of a text that is no JSON it tells
/// something or nothing.
///
/// ```
/// let body = r#"{"model": "m", "messages": [ ], "model": "n"}"#;
/// let found = toolmend_wire::glance(body, ["messages", "model", "tools"]);
/// assert_eq!(found, Some([Some("[ ]"), Some("\"n\""), None]));
/// ```
#[must_use]
pub fn glance<'t, const N: usize>(body: &'t str, names: [&str; N]) -> Option<[Option<&'t str>; N]> {
    let json = Some(Json::of_valid(body)).filter(|json| json.is_object())?;
    Some(json.pick(names).map(|found| found.map(Json::raw)))
}

/// Whether messages are plain talk: each has a role and a text that says something, and nothing else. There
/// is nothing in such a history that could have to be healed. As at a [`glance`], what is no JSON may
/// look like it.
///
/// ```
/// use toolmend_wire::is_talk;
///
/// assert!(is_talk(r#"[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]"#));
/// assert!(!is_talk(r#"[{"role": "assistant", "content": ""}]"#));
/// assert!(!is_talk(r#"[{"role": "assistant", "content": "Hm", "tool_calls": []}]"#));
/// ```
#[must_use]
pub fn is_talk(messages: &str) -> bool {
    const ROLES: [&str; 4] = ["user", "assistant", "system", "developer"];
    let json = Json::of_valid(messages);
    let says_something = |text: Json<'_>| {
        let first = text.raw().chars().nth(1);
        let is_sure = |first: char| !first.is_whitespace() && !matches!(first, '"' | '\\');
        text.is_string() && first.is_some_and(is_sure)
    };
    let is_talk = |message: Json<'_>| {
        let mut members = message.members();
        let (Some((role, who)), Some((content, text)), None) =
            (members.next(), members.next(), members.next())
        else {
            return false;
        };
        role.is_key("role")
            && ROLES.iter().any(|role| who.is_key(role))
            && content.is_key("content")
            && says_something(text)
    };
    json.is_array() && json.items().all(is_talk)
}

/// Whether a body is valid JSON.
#[must_use]
pub fn is_json(body: &str) -> bool {
    Json::read(body).is_some()
}

/// The body of a request. What is not edited keeps every byte.
///
/// ```
/// use toolmend_wire::{Api, Request};
///
/// let body = br#"{"model":"m", "messages":[ {"role":"user","content":"Hi"} ], "seed":7}"#;
/// let mut request = Request::read(Api::Chat, body).unwrap();
/// assert_eq!((request.model().as_deref(), request.is_stream()), (Some("m"), false));
/// request.push_message(r#"{"role":"user","content":"Go on."}"#);
/// let after = r#"{"model":"m", "messages":[ {"role":"user","content":"Hi"},{"role":"user","content":"Go on."} ], "seed":7}"#;
/// assert_eq!(request.body(), after);
/// ```
#[derive(Clone, Debug)]
pub struct Request {
    api: Api,
    draft: Draft,
}

impl Request {
    /// Reads a body; `None` if it is no JSON object.
    #[must_use]
    pub fn read(api: Api, body: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(body).ok()?;
        Json::read_object(text)?;
        Some(Self { api, draft: Draft::new(text) })
    }

    /// The body as it is now.
    #[must_use]
    pub fn body(&self) -> &str {
        self.draft.text()
    }

    /// The model that is asked.
    #[must_use]
    pub fn model(&self) -> Option<String> {
        self.draft.get(at!["model"])?.text()
    }

    /// Whether the reply is to be streamed. Ollama streams unless told not to.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        let stream = self.draft.get(at!["stream"]).filter(|stream| !stream.is_null());
        stream.map_or(self.api == Api::Ollama, Json::is_true)
    }

    /// How many choices are asked for.
    #[must_use]
    pub fn choices(&self) -> u64 {
        let given = self.draft.get(at!["n"]).and_then(Json::number);
        given.filter(|_| self.api == Api::Chat).unwrap_or(1)
    }

    /// The tools that are offered, as the API has them; legacy `functions` too.
    #[must_use]
    pub fn tools(&self) -> Vec<Value> {
        self.list("tools").or_else(|| self.list("functions")).unwrap_or_default()
    }

    /// Whether tools are offered in the form that came before `tools`: the client then expects
    /// `function_call`.
    #[must_use]
    pub fn is_legacy(&self) -> bool {
        let is_given = |name| self.draft.get(at![name]).is_some_and(|value| !value.is_null());
        is_given("functions") && !is_given("tools")
    }

    /// What is said about calling them.
    #[must_use]
    pub fn tool_choice(&self) -> ToolChoice {
        let given = |name| self.draft.get(at![name]).filter(|choice| !choice.is_null());
        let Some(choice) = given("tool_choice").or_else(|| given("function_call")) else {
            return ToolChoice::Auto;
        };
        let word = choice.text().or_else(|| choice.word("type")).unwrap_or_default();
        match word.as_str() {
            "none" => ToolChoice::Never,
            "required" | "any" => ToolChoice::Any,
            _ => {
                let function = choice.get("function").and_then(|function| function.word("name"));
                let name = function.or_else(|| choice.word("name"));
                name.map_or(ToolChoice::Auto, ToolChoice::Tool)
            }
        }
    }

    /// What was said so far: messages, or the items of an input.
    #[must_use]
    pub fn messages(&self) -> Vec<Value> {
        let whole = || {
            let json = self.draft.get(at![self.messages_key()])?;
            serde_json::from_str(json.raw()).ok().map(|value| vec![value])
        };
        self.list(self.messages_key()).or_else(whole).unwrap_or_default()
    }

    /// The limit of tokens for the reply.
    #[must_use]
    pub fn tokens_max(&self) -> Option<u64> {
        let paths: &[&[_]] = match self.api {
            Api::Chat => &[at!["max_completion_tokens"], at!["max_tokens"]],
            Api::Responses => &[at!["max_output_tokens"]],
            Api::Messages => &[at!["max_tokens"]],
            Api::Ollama => &[at!["options", "num_predict"]],
        };
        paths.iter().find_map(|path| self.draft.get(path)?.number())
    }

    /// What is said about thinking, as JSON.
    #[must_use]
    pub fn reasoning(&self) -> Option<&str> {
        let keys: &[&str] = match self.api {
            Api::Chat => &["reasoning_effort", "reasoning", "thinking"],
            Api::Responses => &["reasoning"],
            Api::Messages => &["thinking"],
            Api::Ollama => &["think"],
        };
        keys.iter().find_map(|key| Some(self.draft.get(at![*key])?.raw()))
    }

    /// A field of the body, as JSON.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        Some(self.draft.get(at![name])?.raw())
    }

    /// Sets a field. JSON that is none changes nothing.
    pub fn set_field(&mut self, name: &str, json: &str) {
        if toolmend_json::is_valid(json) {
            self.draft.set(at![name], json);
        }
    }

    /// Takes a field out.
    pub fn remove_field(&mut self, name: &str) {
        self.draft.remove(at![name]);
    }

    /// Sets one of the tools, and leaves the others as they are.
    pub fn set_tool(&mut self, number: usize, json: &str) {
        if toolmend_json::is_valid(json) {
            self.draft.set(at!["tools", number], json);
        }
    }

    /// Sets one of the messages, and leaves the others as they are.
    pub fn set_message(&mut self, number: usize, json: &str) {
        if toolmend_json::is_valid(json) {
            self.draft.set(at![self.messages_key(), number], json);
        }
    }

    /// Adds a message at the end. An input that is one text becomes the first of two.
    pub fn push_message(&mut self, json: &str) {
        if !toolmend_json::is_valid(json) {
            return;
        }
        let path = at![self.messages_key()];
        let text = self.draft.get(path).filter(|input| input.is_string());
        if let Some(text) = text.map(|text| text.raw().to_owned()) {
            self.draft.set(path, &format!(r#"[{{"role":"user","content":{text}}}]"#));
        }
        self.draft.push(path, json);
    }

    fn messages_key(&self) -> &'static str {
        match self.api {
            Api::Responses => "input",
            Api::Chat | Api::Messages | Api::Ollama => "messages",
        }
    }

    fn list(&self, key: &str) -> Option<Vec<Value>> {
        serde_json::from_str(self.draft.get(at![key])?.raw()).ok()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Request, ToolChoice, glance, is_json, is_talk};
    use crate::api::Api;

    fn read(api: Api, body: &str) -> Request {
        Request::read(api, body.as_bytes()).unwrap()
    }

    #[test]
    fn each_api_says_in_its_words_what_may_be_called() {
        for (api, choice, expected) in [
            (Api::Chat, r#""none""#, ToolChoice::Never),
            (Api::Chat, r#""required""#, ToolChoice::Any),
            (
                Api::Chat,
                r#"{"type":"function","function":{"name":"f"}}"#,
                ToolChoice::Tool("f".into()),
            ),
            (Api::Responses, r#"{"type":"function","name":"f"}"#, ToolChoice::Tool("f".into())),
            (Api::Messages, r#"{"type":"any"}"#, ToolChoice::Any),
            (Api::Messages, r#"{"type":"tool","name":"f"}"#, ToolChoice::Tool("f".into())),
            (Api::Messages, r#"{"type":"none"}"#, ToolChoice::Never),
            (Api::Chat, "null", ToolChoice::Auto),
        ] {
            let request = read(api, &format!(r#"{{"tool_choice":{choice}}}"#));
            assert_eq!(request.tool_choice(), expected, "{choice}");
        }
    }

    #[test]
    fn limits_streams_and_thinking_are_read() {
        let body = r#"{"options":{"num_predict":9},"think":true}"#;
        let request = read(Api::Ollama, body);
        assert_eq!((request.tokens_max(), request.is_stream()), (Some(9), true));
        assert_eq!(request.reasoning(), Some("true"));
        let request = read(Api::Chat, r#"{"n":3,"stream":true,"max_tokens":5}"#);
        assert_eq!(
            (request.choices(), request.tokens_max(), request.is_stream()),
            (3, Some(5), true)
        );
        for (api, body, expected) in [
            (Api::Ollama, r#"{"stream":false}"#, false),
            (Api::Chat, r#"{"stream":false}"#, false),
            (Api::Chat, r#"{"stream":null}"#, false),
            (Api::Ollama, r#"{"stream":null}"#, true),
        ] {
            assert_eq!(read(api, body).is_stream(), expected, "{body}");
        }
    }

    #[test]
    fn edits_leave_the_rest_alone() {
        let mut request = read(Api::Responses, r#"{ "input" : "Hi" ,"x":1e2}"#);
        assert_eq!(request.messages().len(), 1);
        request.push_message(r#"{"role":"user","content":"Go"}"#);
        request.set_field("tools", "[]");
        request.set_field("bad", "{");
        assert_eq!(
            request.body(),
            r#"{ "input" : [{"role":"user","content":"Hi"},{"role":"user","content":"Go"}] ,"x":1e2,"tools":[]}"#
        );
        request.set_field("input", "[1]");
        request.remove_field("tools");
        assert_eq!(request.body(), r#"{ "input" : [1] ,"x":1e2}"#);
    }

    #[test]
    fn fields_are_read_and_set_where_they_stand() {
        let body = r#"{"model":"m","tools":[1,2],"input":[{"a":1},{"b":2}],"x": 3}"#;
        let mut request = read(Api::Responses, body);
        assert_eq!(request.model().as_deref(), Some("m"));
        assert_eq!(request.field("x"), Some("3"));
        assert_eq!(request.field("y"), None);
        assert_eq!(request.messages(), [json!({"a": 1}), json!({"b": 2})]);
        request.set_tool(1, "{}");
        request.set_tool(0, "{");
        request.set_message(0, "null");
        request.remove_field("x");
        let wanted = r#"{"model":"m","tools":[1,{}],"input":[null,{"b":2}]}"#;
        assert_eq!(request.body(), wanted);
    }

    #[test]
    fn legacy_is_who_offers_functions_alone() {
        for (body, expected) in [
            (r#"{"functions":[]}"#, true),
            (r#"{"functions":[],"tools":[]}"#, false),
            (r#"{"functions":[],"tools":null}"#, true),
            (r#"{"functions":null}"#, false),
            (r#"{"tools":[]}"#, false),
            ("{}", false),
        ] {
            assert_eq!(read(Api::Chat, body).is_legacy(), expected, "{body}");
        }
        assert_eq!(read(Api::Chat, r#"{"functions":[1]}"#).tools(), [json!(1)]);
        assert_eq!(read(Api::Chat, r#"{"functions":[1],"tools":[2]}"#).tools(), [json!(2)]);
    }

    #[test]
    fn talk_is_roles_and_texts_alone() {
        let say =
            |message: &str| is_talk(&format!(r#"[{{"role":"user","content":"a"}},{message}]"#));
        for role in ["user", "assistant", "system", "developer"] {
            assert!(say(&format!(r#"{{"role":"{role}","content":"x"}}"#)), "{role}");
        }
        for message in [
            r#"{"role":"tool","content":"x"}"#,
            r#"{"rule":"user","content":"x"}"#,
            r#"{"role":"user","contents":"x"}"#,
            r#"{"role":"user","content":[1]}"#,
            r#"{"role":"user","content":""}"#,
            r#"{"role":"user","content":" x"}"#,
            r#"{"role":"user","content":"\nx"}"#,
            r#"{"role":"user","content":"x","name":"y"}"#,
            r#"{"role":"user"}"#,
            "1",
        ] {
            assert!(!say(message), "{message}");
        }
        assert!(is_talk("[]") && !is_talk("{}"));
        assert!(is_json("[ ]") && !is_json("[") && !is_json(""));
    }

    #[test]
    fn a_glance_finds_members_as_they_stand() {
        let body = r#"{"model":"m","tools":[ {"model":1} ],"model" : "n"}"#;
        let found = glance(body, ["tools", "model", "stream"]);
        assert_eq!(found, Some([Some(r#"[ {"model":1} ]"#), Some("\"n\""), None]));
        assert_eq!(glance("[]", ["model"]), None);
    }

    #[test]
    fn an_input_that_is_one_text_is_one_message() {
        let mut request = read(Api::Responses, r#"{"input":"Hi"}"#);
        assert_eq!(request.messages(), [json!("Hi")]);
        request.push_message("2");
        assert_eq!(request.body(), r#"{"input":[{"role":"user","content":"Hi"},2]}"#);
        assert_eq!(read(Api::Chat, "{}").messages(), [json!(null); 0]);
    }
}

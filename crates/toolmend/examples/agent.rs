//! A whole agent loop over a scripted model that misbehaves in each way: its call stands in the
//! text, its JSON is broken, a value has the wrong type, a call is cut, a stream breaks off, an
//! argument is missing, and at last it repeats itself.
//!
//! ```text
//! cargo run -p toolmend --example agent
//! ```
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::collections::VecDeque;
use std::convert::Infallible;

use serde_json::{Value, json};
use toolmend::history::Api;
use toolmend::{
    Abilities, Ask, Call, Declared, Driver, Echo, Ended, Kind, Mended, Past, Prefix, Recovery,
    Request, Settings, ToolSet, Turn, Written, recover,
};

/// What the model says next, and how the turn ends.
struct Said {
    why: &'static str,
    turn: Turn,
    ended: Ended,
}

fn text(why: &'static str, content: &str) -> Said {
    let turn = Turn { content: content.to_owned(), finish: Some("stop".into()), ..Turn::default() };
    Said { why, turn, ended: Ended::Whole }
}

fn call(why: &'static str, arguments: &str, finish: &str) -> Said {
    let declared = Declared {
        id: None,
        name: Some("read_file".into()),
        arguments: Written::Text(arguments.to_owned()),
    };
    let turn = Turn { calls: vec![declared], finish: Some(finish.to_owned()), ..Turn::default() };
    Said { why, turn, ended: Ended::Whole }
}

fn script() -> VecDeque<Said> {
    let same = r#"{"path": "a.txt"}"#;
    VecDeque::from([
        text(
            "the call stands in the text",
            "<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"README\"}}</tool_call>",
        ),
        call("the JSON is broken", "{'path': 'b.txt',}", "tool_calls"),
        call("a number is a string", r#"{"path": "c.txt", "limit": "42"}"#, "tool_calls"),
        call("a call is cut", r#"{"path": "long/na"#, "length"),
        call("… and this is the rest of it", "me.txt\"}", "tool_calls"),
        Said { why: "a stream breaks off", turn: Turn::default(), ended: Ended::Broken },
        call("… and comes whole the second time", r#"{"path": "d.txt"}"#, "tool_calls"),
        call("a required argument is missing", r#"{"limit": 3}"#, "tool_calls"),
        call("… and is there when asked for", r#"{"path": "e.txt", "limit": 3}"#, "tool_calls"),
        call("the same call", same, "tool_calls"),
        call("the same call again", same, "tool_calls"),
        call("the same call a third time", same, "tool_calls"),
        text("… and asked what it wants, the model ends", "a.txt is empty. I am done."),
    ])
}

/// The agent: its messages, and the model it talks to.
struct Agent {
    tools: ToolSet,
    settings: Settings,
    messages: Vec<Value>,
    model: VecDeque<Said>,
    /// The arguments of a call that was cut, while the rest of it is asked for.
    half: Option<String>,
}

impl Agent {
    fn mend(&self, turn: Turn) -> Mended {
        let messages = Value::Array(self.messages.clone()).to_string();
        let echo = Echo::of(&self.messages);
        let request = Request {
            tools: &self.tools,
            may_call: true,
            echo: &echo,
            past: Past::Written(&messages, Api::Chat),
            settings: &self.settings,
        };
        request.mend(turn)
    }

    /// The next turn of the model, mended.
    fn next(&mut self) -> Option<(Ended, Mended)> {
        let mut said = self.model.pop_front()?;
        println!("model:  {}", said.why);
        said.turn.id = format!("turn-{}", self.messages.len());
        if let (Some(half), Some(call)) = (self.half.take(), said.turn.calls.first_mut())
            && let Written::Text(rest) = &mut call.arguments
        {
            rest.insert_str(0, &half);
        }
        Some((said.ended, self.mend(said.turn)))
    }

    fn run(&mut self, call: &Call) {
        println!("run:    {} {}", call.name, call.arguments);
        let function = json!({"name": call.name, "arguments": call.arguments});
        let made = json!({"id": call.id, "type": "function", "function": function});
        self.messages.push(json!({"role": "assistant", "content": null, "tool_calls": [made]}));
        let result = json!({"role": "tool", "tool_call_id": call.id, "content": "(empty)"});
        self.messages.push(result);
    }
}

impl Driver for Agent {
    type Error = Infallible;

    fn ask(&mut self, ask: &Ask) -> Result<(Ended, Mended), Infallible> {
        println!("ask:    {}", ask.kind.as_str());
        if let (Kind::Continue, Some(Prefix::Call { arguments, .. })) = (ask.kind, &ask.prefix) {
            self.half = Some(arguments.clone());
        }
        Ok(self.next().unwrap_or((Ended::Whole, Mended::default())))
    }
}

fn main() {
    let tools = ToolSet::read(&[json!({"name": "read_file", "parameters": {"type": "object",
        "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["path"], "additionalProperties": false}})]);
    let mut agent = Agent {
        tools,
        settings: Settings::default(),
        messages: vec![json!({"role": "user", "content": "What is in the files?"})],
        model: script(),
        half: None,
    };
    while let Some((ended, turn)) = agent.next() {
        let mut recovery = Recovery::new(agent.settings.ask, Abilities { can_continue: true });
        let Ok(delivery) = recover(&mut recovery, &mut agent, ended, turn);
        println!("result: {}", delivery.label.as_str());
        for call in &delivery.turn.calls {
            agent.run(call);
        }
        if delivery.turn.calls.is_empty() {
            println!("done");
        }
    }
}

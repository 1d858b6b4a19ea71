//! What a host asks of a mended turn: counts, the words of an ask, what is delivered, and how far text
//! may go out.

use serde_json::{Value, json};
use toolmend::history::Api;
use toolmend::{
    Abilities, AskLimits, Count, Counters, Declared, Echo, Effect, Ended, Kind, Label, Layer,
    Layers, Mended, Mode, Next, Owner, Past, Reason, Recovery, Request, Settings, StormMode, Tool,
    ToolSet, Turn, Written,
};

fn tools() -> ToolSet {
    let of = |name: &str| {
        let properties = json!({"to": {"type": "string"}, "stops": {"type": "integer"}});
        let schema = json!({"type": "object", "properties": properties, "required": ["to"]});
        json!({"name": name, "parameters": schema})
    };
    ToolSet::read(&[of("find_route"), of("book_berth")])
}

fn call(name: &str, arguments: &str) -> Declared {
    let arguments = Written::Text(arguments.to_owned());
    Declared { id: None, name: Some(name.to_owned()), arguments }
}

/// What comes of a turn; `past` are the messages before it.
fn mend(calls: Vec<Declared>, content: &str, finish: &str, past: &str) -> Mended {
    let settings = Settings::default();
    let request = Request {
        tools: &tools(),
        may_call: true,
        echo: &Echo::default(),
        past: if past.is_empty() { Past::Unknown } else { Past::Written(past, Api::Chat) },
        settings: &settings,
    };
    let finish = Some(finish.to_owned());
    request.mend(Turn { id: "t".into(), calls, content: content.into(), finish, ..Turn::default() })
}

/// A history in which a call came often, always with the same result.
fn again(name: &str, arguments: &str) -> String {
    let mut messages = vec![json!({"role": "user", "content": "Where to?"})];
    for at in 0..4 {
        let function = json!({"name": name, "arguments": arguments});
        let call = json!({"id": format!("c{at}"), "type": "function", "function": function});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "tool_call_id": format!("c{at}"), "content": "none"}));
    }
    Value::from(messages).to_string()
}

fn counted(counters: &Counters) -> Vec<String> {
    counters.snapshot().iter().map(|(count, by)| format!("{count:?} {by}")).collect()
}

#[test]
fn turns_are_counted_by_model_tool_rule_dialect_and_reason() {
    let counters = Counters::default();
    let marked = r#"<tool_call>{"name": "book_berth", "arguments": {"to": "Vis"}}</tool_call>"#;
    let calls = vec![
        call("find_route", r#"{"to":"Zadar"}"#),
        call("find_route", r#"{"to":"Zadar","stops":"2"}"#),
        call("find_route", r#"{"stops":2}"#),
        call("fly", "{}"),
    ];
    counters.record("tern", &mend(calls, marked, "tool_calls", ""));
    // What is written like a call and is none counts as nothing.
    let shown = format!("For example:\n\n```\n{marked}\n```\n");
    counters.record("tern", &mend(Vec::new(), &shown, "stop", ""));
    let past = again("find_route", r#"{"to":"Zadar"}"#);
    let storm = mend(vec![call("find_route", r#"{"to":"Zadar"}"#)], "", "tool_calls", &past);
    counters.record("tern", &storm);
    counters.record("gull", &mend(vec![call("find_route", r#"{"to":"Zadar""#)], "", "stop", ""));
    counters.record_ask("gull", Kind::Correct);
    counters.record_ask("gull", Kind::Correct);
    let expected = [
        r#"Calls { model: "gull", outcome: "mended" } 1"#,
        r#"Calls { model: "tern", outcome: "mended" } 2"#,
        r#"Calls { model: "tern", outcome: "refused" } 2"#,
        r#"Calls { model: "tern", outcome: "suppressed" } 1"#,
        r#"Calls { model: "tern", outcome: "untouched" } 1"#,
        r#"Tools { tool: "book_berth", outcome: "mended" } 1"#,
        r#"Tools { tool: "find_route", outcome: "mended" } 2"#,
        r#"Tools { tool: "find_route", outcome: "refused" } 1"#,
        r#"Tools { tool: "find_route", outcome: "suppressed" } 1"#,
        r#"Tools { tool: "find_route", outcome: "untouched" } 1"#,
        r#"Repairs { rule: "string-to-integer" } 1"#,
        r#"Found { dialect: "hermes_json" } 1"#,
        r#"Refused { reason: "mismatch" } 1"#,
        r#"Refused { reason: "storm" } 1"#,
        r#"Refused { reason: "unknown-tool" } 1"#,
        r#"Asks { model: "gull", kind: "correct" } 2"#,
        "Closed 1",
    ];
    assert_eq!(counted(&counters), expected);
}

#[test]
fn what_the_table_has_no_room_for_is_counted_together() {
    let counters = Counters::default();
    for model in 0..4100 {
        counters.record_ask(&model.to_string(), Kind::Correct);
    }
    // A row that is there goes on counting.
    counters.record_ask("7", Kind::Correct);
    let rows = counters.snapshot();
    let last = rows.get(&Count::Other).copied();
    let seventh = rows.get(&Count::Asks { model: "7".to_owned(), kind: "correct" }).copied();
    assert_eq!((rows.len(), last, seventh), (4097, Some(4), Some(2)));
}

#[test]
fn what_is_held_back_takes_its_repairs_and_faults_with_it() {
    let past = again("find_route", r#"{"to":"Zadar","stops":2}"#);
    let calls = vec![
        call("book_berth", r#"{"to":"Vis","stops":"1",}"#),
        call("find_route", r#"{"to":"Zadar","stops":"2",}"#),
        call("book_berth", r#"{"to":"Krk","stops":"3",}"#),
    ];
    let turn = mend(calls, "", "tool_calls", &past);
    let left: Vec<&str> = turn.calls.iter().map(|call| call.arguments.as_str()).collect();
    assert_eq!(left, [r#"{"to":"Vis","stops":1}"#, r#"{"to":"Krk","stops":3}"#]);
    let repaired: Vec<usize> = turn.report.repairs.iter().map(|change| change.call).collect();
    let faulty: Vec<Owner> = turn.report.faults.iter().map(|flaw| flaw.owner).collect();
    assert_eq!((repaired, faulty), (vec![0, 1], vec![Owner::Call(0), Owner::Call(1)]));
    assert_eq!((turn.suppressed.len(), turn.report.storms_broken), (1, 1));
}

#[test]
fn a_call_that_comes_again_goes_out_unless_storms_are_stopped() {
    let past = again("find_route", r#"{"to":"Zadar"}"#);
    let storm = mend(vec![call("find_route", r#"{"to":"Zadar"}"#)], "", "tool_calls", &past);
    for (mode, calls) in [(StormMode::Suppress, 1), (StormMode::Stop, 0)] {
        let recovery = Recovery::new(AskLimits::default(), Abilities::default());
        let mut recovery = recovery.with_storms(mode);
        let Next::Ask(ask) = recovery.told(Ended::Whole, storm.clone()) else { panic!("no ask") };
        assert_eq!((ask.kind, recovery.asks()), (Kind::Reflect, 1));
        let Next::Deliver(last) = recovery.told(Ended::Whole, storm.clone()) else {
            panic!("asks")
        };
        assert_eq!((last.turn.calls.len(), last.turn.suppressed.len()), (calls, 1 - calls));
        assert_eq!(last.turn.refused.len(), 1 - calls);
        assert_eq!((last.label, last.is_cut), (Label::RePrompt, false));
    }
}

#[test]
fn right_calls_of_turns_before_go_out_first_and_once() {
    let mut recovery = Recovery::new(AskLimits::default(), Abilities::default());
    let first = vec![
        call("find_route", r#"{"to":"Zadar"}"#),
        call("book_berth", r#"{"to":"Vis"}"#),
        call("book_berth", r#"{"stops":1}"#),
    ];
    let ask = recovery.told(Ended::Whole, mend(first, "", "tool_calls", ""));
    assert!(matches!(ask, Next::Ask(ask) if ask.kind == Kind::Correct));
    let second = vec![
        call("book_berth", r#"{"to":"Krk"}"#),
        // Another name, other arguments, and the same again but for spaces.
        call("book_berth", r#"{"to":"Zadar"}"#),
        call("find_route", r#"{"to": "Zadar"}"#),
    ];
    let delivery = recovery.give_up(Ended::Whole, mend(second, "", "tool_calls", ""));
    let calls: Vec<(&str, &str)> = delivery
        .turn
        .calls
        .iter()
        .map(|call| (call.name.as_str(), call.arguments.as_str()))
        .collect();
    let expected = [
        ("find_route", r#"{"to":"Zadar"}"#),
        ("book_berth", r#"{"to":"Vis"}"#),
        ("book_berth", r#"{"to":"Krk"}"#),
        ("book_berth", r#"{"to":"Zadar"}"#),
    ];
    assert_eq!((calls.as_slice(), delivery.kept), (expected.as_slice(), 2));
    assert_eq!(delivery.label, Label::RePrompt);
}

#[test]
fn an_ask_for_corrections_says_what_is_wrong_with_each_call() {
    let ask = |calls| {
        let mut recovery = Recovery::new(AskLimits::default(), Abilities::default());
        match recovery.told(Ended::Whole, mend(calls, "", "tool_calls", "")) {
            Next::Ask(ask) => ask.to_value(),
            Next::Deliver(_) => panic!("no ask"),
        }
    };
    let value = ask(vec![
        call("find_route", r#"{"to":"Zadar"}"#),
        call("book_berth", r#"{"stops":1}"#),
        call("find_route", "to Vis, please"),
    ]);
    assert_eq!((&value["kind"], value.get("tool")), (&json!("correct"), None));
    let messages = value["messages"].as_array().unwrap();
    let roles: Vec<&str> = messages.iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(roles, ["assistant", "tool", "tool", "user"]);
    let calls = messages[0]["tool_calls"].as_array().unwrap();
    let told: Vec<&str> =
        calls.iter().filter_map(|call| call["function"]["arguments"].as_str()).collect();
    assert_eq!(told, [r#"{"to":"Zadar"}"#, r#"{"stops":1}"#]);
    assert_eq!(calls[0]["id"], messages[1]["tool_call_id"]);
    assert_eq!(calls[1]["id"], messages[2]["tool_call_id"]);
    assert!(messages[1]["content"].as_str().unwrap().starts_with("Not run yet"), "{value}");
    assert!(messages[2]["content"].as_str().unwrap().contains("to"), "{value}");
    let advice = messages[3]["content"].as_str().unwrap();
    assert!(advice.starts_with("Tool input rejected: `find_route` did not run: "), "{advice}");
    // One tool alone is named.
    assert_eq!(ask(vec![call("book_berth", "{}")])["tool"], json!("book_berth"));
    // A call without a name cannot stand in a history.
    let value = ask(vec![Declared { name: None, ..call("", "{}") }]);
    let messages = value["messages"].as_array().unwrap();
    assert_eq!((messages.len(), &messages[0]["role"]), (1, &json!("user")));
}

#[test]
fn nothing_is_asked_about_text_that_is_no_call() {
    let shown = r#"For example: <tool_call>{"name": "find_route", "arguments": {}}</tool_call>"#;
    let turn = mend(Vec::new(), shown, "stop", "");
    assert_eq!(turn.refused.len(), 1);
    let mut recovery = Recovery::new(AskLimits::default(), Abilities::default());
    let Next::Deliver(delivery) = recovery.told(Ended::Whole, turn) else { panic!("asks") };
    assert_eq!(delivery.label, Label::Untouched);
}

#[test]
fn arguments_in_a_list_are_those_of_one_call_at_most() {
    let one = mend(vec![call("find_route", r#"[{"to":"Zadar"}]"#)], "", "tool_calls", "");
    assert_eq!(one.calls[0].arguments, r#"{"to":"Zadar"}"#);
    let two = r#"[{"to":"Zadar"},{"to":"Vis"}]"#;
    let two = mend(vec![call("find_route", two)], "", "tool_calls", "");
    assert_eq!((two.calls.len(), two.refused[0].reason), (0, Reason::NotAnObject));
}

#[test]
fn an_ask_for_the_rest_says_of_what() {
    let ask = |calls, content: &str| {
        let mut recovery = Recovery::new(AskLimits::default(), Abilities { can_continue: true });
        match recovery.told(Ended::Whole, mend(calls, content, "length", "")) {
            Next::Ask(ask) => ask.to_value(),
            Next::Deliver(_) => panic!("no ask"),
        }
    };
    assert_eq!(
        ask(vec![call("find_route", r#"{"to":"Za"#)], "")["prefix"],
        json!({"of": "call", "name": "find_route", "arguments": "{\"to\":\"Za"})
    );
    let text = r#"<tool_call>{"name": "find_route", "arguments": {"to": "Za"#;
    assert_eq!(ask(Vec::new(), text)["prefix"], json!({"of": "text"}));
}

#[test]
fn settings_of_a_tool_go_over_its_own_words() {
    let schema = json!({"type": "object", "x-toolmend": {"storm_exempt": true}});
    let of = |name: &str| Tool::read(&json!({"name": name, "parameters": schema})).unwrap();
    let (own, other) = (of("find_route"), of("get_route"));
    let said = "[tools.find_route]\nmutating = true\nstorm_exempt = false\ntrust = \"exact\"\n";
    let layer = Layer::file("t.toml", said).unwrap();
    let settings = Layers::new().over(layer).settings().unwrap();
    assert_eq!(settings.effect_of(&own), Effect::Mutating);
    assert_eq!(settings.effect_of(&other), other.effect());
    assert_eq!((settings.is_storm_exempt(&own), settings.is_storm_exempt(&other)), (false, true));
    assert_eq!(settings.trust_of(Some(&own)), toolmend::Trust::Exact);
    assert_eq!(settings.trust_of(Some(&other)), settings.trust);
    let words = ["on", "observe", "off", "no"].map(Mode::read);
    assert_eq!(words, [Some(Mode::On), Some(Mode::Observe), Some(Mode::Off), None]);
}

#[test]
fn what_is_said_of_a_model_goes_over_what_is_known() {
    let said = "[models.\"deepseek*\"]\nneeds_reasoning = false\n";
    let layer = Layer::file("t.toml", said).unwrap();
    let settings = Layers::new().over(layer).settings().unwrap();
    let known = settings.profile("deepseek-v3");
    assert_eq!((known.needs_reasoning, known.flatten.is_some()), (Some(false), true));
    assert_eq!(settings.profile("my-deepseek").needs_reasoning, Some(true));
}

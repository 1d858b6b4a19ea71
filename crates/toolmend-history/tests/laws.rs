//! What holds for every history. The seed is fixed, so that a run says the same twice; the fuzz
//! target looks further.

#[path = "support/check.rs"]
mod check;
#[path = "../../toolmend-json/tests/support/laws.rs"]
mod laws;
#[path = "support/shapes.rs"]
mod shapes;

use laws::{config, found};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::sample::select;
use serde_json::{Value, json};
use shapes::{Event, Made, write};
use toolmend_history::{Api, History, Options, Reasoning, Signature, Start};

fn id() -> impl Strategy<Value = String> {
    prop_oneof![4 => select(vec!["a", "b", "c", "d"]), 1 => Just(""), 1 => Just("m00010000")]
        .prop_map(str::to_owned)
}

fn arguments() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => select(vec!["{}", r#"{"p":1}"#, r#"{"p": "a \"b\" \n", "q": [1, {"r": null}]}"#]),
        3 => select(vec!["", " ", "{", r#"{"p":"#, r#"{"p": "a b"#, "{'p': 1,}", "[1]", "null", "5"]),
        1 => select(vec!["no json", "{\"a\":1}{\"b\":2}", "{\"a\": 6*2}", "\u{0}", "{\"a\":\"\\ud800\"}"]),
    ]
    .prop_map(str::to_owned)
}

fn event() -> impl Strategy<Value = Event> {
    let name = || select(vec!["f", "g"]).prop_map(str::to_owned);
    let text = || select(vec!["", " ", "yes", "é\n\""]).prop_map(str::to_owned);
    let call =
        (id(), name(), arguments()).prop_map(|(id, name, arguments)| Made { id, name, arguments });
    prop_oneof![
        2 => text().prop_map(Event::User),
        4 => (text(), vec(call, 0..4)).prop_map(|(text, calls)| Event::Turn { text, calls }),
        6 => (id(), name(), text()).prop_map(|(id, name, text)| Event::Result { id, name, text }),
    ]
}

fn options() -> impl Strategy<Value = Options> {
    (any::<bool>(), any::<bool>()).prop_map(|(is_demanded, is_elsewhere)| Options {
        reasoning: if is_demanded { Reasoning::Demanded } else { Reasoning::Free },
        start: if is_elsewhere { Start::Elsewhere } else { Start::Here },
    })
}

/// Joins some neighbouring messages of the user, as Anthropic's clients do, and takes some members
/// away.
fn roughen(text: &str, dice: &[u8]) -> String {
    let Ok(Value::Array(items)) = serde_json::from_str(text) else { return text.to_owned() };
    let mut rough: Vec<Value> = Vec::new();
    for (mut item, dice) in items.into_iter().zip(dice.iter().chain(std::iter::repeat(&0))) {
        let Some(members) = item.as_object_mut() else { continue };
        let is_user = members.get("role").is_some_and(|role| role == "user");
        match (dice % 8, rough.last_mut().and_then(|last| last.get_mut("content"))) {
            (0, Some(Value::Array(blocks))) if is_user => {
                match members.shift_remove("content").unwrap_or_default() {
                    Value::Array(more) => blocks.extend(more),
                    text => blocks.push(json!({"type": "text", "text": text})),
                }
                continue;
            }
            (1, _) => drop(members.shift_remove("tool_call_id")),
            (2, _) => drop(members.shift_remove("content")),
            (3, _) => drop(members.shift_remove("call_id")),
            _ => {}
        }
        rough.push(item);
    }
    Value::Array(rough).to_string()
}

/// The smallest history that is right in each shape: each turn with its results.
fn healthy() -> impl Strategy<Value = Vec<Event>> {
    let turn = (vec(select(vec!["f", "g"]), 1..4), any::<bool>());
    vec(turn, 0..6).prop_map(|turns| {
        let mut events = vec![Event::User("go".to_owned())];
        let mut number = 0;
        for (names, is_swapped) in turns {
            let calls: Vec<Made> = names
                .iter()
                .map(|name| {
                    number += 1;
                    let arguments = format!("{{\"n\": {number}}}");
                    Made { id: format!("id{number}"), name: (*name).to_owned(), arguments }
                })
                .collect();
            let mut results: Vec<Event> = calls
                .iter()
                .map(|Made { id, name, .. }| Event::Result {
                    id: id.clone(),
                    name: name.clone(),
                    text: "ok".to_owned(),
                })
                .collect();
            if is_swapped {
                results.reverse();
            }
            events.push(Event::Turn { text: String::new(), calls });
            events.extend(results);
        }
        events
    })
}

fn shuffled(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            members.iter().rev().map(|(key, value)| (key.clone(), shuffled(value))).collect()
        }
        Value::Array(items) => items.iter().map(shuffled).collect(),
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(config(4096))]

    #[test]
    fn healing_leaves_nothing_wrong_and_is_done_once(
        events in vec(event(), 0..12),
        api in select(Api::ALL.to_vec()),
        options in options(),
        dice in vec(any::<u8>(), 16),
    ) {
        let text = write(&events, api);
        found(check::heal_and_check(&text, api, options))?;
        found(check::heal_and_check(&roughen(&text, &dice), api, options))?;
    }

    #[test]
    fn what_is_right_keeps_its_bytes(events in healthy(), api in select(Api::ALL.to_vec())) {
        let text = write(&events, api).replace("},{", "} ,\n {");
        let healed = found(check::heal_and_check(&text, api, Options::default()))?;
        prop_assert_eq!(healed.edits, []);
        prop_assert_eq!(healed.text.as_ref(), text.as_str());
    }

    #[test]
    fn arguments_are_judged_alike_escaped_and_not(text in "[{}\\[\\]\":,0-9a-f\\\\ntu\n\\-.eE \u{e9}]{0,40}") {
        let call = json!([{"role": "assistant", "tool_calls": [
            {"id": "a", "function": {"name": "f", "arguments": text}}]}]).to_string();
        let history = History::read(&call, Api::Chat).unwrap();
        let is_right = toolmend_history::check(&history, Options::default()).is_empty();
        prop_assert_eq!(is_right, text.is_empty() || toolmend_json::is_valid(&text));
    }

    #[test]
    fn order_and_spacing_make_no_other_signature(keys in vec(("[a-c]{1,2}", 0..99_i64), 0..6)) {
        let value: Value = keys.iter().map(|(key, n)| (key.clone(), json!([n, {"b": n, "a": 1.5}]))).collect();
        let spaced: Value = serde_json::from_str(&format!("{:#}", shuffled(&value))).unwrap();
        prop_assert_eq!(Signature::of("f", &value), Signature::of("f", &spaced));
        prop_assert!(Signature::of("f", &value) != Signature::of("g", &value));
    }
}

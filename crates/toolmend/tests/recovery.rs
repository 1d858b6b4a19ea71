//! The recovery machine, explored: whatever the upstream does, in every order, it ends within its
//! bounds and delivers once.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may stop where it fails"
)]

use std::collections::BTreeMap;

use serde_json::json;
use toolmend::{
    Abilities, AskLimits, Declared, Echo, Ended, Kind, Label, Layer, Layers, Mended, Next, Past,
    Recovery, Request, Settings, Suppressed, ToolSet, Turn, Written,
};

/// Longer sequences than the asks allow show nothing new.
const STEPS: usize = 6;

/// One way in which a turn can come out.
#[derive(Clone)]
struct Behaviour {
    name: &'static str,
    ended: Ended,
    turn: Mended,
}

fn call(name: &str, arguments: &str) -> Declared {
    let arguments = Written::Text(arguments.to_owned());
    Declared { id: None, name: Some(name.to_owned()), arguments }
}

/// What comes of a turn with these calls.
fn mend(calls: Vec<Declared>, finish: &str) -> Mended {
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]});
    let tools = ["add", "drop"].map(|name| json!({"name": name, "parameters": schema}));
    let request = Request {
        tools: &ToolSet::read(&tools),
        may_call: true,
        echo: &Echo::default(),
        past: Past::Unknown,
        settings: &Settings::default(),
    };
    let finish = Some(finish.to_owned());
    request.mend(Turn { id: "t".into(), calls, finish, ..Turn::default() })
}

fn behaviours() -> Vec<Behaviour> {
    let right = mend(vec![call("add", r#"{"a":1}"#)], "tool_calls");
    let mut storm = right.clone();
    storm.suppressed = storm
        .calls
        .drain(..)
        .map(|call| Suppressed { call, reflection: "What do you want?".to_owned() })
        .collect();
    let whole = |name, turn| Behaviour { name, ended: Ended::Whole, turn };
    vec![
        whole("text", mend(Vec::new(), "stop")),
        whole("right", right.clone()),
        whole("mismatch", mend(vec![call("add", r#"{"a":"x"}"#)], "tool_calls")),
        whole("unreadable", mend(vec![call("add", "a is one")], "tool_calls")),
        whole("cut", mend(vec![call("add", r#"{"a":1"#)], "length")),
        whole(
            "half right",
            mend(vec![call("add", r#"{"a":1}"#), call("add", r#"{"b":2}"#)], "tool_calls"),
        ),
        whole("storm", storm),
        Behaviour { name: "broken", ended: Ended::Broken, turn: mend(Vec::new(), "") },
        Behaviour { name: "emptied", ended: Ended::Emptied, turn: mend(Vec::new(), "") },
    ]
}

/// What a run did.
struct Run {
    asks: BTreeMap<Kind, usize>,
    path: Vec<&'static str>,
    last: toolmend::Delivery,
}

/// Runs one order of behaviours, told as a number; `None` where the machine asked for more turns
/// than the order has.
fn run(all: &[Behaviour], mut order: usize, limits: AskLimits, can_continue: bool) -> Option<Run> {
    let mut recovery = Recovery::new(limits, Abilities { can_continue });
    let (mut asks, mut path) = (BTreeMap::new(), Vec::new());
    for _ in 0..STEPS {
        let behaviour = &all[order % all.len()];
        order /= all.len();
        path.push(behaviour.name);
        match recovery.told(behaviour.ended, behaviour.turn.clone()) {
            Next::Ask(ask) => *asks.entry(ask.kind).or_default() += 1,
            Next::Deliver(last) => return Some(Run { asks, path, last: *last }),
        }
    }
    None
}

fn explore(limits: AskLimits, can_continue: bool, check: impl Fn(&Run)) {
    let all = behaviours();
    for order in 0..all.len().pow(u32::try_from(STEPS).unwrap_or(1)) {
        let Some(run) = run(&all, order, limits, can_continue) else {
            panic!("order {order} did not end in {STEPS} turns");
        };
        check(&run);
    }
}

fn asked(run: &Run, kind: Kind) -> usize {
    run.asks.get(&kind).copied().unwrap_or(0)
}

#[test]
fn every_order_ends_within_the_bounds() {
    for can_continue in [false, true] {
        let limits = AskLimits::default();
        explore(limits, can_continue, |run| {
            let Run { path, asks, .. } = run;
            let total: usize = asks.values().sum();
            assert!(total <= usize::from(limits.max_asks), "{path:?} {asks:?}");
            assert_eq!(total + 1, path.len(), "{path:?}: one turn for each ask, and the first");
            assert!(asked(run, Kind::Refetch) <= 3, "{path:?}");
            assert!(asked(run, Kind::Reflect) <= 1, "{path:?}");
            assert!(asked(run, Kind::Correct) <= 1, "{path:?}: one correction for a call");
            assert!(asked(run, Kind::Continue) <= usize::from(can_continue), "{path:?}");
        });
    }
}

#[test]
fn what_is_cut_or_unreadable_never_goes_out_and_what_is_right_goes_out_once() {
    explore(AskLimits::default(), true, |Run { path, last, .. }| {
        let ones = last.turn.calls.iter().filter(|call| call.arguments == r#"{"a":1}"#).count();
        assert_eq!(ones, last.turn.calls.len(), "{path:?}: only right calls");
        assert!(ones <= 1, "{path:?}: the same call of two turns is one");
        let passed: Vec<&str> = last.passed.iter().map(|refused| refused.raw.as_str()).collect();
        let is_readable = |raw: &&str| [r#"{"a":"x"}"#, r#"{"b":2}"#].contains(raw);
        assert!(passed.iter().all(is_readable), "{path:?} {passed:?}");
        let was_right = path.iter().any(|name| matches!(*name, "right" | "half right"));
        assert!(!was_right || ones == 1, "{path:?}: a right call is not lost");
        let ends_badly = matches!(path.last(), Some(&("cut" | "unreadable" | "broken")));
        assert_eq!(last.is_cut, ends_badly, "{path:?}");
    });
}

#[test]
fn labels_say_how_it_came_about() {
    explore(AskLimits::default(), false, |Run { path, last, .. }| {
        let label = match (path.as_slice(), last.is_cut || !last.passed.is_empty()) {
            (_, true) => Label::GaveUp,
            (["text"], _) => Label::Untouched,
            (["right"], _) => Label::LocalSalvage,
            _ => Label::RePrompt,
        };
        // An id that is made is no change of the call itself.
        let is_right = *path == ["right"] && last.label == Label::Untouched;
        assert!(last.label == label || is_right, "{path:?}: {:?}", last.label);
    });
}

#[test]
fn without_asks_nothing_is_asked() {
    let limits = AskLimits { max_asks: 0, ..AskLimits::default() };
    explore(limits, true, |run| assert!(run.asks.is_empty(), "{:?}", run.path));
    let limits = AskLimits { max_reprompts: 0, ..AskLimits::default() };
    explore(limits, true, |run| assert!(run.asks.is_empty(), "{:?}", run.path));
}

/// What is asked of the same turn again and again, with what the settings say of asking.
fn asks_of(said: &str, ended: Ended, turn: &Mended) -> Vec<&'static str> {
    let layer = Layer::file("toolmend.toml", said).unwrap();
    let settings = Layers::new().over(layer).settings().unwrap();
    let mut recovery = Recovery::new(settings.ask, Abilities { can_continue: true });
    let mut asked = Vec::new();
    while let Next::Ask(ask) = recovery.told(ended, turn.clone()) {
        asked.push(ask.kind.as_str());
    }
    asked
}

#[test]
fn the_settings_say_how_often_the_rest_of_a_call_is_asked_for() {
    let cut = mend(vec![call("add", r#"{"a":1"#)], "length");
    let of = |said| asks_of(said, Ended::Whole, &cut);
    assert_eq!(of(""), ["continue", "correct"]);
    assert_eq!(of("ask.max_continuations = 0"), ["correct"]);
    assert_eq!(of("ask.max_continuations = 2"), ["continue", "continue", "correct"]);
    assert_eq!(of("ask.max_continuations = 2\nask.max_asks = 1"), ["continue"]);
}

#[test]
fn the_settings_say_how_often_a_broken_turn_is_fetched() {
    let broken = mend(Vec::new(), "");
    let of = |said| asks_of(said, Ended::Broken, &broken);
    assert_eq!(of(""), ["refetch", "refetch", "refetch", "proceed"]);
    assert_eq!(of("ask.max_refetches = 1"), ["refetch", "proceed"]);
    assert_eq!(of("ask.max_refetches = 0"), [""; 0]);
}

#[test]
fn each_tool_is_asked_for_as_often_as_is_allowed() {
    let mut recovery = Recovery::new(AskLimits::default(), Abilities { can_continue: false });
    let asked = ["add", "drop", "add"].map(|name| {
        let turn = mend(vec![call(name, r#"{"a":"x"}"#)], "tool_calls");
        matches!(recovery.told(Ended::Whole, turn), Next::Ask(ask) if ask.kind == Kind::Correct)
    });
    assert_eq!(asked, [true, true, false]);
}

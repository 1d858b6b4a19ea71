//! Histories that are made to be slow. Each has tens of thousands of parts: anything that grows with
//! their square does not end here.

#[path = "support/check.rs"]
mod check;
#[path = "support/shapes.rs"]
mod shapes;

use shapes::{Event, Made, write};
use toolmend_history::{
    Api, Attempt, Detectors, History, NotAList, Options, Tools, status, storms,
};

const COUNT: usize = 10_000;

fn call(id: &str) -> Made {
    Made { id: id.to_owned(), name: "f".to_owned(), arguments: "{".to_owned() }
}

fn result(id: &str) -> Event {
    Event::Result { id: id.to_owned(), name: "f".to_owned(), text: "x".to_owned() }
}

fn turn(calls: Vec<Made>) -> Event {
    Event::Turn { text: String::new(), calls }
}

struct NoTools;

impl Tools for NoTools {
    fn is_read_only(&self, _: &str, _: &serde_json::Value) -> bool {
        true
    }
}

/// Heals it in all shapes, and asks all that can be asked. `keeps_messages` is left out: it looks for
/// each message in the whole text.
fn survive(events: &[Event]) -> Result<(), NotAList> {
    for api in Api::ALL {
        let text = write(events, api);
        let history = History::read(&text, api)?;
        let healed = toolmend_history::heal(&history, Options::default());
        let again = History::read(&healed.text, api)?;
        assert_eq!(toolmend_history::check(&again, Options::default()), []);
        let arguments = serde_json::json!({});
        let attempts = [Attempt { name: "f", arguments: &arguments }; 8];
        drop(storms(&history, &attempts, &NoTools, Detectors::PROXY));
        assert!(status(&again).calls <= COUNT * 2);
    }
    Ok(())
}

#[test]
fn one_turn_with_many_calls_of_one_id() {
    let calls = (0..COUNT).map(|_| call("a")).collect();
    survive(&[vec![turn(calls)], (0..COUNT).map(|_| result("a")).collect()].concat()).unwrap();
}

#[test]
fn many_calls_without_ids_and_results_of_nobody() {
    let calls = (0..COUNT).map(|_| call("")).collect();
    survive(&[vec![turn(calls)], (0..COUNT).map(|n| result(&n.to_string())).collect()].concat())
        .unwrap();
}

#[test]
fn many_turns_whose_results_come_at_the_end() {
    let turns = (0..COUNT).map(|n| turn(vec![call(&n.to_string())]));
    let results = (0..COUNT).rev().map(|n| result(&n.to_string()));
    survive(&turns.chain(results).collect::<Vec<_>>()).unwrap();
}

#[test]
fn many_results_before_their_calls() {
    let results = (0..COUNT).map(|n| result(&n.to_string()));
    let turns = (0..COUNT).map(|n| turn(vec![call(&n.to_string())]));
    survive(&results.chain(turns).collect::<Vec<_>>()).unwrap();
}

#[test]
fn many_results_of_the_same_old_call() {
    let events = std::iter::once(turn(vec![call("a")])).chain((0..COUNT).map(|_| result("a")));
    let end = [Event::User("Go.".to_owned()), turn(vec![call("a")])];
    survive(&events.chain(end).collect::<Vec<_>>()).unwrap();
}

#[test]
fn arguments_that_nest_without_end() {
    let deep = "[".repeat(100_000);
    for arguments in [deep.clone(), format!("{{\"a\":{deep}"), "{\"a\":".repeat(100_000)] {
        let made = Made { id: "a".to_owned(), name: "f".to_owned(), arguments };
        let events = [turn(vec![made]), result("a")];
        for api in [Api::Chat, Api::Responses] {
            check::heal_and_check(&write(&events, api), api, Options::default()).unwrap();
        }
    }
}

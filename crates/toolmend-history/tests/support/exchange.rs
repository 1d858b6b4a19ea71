//! Exchanges in a few words: what happened so far, which calls the model just made, and what is said
//! about them. Each is run in all four shapes, and all must say the same.
//!
//! ```text
//! user How is it?
//! read {"p":1} -> text of the result
//! + grep {"q":2} -> a call in the same turn as the one before
//! wait {} ->
//! run {}
//! say Text of the assistant.
//! ```

use cases::harness::Seen;
use cases::{Block, Case};
use serde_json::Value;
use toolmend_history::{
    Api, Attempt, Detectors, History, Limit, Signature, Tools, Verdict, reflection,
    results_at_hand, status, storms,
};

use crate::shapes::{Event, Made, write};

/// What came out, by block.
pub(crate) fn see(case: &Case) -> Result<Seen, String> {
    let events = read_past(case.text("past"))?;
    let tools = TestTools::read(case.text("tools"))?;
    let calls: Vec<(String, Value)> =
        case.text("calls").lines().map(read_call).collect::<Result<_, _>>()?;
    let attempts: Vec<Attempt<'_>> =
        calls.iter().map(|(name, arguments)| Attempt { name, arguments }).collect();
    let detectors = detectors(case.block("calls"))?;
    let mut all = Vec::new();
    for api in Api::ALL {
        let text = write(&events, api);
        let history = History::read(&text, api).map_err(|error| error.to_string())?;
        all.push((api, see_in_one_shape(&history, &attempts, &tools, detectors)));
    }
    let (_, first) = all.first().cloned().ok_or("there are four")?;
    match all.iter().find(|(_, seen)| *seen != first) {
        Some((api, other)) => Err(format!("{}: {other:?}\n  chat: {first:?}", api.as_str())),
        None => Ok(first),
    }
}

fn see_in_one_shape(
    history: &History<'_>,
    attempts: &[Attempt<'_>],
    tools: &TestTools,
    detectors: Detectors,
) -> Seen {
    let verdicts = storms(history, attempts, tools, detectors);
    let lines = verdicts.iter().map(|verdict| match verdict {
        Verdict::Pass => "pass".to_owned(),
        Verdict::Storm(storm) => {
            let told = if storm.is_told { " told" } else { "" };
            format!("storm {} {}{told}", storm.detector.as_str(), storm.count)
        }
    });
    let verdict_lines = lines.collect::<Vec<_>>().join("\n");
    let reflections =
        attempts.iter().zip(&verdicts).filter_map(|(attempt, verdict)| match verdict {
            Verdict::Pass => None,
            Verdict::Storm(storm) => Some(reflection(attempt, *storm)),
        });
    let reflections = reflections.collect::<Vec<_>>().join("\n");
    let results = results_at_hand(history, attempts).into_iter();
    let results = results.map(|result| match result {
        Some(result) => format!("has {}", Value::from(result.text().as_ref())),
        None => "none".to_owned(),
    });
    let results = results.collect::<Vec<_>>().join("\n");
    let seen = status(history);
    let word = if seen.is_complete() { "complete" } else { "incomplete" };
    let status = format!("calls {} results {} {word}", seen.calls, seen.results);
    vec![
        ("verdicts", verdict_lines),
        ("reflections", reflections),
        ("results", results),
        ("status", status),
    ]
}

/// `name {json}`.
pub(crate) fn read_call(line: &str) -> Result<(String, Value), String> {
    let (name, arguments) = line.split_once(' ').unwrap_or((line, "{}"));
    let arguments = serde_json::from_str(arguments).map_err(|error| format!("{error}: {line}"))?;
    Ok((name.to_owned(), arguments))
}

fn read_past(text: &str) -> Result<Vec<Event>, String> {
    let mut events: Vec<Event> = Vec::new();
    // Results stand behind the whole turn.
    let mut results = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let (is_beside, line) = line.strip_prefix("+ ").map_or((false, line), |rest| (true, rest));
        if !is_beside {
            events.append(&mut results);
        }
        if let Some(text) = line.strip_prefix("user ") {
            events.push(Event::User(text.to_owned()));
            continue;
        }
        if let Some(text) = line.strip_prefix("say ") {
            events.push(Event::Turn { text: text.to_owned(), calls: Vec::new() });
            continue;
        }
        let (call, result) = match line.split_once(" ->") {
            Some((call, result)) => (call, Some(result.trim_start())),
            None => (line, None),
        };
        let (name, arguments) = call.split_once(' ').unwrap_or((call, "{}"));
        let id = format!("id{number}");
        let made = Made { id: id.clone(), name: name.to_owned(), arguments: arguments.to_owned() };
        match events.last_mut() {
            Some(Event::Turn { calls, .. }) if is_beside => calls.push(made),
            _ => events.push(Event::Turn { text: String::new(), calls: vec![made] }),
        }
        results.extend(result.map(|text| Event::Result {
            id,
            name: name.to_owned(),
            text: text.to_owned(),
        }));
    }
    events.append(&mut results);
    Ok(events)
}

/// `library` unless another name stands there; `repeat=THRESHOLD/WINDOW` or `repeat=off` for one.
fn detectors(block: Option<&Block>) -> Result<Detectors, String> {
    let option = |name: &str| block.and_then(|block| block.option(name));
    let mut detectors = match option("proxy") {
        Some(_) => Detectors::PROXY,
        None => Detectors::LIBRARY,
    };
    let rows = [
        ("repeat", &mut detectors.repeat),
        ("cycle", &mut detectors.cycle),
        ("failing", &mut detectors.failing),
    ];
    for (name, limit) in rows {
        *limit = match option(name) {
            None => continue,
            Some("off") => None,
            Some(told) => {
                let parts = told.split_once('/').ok_or(format!("{name}={told}"))?;
                let number = |text: &str| text.parse().map_err(|_| format!("{name}={told}"));
                Some(Limit::new(number(parts.0)?, number(parts.1)?))
            }
        };
    }
    Ok(detectors)
}

/// What the case says about its tools.
#[derive(Default)]
struct TestTools {
    read_only: Vec<Signature>,
    read_only_names: Vec<String>,
    exempt: Vec<String>,
    metadata: Vec<(String, String)>,
}

impl TestTools {
    /// `name read-only`, `name exempt`, `name metadata KEY`, or `read-only name {json}` for one call.
    fn read(text: &str) -> Result<Self, String> {
        let mut tools = Self::default();
        for line in text.lines() {
            match line.split_whitespace().collect::<Vec<_>>().as_slice() {
                ["read-only", ..] => {
                    let (name, arguments) = read_call(line.trim_start_matches("read-only").trim())?;
                    tools.read_only.push(Signature::of(&name, &arguments));
                }
                [name, "read-only"] => tools.read_only_names.push((*name).to_owned()),
                [name, "exempt"] => tools.exempt.push((*name).to_owned()),
                [name, "metadata", key] => {
                    tools.metadata.push(((*name).to_owned(), (*key).to_owned()));
                }
                _ => return Err(format!("not a tool: {line}")),
            }
        }
        Ok(tools)
    }
}

impl Tools for TestTools {
    fn is_read_only(&self, name: &str, arguments: &Value) -> bool {
        self.read_only_names.iter().any(|own| own == name)
            || self.read_only.contains(&Signature::of(name, arguments))
    }

    fn is_exempt(&self, name: &str) -> bool {
        self.exempt.iter().any(|own| own == name)
    }

    fn is_metadata(&self, name: &str, key: &str) -> bool {
        self.metadata.iter().any(|(own, left_out)| own == name && left_out == key)
    }
}

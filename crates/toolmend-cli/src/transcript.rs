//! `toolmend check TRANSCRIPT`: what is wrong with a recorded conversation, and a healed copy of it.

mod container;
mod turns;

use std::fs;
use std::path::Path;

use serde_json::Value;
use toolmend::history::{self, History, Place, check, heal};

use crate::advice::counted;
use crate::console::{BOLD, Console, DIM};
use crate::exit::{Exit, Failure};
use crate::fix;
use crate::glyph::line;
use crate::json_out::Object;
use crate::shape;
use container::Container;

/// What is checked, and what is done about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job<'a> {
    pub(crate) file: &'a Path,
    /// The tools that were offered, where they are not in the transcript itself.
    pub(crate) tools: Option<&'a [Value]>,
    /// Where a healed copy goes.
    pub(crate) fix: Option<&'a Path>,
    pub(crate) is_json: bool,
}

/// Something that is wrong.
#[derive(Debug)]
struct Finding {
    place: Place,
    code: &'static str,
    message: String,
}

pub(crate) fn run(job: Job<'_>, console: &mut Console) -> Result<Exit, Failure> {
    let name = fix::name_of(job.file);
    let bytes = fix::read_input(job.file, console)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::Usage(format!("{name}: this is no text in UTF-8")))?;
    let container = Container::read(&text).ok_or_else(|| {
        Failure::Usage(format!(
            "{name}: this is no transcript: a list of messages, an object that has one, or a message on each line"
        ))
    })?;
    let messages = container.messages();
    let api = shape::of(&messages);
    let history = History::read(&messages, api)
        .map_err(|_| Failure::Usage(format!("{name}: the messages are no list")))?;
    let mut findings = of_chain(&history);
    let tools = job.tools.map(<[Value]>::to_vec).or_else(|| container.tools());
    findings.extend(turns::check(&history, &messages, tools.as_deref().unwrap_or_default()));
    findings.sort_by_key(|finding| finding.place);
    tell(&name, &findings, job.is_json, console)?;
    if let Some(out) = job.fix {
        let healed = heal(&history, history::Options::default());
        fs::write(out, container.with_messages(&healed.text))
            .map_err(|error| Failure::Io(format!("cannot write {}", out.display()), error))?;
        let edits = counted(healed.edits.len(), "edit");
        console.tell(&format!("{}: {edits}\n", out.display()));
    }
    Ok(if findings.is_empty() { Exit::Done } else { Exit::Refused })
}

fn of_chain(history: &History<'_>) -> Vec<Finding> {
    let found = check(history, history::Options::default());
    found
        .into_iter()
        .map(|finding| Finding {
            place: finding.place,
            code: finding.code.id(),
            message: clause(finding.code.what()),
        })
        .collect()
}

/// A sentence as a part of another one.
fn clause(sentence: &str) -> String {
    let mut letters = sentence.trim_end_matches('.').chars();
    let first = letters.next().map(|letter| letter.to_lowercase().to_string()).unwrap_or_default();
    format!("{first}{}", letters.as_str())
}

fn tell(
    name: &str,
    findings: &[Finding],
    is_json: bool,
    console: &mut Console,
) -> Result<(), Failure> {
    for Finding { place, code, message } in findings {
        if is_json {
            let row = Object::new()
                .string("file", name)
                .string("place", &place.to_string())
                .string("code", code)
                .string("message", message);
            console.put_line(&row.finish())?;
        } else {
            let message = line(message);
            console.put_styled(&format!(
                "{BOLD}{name}{BOLD:#}: message {place}: {message} {DIM}[{code}]{DIM:#}\n"
            ))?;
        }
    }
    if !is_json {
        console.flush()?;
        let count = counted(findings.len(), "finding");
        console.tell(&format!("{name}: {count}\n"));
    }
    Ok(())
}

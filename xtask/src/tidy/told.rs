//! Every setting has a test or a case that sets it, and every event one that waits for it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cases::Case;
use toolmend::{Layer, Layers, Setting};

use crate::{Failure, process};

/// How an event is named in the code.
const EVENT: &str = "event = \"";

/// Lists settings and events that no test knows, and events that the document does not have.
pub(super) fn check(root: &Path) -> Result<Vec<String>, Failure> {
    let (code, tests) = read(root)?;
    let in_cases = settings_in_cases(root)?;
    let mut strays = Vec::new();
    let all: BTreeSet<&str> = Setting::ALL.iter().map(|setting| setting.key).collect();
    for key in &all {
        if !in_cases.contains(key) && !is_set(&tests, key, &all) {
            strays.push(format!("setting {key} is in no test and no case"));
        }
    }
    let document = crate::read(&root.join("docs/report.md"))?;
    let events = code.match_indices(EVENT).filter_map(|(at, mark)| {
        code.get(at + mark.len()..).and_then(|rest| rest.split('"').next())
    });
    for event in events.collect::<BTreeSet<_>>() {
        if !tests.contains(event) {
            strays.push(format!("event {event} is in no test"));
        }
        if !document.contains(&format!("`{event}`")) {
            strays.push(format!("event {event} is not in docs/report.md"));
        }
    }
    Ok(strays)
}

/// Whether a test says a setting, by its key or by its field; some fields are called alike.
fn is_set(tests: &str, key: &str, all: &BTreeSet<&str>) -> bool {
    let field = key.rsplit('.').next().unwrap_or(key);
    let is_own = || all.iter().filter(|other| other.rsplit('.').next() == Some(field)).count() == 1;
    let is_said = |mark: &str, end: &str| tests.contains(&[mark, field, end].concat());
    // What the user names stands in quotes: `models.'small-*'.flatten = …`.
    let is_named = |(table, own): (&str, &str)| {
        tests.contains(&[table, "'"].concat()) && tests.contains(&["'", own, " = "].concat())
    };
    let is_whole = || match key.contains('.') {
        true => tests.contains(key),
        // A word alone may stand anywhere.
        false => is_said("\"", " = ") || is_said("\n", " = "),
    };
    is_whole()
        || key.split_once("NAME").is_some_and(is_named)
        || is_own() && (is_said(" ", ": ") || is_said(".", " = "))
}

/// The code of the crates without its tests, and all tests.
fn read(root: &Path) -> Result<(String, String), Failure> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "crates"];
    let names = process::run(&mut process::command(root, "git", &arguments))?;
    let (mut code, mut tests) = (String::new(), String::new());
    for name in names.split('\0').filter(|name| is_code(name)) {
        // A file that was removed but not yet committed is still listed.
        let Ok(text) = fs::read_to_string(root.join(name)) else { continue };
        match text.split_once("#[cfg(test)]") {
            _ if name.contains("/tests/") => tests += &text,
            Some((own, tested)) => {
                code += own;
                tests += tested;
            }
            None => code += &text,
        }
    }
    Ok((code, tests))
}

fn is_code(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending == "rs")
}

fn settings_in_cases(root: &Path) -> Result<BTreeSet<&'static str>, Failure> {
    let mut said = BTreeSet::new();
    for path in cases::find(&root.join("cases")).map_err(|error| error.to_string())? {
        let case = Case::parse(&crate::read(&path)?)
            .map_err(|failure| format!("{}: {failure}", path.display()))?;
        if let Some(block) = case.block("settings") {
            let own = layers(&path.display().to_string(), block.text())?;
            let told = own.told().into_iter().filter(|told| told.2.is_some());
            let settings = told.filter_map(|(key, ..)| Setting::find(&key));
            said.extend(settings.map(|setting| setting.key));
        }
    }
    Ok(said)
}

fn layers(name: &str, text: &str) -> Result<Layers, Failure> {
    let layer = Layer::file(name, text).map_err(|error| error.to_string())?;
    Ok(Layers::new().over(layer))
}

//! Every row of a catalogue has a case, and every case is run.

use std::path::Path;

use cases::Case;
use toolmend::Reason;
use toolmend_dialect::dialects;
use toolmend_history as history;
use toolmend_json::{FaultCode, Place};
use toolmend_schema::Rule;

use crate::Failure;

/// The folders of cases that a harness runs.
const FOLDERS_RUN: &[&str] = &["history", "json", "line", "schema", "turn", "wire"];

/// What each dialect has a case for, under `cases/turn/<its id>`. A damaged variant may say in its
/// name what is damaged.
const OF_EACH_DIALECT: [&str; 6] = ["one", "two", "around", "mark_inside", "cut", "damaged"];

/// Lists rows without a case, and cases that nothing runs.
pub(super) fn check(root: &Path) -> Result<Vec<String>, Failure> {
    let folder = root.join("cases");
    let mut strays = Vec::new();
    let mut seen = String::new();
    let mut names = Vec::new();
    for path in cases::find(&folder).map_err(|error| error.to_string())? {
        let name = path.strip_prefix(&folder).unwrap_or(&path);
        if !FOLDERS_RUN.iter().any(|run| name.starts_with(run)) {
            strays.push(format!("cases/{}: nothing runs this", name.display()));
        }
        names.push(name.with_extension("").to_string_lossy().replace('\\', "/"));
        let case = Case::parse(&crate::read(&path)?)
            .map_err(|failure| format!("cases/{}: {failure}", name.display()))?;
        for block in
            ["outcome", "faults", "closing", "repairs", "out", "findings", "edits", "refused"]
        {
            seen += case.text(block);
            seen.push('\n');
        }
    }
    for code in FaultCode::ALL {
        let start = format!("{} ", code.id());
        if !seen.lines().any(|line| line.starts_with(&start)) {
            strays.push(format!("fault {} has no case", code.id()));
        }
    }
    for rule in Rule::ALL {
        let start = format!("{} ", rule.id);
        // Rules of the turn are seen where a whole turn comes out.
        let reported = format!("\"rule\": \"{}\",", rule.id);
        if !seen.lines().any(|line| line.starts_with(&start) || line.trim() == reported) {
            strays.push(format!("rule {} has no case", rule.id));
        }
    }
    let findings = history::Code::ALL.iter().map(|code| code.id());
    for id in findings.chain(history::Rule::ALL.iter().map(|rule| rule.id())) {
        if !seen.lines().any(|line| line.split(' ').next() == Some(id)) {
            strays.push(format!("{id} of a history has no case"));
        }
    }
    for place in Place::ALL.map(Place::as_str) {
        let cut = format!("cut {place}");
        if !seen.lines().any(|line| line == cut) {
            strays.push(format!("no case is cut {place}"));
        }
    }
    strays.extend(reasons_without_cases(&seen));
    strays.extend(dialects_without_cases(&names));
    Ok(strays)
}

/// Lists reasons for which no case is refused. Broken text over the limit is no file of a size to keep:
/// the tests of the command line make one.
fn reasons_without_cases(seen: &str) -> Vec<String> {
    let wanted = Reason::ALL.iter().filter(|reason| **reason != Reason::TooLarge);
    let is_seen = |id: &str| {
        let reported = format!("\"reason\": \"{id}\",");
        seen.lines().any(|line| line.split(' ').next() == Some(id) || line.trim() == reported)
    };
    let missing = wanted.map(|reason| reason.id()).filter(|id| !is_seen(id));
    missing.map(|id| format!("nothing is refused as {id}")).collect()
}

/// Lists what a dialect has no case for.
fn dialects_without_cases(names: &[String]) -> Vec<String> {
    let mut strays = Vec::new();
    for dialect in dialects() {
        for kind in OF_EACH_DIALECT {
            let wanted = format!("turn/{}/{kind}", dialect.id);
            let is_it = |name: &String| match name.strip_prefix(&wanted) {
                Some("") => true,
                Some(rest) => kind == "damaged" && rest.starts_with('_'),
                None => false,
            };
            if !names.iter().any(is_it) {
                strays.push(format!("dialect {} has no case `{kind}`", dialect.id));
            }
        }
    }
    strays
}

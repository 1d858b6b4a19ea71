//! The blocks of a turn case: what the turn is, and what must come of it.

use cases::harness::Seen;
use cases::{Block, Case};
use serde_json::Value;
use toolmend::{Echo, Findings, ToolSet};
use toolmend_json::Trust;

use crate::check::Turn;
use crate::tools;

/// What stands for content of which nothing is left.
const NOTHING: &str = "null";

/// The turn that a case describes.
pub(crate) fn turn(case: &Case) -> Result<Turn, String> {
    let content = case.block("content");
    let mut trust = Trust::Likely;
    let (mut is_cut, mut is_over) = (false, false);
    for name in content.into_iter().flat_map(Block::options) {
        match (name, content.and_then(|block| block.option(name)).unwrap_or_default()) {
            ("cut", "") => is_cut = true,
            ("over", "") => is_over = true,
            ("escapes", "") => {}
            ("trust", word) => {
                let known = Trust::ALL.into_iter().find(|trust| trust.as_str() == word);
                trust = known.ok_or("`trust` is exact, likely or guess")?;
            }
            (_, value) => return Err(format!("`content` has no option `{name}={value}`")),
        }
    }
    let messages: Vec<Value> = match case.text("messages") {
        "" => Vec::new(),
        text => serde_json::from_str(text).map_err(|error| format!("messages: {error}"))?,
    };
    let declared: Result<_, _> = case.text("declared").lines().map(call).collect();
    Ok(Turn {
        tools: ToolSet::read(&tools::read(case.text("tools"))?),
        echo: Echo::of(&messages),
        trust,
        is_cut,
        is_over,
        declared: declared?,
        content: text(content)?,
        reasoning: text(case.block("reasoning"))?,
    })
}

fn text(block: Option<&Block>) -> Result<String, String> {
    match block {
        Some(block) if block.option("escapes").is_some() => {
            String::from_utf8(cases::unescape(block.text())?).map_err(|error| error.to_string())
        }
        Some(block) => Ok(block.text().to_owned()),
        None => Ok(String::new()),
    }
}

/// `name {"a":1}`.
fn call(line: &str) -> Result<(String, Value), String> {
    let (name, arguments) = line.split_once(' ').ok_or("a call is a name and its arguments")?;
    let arguments = serde_json::from_str(arguments).map_err(|error| format!("{line}: {error}"))?;
    Ok((name.to_owned(), arguments))
}

/// The text of each block as these findings would have it.
pub(crate) fn seen(turn: &Turn, findings: &Findings) -> Seen {
    let calls = findings.calls.iter().map(|call| format!("{} {}", call.name, call.arguments));
    let left = match &findings.content {
        Some(left) if left.trim().is_empty() => NOTHING,
        Some(left) if *left != turn.content => left,
        _ => "",
    };
    let refused = findings
        .refused
        .iter()
        .map(|refused| format!("{} {}", refused.reason.id(), refused.name).trim_end().to_owned());
    let mut dialects: Vec<String> =
        findings.calls.iter().map(|call| call.dialect.to_owned()).collect();
    dialects.dedup();
    let ids = findings.calls.iter().filter_map(|call| call.id.clone());
    vec![
        ("calls", lines(calls)),
        ("left", left.to_owned()),
        ("refused", lines(refused)),
        ("dialect", dialects.join("\n")),
        ("ids", lines(ids)),
    ]
}

fn lines(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join("\n")
}

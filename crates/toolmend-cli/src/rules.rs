//! `toolmend rules`: the catalogue of repairs, from the engine itself.

use std::fmt::Write as _;

use toolmend_schema::{Rule, Trust};

use crate::args::{RulesArgs, RulesCommand};
use crate::console::{BOLD, Console, DIM};
use crate::exit::{Exit, Failure};
use crate::explain;
use crate::json_out::{Object, quoted};
use crate::near::unknown;

pub(crate) fn run(args: &RulesArgs, console: &mut Console) -> Result<Exit, Failure> {
    let ids = match &args.show {
        Some(RulesCommand::Show { ids }) => ids.as_slice(),
        None => &[],
    };
    let shown = ids.iter().map(|id| find(id)).collect::<Result<Vec<_>, _>>()?;
    match (args.json, shown.as_slice()) {
        (true, []) => Rule::ALL.iter().try_for_each(|rule| console.put_line(&line(rule)))?,
        (true, shown) => shown.iter().try_for_each(|rule| console.put_line(&line(rule)))?,
        (false, []) => console.put_styled(&table())?,
        (false, shown) => shown.iter().try_for_each(|rule| console.put_styled(&page(rule)))?,
    }
    Ok(Exit::Done)
}

fn find(id: &str) -> Result<&'static Rule, Failure> {
    Rule::find(id)
        .ok_or_else(|| unknown(("rule", "rules"), id, Rule::ALL.iter().map(|rule| rule.id)))
}

fn line(rule: &Rule) -> String {
    let (before, after) = rule.example;
    let example = Object::new().string("before", before).string("after", after);
    let document = rule
        .sections()
        .map(|(heading, text)| format!("{}:{}", quoted(heading), quoted(&text.replace('\n', " "))));
    Object::new()
        .string("id", rule.id)
        .string("trust", rule.trust.as_str())
        .string("works_on", if rule.is_of_turn() { "call" } else { "arguments" })
        .string("what", rule.what)
        .raw("example", &example.finish())
        .raw("document", &format!("{{{}}}", document.collect::<Vec<_>>().join(",")))
        .finish()
}

fn table() -> String {
    let width = Rule::ALL.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    let mut out = String::new();
    for trust in Trust::ALL {
        let style = explain::style_of(Some(trust));
        // Writing to a string cannot fail.
        let _ =
            writeln!(out, "{style}{}{style:#}  {BOLD}{}{BOLD:#}\n", trust.as_str(), meaning(trust));
        for rule in Rule::ALL.iter().filter(|rule| rule.trust == trust) {
            let _ = writeln!(out, "  {style}{:width$}{style:#}  {}", rule.id, rule.what);
            let _ = writeln!(out, "  {:width$}  {DIM}{}{DIM:#}", "", example(rule));
        }
        out.push('\n');
    }
    out.push_str("toolmend rules show ID tells why models do it, and when a rule holds back.\n");
    out
}

fn page(rule: &Rule) -> String {
    let style = explain::style_of(Some(rule.trust));
    let trust = rule.trust.as_str();
    let mut out = format!("{BOLD}{}{BOLD:#}  {style}{trust}{style:#}\n", rule.id);
    for (heading, text) in rule.sections() {
        let _ = writeln!(out, "\n  {DIM}{heading}{DIM:#}");
        for line in text.lines() {
            let _ = writeln!(out, "  {line}");
        }
    }
    out.push('\n');
    out
}

fn example(rule: &Rule) -> String {
    let (before, after) = rule.example;
    if before.is_empty() {
        format!("nothing  →  {after}")
    } else {
        format!("{before}  →  {after}")
    }
}

fn meaning(trust: Trust) -> &'static str {
    match trust {
        Trust::Exact => "The same meaning in another spelling.",
        Trust::Likely => "The schema leaves one sensible reading.",
        Trust::Guess => "It could have meant something else: only with `--trust guess`.",
    }
}

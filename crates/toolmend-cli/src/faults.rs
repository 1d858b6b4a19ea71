//! `toolmend faults`: the table of what can be wrong, from the reader itself.

use std::fmt::Write as _;

use toolmend_json::{Expected, FaultCode, Options, Outcome, Trust, Want};

use crate::args::FaultsArgs;
use crate::console::{BOLD, Console, DIM};
use crate::exit::{Exit, Failure};
use crate::explain;
use crate::json_out::Object;

pub(crate) fn run(args: &FaultsArgs, console: &mut Console) -> Result<Exit, Failure> {
    let codes = chosen(&args.ids)?;
    if args.json {
        codes.iter().try_for_each(|&code| console.put_line(&row(code)))?;
    } else {
        console.put_styled(&table(&codes))?;
    }
    Ok(Exit::Done)
}

fn chosen(ids: &[String]) -> Result<Vec<FaultCode>, Failure> {
    if ids.is_empty() {
        return Ok(FaultCode::ALL.to_vec());
    }
    let find = |id: &String| {
        let found = FaultCode::ALL.iter().copied().find(|code| code.id() == id);
        let unknown = || format!("there is no fault {id:?}; `toolmend faults` lists them");
        found.ok_or_else(|| Failure::Usage(unknown()))
    };
    ids.iter().map(find).collect()
}

fn row(code: FaultCode) -> String {
    Object::new()
        .string("id", code.id())
        .string("trust", level(code.trust()))
        .string("what", code.what())
        .string("example", code.example())
        .finish()
}

fn table(codes: &[FaultCode]) -> String {
    let id_width = codes.iter().map(|code| code.id().len()).max().unwrap_or(0);
    let mut out = String::new();
    let levels = Trust::ALL.iter().copied().map(Some).chain([None]);
    for trust in levels {
        let of_level: Vec<FaultCode> =
            codes.iter().copied().filter(|code| code.trust() == trust).collect();
        if of_level.is_empty() {
            continue;
        }
        let style = explain::style_of(trust);
        let name = level(trust);
        let _ = writeln!(out, "{style}{name}{style:#}  {BOLD}{}{BOLD:#}\n", meaning(trust));
        for code in of_level {
            let _ = writeln!(out, "  {style}{:id_width$}{style:#}  {}", code.id(), code.what());
            if !code.example().is_empty() {
                let _ = writeln!(out, "  {:id_width$}  {DIM}{}{DIM:#}", "", example(code));
            }
        }
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// The example on one line, and what it is read as.
fn example(code: FaultCode) -> String {
    let text: String = code.example().chars().map(visible).collect();
    let mut document = toolmend_json::read(code.example(), &Options::default());
    if document.faults().is_empty() {
        // Some texts are only wrong where an object is wanted.
        let expected = Expected::root(Want::Object);
        document = toolmend_json::read(code.example(), &Options { expected, ..Options::default() });
    }
    document.close(Trust::Guess);
    let values: Vec<String> = document.values().map(|value| value.to_json()).collect();
    let is_used = matches!(document.outcome(), Outcome::Untouched | Outcome::Mended(_));
    if is_used { format!("{text}  →  {}", values.join("  ")) } else { text }
}

fn visible(character: char) -> char {
    match character {
        '\n' => '␊',
        '\u{feff}' | '\u{a0}' => '\u{fffd}',
        other => other,
    }
}

fn level(trust: Option<Trust>) -> &'static str {
    trust.map_or("refused", Trust::as_str)
}

fn meaning(trust: Option<Trust>) -> &'static str {
    match trust {
        Some(Trust::Exact) => "Another spelling of the same meaning.",
        Some(Trust::Likely) => "What stands around leaves one sensible reading.",
        Some(Trust::Guess) => "It could have meant something else: only with `--trust guess`.",
        None => "No value can be had.",
    }
}

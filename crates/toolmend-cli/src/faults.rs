//! `toolmend faults`: the table of what can be wrong, from the reader itself.

use std::fmt::Write as _;

use toolmend_json::{Document, Expected, FaultCode, Options, Outcome, Trust, Want};

use crate::args::FaultsArgs;
use crate::console::{BOLD, Console, DIM};
use crate::exit::{Exit, Failure};
use crate::explain;
use crate::json_out::Object;
use crate::near::unknown;

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
        found.ok_or_else(|| {
            unknown(("fault", "faults"), id, FaultCode::ALL.iter().map(|code| code.id()))
        })
    };
    ids.iter().map(find).collect()
}

fn row(code: FaultCode) -> String {
    let mut row = Object::new()
        .string("id", code.id())
        .string("trust", level(code.trust()))
        .string("what", code.what())
        .string("example", code.example());
    if needs_object(code) {
        row = row.string("want", "object");
    }
    row.finish()
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
    let mut text = String::new();
    code.example().chars().for_each(|character| push_visible(character, &mut text));
    let want = if needs_object(code) { Want::Object } else { Want::Any };
    let document = read(code, want);
    let values: Vec<String> = document.values().map(|value| value.to_json()).collect();
    let is_used = matches!(document.outcome(), Outcome::Untouched | Outcome::Mended(_));
    let condition = if want == Want::Object { "  (with `--want object`)" } else { "" };
    if is_used { format!("{text}  →  {}{condition}", values.join("  ")) } else { text }
}

/// Whether the example only has the fault where an object is wanted.
fn needs_object(code: FaultCode) -> bool {
    let has_fault = |want| read(code, want).faults().iter().any(|fault| fault.code == code);
    !has_fault(Want::Any) && has_fault(Want::Object)
}

fn read(code: FaultCode, want: Want) -> Document<'static> {
    let expected = Expected::root(want);
    let options = Options { expected, ..Options::default() };
    let mut document = toolmend_json::read(code.example(), &options);
    document.close(Trust::Guess);
    document
}

/// Appends a character so that it can be seen, in the notation of `docs/faults.md`.
fn push_visible(character: char, out: &mut String) {
    match character {
        '\n' => out.push('␊'),
        '\u{feff}' | '\u{a0}' => {
            // Writing to a string cannot fail.
            let _ = write!(out, "⟨U+{:04X}⟩", u32::from(character));
        }
        other => out.push(other),
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

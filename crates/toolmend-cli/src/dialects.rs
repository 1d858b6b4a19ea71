//! `toolmend dialects`: the table of dialects, from the scanner itself.

use std::fmt::Write as _;

use toolmend_dialect::{Dialect, Name, dialects};

use crate::args::{DialectsArgs, DialectsCommand};
use crate::console::{BOLD, Console, DIM};
use crate::exit::{Exit, Failure};
use crate::json_out::{Object, quoted};
use crate::near::unknown;

pub(crate) fn run(args: &DialectsArgs, console: &mut Console) -> Result<Exit, Failure> {
    match &args.show {
        Some(DialectsCommand::Show { ids }) => {
            for id in ids {
                console.put_styled(&page(find(id)?))?;
            }
        }
        None if args.json => dialects().try_for_each(|row| console.put_line(&line(row)))?,
        None => console.put_styled(&table())?,
    }
    Ok(Exit::Done)
}

fn find(id: &str) -> Result<&'static Dialect, Failure> {
    let found = dialects().find(|row| row.id == id);
    found.ok_or_else(|| unknown(("dialect", "dialects"), id, dialects().map(|row| row.id)))
}

fn line(row: &Dialect) -> String {
    let list = |marks: &[&str]| marks.iter().map(|mark| quoted(mark)).collect::<Vec<_>>();
    Object::new()
        .string("id", row.id)
        .string("title", row.title)
        .list("models", list(row.models))
        .boolean("marked", row.is_marked())
        .list("frame_open", list(row.frame.open))
        .list("frame_close", list(row.frame.close))
        .list("call_open", list(row.call.open))
        .list("call_close", list(row.call.close))
        .string("name", name(row.call.name))
        .string("body", row.call.body.as_str())
        .string("source", row.source)
        .string("example", row.example)
        .finish()
}

fn table() -> String {
    let width = dialects().map(|row| row.id.len()).max().unwrap_or(0);
    let mut out = String::new();
    for (is_marked, title) in [
        (true, "Between marks that nothing else uses"),
        (false, "Without such marks: weaker evidence, stricter gates"),
    ] {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{BOLD}{title}{BOLD:#}\n");
        for row in dialects().filter(|row| row.is_marked() == is_marked) {
            let models = row.models.join(", ");
            let _ = writeln!(out, "  {:width$}  {}  {DIM}{models}{DIM:#}", row.id, row.title);
        }
        out.push('\n');
    }
    out.push_str("toolmend dialects show ID shows one of them with an example.\n");
    out
}

fn page(row: &Dialect) -> String {
    let mut out = format!("{BOLD}{}{BOLD:#}  {}\n\n", row.id, row.title);
    let marks = |marks: &[&str]| {
        marks.iter().map(|mark| mark.escape_debug().to_string()).collect::<Vec<_>>().join("  or  ")
    };
    for (what, value) in [
        ("models", row.models.join(", ")),
        ("source", row.source.to_owned()),
        ("frame", pair(&marks(row.frame.open), &marks(row.frame.close))),
        ("call", pair(&marks(row.call.open), &marks(row.call.close))),
        ("name", name(row.call.name).to_owned()),
        ("body", row.call.body.as_str().to_owned()),
    ] {
        if !value.is_empty() {
            let _ = writeln!(out, "  {DIM}{what:7}{DIM:#} {value}");
        }
    }
    out.push_str("\n  example\n\n");
    for line in row.example.lines() {
        let _ = writeln!(out, "    {line}");
    }
    out.push('\n');
    out
}

fn pair(open: &str, close: &str) -> String {
    match (open, close) {
        ("", "") => String::new(),
        (open, "") => format!("{open} …"),
        (open, close) => format!("{open} … {close}"),
    }
}

fn name(name: Name) -> &'static str {
    match name {
        Name::InBody => "in the body",
        Name::InTag => "in the opening tag",
        Name::InChild => "in a child of the opening tag",
        Name::Until(_) => "between the opener and the arguments",
        Name::Recipient => "in a header, as to=NAME",
        _ => "on a line of its own",
    }
}

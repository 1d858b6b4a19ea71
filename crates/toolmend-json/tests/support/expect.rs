//! The blocks of a JSON case: what it reads, and what must come out.

use cases::Case;
use cases::harness::Seen;
use toolmend_json::{Cut, Document, Expected, Limits, Options, Outcome, Trust, Want};

/// The bytes to read and the options to read them with.
pub(crate) fn input(case: &Case) -> Result<(Vec<u8>, Options), String> {
    let block = case.block("input").ok_or("there is no block `input`")?;
    let mut want = Want::Any;
    let mut limits = Limits::default();
    let mut root_keys: Vec<String> = Vec::new();
    for name in block.options() {
        let value = block.option(name).unwrap_or_default();
        let number = || value.parse().map_err(|_| format!("`{name}` is a number"));
        match (name, value) {
            ("want", "object") => want = Want::Object,
            ("want", "array") => want = Want::Array,
            ("depth", _) => limits = limits.with_depth_max(number()?),
            ("bytes", _) => limits = limits.with_broken_bytes_max(number()?),
            ("root", names) => root_keys = names.split(',').map(str::to_owned).collect(),
            ("escapes", "") => {}
            _ => return Err(format!("`input` has no option `{name}={value}`")),
        }
    }
    let bytes = match block.option("escapes") {
        Some(_) => cases::unescape(block.text())?,
        None => block.text().as_bytes().to_vec(),
    };
    let expected = Expected::root(want).with_keys(case.text("keys").lines());
    let expected = expected.with_root_keys(root_keys);
    Ok((bytes, Options { expected, limits }))
}

/// The text of each block as this document would have it.
pub(crate) fn seen(document: &Document<'_>) -> Seen {
    let mut closed = document.clone();
    if document.cut().is_some() {
        closed.close(Trust::Guess);
    }
    vec![
        ("outcome", outcome(document)),
        ("value", values(document)),
        ("faults", faults(document)),
        ("open", document.cut().map(open).unwrap_or_default()),
        ("closed", document.cut().map(|cut| closing(cut, &closed)).unwrap_or_default()),
        ("closing", faults_added(document, &closed)),
    ]
}

/// `untouched`, `mended likely`, `cut in-string`, `refused no-value`, `empty`.
fn outcome(document: &Document<'_>) -> String {
    match document.outcome() {
        Outcome::Untouched => "untouched".to_owned(),
        Outcome::Mended(trust) => format!("mended {}", trust.as_str()),
        Outcome::Cut => {
            let place = document.cut().map_or("nowhere", |cut| cut.place.as_str());
            format!("cut {place}")
        }
        Outcome::Refused(code) => format!("refused {}", code.id()),
        Outcome::Empty => "empty".to_owned(),
        other => format!("{other:?}"),
    }
}

/// Each complete value on a line of its own.
fn values(document: &Document<'_>) -> String {
    lines(document.values().map(|node| node.to_json()))
}

/// The faults: `code start..end`.
fn faults(document: &Document<'_>) -> String {
    lines(document.faults().iter().map(|fault| {
        let span = fault.span;
        format!("{} {}..{}", fault.code.id(), span.start, span.end)
    }))
}

/// What is open, outermost first, and the unfinished token.
fn open(cut: &Cut) -> String {
    let open = cut.open.iter().map(|open| {
        let shape = if open.is_array { "array" } else { "object" };
        format!("{shape} {}", open.at)
    });
    let token = format!("token {}..{}", cut.token.start, cut.token.end);
    lines(open.chain((!cut.token.is_empty()).then_some(token)))
}

/// How far closing can be trusted, and what it gives.
fn closing(cut: &Cut, closed: &Document<'_>) -> String {
    let head = [format!("trust {}", cut.trust().as_str()), outcome(closed)];
    lines(head.into_iter().chain(closed.values().map(|node| node.to_json())))
}

/// The faults that closing added.
fn faults_added(document: &Document<'_>, closed: &Document<'_>) -> String {
    let before = faults(document);
    let added = faults(closed);
    lines(added.lines().filter(|line| !before.lines().any(|old| old == *line)).map(str::to_owned))
}

fn lines(lines: impl IntoIterator<Item = String>) -> String {
    lines.into_iter().collect::<Vec<_>>().join("\n")
}

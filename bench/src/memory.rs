//! The peak of memory, as the system sees it. Each contender runs in a fresh process, so that nothing
//! of another one's is counted; elsewhere than on Linux there is no number.

use std::hint::black_box;
use std::io::Write;
use std::process::{Command, Stdio};

use damage::{Extent, Family, class, damaged_as};
use serde_json::{Value, json};

use crate::contender::{LIBRARIES, guarded, library};
use crate::ours;
use crate::report::{Report, Table, section, table as print_table};

const BYTES: usize = 1_000_000;
const WHOLE: &str = "toolmend";
const PIECES: &str = "toolmend, 4-byte pieces";
const TREE: &str = "serde_json → Value";

const INPUTS: &[(&str, &str, Family)] = &[
    ("valid records", "valid-compact", Family::Records),
    ("valid code", "valid-compact", Family::Code),
    ("trailing commas", "comma-trailing", Family::Records),
    ("single quotes", "quotes-single", Family::Records),
    ("raw newlines", "raw-newlines", Family::Code),
];

/// Prints the peaks of all contenders on a megabyte.
pub fn run(seed: u64, report: &mut Report) {
    let names: Vec<&str> = [WHOLE, PIECES, TREE]
        .into_iter()
        .chain(LIBRARIES.iter().map(|library| library.name))
        .collect();
    let mut table = Table::new(
        std::iter::once("contender").chain(INPUTS.iter().map(|row| row.0)).map(String::from),
    );
    let mut data = serde_json::Map::new();
    for name in names {
        let mut cells = vec![name.to_owned()];
        let mut peaks = serde_json::Map::new();
        for &(input, class_name, family) in INPUTS {
            let case = class(class_name)
                .and_then(|class| damaged_as(class, family, Extent::Throughout, BYTES, seed));
            let peak = case.and_then(|case| peak_of(name, &case.text));
            cells.push(peak.map_or("–".into(), |kilobytes| {
                format!("{:.1}", kilobytes as f64 * 1024.0 / 1e6)
            }));
            peaks.insert(input.into(), json!(peak));
        }
        data.insert(name.into(), Value::Object(peaks));
        table.row(cells);
    }
    section("Peak memory on 1 MB, in MB beyond the text (– where it has no answer)");
    print_table(&table);
    report.data("memory_kb", Value::Object(data));
}

fn peak_of(name: &str, text: &str) -> Option<u64> {
    let mut child = Command::new(std::env::current_exe().ok()?)
        .args(["--memory-child", name])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// Runs one contender on the text at standard input and prints how far its memory rose.
pub fn child(name: &str) -> std::io::Result<()> {
    let text = std::io::read_to_string(std::io::stdin())?;
    let before = resident();
    if answers(name, &text)
        && let (Some(before), Some(peak)) = (before, peak())
    {
        println!("{}", peak.saturating_sub(before));
    }
    Ok(())
}

fn answers(name: &str, text: &str) -> bool {
    let options = ours::options(&[]);
    match name {
        WHOLE => {
            let document = toolmend_json::read(text, &options);
            black_box(document.to_json()).is_some()
        }
        PIECES => {
            let mut reader = toolmend_json::Reader::new(options);
            text.as_bytes().chunks(4).for_each(|piece| reader.push(piece));
            black_box(reader.finish().to_json()).is_some()
        }
        TREE => black_box(serde_json::from_str::<Value>(text)).is_ok(),
        _ => {
            library(name).and_then(|library| guarded(|| black_box((library.mend)(text)))).is_some()
        }
    }
}

/// Kilobytes held now. From here on the peak is counted anew.
pub fn resident() -> Option<u64> {
    // Where this cannot be written, the peak also counts what came before.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    status("VmRSS:")
}

/// The most kilobytes that were held.
pub fn peak() -> Option<u64> {
    status("VmHWM:")
}

fn status(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    line.split_whitespace().next()?.parse().ok()
}

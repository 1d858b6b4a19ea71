//! What is printed, and what is written as JSON.

use std::cell::RefCell;

use serde_json::{Map, Value, json};

use crate::glance::Races;

/// A table of text cells.
#[derive(Debug)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these column names.
    pub fn new(header: impl IntoIterator<Item = String>) -> Self {
        Self { header: header.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// As Markdown, columns aligned.
    pub fn markdown(&self) -> String {
        let all = || std::iter::once(&self.header).chain(&self.rows);
        let widths: Vec<usize> = (0..self.header.len())
            .map(|column| {
                all()
                    .filter_map(|row| row.get(column))
                    .map(|cell| cell.chars().count())
                    .max()
                    .unwrap_or(3)
                    .max(3)
            })
            .collect();
        let line = |row: &[String]| {
            let cells = widths.iter().enumerate().map(|(column, &width)| {
                let cell = row.get(column).map_or("", String::as_str);
                if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        let rule = widths.iter().enumerate().map(|(column, &width)| {
            if column == 0 { "-".repeat(width + 2) } else { format!("{}:", "-".repeat(width + 1)) }
        });
        let mut out = line(&self.header);
        out.push_str(&["|", &rule.collect::<Vec<_>>().join("|"), "|\n"].concat());
        self.rows.iter().for_each(|row| out.push_str(&line(row)));
        out
    }
}

thread_local! {
    /// What was printed of the part at hand, as it goes into the documents.
    static PRINTED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A table with more rows than this is folded away in documents.
const ROWS_SHOWN_MAX: usize = 40;

fn keep(markdown: &str) {
    PRINTED.with_borrow_mut(|printed| printed.push_str(markdown));
}

/// Prints the head of a section.
pub fn section(title: &str) {
    println!("\n## {title}\n");
    keep(&format!("\n### {title}\n\n"));
}

/// Prints a table.
pub fn table(table: &Table) {
    let markdown = table.markdown();
    println!("{markdown}");
    match table.rows.len() {
        0..=ROWS_SHOWN_MAX => keep(&markdown),
        rows => {
            keep(&format!("<details><summary>{rows} rows</summary>\n\n{markdown}\n</details>\n"));
        }
    }
}

/// Prints a sentence.
pub fn note(text: &str) {
    println!("{text}\n");
    keep(&format!("\n{text}\n"));
}

/// Collects what a run found.
#[derive(Debug, Default)]
pub struct Report {
    data: Map<String, Value>,
    parts: Map<String, Value>,
    targets: Vec<Value>,
    races: Races,
    /// What a part comes to, for those who read nothing else.
    glance: Option<Table>,
}

impl Report {
    /// Keeps data for the file.
    pub fn data(&mut self, name: &str, value: Value) {
        self.data.insert(name.into(), value);
    }

    /// Says whether a target is met, with the number that decided.
    pub fn target(&mut self, what: &str, is_met: bool, measured: &str) {
        self.targets.push(json!({ "target": what, "is_met": is_met, "measured": measured }));
    }

    /// Takes down how often a rival's time is ours, on one row of what is measured.
    pub fn raced(&mut self, what: &'static str, rival: &str, ratio: f64) {
        self.races.add(what, rival, ratio);
    }

    /// Says in one table what the part at hand comes to.
    pub fn glance(&mut self, table: Table) {
        self.glance = Some(table);
    }

    /// Ends a part: what was printed and aimed at since the last one is its own.
    pub fn end_part(&mut self, name: &str) {
        let printed = PRINTED.with_borrow_mut(std::mem::take);
        let targets = std::mem::take(&mut self.targets);
        let races = std::mem::take(&mut self.races);
        let glance = self.glance.take().or_else(|| races.table());
        if !targets.is_empty() {
            println!("\n## Targets\n");
        }
        for line in targets.iter().map(target_line) {
            println!("{line}");
        }
        if !printed.is_empty() || !targets.is_empty() {
            let glance = glance.map(|table| table.markdown());
            let part = json!({ "printed": printed, "targets": targets, "glance": glance });
            self.parts.insert(name.into(), part);
        }
    }

    /// Everything as JSON.
    pub fn finish(mut self) -> Value {
        self.data.insert("parts".into(), self.parts.into());
        Value::Object(self.data)
    }
}

/// A target as a line of a list.
pub fn target_line(target: &Value) -> String {
    let text = |name: &str| target.get(name).and_then(Value::as_str).unwrap_or_default();
    let is_met = target.get("is_met") == Some(&Value::Bool(true));
    let word = if is_met { "met" } else { "NOT MET" };
    format!("- {word}: {} — {}", text("target"), text("measured"))
}

//! What is printed, and what is written as JSON.

use serde_json::{Map, Value, json};

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

/// Prints the head of a section.
pub fn section(title: &str) {
    println!("\n## {title}\n");
}

/// Prints a table.
pub fn table(table: &Table) {
    println!("{}", table.markdown());
}

/// Collects what a run found.
#[derive(Debug, Default)]
pub struct Report {
    data: Map<String, Value>,
    targets: Vec<(String, bool, String)>,
}

impl Report {
    /// Keeps data for the file.
    pub fn data(&mut self, name: &str, value: Value) {
        self.data.insert(name.into(), value);
    }

    /// Says whether a target is met, with the number that decided.
    pub fn target(&mut self, what: &str, is_met: bool, measured: &str) {
        self.targets.push((what.into(), is_met, measured.into()));
    }

    /// Prints the targets and gives everything as JSON.
    pub fn finish(mut self) -> Value {
        if !self.targets.is_empty() {
            section("Targets");
        }
        for (what, is_met, measured) in &self.targets {
            println!("- {}: {what} — {measured}", if *is_met { "met" } else { "NOT MET" });
        }
        let targets: Vec<Value> = self
            .targets
            .iter()
            .map(|(what, is_met, measured)| json!({ "target": what, "is_met": is_met, "measured": measured }))
            .collect();
        self.data.insert("targets".into(), targets.into());
        Value::Object(self.data)
    }
}

//! What all of it comes to: correctness, library speed, gateway cost.

use serde_json::Value;

use crate::arguments::Part;
use crate::provenance::with_version;
use crate::report::Table;

/// How often the time of rivals is ours, row by row.
#[derive(Debug, Default)]
pub struct Races(Vec<Race>);

#[derive(Debug)]
struct Race {
    what: &'static str,
    rival: String,
    ratios: Vec<f64>,
}

impl Races {
    /// Adds a row.
    pub fn add(&mut self, what: &'static str, rival: &str, ratio: f64) {
        let known = self.0.iter_mut().find(|race| race.what == what && race.rival == rival);
        match known {
            Some(race) => race.ratios.push(ratio),
            None => self.0.push(Race { what, rival: rival.to_owned(), ratios: vec![ratio] }),
        }
    }

    /// A line for each rival; none where nobody raced.
    pub fn table(mut self) -> Option<Table> {
        let head = ["what", "beside", "rows", "we are faster", "its time is ours ×", "at least ×"];
        let mut table = Table::new(head.map(String::from));
        for race in &mut self.0 {
            race.ratios.sort_by(f64::total_cmp);
            let won = race.ratios.iter().filter(|ratio| **ratio > 1.0).count();
            let median = race.ratios.get(race.ratios.len() / 2);
            let shown =
                |ratio: Option<&f64>| ratio.map_or_else(String::new, |it| format!("{it:.2}"));
            table.row([
                race.what.to_owned(),
                with_version(&race.rival),
                race.ratios.len().to_string(),
                format!("{won} of {}", race.ratios.len()),
                shown(median),
                shown(race.ratios.first()),
            ]);
        }
        (!self.0.is_empty()).then_some(table)
    }
}

/// Under which head a part is seen at a glance.
pub const fn head(part: Part) -> Option<&'static str> {
    Some(match part {
        Part::Turns => "Correctness: whole turns",
        Part::Correctness => "Correctness: broken JSON",
        Part::Speed => "Library speed: reading JSON",
        Part::Dialects => "Library speed: calls in text",
        Part::Schema => "Library speed: repair by schema",
        Part::Gateway => "Gateway cost",
        _ => return None,
    })
}

/// What a part comes to, under its head.
pub fn of(part: Part, data: &Value) -> Option<String> {
    let table = data.get("parts")?.get(part.name())?.get("glance")?.as_str()?;
    Some(format!("### {}\n\n{table}", head(part)?))
}

#[cfg(test)]
mod tests {
    use super::Races;

    #[test]
    fn a_rival_has_one_line_for_all_its_rows() {
        let mut races = Races::default();
        for (rival, ratio) in [("slow", 4.0), ("fast", 0.5), ("slow", 2.0), ("slow", 3.0)] {
            races.add("reading", rival, ratio);
        }
        let shown = races.table().unwrap().markdown();
        let lines: Vec<Vec<&str>> = shown
            .lines()
            .skip(2)
            .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
            .collect();
        assert_eq!(
            lines,
            [
                ["reading", "slow", "3", "3 of 3", "3.00", "2.00"],
                ["reading", "fast", "1", "0 of 1", "0.50", "0.50"]
            ]
        );
        assert!(Races::default().table().is_none());
    }
}

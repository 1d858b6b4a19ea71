//! What holds for every schema and every value. The seed is fixed; `LAWS_SCHEMAS=20000` looks further.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed"
)]

#[path = "support/corrupt.rs"]
mod corrupt;
#[path = "support/generate.rs"]
mod generate;

use std::collections::BTreeMap;

use corrupt::{DAMAGES, Damage, Damaged};
use generate::{Made, Rng};
use serde_json::{Value, json};
use toolmend_schema::{Flatten, Tool, Trust};

/// Schemas that are made; each gives many values.
fn schemas() -> u64 {
    std::env::var("LAWS_SCHEMAS").ok().and_then(|count| count.parse().ok()).unwrap_or(1250)
}

const VALUES_PER_SCHEMA: usize = 95;

fn tool(schema: &Value) -> Tool {
    let tool = Tool::read(&json!({"name": "frob", "parameters": schema})).unwrap();
    assert_eq!(tool.problem(), None, "{schema}");
    tool
}

#[test]
fn valid_arguments_are_never_touched() {
    let (mut valid, mut made, mut traps) = (0_u64, 0_u64, [0_u64; 3]);
    for seed in 0..schemas() {
        let rng = &mut Rng::new(seed + 1);
        let schema = generate::arguments(rng);
        let tool = tool(&schema);
        for _ in 0..VALUES_PER_SCHEMA {
            let value = generate::instance(rng, &schema).value;
            made += 1;
            // Where the branches of a `oneOf` overlap, what satisfies one may satisfy both.
            if !tool.is_valid(&value) {
                continue;
            }
            let before = value.to_string();
            let seen = ["\"0123\"", "\"extraKey\"", "null"].map(|trap| before.contains(trap));
            traps.iter_mut().zip(seen).for_each(|(trap, seen)| *trap += u64::from(seen));
            let repaired = tool.repair(value, Trust::Guess);
            assert_eq!(repaired.arguments.to_string(), before, "{schema}");
            assert!(repaired.repairs.is_empty() && repaired.is_valid());
            valid += 1;
        }
    }
    println!(
        "{valid} valid values of {made}, none touched; with 0123, an extra key, null: {traps:?}"
    );
    assert!(valid * 10 >= made * 9, "{valid} of {made}");
    assert!(valid >= 80 * schemas() && traps.iter().all(|seen| *seen > schemas()), "{traps:?}");
}

/// What came of damages of one kind.
#[derive(Default)]
struct Tally {
    back: u32,
    /// Refused, although nothing else can have been meant.
    lost: u32,
    /// Refused, and there are several ways to read it.
    refused: u32,
    surer: u32,
    still_valid: u32,
}

#[test]
fn what_was_damaged_comes_back_or_is_refused() {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for seed in 0..schemas() {
        let rng = &mut Rng::new(seed + 1_000_003);
        let schema = generate::arguments(rng);
        let tool = tool(&schema);
        for damage in DAMAGES {
            for _ in 0..4 {
                let made = generate::instance(rng, &schema);
                let damaged = corrupt::corrupt(rng, damage, &made);
                let Some(damaged) = damaged.filter(|_| tool.is_valid(&made.value)) else {
                    continue;
                };
                judge(&tool, damage, &made, &damaged, tallies.entry(damage.rule).or_default());
            }
        }
    }
    let (mut back, mut lost) = (0, 0);
    for (rule, tally) in &tallies {
        let Tally { back: b, lost: l, refused, surer, still_valid } = tally;
        println!(
            "{rule:24} back {b:6} lost {l:4} two readings, refused {refused:5} \
             surer reading {surer:4} still valid {still_valid:6}"
        );
        back += b;
        lost += l;
    }
    println!("back {back}, lost {lost}, wrong 0");
    assert!(back >= 99 * lost, "back {back}, lost {lost}");
    assert_eq!(tallies.len(), DAMAGES.len(), "every kind of damage is done");
}

fn judge(tool: &Tool, damage: &Damage, made: &Made<'_>, damaged: &Damaged, tally: &mut Tally) {
    let Damaged { value, path } = damaged;
    let shown = || format!("{}\n{}\n{value}", tool.source()["parameters"], made.value);
    let repaired = tool.repair(value.clone(), damage.trust.max(Trust::Likely));
    let again = tool.repair(repaired.arguments.clone(), Trust::Likely);
    assert!(!repaired.is_valid() || again.repairs.is_empty(), "{}", shown());
    if tool.is_valid(value) {
        assert_eq!(&repaired.arguments, value);
        tally.still_valid += 1;
    } else if !repaired.is_valid() {
        assert_eq!(repaired.arguments.to_string(), value.to_string());
        if count_readings(tool, made, value, path) > 1 {
            tally.refused += 1;
        } else {
            tally.lost += 1;
            if std::env::var("LAWS_SHOW").is_ok() {
                println!("LOST {} {path} {}", damage.rule, shown());
            }
        }
    } else if repaired.arguments == made.value {
        tally.back += 1;
    } else {
        // Another value is only right where its reading is surer than this rule's.
        assert!(
            repaired.trust().unwrap() < damage.trust,
            "{} made another value of it: {}\n{}\n{:?}",
            damage.rule,
            shown(),
            repaired.arguments,
            repaired.repairs,
        );
        tally.surer += 1;
    }
}

/// How many different valid values come of reading one place otherwise.
fn count_readings(tool: &Tool, made: &Made<'_>, damaged: &Value, path: &str) -> usize {
    let at_path = made.places.iter().filter(|(place, _)| place == path);
    let words = at_path.filter_map(|(_, schema)| schema["enum"].as_array()).flatten().cloned();
    let Some(value) = damaged.pointer(path) else { return 0 };
    let text = value.as_str().unwrap_or_default();
    let plain = folded(text.split("</").next().unwrap_or(text));
    let words: Vec<Value> =
        words.filter(|word| word.as_str().is_some_and(|word| folded(word) == plain)).collect();
    let mut found: Vec<Value> = Vec::new();
    for reading in corrupt::readings(value, &words) {
        let mut whole = damaged.clone();
        *whole.pointer_mut(path).unwrap() = reading;
        if tool.is_valid(&whole) && !found.contains(&whole) {
            found.push(whole);
        }
    }
    found.len()
}

/// A word without case and separators.
fn folded(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Tools as servers of the Model Context Protocol publish them, with a call of each.
const MCP: &str = include_str!("support/mcp.json");

#[test]
fn real_tools_come_back_exactly() {
    let tools: Vec<Value> = serde_json::from_str(MCP).unwrap();
    for row in tools {
        let tool = Tool::read(&row["tool"]).unwrap();
        let call = &row["call"];
        assert_eq!(tool.problem(), None, "{}", tool.name());
        assert!(
            tool.is_valid(call),
            "{}: {:?}",
            tool.name(),
            tool.repair(call.clone(), Trust::Exact)
        );
        for flatten in [Flatten::Off, Flatten::default(), Flatten::Always] {
            let shown = tool.shown(flatten);
            assert_eq!(Tool::read(&shown.tool).unwrap().problem(), None);
            let nested = shown.nest(shown.flatten(call.clone()));
            assert_eq!(nested.arguments.to_string(), call.to_string(), "{}", tool.name());
        }
    }
}

#[test]
fn flat_names_come_back_exactly() {
    let mut flat = 0;
    for seed in 0..schemas() {
        let rng = &mut Rng::new(seed + 2_000_003);
        let schema = generate::arguments(rng);
        let shown = tool(&schema).shown(Flatten::Always);
        if !shown.is_flat {
            continue;
        }
        flat += 1;
        let shown_tool = Tool::read(&shown.tool).unwrap();
        assert_eq!(shown_tool.problem(), None, "{}", shown.tool);
        for _ in 0..20 {
            let value = generate::instance(rng, &schema).value;
            let flat = shown.flatten(value.clone());
            let nested = shown.nest(flat.clone());
            assert_eq!(nested.arguments, value, "{schema}\n{flat}");
            assert!(nested.conflicts.is_empty());
            // What comes back nested already stays as it is.
            assert_eq!(shown.nest(value.clone()).arguments, value);
        }
    }
    assert!(flat > 100, "{flat}");
}

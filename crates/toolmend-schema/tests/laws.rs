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

use corrupt::DAMAGES;
use generate::Rng;
use serde_json::{Value, json};
use toolmend_schema::{Flatten, Tool, Trust};

/// Schemas that are made; each gives many values.
fn schemas() -> u64 {
    std::env::var("LAWS_SCHEMAS").ok().and_then(|count| count.parse().ok()).unwrap_or(1250)
}

const VALUES_PER_SCHEMA: usize = 80;

fn tool(schema: &Value) -> Tool {
    let tool = Tool::read(&json!({"name": "frob", "parameters": schema})).unwrap();
    assert_eq!(tool.problem(), None, "{schema}");
    tool
}

#[test]
fn valid_arguments_are_never_touched() {
    let mut valid = 0_u64;
    for seed in 0..schemas() {
        let rng = &mut Rng::new(seed + 1);
        let schema = generate::arguments(rng);
        let tool = tool(&schema);
        for _ in 0..VALUES_PER_SCHEMA {
            let value = generate::instance(rng, &schema, &schema);
            assert!(tool.is_valid(&value), "{schema}\n{value}");
            let before = value.to_string();
            let repaired = tool.repair(value, Trust::Guess);
            assert_eq!(repaired.arguments.to_string(), before, "{schema}");
            assert!(repaired.repairs.is_empty() && repaired.is_valid());
            valid += 1;
        }
    }
    println!("{valid} valid values, none touched");
}

/// What came of damages of one kind.
#[derive(Default)]
struct Tally {
    back: u32,
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
                let value = generate::instance(rng, &schema, &schema);
                let Some(damaged) = corrupt::corrupt(rng, damage, &schema, &value) else {
                    continue;
                };
                let tally = tallies.entry(damage.rule).or_default();
                let was_valid = tool.is_valid(&damaged);
                let repaired = tool.repair(damaged.clone(), damage.trust.max(Trust::Likely));
                let again = tool.repair(repaired.arguments.clone(), Trust::Likely);
                assert!(!repaired.is_valid() || again.repairs.is_empty(), "{schema}\n{damaged}");
                if was_valid {
                    assert_eq!(repaired.arguments, damaged);
                    tally.still_valid += 1;
                } else if !repaired.is_valid() {
                    assert_eq!(repaired.arguments.to_string(), damaged.to_string());
                    tally.refused += 1;
                    if std::env::var("LAWS_SHOW").is_ok() {
                        println!("REFUSED {} {schema}\n  {value}\n  {damaged}", damage.rule);
                    }
                } else if is_same(&repaired.arguments, &value) {
                    tally.back += 1;
                } else {
                    // Another value is only right where its reading is surer than this rule's.
                    let trust = repaired.trust().unwrap();
                    assert!(
                        trust < damage.trust,
                        "{} made another value of it\n{schema}\n{value}\n{damaged}\n{}\n{:?}",
                        damage.rule,
                        repaired.arguments,
                        repaired.repairs,
                    );
                    tally.surer += 1;
                }
            }
        }
    }
    let (mut back, mut refused) = (0, 0);
    for (rule, Tally { back: b, refused: r, surer, still_valid }) in &tallies {
        println!(
            "{rule:24} back {b:6} refused {r:5} surer reading {surer:4} still valid {still_valid:6}"
        );
        back += b;
        refused += r;
    }
    println!("back {back}, refused {refused}, wrong 0");
    assert!(back >= 99 * refused, "back {back}, refused {refused}");
}

/// The same value, members in any order.
fn is_same(left: &Value, right: &Value) -> bool {
    left == right
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
            let value = generate::instance(rng, &schema, &schema);
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

//! Validation and repair by schema, beside bare `jsonschema` and `toolguard-core`: right values and
//! time, on the same arguments.

use std::cell::Cell;
use std::hint::black_box;
use std::time::Duration;

use serde_json::{Map, Value, json};
use toolguard_core::{GuardVerdict, PolicyConfig, ToolDefinition, ToolGuard, ToolGuardConfig};
use toolmend_schema::{Cache, Tool, Trust};

use crate::arguments::Arguments;
use crate::report::{Report, Table, section, table};
use crate::timing::{Effort, fair_times, ratio};

/// A failure of the set-up, not of what is measured.
type Failure = Box<dyn std::error::Error>;

/// Measures all of it.
pub fn run(arguments: &Arguments, report: &mut Report) -> Result<(), Failure> {
    let effort = if arguments.quick { Effort::QUICK } else { Effort::STEADY };
    section("Schema: right values");
    correctness(report)?;
    section("Schema: a valid call");
    valid(effort, report)?;
    section("Schema: one mismatch");
    broken(effort, report)?;
    section("Schema: compiling");
    compiling(effort, report)
}

/// A tool with this many leaves, ten to an object, and arguments that satisfy it.
fn tool_of(leaves: usize) -> (Value, Value) {
    let (mut properties, mut arguments, mut required) = (Map::new(), Map::new(), Vec::new());
    if leaves <= 10 {
        fill(leaves, &mut properties, &mut arguments, &mut required);
    } else {
        for group in 0..leaves / 10 {
            let (mut inner, mut values, mut names) = (Map::new(), Map::new(), Vec::new());
            fill(10, &mut inner, &mut values, &mut names);
            let name = format!("group_{group}");
            properties.insert(name.clone(), object(&inner, &names));
            arguments.insert(name.clone(), Value::Object(values));
            required.push(name);
        }
    }
    (object(&properties, &required), Value::Object(arguments))
}

fn object(properties: &Map<String, Value>, required: &[String]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn fill(
    leaves: usize,
    properties: &mut Map<String, Value>,
    arguments: &mut Map<String, Value>,
    required: &mut Vec<String>,
) {
    let rows = [
        ("path", json!({"type": "string"}), json!("src/main.rs")),
        ("limit", json!({"type": "integer", "minimum": 0}), json!(250)),
        ("recursive", json!({"type": "boolean"}), json!(true)),
        ("mode", json!({"type": "string", "enum": ["read", "write", "append"]}), json!("write")),
        ("tags", json!({"type": "array", "items": {"type": "string"}}), json!(["a", "b"])),
        ("ratio", json!({"type": "number"}), json!(0.5)),
        ("query", json!({"type": "string", "minLength": 1}), json!("find the thing")),
        ("offset", json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}), json!(3)),
        ("note", json!({"type": "string"}), json!("a longer note about what is wanted here")),
        ("depth", json!({"type": "integer"}), json!(2)),
    ];
    for (name, schema, value) in rows.into_iter().take(leaves) {
        properties.insert(name.to_owned(), schema);
        arguments.insert(name.to_owned(), value);
        if !matches!(name, "offset" | "depth") {
            required.push(name.to_owned());
        }
    }
}

/// The contenders for one schema.
struct Contenders {
    bare: jsonschema::Validator,
    ours: Tool,
    rival: ToolGuard,
}

impl Contenders {
    fn new(schema: &Value) -> Result<Self, Failure> {
        let ours = Tool::read(&json!({"name": "tool", "parameters": schema}))?;
        // Without its loop detection, which would refuse the second turn.
        let policy_config = PolicyConfig {
            max_consecutive_identical_calls: 0,
            max_calls_per_session: 0,
            ..PolicyConfig::default()
        };
        let rival = ToolGuard::new(ToolGuardConfig { policy_config, ..ToolGuardConfig::default() });
        rival.register_tool(ToolDefinition::new("tool", schema.clone()))?;
        Ok(Self { bare: jsonschema::validator_for(schema)?, ours, rival })
    }

    fn ours(&self, arguments: Value) -> Option<Value> {
        let repaired = self.ours.repair(arguments, Trust::Likely);
        repaired.is_valid().then_some(repaired.arguments)
    }

    fn rival(&self, arguments: Value) -> Option<Value> {
        match self.rival.guard_call("tool", arguments, None) {
            GuardVerdict::Pass { arguments, .. } => Some(arguments),
            GuardVerdict::Reject { .. } => None,
        }
    }
}

/// One wrong value in a tool of ten fields, and what was meant.
fn mismatches(good: &Value) -> Vec<(&'static str, Value, Value)> {
    let with = |name: &str, value: Value| {
        let mut arguments = good.clone();
        if let Some(slot) = arguments.get_mut(name) {
            *slot = value;
        }
        arguments
    };
    let without = |name: &str| {
        let mut members = good.as_object().cloned().unwrap_or_default();
        members.shift_remove(name);
        Value::Object(members)
    };
    let renamed = |from: &str, to: &str| {
        let members = good.as_object().into_iter().flatten();
        let renamed = members.map(|(k, v)| (if k == from { to } else { k }.to_owned(), v.clone()));
        Value::Object(renamed.collect())
    };
    vec![
        ("number in a string", with("limit", json!("250")), good.clone()),
        ("boolean in a string", with("recursive", json!("true")), good.clone()),
        ("list in a string", with("tags", json!("[\"a\", \"b\"]")), good.clone()),
        ("Python list in a string", with("tags", json!("['a', 'b']")), good.clone()),
        ("one value for a list", with("tags", json!("a")), with("tags", json!(["a"]))),
        ("listed word in capitals", with("mode", json!("WRITE")), good.clone()),
        ("number for a text", with("query", json!(5)), with("query", json!("5"))),
        ("null for what is optional", with("depth", json!(null)), without("depth")),
        ("name in another case", renamed("recursive", "Recursive"), renamed("", "")),
    ]
}

/// Valid arguments that coercers are known to change.
fn traps() -> Vec<(&'static str, Value, Value)> {
    let id = json!({"type": "object", "properties": {"id": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}});
    vec![
        ("a valid \"0123\"", id, json!({"id": "0123"})),
        (
            "an allowed extra key",
            json!({"type": "object", "properties": {"a": {"type": "string"}}}),
            json!({"a": "x", "b": 1}),
        ),
        (
            "a null that is right",
            json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}}),
            json!({"a": null}),
        ),
    ]
}

fn correctness(report: &mut Report) -> Result<(), Failure> {
    let mut rows = Table::new(["arguments", "toolmend", "toolguard-core"].map(str::to_owned));
    let mut wrong = 0;
    let mut judge =
        |name: &str, schema: &Value, input: &Value, meant: &Value| -> Result<(), Failure> {
            let contenders = Contenders::new(schema)?;
            let verdict = |answer: Option<Value>| match answer {
                Some(value) if value == *meant => "right",
                Some(_) => "WRONG",
                None => "refused",
            };
            let ours = verdict(contenders.ours(input.clone()));
            wrong += usize::from(ours != "right");
            let rival = verdict(contenders.rival(input.clone()));
            rows.row([name.to_owned(), ours.to_owned(), rival.to_owned()]);
            Ok(())
        };
    let (schema, good) = tool_of(10);
    for (name, input, meant) in mismatches(&good) {
        judge(name, &schema, &input, &meant)?;
    }
    for (name, schema, input) in traps() {
        judge(name, &schema, &input, &input)?;
    }
    table(&rows);
    report.target("all of these right", wrong == 0, &format!("{wrong} not"));
    Ok(())
}

/// The name of the rival.
const RIVAL: &str = "toolguard-core";

fn valid(effort: Effort, report: &mut Report) -> Result<(), Failure> {
    let header = [
        "leaves",
        "bare µs",
        "is_valid",
        "× bare",
        "repair",
        "× bare",
        "toolguard − copy",
        "× bare",
    ];
    let mut rows = Table::new(header.map(str::to_owned));
    let mut data = Vec::new();
    let mut worst: f64 = 0.0;
    for leaves in [5, 10, 50, 500] {
        let (schema, good) = tool_of(leaves);
        let contenders = Contenders::new(&schema)?;
        // What is right is given back, so one value goes in and out again and again, without copies.
        let held = Cell::new(good.clone());
        let repair = || held.set(contenders.ours.repair(held.take(), Trust::Likely).arguments);
        let times = fair_times(
            &[
                &|| assert!(contenders.bare.is_valid(black_box(&good))),
                &|| assert!(contenders.ours.is_valid(black_box(&good))),
                &repair,
                &|| drop(black_box(good.clone())),
                &|| drop(black_box(contenders.rival(good.clone()))),
            ],
            effort,
        );
        assert_eq!(held.take(), good);
        let [bare, own, repair, copy, rival] = times.as_slice() else { continue };
        let (repair, rival) = (*repair, rival.saturating_sub(*copy));
        worst = worst.max(ratio(repair, *bare));
        let what = "a valid call";
        report.raced(what, "bare jsonschema (the floor)", ratio(*bare, repair));
        report.raced(what, RIVAL, ratio(rival, repair));
        rows.row([
            leaves.to_string(),
            micros(*bare),
            micros(*own),
            times_of(*own, *bare),
            micros(repair),
            times_of(repair, *bare),
            micros(rival),
            times_of(rival, *bare),
        ]);
        data.push(json!({"leaves": leaves, "bare": bare.as_nanos() as u64, "repair": repair.as_nanos() as u64, "rival": rival.as_nanos() as u64}));
    }
    table(&rows);
    report.data("schema_valid", data.into());
    report.target(
        "a valid call costs at most 1.5 × bare validation",
        worst <= 1.5,
        &format!("{worst:.2} ×"),
    );
    Ok(())
}

/// What one mismatch costs.
struct Costs {
    /// Bare validation of what was meant.
    bare: Duration,
    repair: Duration,
    rival: Duration,
}

impl Costs {
    /// Each contender gets a copy of its own, and the time of that copy is taken off.
    fn of(contenders: &Contenders, input: &Value, meant: &Value, effort: Effort) -> Option<Self> {
        let times = fair_times(
            &[
                &|| assert!(contenders.bare.is_valid(black_box(&meant.clone()))),
                &|| drop(black_box(meant.clone())),
                &|| drop(black_box(input.clone())),
                &|| drop(black_box(contenders.ours(input.clone()))),
                &|| drop(black_box(contenders.rival(input.clone()))),
            ],
            effort,
        );
        let [bare, meant, copy, repair, rival] = times.as_slice() else { return None };
        Some(Self {
            bare: bare.saturating_sub(*meant),
            repair: repair.saturating_sub(*copy),
            rival: rival.saturating_sub(*copy),
        })
    }

    fn row(&self, name: &str) -> [String; 6] {
        let Self { bare, repair, rival } = *self;
        [
            name.to_owned(),
            micros(bare),
            micros(repair),
            times_of(repair, bare),
            micros(rival),
            times_of(rival, repair),
        ]
    }
}

fn broken(effort: Effort, report: &mut Report) -> Result<(), Failure> {
    let header = ["mismatch", "bare µs", "repair − copy", "× bare", "toolguard − copy", "× ours"];
    let mut rows = Table::new(header.map(str::to_owned));
    let (schema, good) = tool_of(10);
    let contenders = Contenders::new(&schema)?;
    let (mut worst, mut slower): (f64, f64) = (0.0, f64::MAX);
    for (name, input, meant) in mismatches(&good) {
        let Some(costs) = Costs::of(&contenders, &input, &meant, effort) else { continue };
        worst = worst.max(ratio(costs.repair, costs.bare));
        slower = slower.min(ratio(costs.rival, costs.repair));
        report.raced("one mismatch", RIVAL, ratio(costs.rival, costs.repair));
        rows.row(costs.row(name));
    }
    for leaves in [50, 500] {
        let (schema, meant) = tool_of(leaves);
        let contenders = Contenders::new(&schema)?;
        let mut input = meant.clone();
        if let Some(slot) = input.pointer_mut("/group_2/limit") {
            *slot = json!("250");
        }
        let Some(costs) = Costs::of(&contenders, &input, &meant, effort) else { continue };
        report.raced("one mismatch", RIVAL, ratio(costs.rival, costs.repair));
        rows.row(costs.row(&format!("number in a string, {leaves} leaves")));
    }
    table(&rows);
    report.target(
        "one mismatch in ten fields costs at most 8 × bare validation",
        worst <= 8.0,
        &format!("{worst:.2} ×"),
    );
    report.target(
        "and less than toolguard-core",
        slower > 1.0,
        &format!("{slower:.2} × as long there"),
    );
    Ok(())
}

fn compiling(effort: Effort, report: &mut Report) -> Result<(), Failure> {
    let mut rows =
        Table::new(["leaves", "bare µs", "Tool::read", "Cache::read, known"].map(str::to_owned));
    let mut is_cheap = true;
    for leaves in [5, 50, 500] {
        let (schema, _) = tool_of(leaves);
        let tool = json!({"name": "tool", "parameters": schema});
        let cache = Cache::default();
        cache.read(&tool)?;
        let times = fair_times(
            &[
                &|| drop(black_box(jsonschema::validator_for(&schema))),
                &|| drop(black_box(Tool::read(&tool))),
                &|| drop(black_box(cache.read(&tool))),
            ],
            effort,
        );
        let [bare, own, known] = times.as_slice() else { continue };
        is_cheap &= *known * 4 < *own;
        rows.row([leaves.to_string(), micros(*bare), micros(*own), micros(*known)]);
    }
    table(&rows);
    report.target("a schema is compiled once", is_cheap, "a known tool costs less than a quarter");
    Ok(())
}

fn micros(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e6)
}

fn times_of(time: Duration, other: Duration) -> String {
    format!("{:.2}", ratio(time, other))
}

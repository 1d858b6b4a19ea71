//! Hostile input: linear time, bounded memory, no crash. Each text runs in a process of its own.

mod inputs;

use std::hint::black_box;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use serde_json::{Value, json};
use toolmend_json::{Reader, read};

use crate::memory::{peak, resident};
use crate::ours;
use crate::report::{Report, Table, section, table as print_table};
use crate::timing::{shown_size, shown_speed};
use inputs::INPUTS;

const SMALL: usize = 1_000_000;
const LARGE: usize = 10_000_000;
const PATIENCE: Duration = Duration::from_secs(20);
/// Bytes of memory that one byte of text may cost: a slot of the tape and a fault for each.
const COST_MAX: f64 = 64.0;
/// What is quadratic grows a hundredfold; what leaves the processor's caches, up to twentyfold.
const GROWTH_MAX: f64 = 30.0;
/// Times below this are noise, whatever they grow by.
const NOISE_SECONDS: f64 = 0.02;

/// What one text cost.
struct Cost {
    seconds: f64,
    pieces_seconds: f64,
    peak_kilobytes: Option<u64>,
    outcome: String,
}

/// Runs every hostile text at two sizes and reports.
pub fn run(report: &mut Report) {
    let head = [
        "input",
        "1 MB, MB/s",
        "10 MB, MB/s",
        "10 MB : 1 MB",
        "4-byte pieces : whole, 1 MB",
        "bytes per byte",
        "outcome",
    ];
    let mut table = Table::new(head.map(String::from));
    let (mut crashes, mut curved, mut heavy) = (Vec::new(), Vec::new(), Vec::new());
    let mut data = Vec::new();
    for input in INPUTS {
        let costs = cost(input.name, SMALL).and_then(|small| Ok((small, cost(input.name, LARGE)?)));
        let (small, large) = match costs {
            Ok(costs) => costs,
            Err(end) => {
                crashes.push(format!("{} {end}", input.name));
                table.row([input.name, "–", "–", "–", "–", "–", &end].map(String::from));
                continue;
            }
        };
        let growth = large.seconds / small.seconds.max(1e-9);
        let pieces = small.pieces_seconds / small.seconds.max(1e-9);
        let weight = large.peak_kilobytes.map(|kilobytes| kilobytes as f64 * 1024.0 / LARGE as f64);
        if growth > GROWTH_MAX && large.seconds > NOISE_SECONDS {
            curved.push(format!("{} ({growth:.0}×)", input.name));
        }
        if weight.is_some_and(|weight| weight > COST_MAX) {
            heavy.push(input.name);
        }
        table.row([
            input.name.into(),
            shown_speed(SMALL, Duration::from_secs_f64(small.seconds)),
            shown_speed(LARGE, Duration::from_secs_f64(large.seconds)),
            format!("{growth:.1}"),
            format!("{pieces:.1}"),
            weight.map_or("–".into(), |weight| format!("{weight:.1}")),
            large.outcome.clone(),
        ]);
        data.push(json!({
            "input": input.name, "seconds_1mb": small.seconds, "seconds_10mb": large.seconds,
            "pieces_seconds_1mb": small.pieces_seconds, "peak_kb_10mb": large.peak_kilobytes, "outcome": large.outcome,
        }));
    }
    section("Hostile input, limits on size raised");
    print_table(&table);
    report.data("hostile", data.into());
    let listed = |names: String| if names.is_empty() { "none".into() } else { names };
    report.target("hostile: no crash, no hang", crashes.is_empty(), &listed(crashes.join(", ")));
    report.target(
        "hostile: linear, time(10 MB) : time(1 MB) ≤ 30",
        curved.is_empty(),
        &listed(curved.join(", ")),
    );
    report.target(
        "hostile: memory bounded by 64 bytes per byte",
        heavy.is_empty(),
        &listed(heavy.join(", ")),
    );
}

/// What a text of this size costs, or how it ended.
fn cost(name: &str, bytes: usize) -> Result<Cost, String> {
    let ended = |how: &str| format!("{how} at {}", shown_size(bytes));
    let child = std::env::current_exe().and_then(|program| {
        Command::new(program)
            .args(["--hostile-child", &format!("{bytes}:{name}")])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
    });
    let output = child
        .map_err(|error| error.to_string())
        .and_then(|child| patiently(child).map_err(ended))?;
    read_cost(&output).ok_or_else(|| ended("crashed"))
}

fn read_cost(output: &str) -> Option<Cost> {
    let answer: Value = serde_json::from_str(output).ok()?;
    let seconds = |field: &str| answer.get(field).and_then(Value::as_f64);
    Some(Cost {
        seconds: seconds("seconds")?,
        pieces_seconds: seconds("pieces_seconds")?,
        peak_kilobytes: answer.get("peak_kb").and_then(Value::as_u64),
        outcome: answer.get("outcome").and_then(Value::as_str).unwrap_or_default().into(),
    })
}

/// What a child prints, unless it takes too long.
fn patiently(mut child: Child) -> Result<String, &'static str> {
    let start = Instant::now();
    while child.try_wait().map_err(|_| "lost")?.is_none() {
        if start.elapsed() > PATIENCE {
            // It may have ended just now.
            let _ = child.kill();
            let _ = child.wait();
            return Err("hung");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.stdout.take().ok_or("lost")?;
    std::io::read_to_string(output).map_err(|_| "lost")
}

/// Reads one hostile text, named as `bytes:name`, and prints what it cost.
pub fn child(named: &str) -> Option<()> {
    let (bytes, name) = named.split_once(':')?;
    let bytes: usize = bytes.parse().ok()?;
    let text = INPUTS.iter().find(|input| input.name == name)?.text(bytes);
    let options = ours::options(&[]);
    let before = resident();
    let start = ThreadTime::now();
    let document = read(&text, &options);
    black_box(document.to_json());
    let mut seconds = start.elapsed().as_secs_f64();
    let peak_kb = peak().zip(before).map(|(peak, before)| peak.saturating_sub(before));
    let outcome = format!("{:?}, {} faults", document.outcome(), document.faults().len());
    drop(document);
    for _ in 0..2 {
        let start = ThreadTime::now();
        black_box(read(&text, &options).to_json());
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    let mut pieces_seconds = 0.0;
    if bytes <= SMALL {
        let start = ThreadTime::now();
        let mut reader = Reader::new(options);
        text.as_bytes().chunks(4).for_each(|piece| reader.push(piece));
        black_box(reader.finish().to_json());
        pieces_seconds = start.elapsed().as_secs_f64();
    }
    let answer = json!({
        "seconds": seconds, "pieces_seconds": pieces_seconds, "peak_kb": peak_kb, "outcome": outcome,
    });
    println!("{answer}");
    Some(())
}

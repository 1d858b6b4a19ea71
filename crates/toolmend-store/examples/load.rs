//! How fast a store is: turns a second without a drop, and how long each question takes with many
//! calls in it. `cargo run --release -p toolmend-store --example load -- [CALLS] [PATH|URL]`

#![expect(clippy::print_stdout, reason = "what was measured is printed")]

use std::env;
use std::error::Error;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use toolmend::StoreSettings;
use toolmend_store::{CallRecord, Fate, Filter, Place, RepairRecord, Store, TurnRecord};

const CALLS: i64 = 100_000;
/// The steady load: so many turns a second, for so long.
const TURNS_A_SECOND: u32 = 1000;
const SECONDS: u32 = 10;
/// So many turns are weighed.
const COST_TURNS: i64 = 30_000;
/// What the page asks for when it shows a day.
const SLICE_MS: i64 = 1_440_000;
/// Each question is asked so often.
const ROUNDS: usize = 21;

const MODELS: [&str; 5] = ["qwen3-coder:30b", "gpt-oss:20b", "glm-4.7", "llama3.1:8b", "kimi-k2"];
const TOOLS: [&str; 4] = ["read_file", "write_file", "bash", "search"];
const DIALECTS: [&str; 3] = ["hermes_json", "qwen_xml", "glm45"];
const RULES: [&str; 4] =
    ["string-to-integer", "key-renamed", "null-stripped", "json-string-to-array"];
const ARGUMENTS: &str = r#"{"path": "a.md", "count": "3"}"#;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let calls = arguments.next().map_or(Ok(CALLS), |count| count.parse())?;
    let file = env::temp_dir().join(format!("toolmend-load-{}.db", std::process::id()));
    let place = match arguments.next() {
        Some(place) => Place::read(&place).ok_or("a path or a URL")?,
        None => Place::File(file.clone()),
    };
    let settings = StoreSettings { bytes_max: 4 << 30, ..StoreSettings::default() };
    let store = Store::open(&place, &settings)?;
    steady(&store);
    for (what, has_text) in [("without texts", false), ("with texts", true)] {
        cost(&store, what, has_text);
    }
    fill(&store, calls);
    questions(&store)?;
    drop(store);
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", file.display()));
    }
    Ok(())
}

/// A thousand turns a second, in steps of ten milliseconds.
fn steady(store: &Store) {
    let started = Instant::now();
    for step in 0..SECONDS * 100 {
        for at in 0..TURNS_A_SECOND / 100 {
            store.put(turn(i64::from(step * 10 + at), true));
        }
        let due = Duration::from_millis(u64::from(step + 1) * 10);
        sleep(due.saturating_sub(started.elapsed()));
    }
    let sent = started.elapsed();
    store.flush();
    let stats = store.stats();
    println!(
        "steady: {} turns in {:.1} s, all written {} ms later; {} dropped, {} failed",
        stats.written,
        sent.as_secs_f64(),
        started.elapsed().saturating_sub(sent).as_millis(),
        stats.dropped,
        stats.failed
    );
}

/// What keeping a turn takes of the processor when many come at once, as Linux tells it.
fn cost(store: &Store, what: &str, has_text: bool) {
    let before = cpu_ms();
    for at in 0..COST_TURNS {
        store.put(TurnRecord { at_ms: now_ms(), ..turn(at, has_text) });
        if at % 500 == 0 {
            store.flush();
        }
    }
    store.flush();
    if let (Some(before), Some(after)) = (before, cpu_ms()) {
        let each = (after - before) * 1000 / COST_TURNS;
        println!("cost: a turn with one call, {what}: {each} µs of the processor");
    }
}

/// What this process has used of the processor: ticks of a hundredth of a second.
fn cpu_ms() -> Option<i64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<i64>().ok();
    Some((ticks()? + ticks()?) * 10)
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or_default()
}

/// As many as there is room for.
fn fill(store: &Store, calls: i64) {
    let started = Instant::now();
    for at in 0..calls {
        store.put(turn(at, at % 10 == 0));
        if at % 1000 == 0 {
            store.flush();
        }
    }
    store.flush();
    let seconds = started.elapsed().as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "a rate needs no more digits")]
    let rate = calls as f64 / seconds;
    println!("fill: {calls} turns in {seconds:.1} s, {rate:.0} a second");
}

fn turn(at: i64, has_text: bool) -> TurnRecord {
    fn pick<const N: usize>(list: [&str; N], at: i64) -> String {
        let at = usize::try_from(at).unwrap_or_default() % N;
        list.get(at).copied().unwrap_or_default().to_owned()
    }
    let fate = match at % 10 {
        0..=5 => Fate::Untouched,
        6..=8 => Fate::Mended,
        _ => Fate::Refused,
    };
    let mended = fate == Fate::Mended;
    let repair = RepairRecord {
        rule: pick(RULES, at / 7).into(),
        path: "/count".into(),
        trust: "exact".into(),
    };
    TurnRecord {
        // Spread over the last day.
        at_ms: now_ms() - (at * 7919) % 86_400_000,
        model: pick(MODELS, at / 3).into(),
        api: "chat".into(),
        finish: Some("tool_calls".into()),
        took_ms: 1200,
        spent_us: at % 700,
        calls: vec![CallRecord {
            tool: Some(pick(TOOLS, at).into()),
            fate,
            reason: (fate == Fate::Refused).then(|| "mismatch".into()),
            channel: "content".into(),
            dialect: mended.then(|| pick(DIALECTS, at).into()),
            is_lossy: false,
            repairs: if mended { vec![repair] } else { Vec::new() },
            faults: Vec::new(),
        }],
        texts: has_text.then(|| texts(&pick(MODELS, at / 3), &pick(TOOLS, at), fate).into()),
        ..TurnRecord::default()
    }
}

/// The texts of a turn as the proxy puts them together, some two kilobytes.
fn texts(model: &str, tool: &str, fate: Fate) -> Value {
    let properties = json!({"path": {"type": "string"}, "count": {"type": "integer"}});
    let parameters = json!({"type": "object", "properties": properties, "required": ["path"]});
    let call =
        format!("<tool_call>\n{{\"name\": \"{tool}\", \"arguments\": {ARGUMENTS}}}\n</tool_call>");
    let wish =
        "Look into the file that the last message names, and say what stands there. ".repeat(12);
    let mended = json!({"id": "call_1", "name": tool, "arguments": r#"{"path":"a.md","count":3}"#,
        "outcome": fate.as_str(), "lossy": false, "channel": "content", "index": null});
    let refused = json!({"name": tool, "channel": "content", "reason": "mismatch", "index": null,
        "message": "the arguments do not fit", "raw": call, "advice": "give a count"});
    let is_refused = fate == Fate::Refused;
    json!({
        "in": {"id": "load", "model": model, "reasoning": null, "content": format!("Let me look.\n{call}"),
            "tools": [{"type": "function", "function": {"name": tool, "parameters": parameters}}],
            "messages": [{"role": "user", "content": wish}], "tool_calls": [], "finish_reason": "stop"},
        "out": {"content": "Let me look.", "kept": 1, "notes": [],
            "tool_calls": if is_refused { json!([]) } else { json!([mended]) },
            "refused": if is_refused { json!([refused]) } else { json!([]) }},
    })
}

fn questions(store: &Store) -> Result<(), Box<dyn Error>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let since = |long: Duration| i64::try_from(now.saturating_sub(long).as_millis()).ok();
    let text = |word: &str| Some(word.to_owned());
    let all = Filter::default();
    let filters = [
        ("everything", all.clone()),
        ("the last hour", Filter { since_ms: since(Duration::from_hours(1)), ..all.clone() }),
        ("the last day", Filter { since_ms: since(Duration::from_hours(24)), ..all.clone() }),
        (
            "one model, last day",
            Filter {
                since_ms: since(Duration::from_hours(24)),
                model: text("glm-4.7"),
                ..all.clone()
            },
        ),
        ("one model", Filter { model: text("glm-4.7"), ..all.clone() }),
        ("one tool", Filter { tool: text("bash"), ..all.clone() }),
        ("refused", Filter { fate: Some(Fate::Refused), ..all.clone() }),
        ("one dialect", Filter { dialect: text("glm45"), ..all.clone() }),
        ("one rule", Filter { rule: text("key-renamed"), ..all.clone() }),
        ("one reason", Filter { reason: text("mismatch"), ..all.clone() }),
        ("nothing fits", Filter { tool: text("no such tool"), ..all.clone() }),
        ("no time fits", Filter { until_ms: Some(1), tool: text("bash"), ..all.clone() }),
        (
            "model, outcome and rule",
            Filter {
                model: text("glm-4.7"),
                fate: Some(Fate::Mended),
                rule: text("key-renamed"),
                ..all
            },
        ),
    ];
    println!(
        "{:24} {:>15} {:>15} {:>15}",
        "p50 and max, in ms", "overview", "first page", "deep page"
    );
    let mut worst = Duration::ZERO;
    for (name, filter) in filters {
        let mut times: [Vec<Duration>; 3] = Default::default();
        for _ in 0..ROUNDS {
            let started = Instant::now();
            store.read(|reader| reader.overview(&filter, SLICE_MS))?;
            let overview = started.elapsed();
            let started = Instant::now();
            let page = store.read(|reader| reader.calls(&filter, None, 50))?;
            let first = started.elapsed();
            let middle = page.rows.first().map(|row| row.id / 2);
            let started = Instant::now();
            store.read(|reader| reader.calls(&filter, middle, 50))?;
            let deep = started.elapsed();
            for (list, time) in times.iter_mut().zip([overview, first, deep]) {
                list.push(time);
            }
        }
        let told = times.map(|mut list| {
            list.sort_unstable();
            let max = list.last().copied().unwrap_or_default();
            worst = worst.max(max);
            format!("{:.1} {:>6.1}", ms(list.get(ROUNDS / 2).copied().unwrap_or_default()), ms(max))
        });
        let [overview, first, deep] = told;
        println!("{name:24} {overview:>15} {first:>15} {deep:>15}");
    }
    println!("the slowest answer took {:.1} ms", ms(worst));
    Ok(())
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

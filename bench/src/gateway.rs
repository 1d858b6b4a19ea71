//! What the proxy costs beside a bare pass-through, the floor, and beside other gateways: all in front of the same model
//! server, taking turns in one run.

mod capture;
mod contender;
mod floor;
mod load;
mod measured;
mod model;
mod nginx;
mod process;
mod python;
mod soak;

use std::error::Error;
use std::time::Duration;

use serde_json::json;
use tokio::runtime::Builder;
use toolmend::Keep;

use crate::arguments::Arguments;
use crate::report::{Report, Table, section, table};
pub use capture::run as capture;
use contender::Contender;
use measured::{Measured, Round};
pub use soak::run as soak;

/// How far a run goes.
#[derive(Clone, Copy, Debug)]
struct Effort {
    rounds: usize,
    /// Requests one after the other, for latency.
    single: usize,
    /// How long requests are sent at once, for the rate and the processor's time.
    busy: Duration,
    /// Streams at once, each with [`model::CHUNKS`] chunks.
    streams: usize,
    /// Streams that are held open.
    idle: usize,
}

const FULL: Effort =
    Effort { rounds: 7, single: 300, busy: Duration::from_secs(2), streams: 24, idle: 2000 };
const QUICK: Effort =
    Effort { rounds: 2, single: 100, busy: Duration::from_millis(700), streams: 12, idle: 500 };

/// The name of ours, and of the floor.
const OURS: &str = "toolmend";
const FLOOR: &str = "hyper (floor)";
const DIRECT: &str = "no proxy";

/// Plays one part in this process: the model server, the floor, or the proxy.
pub fn child(part: &str) -> Result<(), Box<dyn Error>> {
    process::end_with_parent();
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        match part.split_once('=').unwrap_or((part, "")) {
            ("model", _) => model::serve().await,
            ("floor", upstream) => floor::serve(upstream).await,
            ("toolmend", upstream) => contender::serve_ours(upstream, Keep::None).await,
            ("reports", upstream) => contender::serve_ours(upstream, Keep::Reports).await,
            ("failures", upstream) => contender::serve_ours(upstream, Keep::Failures).await,
            ("all", upstream) => contender::serve_ours(upstream, Keep::All).await,
            (other, _) => Err(format!("no part {other}").into()),
        }
    })
}

/// Measures.
pub fn run(arguments: &Arguments, report: &mut Report) -> Result<(), Box<dyn Error>> {
    section("Gateway");
    let effort = if arguments.quick { QUICK } else { FULL };
    let model = process::own("model")?;
    let mut contenders = vec![Contender::direct(&model)];
    contenders.push(Contender::own(FLOOR, "floor", &model)?);
    contenders.push(Contender::own(OURS, "toolmend", &model)?);
    if !arguments.only_us {
        for rival in [nginx::start(&model), python::litellm(&model), python::smg(&model)] {
            match rival {
                Ok(rival) => contenders.push(rival),
                Err(reason) => eprintln!("left out: {reason}"),
            }
        }
    }
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let mut measured: Vec<Measured> = contenders.iter().map(|_| Measured::default()).collect();
    for round in 0..=effort.rounds {
        for (contender, measured) in contenders.iter().zip(&mut measured) {
            let told = runtime.block_on(load::round(contender, effort));
            let told = told.map_err(|error| format!("{}: {error}", contender.name))?;
            // The first round warms up.
            if round > 0 {
                measured.add(told);
            }
        }
    }
    for (contender, measured) in contenders.iter().zip(&mut measured) {
        measured.idle = Some(runtime.block_on(load::idle(contender, effort)));
    }
    show(&contenders, &measured, report);
    judge(&contenders, &measured, effort, report);
    Ok(())
}

fn show(contenders: &[Contender], measured: &[Measured], report: &mut Report) {
    let direct = measured.first();
    let header = [
        "",
        "added p50 µs",
        "added p99 µs",
        "first chunk + µs",
        "requests/s",
        "CPU µs/request",
        "CPU µs/large request",
        "CPU µs/chunk",
        "idle MB",
        "KB/idle stream",
    ];
    let mut rows = Table::new(header.map(str::to_owned));
    let number = |value: f64| format!("{value:.1}");
    for (contender, own) in contenders.iter().zip(measured) {
        let added = |of: fn(&Measured) -> f64| number(of(own) - direct.map_or(0.0, of));
        let maybe = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), number);
        rows.row([
            contender.name.clone(),
            added(Measured::p50),
            added(Measured::p99),
            added(Measured::first_chunk),
            format!("{:.0}", own.rate()),
            number(own.request_cpu()),
            number(own.large_cpu()),
            maybe(own.chunk_cpu()),
            maybe(own.idle.map(|idle| idle.at_rest_mb)),
            maybe(own.idle.and_then(|idle| idle.per_stream_kb)),
        ]);
    }
    table(&rows);
    report.glance(rows);
    let data = contenders.iter().zip(measured).map(|(c, m)| (c.name.clone(), m.data()));
    report.data("gateway", data.collect::<serde_json::Map<_, _>>().into());
    println!(
        "Medians of rounds in which all take turns. A request has {} tools and {} messages, a large one {} KB. CPU is that \
         of the gateway's process, told by the system.",
        load::TOOLS,
        load::MESSAGES,
        load::large_request().len() / 1024
    );
}

fn judge(contenders: &[Contender], measured: &[Measured], effort: Effort, report: &mut Report) {
    let find = |name: &str| {
        let at = contenders.iter().position(|contender| contender.name.starts_with(name))?;
        measured.get(at)
    };
    let (Some(direct), Some(floor), Some(ours)) = (find(DIRECT), find(FLOOR), find(OURS)) else {
        return;
    };
    let mut at_most = |what: &str, limit: f64, base: Option<&Measured>, part: fn(&Round) -> f64| {
        let ratio = ours.times_floor(floor, base, part);
        let what = format!("{what} at most {limit}× the floor");
        report.target(&what, ratio <= limit, &format!("{ratio:.2}×"));
    };
    at_most("CPU of a plain request", 1.5, None, |round| round.request_cpu_us);
    at_most("CPU of a chunk of a stream", 1.5, None, |round| {
        round.chunk_cpu_us.unwrap_or(f64::INFINITY)
    });
    at_most("added p50", 2.0, Some(direct), |round| round.p50_us);
    at_most("delay of the first chunk", 2.0, Some(direct), |round| round.first_chunk_us);
    for (rival, limit) in [(python::SMG, 3.0), (python::LITELLM, 100.0)] {
        if let Some(rival_measured) = find(rival) {
            let ratio = ours.rate() / rival_measured.rate().max(0.1);
            let what = format!("at least {limit}× the requests per second of {rival}");
            report.target(&what, ratio >= limit, &format!("{ratio:.1}×"));
        }
    }
    if let Some(idle) = ours.idle {
        let told = format!("{:.1} MB", idle.at_rest_mb);
        report.target("at most 30 MB idle", idle.at_rest_mb <= 30.0, &told);
        let per_stream_kb = idle.per_stream_kb.unwrap_or(f64::INFINITY);
        let told = format!("{per_stream_kb:.1} KB with {} open", effort.idle);
        report.target("at most 25 KB for an idle stream", per_stream_kb <= 25.0, &told);
    }
    report.data("gateway_effort", json!({"rounds": effort.rounds, "idle": effort.idle}));
}

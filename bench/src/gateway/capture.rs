//! What keeping costs: the proxy with and without a store, in front of the same model server, taking
//! turns in one run. The writer of the store is a thread of the proxy, so its time is in the number.

use std::error::Error;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::runtime::Builder;

use super::contender::Contender;
use super::load::{Load, busy};
use super::measured::median;
use super::model::{BROKEN, CALL, PLAIN};
use super::process::{self, Running};
use crate::arguments::Arguments;
use crate::report::{Report, Table, section, table};

/// What is kept, and the part of this program that keeps it. The first one is what the others are
/// compared with.
const KEPT: [(&str, &str); 4] =
    [("nothing", "toolmend"), ("reports", "reports"), ("failures", "failures"), ("all", "all")];
/// What models say.
const SAID: [(&str, &str); 3] =
    [("text", PLAIN), ("a right call", CALL), ("a call that is mended", BROKEN)];
/// Keeping may take this much more of the processor.
const LIMIT: f64 = 1.2;

/// How long is measured.
#[derive(Clone, Copy, Debug)]
struct Effort {
    /// Where the memory of a process comes to lie makes some hundredths of its time, so that each
    /// contender is started anew so often.
    starts: usize,
    rounds: usize,
    long: Duration,
}

/// The processor's time of requests: of each thing that is said, by contender and round.
type Times = Vec<Vec<Vec<f64>>>;

/// Measures.
pub fn run(arguments: &Arguments, report: &mut Report) -> Result<(), Box<dyn Error>> {
    section("Capture");
    let effort = match arguments.quick {
        true => Effort { starts: 2, rounds: 4, long: Duration::from_millis(400) },
        false => Effort { starts: 6, rounds: 8, long: Duration::from_millis(400) },
    };
    let model = process::own("model")?;
    let mut times: Times = vec![vec![Vec::new(); KEPT.len()]; SAID.len()];
    for _ in 0..effort.starts {
        measure(&model, effort, &mut times)?;
    }
    let mut rows = Table::new(
        ["CPU µs/request"].into_iter().chain(SAID.map(|(word, _)| word)).map(str::to_owned),
    );
    let mut data = Map::new();
    for (at, (name, _)) in KEPT.iter().enumerate() {
        let own = times.iter().filter_map(|times| times.get(at)).map(|own| median(own));
        let own: Vec<f64> = own.collect();
        let cells = own.iter().map(|time| format!("{time:.1}"));
        rows.row(std::iter::once((*name).to_owned()).chain(cells));
        data.insert((*name).to_owned(), json!(own));
    }
    table(&rows);
    judge(&times, report);
    report.data("capture", Value::Object(data));
    Ok(())
}

/// Starts all contenders and lets them take turns.
fn measure(model: &Running, effort: Effort, times: &mut Times) -> Result<(), Box<dyn Error>> {
    let contenders: Result<Vec<Contender>, _> =
        KEPT.iter().map(|(name, part)| Contender::own(name, part, model)).collect();
    let contenders = contenders?;
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    for ((_, said), times) in SAID.iter().zip(times) {
        for round in 0..=effort.rounds {
            // Nobody comes always behind the same one: what that left to the system is not theirs.
            let first = round % contenders.len();
            let mut turns: Vec<_> = contenders.iter().zip(times.iter_mut()).collect();
            turns.rotate_left(first);
            for (contender, own) in turns {
                let told = runtime.block_on(busy(contender, Load::Talks(said), effort.long));
                let (_, cpu) = told.map_err(|error| format!("{}: {error}", contender.name))?;
                // The first round warms up.
                if round > 0 {
                    own.push(cpu);
                }
            }
        }
    }
    contenders.into_iter().for_each(Contender::clean);
    Ok(())
}

/// The shares are medians of what single rounds say, since the clock of a shared machine moves between
/// them.
fn judge(times: &Times, report: &mut Report) {
    for (at, (name, _)) in KEPT.iter().enumerate().skip(1) {
        for ((word, _), times) in SAID.iter().zip(times) {
            let (Some(without), Some(with)) = (times.first(), times.get(at)) else { continue };
            let ratios = with.iter().zip(without).map(|(with, without)| with / without.max(0.1));
            let ratio = median(&ratios.collect::<Vec<_>>());
            let what = format!("keeping {name} of {word}: at most {LIMIT}× the CPU");
            report.target(&what, ratio <= LIMIT, &format!("{ratio:.2}×"));
        }
    }
}

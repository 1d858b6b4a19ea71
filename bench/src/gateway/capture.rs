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
use super::process;
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

/// Measures.
pub fn run(arguments: &Arguments, report: &mut Report) -> Result<(), Box<dyn Error>> {
    section("Capture");
    let (rounds, long) = match arguments.quick {
        true => (8, Duration::from_millis(400)),
        false => (36, Duration::from_millis(500)),
    };
    let model = process::own("model")?;
    let contenders: Result<Vec<Contender>, _> =
        KEPT.iter().map(|(name, part)| Contender::own(name, part, &model)).collect();
    let contenders = contenders?;
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let mut rows = Table::new(
        ["CPU µs/request"].into_iter().chain(SAID.map(|(word, _)| word)).map(str::to_owned),
    );
    let mut times = vec![Vec::new(); contenders.len()];
    let mut shares = times.clone();
    for (_, said) in SAID {
        let mut own = vec![Vec::new(); contenders.len()];
        for round in 0..=rounds {
            // Nobody comes always behind the same one: what that left to the system is not theirs.
            let first = round % contenders.len();
            let mut turns: Vec<_> = contenders.iter().zip(&mut own).collect();
            turns.rotate_left(first);
            for (contender, own) in turns {
                let told = runtime.block_on(busy(contender, Load::Talks(said), long));
                let (_, cpu) = told.map_err(|error| format!("{}: {error}", contender.name))?;
                // The first round warms up.
                if round > 0 {
                    own.push(cpu);
                }
            }
        }
        let without = own.first().cloned().unwrap_or_default();
        for ((times, shares), own) in times.iter_mut().zip(&mut shares).zip(&own) {
            times.push(median(own));
            let ratios = own.iter().zip(&without).map(|(with, without)| with / without.max(0.1));
            shares.push(median(&ratios.collect::<Vec<_>>()));
        }
    }
    for (contender, times) in contenders.iter().zip(&times) {
        let cells = times.iter().map(|time| format!("{time:.1}"));
        rows.row(std::iter::once(contender.name.clone()).chain(cells));
    }
    table(&rows);
    judge(&contenders, &shares, report);
    let data = contenders.iter().zip(&times).map(|(own, times)| (own.name.clone(), json!(times)));
    report.data("capture", Value::Object(data.collect::<Map<_, _>>()));
    contenders.into_iter().for_each(Contender::clean);
    Ok(())
}

/// The shares are medians of what single rounds say, since the clock of a shared machine moves between
/// them.
fn judge(contenders: &[Contender], shares: &[Vec<f64>], report: &mut Report) {
    for (contender, shares) in contenders.iter().zip(shares).skip(1) {
        for ((word, _), ratio) in SAID.iter().zip(shares) {
            let what = format!("keeping {} of {word}: at most {LIMIT}× the CPU", contender.name);
            report.target(&what, *ratio <= LIMIT, &format!("{ratio:.2}×"));
        }
    }
}

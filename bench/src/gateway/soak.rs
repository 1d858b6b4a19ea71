//! Load and endurance: as many requests as the machine takes, many streams at once, readers that are
//! slow, and a long mix in which some answers are broken. Answers, memory and descriptors are watched.

use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio::runtime::Builder;
use tokio::task::JoinSet;

use super::contender::Contender;
use super::load::{Failure, Sender, client, client_without_room, send, try_send, usual_request};
use super::measured::median;
use super::model::{
    BROKEN, CALL, CHUNKS, CUT, FAIL, FLOOD, JUNK, LONG, PLAIN, STREAM, is_stream, share_said,
};
use super::process;
use crate::arguments::Arguments;
use crate::report::{Report, Table, section, table};

/// How far a run goes.
#[derive(Clone, Copy, Debug)]
struct Effort {
    busy: Duration,
    streams: usize,
    readers: usize,
    reading: Duration,
    soak: Duration,
}

/// So many clients send as fast as they can, and so many take part in the long mix.
const SENDERS: usize = 32;
const MIXERS: usize = 24;
/// What a client of the mix waits between two requests, and a slow reader between two pieces.
const PAUSE: Duration = Duration::from_millis(20);
const SLOW: Duration = Duration::from_millis(100);
/// Those that come all at once are so far apart.
const APART: Duration = Duration::from_micros(200);
/// One answer of so many is broken.
const FAULT_EVERY: usize = 100;
/// So many errors are shown.
const SHOWN_MAX: usize = 5;
/// Memory and descriptors may end so much above what they were once all was warm.
const FLAT: f64 = 1.1;
/// A turn without end may grow the proxy by so many times what it said: its text is kept to its end, in
/// memory that grows by doubling, and what it grew out of is not given back at once.
const KEPT: f64 = 3.0;
/// Memory below this is noise of the allocator.
const NOISE_KB: f64 = 4096.0;
/// What the bout is called whose turns do not end.
const ENDLESS: &str = "slow readers of turns without end";
/// The end of a stream.
const DONE: &[u8] = b"data: [DONE]\n\n";

/// What one bout came to.
#[derive(Debug, Default)]
struct Bout {
    name: &'static str,
    done: usize,
    seconds: f64,
    errors: usize,
    samples: Vec<Sample>,
}

/// What the proxy held at one moment.
#[derive(Clone, Copy, Debug)]
struct Sample {
    resident_kb: f64,
    descriptors: f64,
    /// What slow readers have read of what models said.
    said_kb: f64,
}

/// Counts answers, and keeps the first errors.
#[derive(Clone, Debug, Default)]
struct Tally {
    done: Arc<AtomicUsize>,
    errors: Arc<AtomicUsize>,
    read: Arc<AtomicUsize>,
    shown: Arc<Mutex<Vec<String>>>,
}

impl Tally {
    fn take(&self, answer: Result<(), Failure>) {
        self.done.fetch_add(1, Ordering::Relaxed);
        if let Err(error) = answer {
            self.errors.fetch_add(1, Ordering::Relaxed);
            let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
            if shown.len() < SHOWN_MAX {
                shown.push(error.to_string());
            }
        }
    }
}

/// Measures.
pub fn run(arguments: &Arguments, report: &mut Report) -> Result<(), Box<dyn Error>> {
    section("Load and endurance");
    let effort = match arguments.quick {
        true => Effort {
            busy: Duration::from_secs(5),
            streams: 200,
            readers: 50,
            reading: Duration::from_secs(20),
            soak: Duration::from_mins(1),
        },
        false => Effort {
            busy: Duration::from_mins(1),
            streams: 2000,
            readers: 500,
            reading: Duration::from_mins(1),
            soak: Duration::from_mins(arguments.minutes),
        },
    };
    let model = process::own("model")?;
    let ours = Contender::own(super::OURS, "reports", &model)?;
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let bouts = runtime.block_on(async {
        vec![
            busy(&ours, effort).await,
            streams(&ours, effort).await,
            readers(&ours, effort, Turns::Long).await,
            mix(&ours, effort).await,
            // What it leaves behind in the allocator would blur what comes after it.
            readers(&ours, effort, Turns::Endless).await,
        ]
    });
    show(&bouts, report);
    judge(&bouts, report);
    ours.clean();
    Ok(())
}

/// Watches the proxy while something goes on.
async fn watched<F>(name: &'static str, ours: &Contender, work: impl FnOnce(Tally) -> F) -> Bout
where
    F: Future<Output = ()>,
{
    eprintln!("{name} …");
    let (started, tally) = (Instant::now(), Tally::default());
    let work = work(tally.clone());
    let mut samples = Vec::new();
    let mut clock = tokio::time::interval(Duration::from_millis(500));
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            () = &mut work => break,
            _ = clock.tick() => samples.push(Sample {
                resident_kb: ours.resident_kb(),
                descriptors: ours.descriptors(),
                said_kb: tally.read.load(Ordering::Relaxed) as f64 * share_said() / 1024.0,
            }),
        }
    }
    for error in tally.shown.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        eprintln!("{name}: {error}");
    }
    Bout {
        name,
        done: tally.done.load(Ordering::Relaxed),
        seconds: started.elapsed().as_secs_f64(),
        errors: tally.errors.load(Ordering::Relaxed),
        samples,
    }
}

/// As many requests as the machine takes.
async fn busy(ours: &Contender, effort: Effort) -> Bout {
    let body = usual_request(PLAIN);
    let each = |client: Sender, tally: Tally| {
        let (address, body, started) = (ours.address.clone(), body.clone(), Instant::now());
        async move {
            while started.elapsed() < effort.busy {
                tally.take(whole(&client, &address, &body, "\"finish_reason\":\"stop\"").await);
            }
        }
    };
    let work = |tally| all((client(), tally), SENDERS, Duration::ZERO, each);
    watched("requests, as many as possible", ours, work).await
}

/// Many streams at once, each to its end.
async fn streams(ours: &Contender, effort: Effort) -> Bout {
    let body = usual_request(STREAM);
    let each = |client: Sender, tally: Tally| {
        let (address, body) = (ours.address.clone(), body.clone());
        async move { tally.take(stream(&client, &address, &body).await) }
    };
    let work = |tally| all((client(), tally), effort.streams, APART, each);
    watched("streams at once", ours, work).await
}

/// What slow readers read.
#[derive(Clone, Copy, Debug)]
enum Turns {
    /// One turn after the other.
    Long,
    /// One turn that never ends.
    Endless,
}

/// Readers that take a piece now and then of what a server sends as fast as it may.
async fn readers(ours: &Contender, effort: Effort, turns: Turns) -> Bout {
    let (name, model) = match turns {
        Turns::Long => ("slow readers at once", LONG),
        Turns::Endless => (ENDLESS, FLOOD),
    };
    let body = usual_request(model);
    let each = |client: Sender, tally: Tally| {
        let (address, body, started) = (ours.address.clone(), body.clone(), Instant::now());
        async move {
            while started.elapsed() < effort.reading {
                let until = started + effort.reading;
                let turn = slowly(&client, &address, &body, until, &tally.read).await;
                let is_ended = turn.is_err();
                tally.take(turn);
                if is_ended {
                    break;
                }
            }
        }
    };
    let work = |tally| all((client_without_room(), tally), effort.readers, APART, each);
    watched(name, ours, work).await
}

/// Reads a turn slowly, to its end or until it is time, and counts what was read.
async fn slowly(
    client: &Sender,
    address: &str,
    body: &Bytes,
    until: Instant,
    read: &AtomicUsize,
) -> Result<(), Failure> {
    let mut response = send(client, address, body.clone()).await?;
    let mut last = Vec::new();
    while Instant::now() < until {
        let Some(frame) = response.frame().await else {
            return match last.ends_with(DONE) {
                true => Ok(()),
                false => Err("a stream that stopped".into()),
            };
        };
        if let Ok(bytes) = frame?.into_data() {
            read.fetch_add(bytes.len(), Ordering::Relaxed);
            last.extend_from_slice(&bytes);
            last.drain(..last.len().saturating_sub(DONE.len()));
        }
        tokio::time::sleep(SLOW).await;
    }
    Ok(())
}

/// A long mix of all that models say, some of it broken.
async fn mix(ours: &Contender, effort: Effort) -> Bout {
    let count = Arc::new(AtomicUsize::new(0));
    let each = |client: Sender, tally: Tally| {
        let (address, started, count) = (ours.address.clone(), Instant::now(), Arc::clone(&count));
        async move {
            while started.elapsed() < effort.soak {
                let number = count.fetch_add(1, Ordering::Relaxed);
                tally.take(mixed(&client, &address, number).await);
                tokio::time::sleep(PAUSE).await;
            }
        }
    };
    let work = |tally| all((client(), tally), MIXERS, Duration::ZERO, each);
    watched("a mix with broken answers", ours, work).await
}

async fn mixed(client: &Sender, address: &str, number: usize) -> Result<(), Failure> {
    if number.is_multiple_of(FAULT_EVERY) {
        return broken(client, address, number / FAULT_EVERY).await;
    }
    match number % 10 {
        0 => stream(client, address, &usual_request(STREAM)).await,
        1..4 => whole(client, address, &usual_request(CALL), ARGUMENTS).await,
        4..7 => whole(client, address, &usual_request(BROKEN), ARGUMENTS).await,
        _ => whole(client, address, &usual_request(PLAIN), "\"finish_reason\":\"stop\"").await,
    }
}

/// What calls are delivered with, whether they came so or not.
const ARGUMENTS: &str = r#"{\"to\":\"pier nine\",\"stops\":2}"#;

/// A server that fails, one whose stream stops, and one whose answer is cut: a client has to see that
/// none of them ended well, by an error or by what is no JSON.
async fn broken(client: &Sender, address: &str, number: usize) -> Result<(), Failure> {
    let model = match number % 3 {
        0 => FAIL,
        1 => CUT,
        _ => JUNK,
    };
    let response = try_send(client, address, usual_request(model)).await?;
    let is_success = response.status().is_success();
    let body = response.into_body().collect().await?.to_bytes();
    let is_told = String::from_utf8_lossy(&body).contains("error")
        || !is_stream(model) && serde_json::from_slice::<Value>(&body).is_err();
    match (is_success, is_told) {
        (_, true) | (false, _) => Ok(()),
        (true, false) => Err(format!("{model} ended as if nothing were wrong").into()),
    }
}

async fn whole(client: &Sender, address: &str, body: &Bytes, has: &str) -> Result<(), Failure> {
    let answer = send(client, address, body.clone()).await?;
    let answer = answer.into_body().collect().await?.to_bytes();
    match String::from_utf8_lossy(&answer).contains(has) {
        true => Ok(()),
        false => Err(format!("an answer without {has}").into()),
    }
}

async fn stream(client: &Sender, address: &str, body: &Bytes) -> Result<(), Failure> {
    let answer = send(client, address, body.clone()).await?;
    let answer = answer.into_body().collect().await?.to_bytes();
    let answer = String::from_utf8_lossy(&answer);
    let chunks = answer.matches("and more").count();
    match chunks == CHUNKS && answer.ends_with("data: [DONE]\n\n") {
        true => Ok(()),
        false => Err(format!("a stream of {chunks} chunks").into()),
    }
}

/// Runs so many at once, each started so long after the one before.
async fn all<F>(
    (client, tally): (Sender, Tally),
    count: usize,
    apart: Duration,
    each: impl Fn(Sender, Tally) -> F,
) where
    F: Future<Output = ()> + Send + 'static,
{
    let mut running = JoinSet::new();
    for _ in 0..count {
        running.spawn(each(client.clone(), tally.clone()));
        tokio::time::sleep(apart).await;
    }
    while let Some(ended) = running.join_next().await {
        if let Err(error) = ended {
            tally.take(Err(error.into()));
        }
    }
}

impl Bout {
    /// The median of a quarter of the samples: the second one, when all is warm, or the last.
    fn quarter(&self, number: usize, of: fn(&Sample) -> f64) -> f64 {
        let length = self.samples.len();
        let part = self.samples.get(length * number / 4..length * (number + 1) / 4);
        median(&part.unwrap_or_default().iter().map(of).collect::<Vec<_>>())
    }

    fn peak_kb(&self) -> f64 {
        self.samples.iter().map(|sample| sample.resident_kb).fold(0.0, f64::max)
    }

    /// How much more of something there is at the end than once all was warm.
    fn growth(&self, of: fn(&Sample) -> f64, noise: f64) -> f64 {
        let (warm, last) = (self.quarter(1, of), self.quarter(3, of));
        if last - warm <= noise { 1.0 } else { last / warm.max(1.0) }
    }

    /// How much more memory there is at the end, for each byte that models said meanwhile.
    fn kept(&self) -> f64 {
        let grown = |of: fn(&Sample) -> f64| self.quarter(3, of) - self.quarter(1, of);
        grown(|sample| sample.resident_kb) / grown(|sample| sample.said_kb).max(1.0)
    }
}

fn show(bouts: &[Bout], report: &mut Report) {
    let head = [
        "",
        "done",
        "per second",
        "errors",
        "MB warm",
        "MB last",
        "MB most",
        "open files warm",
        "open files last",
    ];
    let mut rows = Table::new(head.map(str::to_owned));
    let mut data = Vec::new();
    for bout in bouts {
        let rate = bout.done as f64 / bout.seconds.max(0.001);
        let memory = |number| bout.quarter(number, |sample| sample.resident_kb) / 1024.0;
        let files = |number| bout.quarter(number, |sample| sample.descriptors);
        rows.row([
            bout.name.to_owned(),
            bout.done.to_string(),
            format!("{rate:.0}"),
            bout.errors.to_string(),
            format!("{:.1}", memory(1)),
            format!("{:.1}", memory(3)),
            format!("{:.1}", bout.peak_kb() / 1024.0),
            format!("{:.0}", files(1)),
            format!("{:.0}", files(3)),
        ]);
        data.push(json!({"bout": bout.name, "done": bout.done, "seconds": bout.seconds, "errors": bout.errors,
            "mb_warm": memory(1), "mb_last": memory(3), "mb_peak": bout.peak_kb() / 1024.0}));
    }
    table(&rows);
    report.data("soak", Value::Array(data));
    println!(
        "The model server, the proxy and all clients share this machine. The proxy keeps reports. Warm is the second quarter \
         of a bout, last its last one. In the mix, one answer of {FAULT_EVERY} fails, stops or is cut, and has to be told as \
         an error. A slow reader takes a piece each {} ms, and the system reads little ahead for it; a turn without end \
         is kept as long as it lasts, up to proxy.stream_bytes_max.",
        SLOW.as_millis()
    );
}

fn judge(bouts: &[Bout], report: &mut Report) {
    for bout in bouts {
        let told = format!("{} of {}", bout.errors, bout.done);
        report.target(&format!("{}: no errors", bout.name), bout.errors == 0, &told);
    }
    if let Some(busy) = bouts.first() {
        let rate = busy.done as f64 / busy.seconds.max(0.001);
        report.target("10000 requests per second", rate >= 10_000.0, &format!("{rate:.0}"));
    }
    for bout in bouts.iter().skip(2) {
        let (memory, most, what) = match bout.name {
            ENDLESS => (bout.kept(), KEPT, "memory grows with the text alone"),
            _ => (bout.growth(|sample| sample.resident_kb, NOISE_KB), FLAT, "memory stays flat"),
        };
        report.target(&format!("{}: {what}", bout.name), memory <= most, &format!("{memory:.2}×"));
        let files = bout.growth(|sample| sample.descriptors, 8.0);
        let what = format!("{}: open files stay", bout.name);
        report.target(&what, files <= FLAT, &format!("{files:.2}×"));
    }
}

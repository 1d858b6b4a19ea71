//! Times over interleaved rounds. The clock of a shared machine goes up and down over seconds, so only
//! times of one round are compared: the first contender gets its least time, every other one that time
//! by the median of its ratios to the first. Time is what the processor spent on this thread: another
//! program on the same machine does not count.

use std::time::Duration;

use cpu_time::ThreadTime;

/// How much time a measurement may take.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How often every contender gets its turn.
    pub rounds: usize,
    /// How long a turn lasts; a call that takes longer is one turn.
    pub turn: Duration,
}

impl Effort {
    /// For all sizes and classes of one run.
    pub const FULL: Self = Self { rounds: 9, turn: Duration::from_millis(2) };
    /// For ratios of what takes less than a microsecond.
    pub const STEADY: Self = Self { rounds: 80, turn: Duration::from_millis(1) };
    /// For long texts at two sizes, whose ratio tells how time grows.
    pub const GROWTH: Self = Self { rounds: 25, turn: Duration::from_millis(2) };
    /// To see whether a change is worth more.
    pub const QUICK: Self = Self { rounds: 10, turn: Duration::from_micros(500) };
}

/// Texts up to this length are read in microseconds.
const SHORT: usize = 1_000;

impl Effort {
    /// The effort for a text of this length: for a short one more and shorter turns.
    pub fn for_size(self, bytes: usize) -> Self {
        match bytes {
            0..=SHORT => Self { rounds: self.rounds * 6, turn: self.turn / 4 },
            _ => self,
        }
    }
}

/// A call that takes longer than this gets one more turn, not all of them.
const LONG_CALL: Duration = Duration::from_millis(150);

/// The time of one call of each contender.
pub fn fair_times(contenders: &[&dyn Fn()], effort: Effort) -> Vec<Duration> {
    let once: Vec<Duration> = contenders.iter().map(|call| warmed(*call)).collect();
    let mut least = Duration::MAX;
    let mut ratios: Vec<Vec<f64>> = vec![Vec::new(); contenders.len()];
    for round in 0..effort.rounds {
        let mut first = None;
        for ((call, once), ratios) in contenders.iter().zip(&once).zip(&mut ratios) {
            if round > 0 && *once > LONG_CALL {
                continue;
            }
            let time = timed(*call, calls_per_turn(*once, effort.turn));
            let first = *first.get_or_insert(time);
            least = least.min(first);
            ratios.push(ratio(time, first));
        }
    }
    ratios.into_iter().map(|ratios| least.mul_f64(median(ratios))).collect()
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(1.0)
}

fn calls_per_turn(once: Duration, turn: Duration) -> u32 {
    let count = turn.as_nanos() / once.as_nanos().max(1);
    u32::try_from(count).unwrap_or(u32::MAX).max(1)
}

/// The time of one call, which is not the first where that is short: the first one of a process also
/// finds out what the processor can do.
fn warmed(call: &dyn Fn()) -> Duration {
    match timed(call, 1) {
        cold if cold > LONG_CALL => cold,
        cold => timed(call, 1).min(cold),
    }
}

fn timed(call: &dyn Fn(), count: u32) -> Duration {
    let start = ThreadTime::now();
    for _ in 0..count {
        call();
    }
    start.elapsed() / count
}

/// Megabytes per second.
pub fn speed(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / 1e6 / time.as_secs_f64().max(1e-12)
}

/// How many times longer `time` is than `other`.
pub fn ratio(time: Duration, other: Duration) -> f64 {
    time.as_secs_f64() / other.as_secs_f64().max(1e-12)
}

/// A speed for people.
pub fn shown_speed(bytes: usize, time: Duration) -> String {
    let speed = speed(bytes, time);
    if speed < 9.95 { format!("{speed:.1}") } else { format!("{speed:.0}") }
}

/// A size for people.
pub fn shown_size(bytes: usize) -> String {
    match bytes {
        1_000_000.. => format!("{} MB", bytes / 1_000_000),
        1_000.. => format!("{} KB", bytes / 1_000),
        _ => format!("{bytes} B"),
    }
}

//! Least times over interleaved rounds, so that a noisy moment hits all contenders alike. Time is what
//! the processor spent on this thread: another program on the same machine does not count.

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
    /// For ratios of what takes less than a microsecond: so many rounds that every contender meets a
    /// quiet moment.
    pub const STEADY: Self = Self { rounds: 80, turn: Duration::from_millis(1) };
    /// To see whether a change is worth more.
    pub const QUICK: Self = Self { rounds: 10, turn: Duration::from_micros(500) };
}

/// A call that takes longer than this gets one more turn, not all of them.
const LONG_CALL: Duration = Duration::from_millis(150);

/// The least time of one call of each contender.
pub fn least_times(contenders: &[&dyn Fn()], effort: Effort) -> Vec<Duration> {
    let mut least: Vec<Duration> = contenders.iter().map(|call| timed(*call, 1)).collect();
    let counts: Vec<u32> = least.iter().map(|&once| calls_per_turn(once, effort.turn)).collect();
    for round in 0..effort.rounds {
        for ((call, count), best) in contenders.iter().zip(&counts).zip(&mut least) {
            if round == 0 || *best < LONG_CALL {
                *best = (*best).min(timed(*call, *count));
            }
        }
    }
    least
}

fn calls_per_turn(once: Duration, turn: Duration) -> u32 {
    let count = turn.as_nanos() / once.as_nanos().max(1);
    u32::try_from(count).unwrap_or(u32::MAX).max(1)
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

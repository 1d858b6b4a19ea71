//! Tells when too much goes wrong: an event when it starts and when it is over, and a metric.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use toolmend::{Alerts, Reason};

use crate::exchange::Told;

/// What can be too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Refused,
    Storms,
    ChainBreaks,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Refused, Self::Storms, Self::ChainBreaks];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "refused-share",
            Self::Storms => "storms",
            Self::ChainBreaks => "chain-breaks",
        }
    }
}

/// What was seen in one minute.
#[derive(Clone, Copy, Debug, Default)]
struct Minute {
    number: u64,
    calls: u64,
    refused: u64,
    storms: u64,
    breaks: u64,
}

/// Looks at the last minutes.
#[derive(Debug)]
pub(crate) struct Watchman {
    limits: Alerts,
    started: Instant,
    state: Mutex<State>,
    breaks: AtomicU64,
    raised: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    minutes: VecDeque<Minute>,
    is_raised: [bool; Kind::ALL.len()],
}

impl Watchman {
    pub(crate) fn new(limits: Alerts) -> Self {
        Self {
            limits,
            started: Instant::now(),
            state: Mutex::default(),
            breaks: AtomicU64::new(0),
            raised: AtomicU64::new(0),
        }
    }

    /// Takes note of a turn.
    pub(crate) fn see(&self, told: &Told<'_>) {
        let refused = told.mended.refused.iter().filter(|refused| refused.is_call());
        let (storms, refused): (Vec<_>, Vec<_>) =
            refused.partition(|refused| refused.reason == Reason::Storm);
        let (storms, refused) = (storms.len() as u64, refused.len() as u64);
        let calls = told.mended.calls.len() as u64 + storms + refused;
        let breaks = u64::from(told.is_broken);
        self.breaks.fetch_add(breaks, Ordering::Relaxed);
        let number = self.started.elapsed().as_secs() / 60;
        self.add(Minute { number, calls, refused, storms, breaks });
    }

    fn add(&self, seen: Minute) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.minutes.back_mut().filter(|last| last.number == seen.number) {
            Some(last) => {
                last.calls += seen.calls;
                last.refused += seen.refused;
                last.storms += seen.storms;
                last.breaks += seen.breaks;
            }
            None => state.minutes.push_back(seen),
        }
        self.judge(&mut state, seen.number);
    }

    /// Forgets what is long ago, and tells what starts or ends.
    fn judge(&self, state: &mut State, now: u64) {
        let oldest = now.saturating_sub(u64::from(self.limits.minutes.max(1)) - 1);
        while state.minutes.front().is_some_and(|minute| minute.number < oldest) {
            state.minutes.pop_front();
        }
        let sum = |part: fn(&Minute) -> u64| state.minutes.iter().map(part).sum::<u64>();
        let calls = sum(|minute| minute.calls);
        #[expect(clippy::cast_precision_loss, reason = "a share needs no more digits")]
        let share = sum(|minute| minute.refused) as f64 / calls.max(1) as f64;
        let limits = self.limits;
        let is_over = |count: u64, limit: u64| limit > 0 && count >= limit;
        let now_raised = [
            limits.refused_share > 0.0
                && calls >= limits.calls_min
                && share >= limits.refused_share,
            is_over(sum(|minute| minute.storms), limits.storms),
            is_over(sum(|minute| minute.breaks), limits.chain_breaks),
        ];
        for (kind, (was, is)) in Kind::ALL.into_iter().zip(state.is_raised.iter().zip(now_raised)) {
            let (alert, minutes) = (kind.as_str(), limits.minutes);
            match (*was, is) {
                (false, true) => {
                    self.raised.fetch_add(1, Ordering::Relaxed);
                    tracing::warn!(
                        target: "toolmend_alert",
                        event = "alert_raised", alert, minutes, calls, share
                    );
                }
                (true, false) => {
                    tracing::info!(target: "toolmend_alert", event = "alert_over", alert, minutes);
                }
                _ => {}
            }
        }
        state.is_raised = now_raised;
    }

    /// What is too much right now.
    pub(crate) fn raised(&self) -> Vec<(Kind, bool)> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.judge(&mut state, self.started.elapsed().as_secs() / 60);
        Kind::ALL.into_iter().zip(state.is_raised).collect()
    }

    /// How often something became too much, and how many turns broke off.
    pub(crate) fn totals(&self) -> (u64, u64) {
        (self.raised.load(Ordering::Relaxed), self.breaks.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use toolmend::{Alerts, Layer, Layers};

    use super::{Kind, Minute, Watchman};

    fn raised(watchman: &Watchman) -> Vec<&'static str> {
        let state = watchman.state.lock().unwrap();
        let all = Kind::ALL.into_iter().zip(state.is_raised);
        all.filter(|(_, is)| *is).map(|(kind, _)| kind.as_str()).collect()
    }

    #[test]
    fn what_is_too_much_is_told_and_is_over_when_the_minutes_are() {
        let watchman = Watchman::new(Alerts::default());
        let minute = |number| Minute { number, ..Minute::default() };
        watchman.add(Minute { calls: 19, refused: 19, ..minute(0) });
        assert_eq!(raised(&watchman), Vec::<&str>::new(), "too few calls to say");
        watchman.add(Minute { calls: 1, ..minute(0) });
        assert_eq!(raised(&watchman), ["refused-share"]);
        watchman.add(Minute { storms: 5, breaks: 4, ..minute(14) });
        assert_eq!(raised(&watchman), ["refused-share", "storms"]);
        watchman.add(Minute { breaks: 1, ..minute(16) });
        assert_eq!(raised(&watchman), ["storms", "chain-breaks"]);
        assert_eq!(watchman.totals().0, 3);
    }

    /// What is written to the log.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_settings_say_what_is_too_much_and_events_tell_of_it() {
        let said = "alerts.minutes = 2\nalerts.calls_min = 3\nalerts.refused_share = 0.5\n\
            alerts.storms = 1\nalerts.chain_breaks = 0";
        let layers = Layers::new().over(Layer::file("toolmend.toml", said).unwrap());
        let watchman = Watchman::new(layers.settings().unwrap().alerts);
        let log = Log::default();
        let writer = log.clone();
        let format = tracing_subscriber::fmt().without_time().with_ansi(false);
        let guard =
            tracing::subscriber::set_default(format.with_writer(move || writer.clone()).finish());
        let minute = |number| Minute { number, ..Minute::default() };
        watchman.add(Minute { calls: 2, refused: 2, breaks: 9, ..minute(0) });
        watchman.add(Minute { calls: 2, storms: 1, ..minute(1) });
        watchman.add(minute(2));
        drop(guard);
        let told = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let told: Vec<&str> = told.lines().map(str::trim_start).collect();
        let wanted = [
            r#"WARN toolmend_alert: event="alert_raised" alert="refused-share" minutes=2 calls=4 share=0.5"#,
            r#"WARN toolmend_alert: event="alert_raised" alert="storms" minutes=2 calls=4 share=0.5"#,
            r#"INFO toolmend_alert: event="alert_over" alert="refused-share" minutes=2"#,
        ];
        assert_eq!(told, wanted);
    }

    #[test]
    fn a_limit_of_nothing_is_never_reached() {
        let none = Alerts { refused_share: 0.0, storms: 0, chain_breaks: 0, ..Alerts::default() };
        let watchman = Watchman::new(none);
        watchman.add(Minute { calls: 99, refused: 99, storms: 99, breaks: 99, number: 0 });
        assert_eq!(raised(&watchman), Vec::<&str>::new());
    }
}

//! Times the rivals on a text that they get right.

use std::collections::{BTreeMap, BTreeSet};
use std::hint::black_box;
use std::time::Duration;

use cpu_time::ThreadTime;
use damage::Case;
use serde_json::Value;

use crate::contender::{LIBRARIES, Library, Role, guarded};
use crate::driver::{Answer, Driver};
use crate::verdict::{Verdict, judge};

/// No rival gets longer for one call; what would take longer is not measured.
const CALL_MAX: Duration = Duration::from_millis(1500);
const PATIENCE: Duration = Duration::from_secs(6);
const FOREIGN_BUDGET: Duration = Duration::from_millis(20);

/// What a rival did with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trial {
    /// It gets the text right, in this time.
    Right(Duration),
    /// It gets it wrong or refuses.
    Not,
    /// It was too slow on a smaller text to be tried.
    Slow,
}

/// How each rival did on the next smaller text of the same kind.
#[derive(Debug, Default)]
pub(super) struct Ladder {
    last: BTreeMap<String, Duration>,
    /// Those of other languages that failed: a longer text of the kind would only cost time.
    failed: BTreeSet<String>,
}

impl Ladder {
    /// Whether a rival is too slow for a text ten times as long, were it only linear.
    fn is_too_slow(&self, name: &str) -> bool {
        self.last.get(name).is_some_and(|&last| last * 10 > CALL_MAX)
    }

    fn note(&mut self, name: &str, time: Duration) {
        self.last.insert(name.into(), time);
    }
}

/// The crates that get this text right. Each runs once.
pub(super) fn able(case: &Case, ladder: &mut Ladder) -> Vec<(&'static Library, Trial)> {
    LIBRARIES
        .iter()
        .filter(|library| library.role != Role::Strict)
        .map(|library| {
            if ladder.is_too_slow(library.name) {
                return (library, Trial::Slow);
            }
            let start = ThreadTime::now();
            let out = guarded(|| (library.mend)(&case.text));
            let time = start.elapsed();
            ladder.note(library.name, time);
            let values = out
                .and_then(|out| serde_json::from_str::<Value>(&out).ok())
                .map(|value| vec![value]);
            let is_right = judge(case, values.as_deref()) == Verdict::Right;
            (library, if is_right { Trial::Right(time) } else { Trial::Not })
        })
        .collect()
}

/// A timed call of a library.
pub(super) fn call<'t>(library: &'static Library, text: &'t str) -> Box<dyn Fn() + 't> {
    match library.role {
        // Its answer is the tree.
        Role::Lenient => Box::new(move || {
            black_box(
                serde_json_lenient::from_str_lenient::<serde_json_lenient::Value>(black_box(text))
                    .ok(),
            );
        }),
        _ => Box::new(move || {
            black_box((library.mend)(black_box(text)));
        }),
    }
}

/// The rivals of other languages, timed in their own processes.
pub(super) fn foreign(
    drivers: &mut [Driver],
    case: &Case,
    ladder: &mut Ladder,
) -> Vec<(String, Trial)> {
    drivers
        .iter_mut()
        .map(|driver| {
            let name = driver.name().to_owned();
            if ladder.failed.contains(&name) {
                return (name, Trial::Not);
            }
            if ladder.is_too_slow(&name) {
                return (name, Trial::Slow);
            }
            let result = match driver.ask(&case.text, FOREIGN_BUDGET, PATIENCE) {
                Answer::Mended(out, time) => {
                    ladder.note(&name, time);
                    let value = serde_json::from_str::<Value>(&out).ok().map(|value| vec![value]);
                    let is_right = judge(case, value.as_deref()) == Verdict::Right;
                    if is_right { Trial::Right(time) } else { Trial::Not }
                }
                Answer::Refused | Answer::Crashed => Trial::Not,
                Answer::Hung => Trial::Slow,
            };
            if result == Trial::Not {
                ladder.failed.insert(name.clone());
            }
            (name, result)
        })
        .collect()
}

//! How fast, on valid and on broken input.

mod broken;
mod pieces;
mod rival;
mod valid;

use std::hint::black_box;

use toolmend_json::{Options, read};

use crate::arguments::Arguments;
use crate::driver::{Driver, Start};
use crate::report::Report;
use crate::timing::Effort;

/// What one run measures.
struct Plan {
    sizes: &'static [usize],
    effort: Effort,
    growth: Effort,
    seed: u64,
    class: Option<String>,
    has_rivals: bool,
}

/// Measures all of it.
pub fn run(arguments: &Arguments, foreign: &[Start], report: &mut Report) {
    let plan = Plan {
        sizes: if arguments.quick {
            &[1_000, 100_000, 1_000_000]
        } else {
            &[100, 1_000, 10_000, 100_000, 1_000_000]
        },
        effort: if arguments.quick { Effort::QUICK } else { Effort::FULL },
        growth: if arguments.quick { Effort::QUICK } else { Effort::GROWTH },
        seed: arguments.seed,
        class: arguments.class.clone(),
        has_rivals: !arguments.only_us,
    };
    let mut drivers: Vec<Driver> = foreign.iter().cloned().map(Driver::new).collect();
    // A panic of a rival is an answer here, and its message would only be noise.
    std::panic::set_hook(Box::new(|_| {}));
    if plan.class.is_none() {
        valid::run(&plan, &mut drivers, report);
        pieces::run(&plan, report);
    }
    broken::run(&plan, &mut drivers, report);
    drop(std::panic::take_hook());
}

/// What is timed for us: reading into the tree, and the answer as JSON.
fn read_and_write(text: &str, options: &Options) {
    let document = read(black_box(text), options);
    black_box(document.to_json());
}

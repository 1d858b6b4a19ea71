//! The real command, run as a user runs it.

#![expect(
    clippy::unwrap_used,
    clippy::format_push_string,
    reason = "a test may stop where it fails"
)]

mod captures;
mod check;
mod config;
mod ends;
mod eval;
mod explain;
mod fix;
mod jsonl;
#[path = "../support/line.rs"]
mod line;
mod other;
#[cfg(unix)]
mod reach;
mod run;
#[cfg(unix)]
mod settings;
#[cfg(unix)]
mod stop;

//! The real command, run as a user runs it.

mod explain;
mod fix;
mod jsonl;
mod other;
mod run;

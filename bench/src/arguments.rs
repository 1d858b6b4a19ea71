//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// What to measure, in the order of the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Which calls come of whole turns.
    Turns,
    /// Right, wrong and refused values.
    Correctness,
    /// Time on valid and broken input.
    Speed,
    /// Time and memory on hostile input.
    Hostile,
    /// Time to look for calls in text, and to find one.
    Dialects,
    /// Validation and repair by schema.
    Schema,
    /// Whole turns.
    Session,
    /// Checking histories.
    History,
    /// The proxy beside a bare one and beside other gateways.
    Gateway,
    /// What keeping reports and texts costs the proxy.
    Capture,
    /// The proxy under load and over a long time; only when asked for.
    Soak,
}

/// Measures the JSON reader and the search for calls beside their rivals: right values, speed,
/// memory.
#[derive(Clone, Debug, Parser)]
#[command(version, max_term_width = 100)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct Arguments {
    /// Measure only this part
    #[arg(long, value_enum)]
    pub only: Option<Part>,
    /// Fewer sizes and rounds
    #[arg(long)]
    pub quick: bool,
    /// Write all numbers to this file as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the sections of this run into docs/benchmarks.md
    #[arg(long)]
    pub write_docs: bool,
    /// Measure nothing: write docs/benchmarks.md from what `--json` wrote
    #[arg(long, value_name = "FILE")]
    pub docs_from: Option<PathBuf>,
    /// Judge the turns of this corpus as well, whose lines are those of `toolmend eval`
    #[arg(long, value_name = "FILE")]
    pub corpus: Vec<PathBuf>,
    /// Only this class of damage
    #[arg(long)]
    pub class: Option<String>,
    /// How many texts of each class are judged
    #[arg(long, default_value_t = 40)]
    pub per_class: usize,
    /// What the texts are drawn from
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How many minutes the long mix of `--only soak` goes on
    #[arg(long, default_value_t = 30)]
    pub minutes: u64,
    /// Leave the rivals out
    #[arg(long)]
    pub only_us: bool,
    /// Print each text that our reader gets wrong
    #[arg(long)]
    pub show_wrong: bool,
    /// Print each text that our reader refuses although all information is kept
    #[arg(long)]
    pub show_refused: bool,
    /// Do not print texts longer than this
    #[arg(long, default_value_t = 700)]
    pub show_bytes_max: usize,
    /// Answer JSON lines for this library
    #[arg(long, hide = true, value_name = "LIBRARY")]
    pub serve: Option<String>,
    /// Answer turns for this crate
    #[arg(long, hide = true, value_name = "CRATE")]
    pub serve_turns: Option<String>,
    /// Measure one hostile input in this process
    #[arg(long, hide = true, value_name = "INPUT")]
    pub hostile_child: Option<String>,
    /// Be the model server, the floor or the proxy
    #[cfg(feature = "gateway")]
    #[arg(long, hide = true, value_name = "PART")]
    pub gateway_child: Option<String>,
    /// Measure the peak memory of one contender in this process
    #[arg(long, hide = true, value_name = "CONTENDER")]
    pub memory_child: Option<String>,
}

impl Part {
    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Turns => "turns",
            Self::Correctness => "correctness",
            Self::Speed => "speed",
            Self::Hostile => "hostile",
            Self::Dialects => "dialects",
            Self::Schema => "schema",
            Self::Session => "session",
            Self::History => "history",
            Self::Gateway => "gateway",
            Self::Capture => "capture",
            Self::Soak => "soak",
        }
    }

    /// The head of its section in the documents.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Turns => "Whole turns",
            Self::Correctness => "Broken JSON: right, wrong, refused",
            Self::Speed => "Reading JSON: speed and memory",
            Self::Hostile => "Hostile JSON",
            Self::Dialects => "Looking for calls in text: speed",
            Self::Schema => "Validation and repair by schema",
            Self::Session => "A turn in a session: cost",
            Self::History => "Checking histories: cost",
            Self::Gateway => "The proxy beside other gateways",
            Self::Capture => "What keeping costs a request",
            Self::Soak => "The proxy under load and over a long time",
        }
    }
}

impl Arguments {
    /// Whether this part is measured.
    pub fn has(&self, part: Part) -> bool {
        self.only.map_or(part != Part::Soak, |only| only == part)
    }
}

//! What the commands take that look at what was kept.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use toolmend::Keep;

/// What is kept of turns.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum KeepArg {
    /// Nothing.
    None,
    /// What was done to calls; no values, no texts.
    Reports,
    /// The same, and the texts of turns with a call that was mended or refused.
    Failures,
    /// The same, and the texts of all turns with a call.
    All,
}

impl From<KeepArg> for Keep {
    fn from(keep: KeepArg) -> Self {
        match keep {
            KeepArg::None => Self::None,
            KeepArg::Reports => Self::Reports,
            KeepArg::Failures => Self::Failures,
            KeepArg::All => Self::All,
        }
    }
}

/// What `captures` takes.
#[derive(Debug, ClapArgs)]
pub(crate) struct CapturesArgs {
    #[command(subcommand)]
    pub(crate) command: CapturesCommand,

    /// The store: an SQLite file or a `postgres://` URL; the user's own where none is named.
    #[arg(long, global = true, value_name = "PATH|URL")]
    pub(crate) store: Option<String>,

    /// The settings file; `toolmend.toml` in the current folder where none is named.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// What can be done with captures.
#[derive(Debug, Subcommand)]
pub(crate) enum CapturesCommand {
    /// Lists calls, the latest first.
    List {
        #[command(flatten)]
        which: WhichArgs,

        /// How many.
        #[arg(long, short = 'n', default_value_t = 30, value_name = "COUNT")]
        count: usize,

        /// Write one line of JSON for each call.
        #[arg(long)]
        json: bool,
    },
    /// Shows calls in full.
    Show {
        /// The calls, by id.
        #[arg(value_name = "ID", required = true)]
        ids: Vec<i64>,

        /// Write one line of JSON for each call.
        #[arg(long)]
        json: bool,
    },
    /// Writes turns whose texts were kept, as `fix --jsonl` and `eval --captures` read them.
    Export {
        #[command(flatten)]
        which: WhichArgs,

        /// Write the turn of this call as a case file, for `cases/line`.
        #[arg(long, value_name = "ID")]
        as_case: Option<i64>,

        /// Leave the values of arguments in a case as they came.
        #[arg(long, requires = "as_case")]
        real_values: bool,

        /// Write the case to a file of its own in this folder, such as `cases/line`.
        #[arg(long, value_name = "FOLDER", requires = "as_case")]
        to: Option<PathBuf>,
    },
    /// Removes the turns of calls.
    Rm {
        /// The calls, by id; without ids, all that fit.
        #[arg(value_name = "ID")]
        ids: Vec<i64>,

        #[command(flatten)]
        which: WhichArgs,
    },
}

/// Which calls are meant.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct WhichArgs {
    /// Only of this model: `*` stands for anything, as in settings, and case says nothing.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) model: Option<String>,

    /// Only of this tool; `*` stands for anything here, too.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) tool: Option<String>,

    /// Only with this outcome: refused ones were declared, those that are left stand in text.
    #[arg(long, value_name = "OUTCOME", value_parser = ["untouched", "mended", "refused", "suppressed", "left"])]
    pub(crate) outcome: Option<String>,

    /// Only what this rule repaired.
    #[arg(long, value_name = "ID")]
    pub(crate) rule: Option<String>,

    /// Only what was written in this dialect.
    #[arg(long, value_name = "ID")]
    pub(crate) dialect: Option<String>,

    /// Only what was refused for this reason.
    #[arg(long, value_name = "ID")]
    pub(crate) reason: Option<String>,

    /// Only what is no older than this: `90s`, `15m`, `24h`, `7d`.
    #[arg(long, value_name = "AGE", value_parser = age)]
    pub(crate) since: Option<Duration>,

    /// Only what is older than this.
    #[arg(long, value_name = "AGE", value_parser = age)]
    pub(crate) until: Option<Duration>,
}

/// Reads `15m`.
fn age(text: &str) -> Result<Duration, &'static str> {
    const WRONG: &str = "an age is a number and s, m, h or d: 15m";
    let (number, unit) = text.split_at_checked(text.len().saturating_sub(1)).ok_or(WRONG)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return Err(WRONG),
    };
    let number: u64 = number.parse().map_err(|_| WRONG)?;
    Ok(Duration::from_secs(number.saturating_mul(seconds)))
}

/// What `eval` takes.
#[derive(Debug, ClapArgs)]
pub(crate) struct EvalArgs {
    /// The corpus: a turn on each line; `-` is standard input.
    #[arg(value_name = "CORPUS", required_unless_present = "captures")]
    pub(crate) corpus: Option<PathBuf>,

    /// Look at the turns that the proxy kept: what is done to them now, and whether it is the same.
    #[arg(long, conflicts_with = "corpus")]
    pub(crate) captures: bool,

    /// The store of `--captures`; the user's own where none is named.
    #[arg(long, value_name = "PATH|URL", requires = "captures")]
    pub(crate) store: Option<String>,

    /// By what to tell the lines apart.
    #[arg(long, value_enum, default_value_t, value_name = "FIELD")]
    pub(crate) by: ByArg,

    /// Another `toolmend`, or a settings file that ends in `.toml`: show what comes out differently
    /// there.
    #[arg(long, value_name = "PROGRAM|FILE")]
    pub(crate) against: Option<PathBuf>,

    /// Write one line of JSON for each group, and one for each line that is not right.
    #[arg(long)]
    pub(crate) json: bool,

    /// Write a page that stands on its own.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// The settings file; `toolmend.toml` in the current folder where none is named.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// By what lines are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ByArg {
    /// Their class, group or suite.
    #[default]
    Class,
    /// The model.
    Model,
}

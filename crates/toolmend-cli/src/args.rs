//! The command line: what can be asked for, and the help that tells it.

mod kept;

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use toolmend::Mode;
use toolmend_json::{Trust, Want};

use crate::doctor::DoctorArgs;
use crate::{exit, jsonl};

pub(crate) use kept::{ByArg, CapturesArgs, CapturesCommand, EvalArgs, KeepArg, WhichArgs};

/// Mends the JSON and the tool calls that language models write.
///
/// What is right is not touched; what cannot be trusted is refused, with the place and the reason.
#[derive(Debug, Parser)]
#[command(name = "toolmend", version, arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = "\
Examples:
  toolmend proxy                                put it between your agents and your models
  toolmend fix < examples/broken.txt            the JSON value in a model's answer
  toolmend fix --explain examples/broken.txt    … and what was wrong with it
  toolmend fix --tools examples/tools.json examples/answer.txt   the tool calls in an answer
  toolmend fix --jsonl examples/calls.jsonl     the tool calls of recorded turns
  toolmend dialects                             how models write calls as text
  toolmend faults                               everything that can be wrong
  toolmend captures list                        what the proxy mended and refused
  toolmend eval examples/corpus.jsonl           how many of the calls that were meant come out
  toolmend config                               the settings in force, and where they come from
  toolmend rules                                how arguments are repaired
  toolmend check --tools examples/tools.json    what a model will see of your tools
  toolmend check examples/transcript.json       what is wrong with a recorded conversation
  toolmend completions zsh > _toolmend          completions for your shell")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// When to use colours; `NO_COLOR` is honoured.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: Color,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal.
    #[default]
    Auto,
    /// Also in a pipe.
    Always,
    /// Never.
    Never,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Reads broken JSON and writes the value that was meant.
    ///
    /// Valid JSON comes out as the same bytes. Anything else comes out as compact JSON on one line;
    /// several different values come out as several lines. What cannot be trusted is refused:
    /// nothing is written for it, and standard error says what, where, and what to do.
    #[command(after_help = FIX_HELP, after_long_help = fix_long_help())]
    Fix(FixArgs),

    /// Lists what can be wrong with a text, and how far a value read past it can be trusted.
    #[command(after_help = "\
Examples:
  toolmend faults
  toolmend faults trailing-comma missing-quote
  toolmend faults --json | jq -r .id")]
    Faults(FaultsArgs),

    /// Lists the dialects: how models write tool calls as text.
    #[command(
        after_help = "\
Examples:
  toolmend dialects
  toolmend dialects show kimi_k2
  toolmend dialects --json | jq -r .id",
        args_conflicts_with_subcommands = true
    )]
    Dialects(DialectsArgs),

    /// Starts the proxy: agents talk to it instead of to the model server, and tool calls work.
    ///
    /// It listens on this machine only unless told otherwise. Without `--upstream` it looks for a
    /// local LM Studio, Ollama, llama.cpp or vLLM; without one of those it starts the built-in demo
    /// model, whose calls go wrong on purpose.
    #[command(after_help = "\
Examples:
  toolmend proxy
  toolmend proxy --upstream http://127.0.0.1:11434
  toolmend proxy --upstream https://api.deepseek.com --mode observe
  toolmend proxy --demo")]
    Proxy(ProxyArgs),

    /// Runs an agent with the proxy in front of its model.
    #[command(after_help = "\
Examples:
  toolmend run -- claude
  toolmend run --upstream http://127.0.0.1:1234 -- python agent.py")]
    Run(RunArgs),

    /// Examines a model server: what it is, what it can do, and where its tool calls go wrong.
    ///
    /// A handful of short requests are sent, one after the other; nothing else is needed. At the end
    /// it proposes a settings file. It exits with 1 where tool calls cannot work. Where a toolmend proxy
    /// answers, it says so, and examines the server behind it.
    #[command(after_help = "\
Examples:
  toolmend doctor
  toolmend doctor http://127.0.0.1:8080
  toolmend doctor https://api.deepseek.com --model deepseek-chat --key-env DEEPSEEK_API_KEY
  toolmend doctor --settings toolmend.toml")]
    Doctor(DoctorArgs),

    /// Shows the settings that are in force, and where each comes from.
    ///
    /// The defaults hold under `toolmend.toml` in the current folder, or the file that is named;
    /// under variables such as `TOOLMEND_STORM__MODE=warn`, where two underscores stand for a dot;
    /// under flags.
    #[command(
        after_help = "\
Examples:
  toolmend config
  toolmend config show storm proxy.upstream
  toolmend config --config agents.toml
  TOOLMEND_TRUST=exact toolmend config --json | jq 'select(.from)'",
        args_conflicts_with_subcommands = true
    )]
    Config(ConfigArgs),

    /// Checks a list of tools, or a recorded conversation.
    ///
    /// Of tools it shows what a model will see, and what is wrong with it. In a transcript it finds
    /// broken chains of calls and results, storms, calls that stand in text, and arguments that do
    /// not fit; `--fix` writes a healed copy.
    ///
    /// Hints are taken out, contract hints are put into descriptions, deep tools get flat names: that
    /// is what is shown, and checked.
    #[command(after_help = CHECK_HELP, after_long_help = check_long_help())]
    Check(CheckArgs),

    /// Shows, exports and removes what the proxy kept.
    ///
    /// Without settings the proxy keeps what was done to calls, and no texts. `proxy --keep failures`
    /// keeps the texts of turns that needed mending, too: those can be exported and made into cases.
    #[command(after_help = "\
Examples:
  toolmend captures list --outcome refused --since 24h
  toolmend captures show 17
  toolmend captures export --model 'qwen3-*' > turns.jsonl
  toolmend captures export --as-case 17 > cases/line/field/my_case.md
  toolmend captures rm --until 7d")]
    Captures(CapturesArgs),

    /// Measures how well calls come out: of a corpus with the calls that were meant, or of captures.
    ///
    /// A line of a corpus is a line of `fix --jsonl` with `expected`: the calls that were meant, `[]`
    /// where none was, `null` where nobody can know; `either: true` where a call and none are both
    /// fine. `raw` and `channel` may stand for the text, `class` or `group` for a name of its kind.
    #[command(after_help = "\
Examples:
  toolmend eval examples/corpus.jsonl
  toolmend eval examples/corpus.jsonl --by model --json
  toolmend eval examples/corpus.jsonl --against ./toolmend-old
  toolmend eval examples/corpus.jsonl --html report.html
  toolmend eval --captures")]
    Eval(EvalArgs),

    /// Lists the rules: how arguments are repaired that their tool refuses.
    ///
    /// A rule works only at values that the tool's schema refuses, and what it makes of them is taken
    /// only if the whole schema accepts it.
    #[command(
        after_help = "\
Examples:
  toolmend rules
  toolmend rules show key-renamed
  toolmend rules --json | jq -r 'select(.trust == \"guess\").id'",
        args_conflicts_with_subcommands = true
    )]
    Rules(RulesArgs),

    /// Writes completions for a shell.
    #[command(after_help = "\
Examples:
  toolmend completions bash > ~/.local/share/bash-completion/completions/toolmend
  toolmend completions zsh > ~/.zfunc/_toolmend
  toolmend completions fish > ~/.config/fish/completions/toolmend.fish")]
    Completions {
        /// The shell.
        shell: Shell,
    },
}

const FIX_HELP: &str = "\
Examples:
  toolmend fix examples/broken.txt
  toolmend fix --schema examples/tool.json --explain examples/arguments.txt
  toolmend fix --check examples/*.txt
  toolmend fix --json examples/broken.txt | jq .faults
  toolmend fix --tools examples/tools.json examples/answer.txt
  toolmend fix --jsonl examples/calls.jsonl > mended.jsonl";

const CHECK_HELP: &str = "\
Examples:
  toolmend check examples/transcript.json
  toolmend check session.jsonl --tools tools.json --fix healed.jsonl
  toolmend check --tools examples/tools.json
  toolmend check --tools tools.json --flatten always
  toolmend check --tools tools.json --json | jq .shown";

const CHECK_REPORT_HELP: &str = "\
Report (--json), one line for each tool:
  {\"name\", \"leaves\", \"depth\", \"flat\", \"obstacle\", \"effect\", \"hints\": [JSON Pointer, …],
   \"contract_hint\", \"shown\": the tool as the model sees it,
   \"findings\": [{\"code\", \"level\": \"error\" | \"warning\", \"path\", \"message\", \"help\"}]}
  What is no tool has \"name\": null and nothing but its \"findings\".

Report on a transcript (--json), one line for each finding:
  {\"file\", \"place\": message, or message.call, \"code\", \"message\"}

Findings in tools:
  error    no-name, no-schema, does-not-compile, same-name, unknown-hint, bad-hint, unknown-property,
           required-unknown where nothing else may stand
  warning  names-collide, large, not-flat, required-unknown

Exit codes:
  0   no errors; in a transcript, no findings
  1   at least one error; in a transcript, a finding
  64  the command line or the list of tools makes no sense
  74  a file could not be read, or the output could not be written";

fn check_long_help() -> String {
    format!("{CHECK_HELP}\n\n{CHECK_REPORT_HELP}")
}

const LIMITS_HELP: &str = "\
Cut input:
  Where only closing braces are missing after a whole member, no list is open, and the text does not
  end right after the digits of a number, closing is likely right and happens by default; with
  --jsonl not in a turn whose finish_reason says that it was cut. All else needs --close or
  --trust guess.

Limits:
  Broken text is read up to 256 MiB; with --jsonl up to 256 KiB for each call. Valid text of any
  size passes. Containers nest 128 deep at most, also in valid text.";

const REPORT_HELP: &str = "\
Report (--json), one line for each input:
  {\"file\", \"outcome\": \"untouched\" | \"mended\" | \"closed\" | \"cut\" | \"refused\" | \"empty\", \"trust\"?,
   \"values\"?: […], \"refused\"?: {\"reason\", \"message\", \"help\", \"at\"?, \"line\"?, \"column\"?},
   \"faults\": [{\"code\", \"trust\", \"start\", \"end\", \"line\", \"column\"}], \"decoded\"?,
   \"cut\"?: {\"place\", \"start\", \"end\", \"trust\", \"open\": [{\"kind\", \"start\"}]}}
  Places count bytes from 0, lines and columns from 1. Where the text was JSON in a string, they
  count in \"decoded\". With --check there are no \"values\" and no \"decoded\". The \"reason\" is
  \"empty\", \"cut\", \"untrusted\", \"wrong-shape\", or the id of a fault that refuses (see `toolmend
  faults`).";

fn fix_long_help() -> String {
    let lines = jsonl::help();
    format!("{FIX_HELP}\n\n{LIMITS_HELP}\n\n{}\n\n{REPORT_HELP}\n\n{lines}", exit::HELP)
}

/// What `fix` takes.
#[derive(Debug, ClapArgs)]
pub(crate) struct FixArgs {
    /// Files to read; `-` or none is standard input.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) known: KnownArgs,

    #[command(flatten)]
    pub(crate) allowed: AllowedArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) lines: LinesArgs,
}

/// What is known about the value before it is read.
#[derive(Debug, ClapArgs)]
pub(crate) struct KnownArgs {
    /// A JSON Schema, or a tool that holds one: its names settle where ambiguous strings end.
    #[arg(long, value_name = "FILE", conflicts_with = "jsonl")]
    pub(crate) schema: Option<PathBuf>,

    /// The tools that were offered: the input is a model's answer, and the turn comes out with the
    /// calls that stand in it, as with `--jsonl`. A list of tools, or an object that has one.
    #[arg(long, value_name = "FILE", group = "turns", conflicts_with_all = ["schema", "want", "json"])]
    pub(crate) tools: Option<PathBuf>,

    /// The shape that the value must have; JSON inside a string is decoded to it. A schema's own
    /// root type stands where this is not given.
    #[arg(long, value_enum, value_name = "SHAPE", conflicts_with = "jsonl")]
    pub(crate) want: Option<WantArg>,
}

/// What may be done without asking.
#[derive(Debug, ClapArgs)]
pub(crate) struct AllowedArgs {
    /// How sure a reading must be; likely where nothing says otherwise.
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) trust: Option<TrustArg>,

    /// Close input that was cut, also where that is a guess; where it is likely right, that happens
    /// anyway.
    #[arg(long)]
    pub(crate) close: bool,
}

/// What is written, and where.
#[derive(Debug, ClapArgs)]
pub(crate) struct OutputArgs {
    /// Show every kind of fault under its place, on standard error; `=all` shows every single one.
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "some"
    )]
    pub(crate) explain: Option<Explain>,

    /// Write no values; exit with 1 if anything would change.
    #[arg(long)]
    pub(crate) check: bool,

    /// Write one line of JSON for each input: outcome, values, faults with their places, and cut.
    #[arg(long, conflicts_with = "jsonl")]
    pub(crate) json: bool,
}

/// How turns are read line by line.
#[derive(Debug, ClapArgs)]
pub(crate) struct LinesArgs {
    /// Read a turn of a model from each line, and write it with its tool calls mended.
    #[arg(long, group = "turns")]
    pub(crate) jsonl: bool,

    /// Feed text and arguments in pieces of so many bytes; every number gives the same output. Only
    /// with `--jsonl` or `--tools`.
    #[arg(long, value_name = "BYTES", requires = "turns", value_parser = chunk_bytes)]
    pub(crate) chunk: Option<NonZeroUsize>,

    /// The settings file; `toolmend.toml` in the current folder where none is named. Only with
    /// `--jsonl` or `--tools`.
    #[arg(long, value_name = "FILE", requires = "turns")]
    pub(crate) config: Option<PathBuf>,
}

fn chunk_bytes(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse().map_err(|_| "a piece is a whole number of bytes, at least 1")
}

/// What `faults` takes.
#[derive(Debug, ClapArgs)]
pub(crate) struct FaultsArgs {
    /// Only these faults, by id.
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,

    /// Write one line of JSON for each fault.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `proxy` takes.
#[derive(Debug, ClapArgs)]
pub(crate) struct ProxyArgs {
    /// The model server, with or without /v1.
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: Option<String>,

    /// Where to listen; 127.0.0.1:5506 where nothing says otherwise, and for `run` any free port.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<String>,

    /// Where the page, the counters and the health check are; 127.0.0.1:5507 where nothing says otherwise. `run`
    /// has none.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) admin: Option<String>,

    /// What is done to requests and replies.
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) mode: Option<ModeArg>,

    /// Use the built-in demo model; `proxy` also starts an agent that talks to it.
    #[arg(long, conflicts_with = "upstream")]
    pub(crate) demo: bool,

    /// Where turns are kept: an SQLite file, a `postgres://` URL, or `none`. Without it, a file in
    /// your state folder; for the demo, one that goes when it stops.
    #[arg(long, value_name = "PATH|URL|none")]
    pub(crate) store: Option<String>,

    /// What is kept of turns.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) keep: Option<KeepArg>,

    /// The settings file; `toolmend.toml` in the current folder where none is named.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// What `run` takes.
#[derive(Debug, ClapArgs)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) proxy: ProxyArgs,

    /// The command and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// What the proxy does.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ModeArg {
    /// Mends.
    On,
    /// Tells what it would mend, and changes nothing.
    Observe,
    /// Passes everything on.
    Off,
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::On => Self::On,
            ModeArg::Observe => Self::Observe,
            ModeArg::Off => Self::Off,
        }
    }
}

/// What `config` takes.
#[derive(Debug, ClapArgs)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) show: Option<ConfigCommand>,

    /// The settings file; `toolmend.toml` in the current folder where none is named.
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,

    /// Write one line of JSON for each setting.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// What `config` can do beside listing.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Shows what settings are for, what they can be, their defaults and variables.
    Show {
        /// The settings, or tables of them, by key; all where none is named.
        #[arg(value_name = "KEY")]
        keys: Vec<String>,
    },
}

/// What `dialects` takes.
#[derive(Debug, ClapArgs)]
pub(crate) struct DialectsArgs {
    #[command(subcommand)]
    pub(crate) show: Option<DialectsCommand>,

    /// Write one line of JSON for each dialect.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `dialects` can do beside listing.
#[derive(Debug, Subcommand)]
pub(crate) enum DialectsCommand {
    /// Shows how a dialect is written, which models write it, and an example.
    Show {
        /// The dialects, by id.
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
    },
}

/// What `check` takes.
#[derive(Debug, ClapArgs)]
pub(crate) struct CheckArgs {
    /// A transcript to check: a list of messages in the form of any of the APIs, a request that has
    /// one, or a message on each line; `-` is standard input.
    #[arg(value_name = "TRANSCRIPT", required_unless_present = "tools")]
    pub(crate) transcript: Option<PathBuf>,

    /// The tools: a list, an object that has one, or a single tool; `-` is standard input. With a
    /// transcript, its calls are checked against them.
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,

    /// Write a healed copy of the transcript.
    #[arg(long, value_name = "FILE", requires = "transcript")]
    pub(crate) fix: Option<PathBuf>,

    /// Which tools are shown with flat names, `config.retry.max` for objects in objects.
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) flatten: FlattenArg,

    /// Write one line of JSON for each tool, or for each finding in a transcript.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which tools are shown with flat names.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum FlattenArg {
    /// Those with more than 10 leaves, or deeper than 2.
    #[default]
    Auto,
    /// All that have an object inside.
    Always,
    /// None.
    Off,
}

/// What `rules` takes.
#[derive(Debug, ClapArgs)]
pub(crate) struct RulesArgs {
    #[command(subcommand)]
    pub(crate) show: Option<RulesCommand>,

    /// Write one line of JSON for each rule.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// What `rules` can do beside listing.
#[derive(Debug, Subcommand)]
pub(crate) enum RulesCommand {
    /// Shows what a rule does, why models need it, an example, and how far it is trusted.
    Show {
        /// The rules, by id.
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
    },
}

/// How much `--explain` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Explain {
    /// The first few faults of each kind.
    Some,
    /// Every fault.
    All,
}

/// How sure a reading must be.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum TrustArg {
    /// Another spelling of the same meaning.
    Exact,
    /// What stands around leaves one sensible reading.
    Likely,
    /// It could have meant something else.
    Guess,
}

impl From<TrustArg> for Trust {
    fn from(trust: TrustArg) -> Self {
        match trust {
            TrustArg::Exact => Self::Exact,
            TrustArg::Likely => Self::Likely,
            TrustArg::Guess => Self::Guess,
        }
    }
}

/// The shape that the value must have.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum WantArg {
    /// Whatever stands there.
    Any,
    /// An object.
    Object,
    /// A list.
    Array,
}

impl From<WantArg> for Want {
    fn from(want: WantArg) -> Self {
        match want {
            WantArg::Any => Self::Any,
            WantArg::Object => Self::Object,
            WantArg::Array => Self::Array,
        }
    }
}

//! How the command ends: few codes, stable, in the help.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// What the caller learns from the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Everything that was asked for is written.
    Done,
    /// Something was refused, or `--check` found something to change.
    Refused,
    /// The command line or a file it names makes no sense.
    Usage,
    /// Reading or writing failed.
    Io,
    /// What the command said that was run.
    Of(u8),
}

/// The part of the help that lists the codes.
pub(crate) const HELP: &str = "\
Exit codes:
  0   output written
  1   something was refused; with --check: something would change
  64  the command line, the schema or the settings make no sense
  74  a file could not be read, or the output could not be written";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Refused => 1,
            Exit::Usage => 64,
            Exit::Io => 74,
            Exit::Of(code) => code,
        })
    }
}

/// Why the command stops before it is done.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What the caller asked for makes no sense.
    Usage(String),
    /// Reading or writing failed; the text says what.
    Io(String, io::Error),
}

impl Failure {
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) => Exit::Usage,
            Self::Io(..) => Exit::Io,
        }
    }

    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Io(_, error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// For `map_err` where output is written.
    pub(crate) fn writing(error: io::Error) -> Self {
        Self::Io("cannot write the output".to_owned(), error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message) => formatter.write_str(message),
            Self::Io(what, error) => write!(formatter, "{what}: {error}"),
        }
    }
}

/// Prints what the argument parser has to say: help and version are no failure.
pub(crate) fn of_parsing(error: &clap::Error) -> Exit {
    // Nothing is left to tell where even this cannot be printed.
    let _ = error.print();
    if error.exit_code() == 0 { Exit::Done } else { Exit::Usage }
}

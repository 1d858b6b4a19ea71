//! Where output goes: values to standard output, words for people to standard error.

use std::io::{self, BufWriter, IsTerminal, Stderr, Stdout, Write};

use anstream::{AutoStream, ColorChoice};
use clap::builder::styling::{AnsiColor, Style};

use crate::args::Color;
use crate::exit::Failure;

/// Lines are at most this wide where the terminal does not say.
const WIDTH_DEFAULT: usize = 100;
/// Narrower windows would show nothing of a line.
const WIDTH_MIN: usize = 40;

/// The two outputs of the command.
#[derive(Debug)]
pub(crate) struct Console {
    out: BufWriter<Stdout>,
    err: AutoStream<Stderr>,
    choice: ColorChoice,
    last: Option<u8>,
}

impl Console {
    pub(crate) fn new(color: Color) -> Self {
        let choice = match color {
            // Honours `NO_COLOR` and its kin.
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        Self {
            out: BufWriter::new(io::stdout()),
            err: AutoStream::new(io::stderr(), choice),
            choice,
            last: None,
        }
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.last = bytes.last().copied().or(self.last);
        self.out.write_all(bytes).map_err(Failure::writing)
    }

    /// Writes a line to standard output.
    pub(crate) fn put_line(&mut self, line: &str) -> Result<(), Failure> {
        self.put_apart(line.as_bytes())?;
        self.put(b"\n")
    }

    /// Writes bytes to standard output, with a line break before them only where what was written
    /// last did not end with one.
    pub(crate) fn put_apart(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if self.last.is_some_and(|last| last != b'\n') {
            self.put(b"\n")?;
        }
        self.put(bytes)
    }

    /// Writes a text for people to standard output, coloured where colours are wanted. Values never
    /// go this way: taking colours out would take bytes out of them.
    pub(crate) fn put_styled(&mut self, text: &str) -> Result<(), Failure> {
        self.flush()?;
        let mut out = AutoStream::new(io::stdout(), self.choice);
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Failure::writing)
    }

    /// Brings everything written so far out of the door.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(Failure::writing)
    }

    /// Tells a person something on standard error. That nobody listens is no failure.
    pub(crate) fn tell(&mut self, text: &str) {
        // On a terminal a value that ends without a line break must not run into the words.
        if self.last.is_some_and(|last| last != b'\n') && io::stdout().is_terminal() {
            let _ = self.err.write_all(b"\n");
            self.last = Some(b'\n');
        }
        let _ = self.err.write_all(text.as_bytes());
    }

    /// Tells why the command stops.
    pub(crate) fn complain(&mut self, failure: &Failure) {
        self.tell(&format!("{RED}error:{RED:#} {failure}\n"));
    }

    /// How many columns standard error has.
    pub(crate) fn width() -> usize {
        let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let seen = || {
            let size = terminal_size::terminal_size_of(io::stderr());
            size.map(|(terminal_size::Width(columns), _)| usize::from(columns))
        };
        let seen = if io::stderr().is_terminal() { seen() } else { None };
        told.or(seen).unwrap_or(WIDTH_DEFAULT).max(WIDTH_MIN)
    }
}

/// What is refused or failed.
pub(crate) const RED: Style = AnsiColor::BrightRed.on_default().bold();
/// What can be trusted fully.
pub(crate) const GREEN: Style = AnsiColor::Green.on_default();
/// What is likely right.
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default();
/// What is a guess.
pub(crate) const MAGENTA: Style = AnsiColor::Magenta.on_default().bold();
/// What leads the eye: line numbers, bars, advice.
pub(crate) const BLUE: Style = AnsiColor::BrightBlue.on_default().bold();
/// What stands back.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What is read first.
pub(crate) const BOLD: Style = Style::new().bold();

//! `toolmend fix`: a text in, the value that was meant out.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use toolmend_json::{Accepted, Document, Limits, Lines, Node, Options, Policy, Reader, Refusal};
use toolmend_json::{Trust, Want, accept};
use toolmend_schema::Outline;

use crate::args::FixArgs;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::explain::{self, Story};

mod report;

use report::Report;

/// Here a person waits for one file, so the bound for a call's arguments would only be in the way.
const BROKEN_BYTES_MAX: usize = 256 * 1024 * 1024;

pub(crate) fn run(args: &FixArgs, console: &mut Console) -> Result<Exit, Failure> {
    let task = Task::of(args)?;
    let mut worst = Exit::Done;
    for file in inputs(&args.files) {
        let exit = match read_input(file, console) {
            Ok(bytes) => task.fix(&name_of(file), &bytes, console)?,
            Err(failure) => {
                console.flush()?;
                console.complain(&failure);
                failure.exit()
            }
        };
        worst = worst.max(exit);
    }
    Ok(worst)
}

/// The files to read; no file is standard input.
pub(crate) fn inputs(files: &[PathBuf]) -> Vec<&Path> {
    if files.is_empty() {
        vec![Path::new("-")]
    } else {
        files.iter().map(PathBuf::as_path).collect()
    }
}

/// How an input is called in messages.
pub(crate) fn name_of(file: &Path) -> Cow<'_, str> {
    if file == Path::new("-") { Cow::Borrowed("stdin") } else { file.to_string_lossy() }
}

/// Opens a file, or standard input for `-`.
pub(crate) fn open(file: &Path, console: &mut Console) -> Result<Box<dyn Read>, Failure> {
    if file != Path::new("-") {
        let hint = match file.to_str() {
            Some("all" | "some") => " (`--explain=all` has an equals sign)",
            _ => "",
        };
        let cannot = |error| Failure::Io(format!("cannot read {}{hint}", file.display()), error);
        return Ok(Box::new(File::open(file).map_err(cannot)?));
    }
    if io::stdin().is_terminal() {
        console.tell("reading from the terminal; end with Ctrl-D\n");
    }
    Ok(Box::new(io::stdin()))
}

pub(crate) fn read_input(file: &Path, console: &mut Console) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let mut input = open(file, console)?;
    let read = input.read_to_end(&mut bytes);
    read.map_err(|error| Failure::Io(format!("cannot read {}", name_of(file)), error))?;
    Ok(bytes)
}

/// What is done with each input.
#[derive(Debug)]
struct Task<'a> {
    args: &'a FixArgs,
    options: Options,
    policy: Policy,
    /// The names that the schema requires of the root.
    required: Vec<String>,
}

impl<'a> Task<'a> {
    fn of(args: &'a FixArgs) -> Result<Self, Failure> {
        let known = args.known.schema.as_deref().map(read_schema).transpose()?.unwrap_or_default();
        let want = args.known.want.map_or(known.want, Want::from);
        let limits = Limits::default().with_broken_bytes_max(BROKEN_BYTES_MAX);
        let trust = args.allowed.trust.map_or(Trust::Likely, Trust::from);
        let closing = if args.allowed.close { Trust::Guess } else { trust };
        Ok(Self {
            args,
            options: Options { expected: known.expected(want), limits },
            policy: Policy { trust, closing: Some(closing), want },
            required: known.required,
        })
    }

    /// Whether the value that was closed has not all that the schema requires, and nobody asked to
    /// close it all the same.
    fn lacks_required(&self, document: &Document<'_>) -> bool {
        let closed = document.values().last();
        let lacks = |value: Node<'_>| self.required.iter().any(|name| value.get(name).is_none());
        self.policy.closing != Some(Trust::Guess) && closed.is_some_and(lacks)
    }

    fn fix(&self, name: &str, bytes: &[u8], console: &mut Console) -> Result<Exit, Failure> {
        let output = &self.args.output;
        let mut document = read(bytes, &self.options);
        let cut = document.cut().cloned();
        let unclosed = cut.is_some().then(|| document.clone());
        let mut verdict = accept(&mut document, self.policy);
        // A brace that is missing after half of what is required is a cut like any other.
        if let (Some(unclosed), Ok(Accepted::Closed(Trust::Likely))) = (unclosed, verdict)
            && self.lacks_required(&document)
        {
            document = unclosed;
            verdict = Err(Refusal::Cut(Trust::Guess));
        }
        if output.json {
            let report = Report { name, document: &document, cut: cut.as_ref(), verdict };
            console.put_line(&report.to_json(self.policy.want, output.check))?;
        } else if !output.check {
            write(bytes, &document, verdict, console)?;
        }
        self.tell(&Story { name, document: &document, verdict, want: self.policy.want }, console)?;
        Ok(match verdict {
            Err(_) => Exit::Refused,
            Ok(Accepted::Mended | Accepted::Closed(_)) if output.check => Exit::Refused,
            Ok(_) => Exit::Done,
        })
    }

    fn tell(&self, story: &Story<'_>, console: &mut Console) -> Result<(), Failure> {
        let words = match (self.args.output.explain, story.verdict) {
            (Some(how), _) => story.page(how, Console::width()),
            (None, Err(refusal)) => story.refusal(&refusal, &Lines::of(story.document.text())),
            (None, Ok(Accepted::Mended | Accepted::Closed(_))) if self.args.output.check => {
                let faults = explain::tally(story.document.faults());
                format!("would change: {}: {faults}\n", story.name)
            }
            (None, Ok(_)) => return Ok(()),
        };
        // On a terminal both outputs are one page: what belongs together stands together.
        console.flush()?;
        console.tell(&words);
        Ok(())
    }
}

/// Writes the value: its own bytes, or a line for each value that was mended.
fn write(
    bytes: &[u8],
    document: &Document<'_>,
    verdict: Result<Accepted, Refusal>,
    console: &mut Console,
) -> Result<(), Failure> {
    match verdict {
        Ok(Accepted::Untouched) => console.put_apart(bytes),
        Ok(Accepted::Mended | Accepted::Closed(_)) => {
            document.values().try_for_each(|value| console.put_line(&value.to_json()))
        }
        Err(_) => Ok(()),
    }
}

/// Reads bytes, which need not be UTF-8.
fn read<'t>(bytes: &'t [u8], options: &Options) -> Document<'t> {
    if let Ok(text) = str::from_utf8(bytes) {
        return toolmend_json::read(text, options);
    }
    let mut reader = Reader::new(options.clone());
    reader.push(bytes);
    reader.finish()
}

fn read_schema(file: &Path) -> Result<Outline, Failure> {
    let name = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::Io(format!("cannot read the schema {name}"), error))?;
    let schema: serde_json::Value = serde_json::from_str(&text).map_err(|error| {
        // An error at the very start of a line has column 0; others count from 1, as we do.
        let (line, column) = (error.line().max(1), error.column().max(1));
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or_default();
        Failure::Usage(format!("{name}:{line}:{column}: the schema is not valid JSON: {what}"))
    })?;
    match schema {
        serde_json::Value::Object(_) | serde_json::Value::Bool(_) => Ok(Outline::of(&schema)),
        _ => Err(Failure::Usage(format!(
            "{name}:1:1: the schema is neither an object nor a boolean, so it is no JSON Schema"
        ))),
    }
}

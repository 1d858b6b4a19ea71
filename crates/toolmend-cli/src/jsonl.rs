//! `toolmend fix --jsonl`: a turn of a model on each line in, the same turn with its calls mended
//! out. What this does not know passes through unchanged.

mod call;
mod line;
mod parts;
mod pieces;
mod story;
mod tally;
mod text;
mod turn;

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::num::NonZeroUsize;
use std::path::Path;

use serde_json::Value;
use toolmend::{Reason, Settings, ToolSet, Truncation, Trust};

use crate::args::{Explain, FixArgs};
use crate::config;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::fix;
use crate::json_out::{Object, quoted};
use line::Line;
use tally::Tally;
use turn::Turn;

/// How lines are fed and told.
#[derive(Clone, Copy, Debug)]
struct Options {
    chunk: Option<NonZeroUsize>,
    /// How much to tell a person, and how wide.
    explain: Option<(Explain, usize)>,
}

/// The part of the help that tells the interface.
pub(crate) fn help() -> String {
    let mut help = "\
Lines (--jsonl):
  A line in:   {\"id\", \"tools\"?, \"tool_choice\"?, \"messages\"?, \"reasoning\"?, \"content\"?,
               \"tool_calls\"?: [{\"id\"?, \"name\", \"arguments\": string or object}],
               \"finish_reason\"?}
  A line out:  {\"id\", \"reasoning\", \"content\", \"tool_calls\": [{\"id\", \"name\", \"arguments\": {…},
               \"outcome\": \"untouched\" | \"mended\", \"lossy\"}], \"finish_reason\", \"refused\": [{\"id\"?,
               \"name\"?, \"channel\", \"reason\", \"message\", \"raw\"}], \"ask\"?: {\"kind\",
               \"messages\", \"prefix\"?, \"tool\"?}, \"report\": {\"repairs\":
               [{\"rule\", \"path\", \"trust\", \"call\"}], \"faults\": [{\"code\", \"start\", \"end\",
               \"call\" or \"refused\"}], \"scavenged\", \"truncations_fixed\", \"storms_broken\",
               \"notes\"}}
  Tools may be written as OpenAI, Anthropic and MCP write them, calls flat or as OpenAI nests
  them. A line that is no turn gives {\"id\", \"error\"}; the others still come out.

  \"content\" is a text, or a list of parts as OpenAI and Anthropic write them: text parts are read as
  one text, thinking as \"reasoning\", blocks of the type \"tool_use\" as calls. A list in which no call
  is found comes out as it came; else \"content\" is the text that is left, and what was no text and no
  call (thinking with its signature, images) stands in \"content_parts\" as it came.

  Calls that stand as text in \"content\" or \"reasoning\" are found where \"tools\" are offered, unless
  \"tool_choice\" is \"none\"; \"scavenged\" counts them. \"messages\" tell what users and tools said: an
  echo of it is no call. What looks like a call and is none stands in \"refused\" with its \"channel\".
  \"ask\" is what the model would be asked next: the rest of a call, or a corrected one.
  \"truncations_fixed\" counts cut arguments that were closed; \"lossy\" marks those that may miss
  something. \"storms_broken\" counts calls that are held back because they only repeat
  those of \"messages\".

Reasons in \"refused\" (--jsonl):"
        .to_owned();
    for reason in Reason::ALL {
        let _ = write!(help, "\n  {:<16}  {}", reason.id(), reason.what());
    }
    help
}

/// What comes of a line, as `fix --jsonl` writes it; `None` where it is no turn.
pub(crate) fn mend_line(line: &str, settings: &Settings) -> Option<String> {
    let line = Line::read(line.as_bytes()).ok()?;
    let tools: Vec<Value> = serde_json::from_str(line.tools()).unwrap_or_default();
    let tools = ToolSet::read(&tools).with_synonyms(settings.synonyms.clone());
    let options = Options { chunk: None, explain: None };
    Some(Turn::of(&line, &tools, settings, options, ("", 1)).to_json())
}

/// `toolmend fix --tools`: each input is an answer of a model, and comes out as a turn.
pub(crate) fn run_answers(args: &FixArgs, console: &mut Console) -> Result<Exit, Failure> {
    let tools = args.known.tools.as_deref().map(read_tools).transpose()?.unwrap_or_default();
    let mut stream = Stream::of(args)?;
    let mut worst = Exit::Done;
    for (number, file) in (1..).zip(fix::inputs(&args.files)) {
        let name = fix::name_of(file);
        let exit = match fix::read_input(file, console) {
            Ok(bytes) => {
                let content = quoted(&String::from_utf8_lossy(&bytes));
                let line = Object::new().string("id", &name).raw("tools", &tools);
                let line = line.raw("content", &content).finish();
                stream.line(&name, number, line.as_bytes(), console)?
            }
            Err(failure) => {
                console.complain(&failure);
                failure.exit()
            }
        };
        worst = worst.max(exit);
    }
    Ok(worst)
}

/// The list of tools in a file, as JSON: a list, an object that has one, or a single tool.
fn read_tools(file: &Path) -> Result<String, Failure> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::Io(format!("cannot read {}", file.display()), error))?;
    let value: Value = serde_json::from_str(&text)
        .map_err(|error| Failure::Usage(format!("{}: {error}", file.display())))?;
    let tools = match value.get("tools") {
        Some(tools) => tools.clone(),
        None if value.is_array() => value,
        None => Value::Array(vec![value]),
    };
    let is_tool = |tool: &Value| toolmend::Tool::read(tool).is_ok();
    match tools.as_array() {
        Some(list) if !list.is_empty() && list.iter().all(is_tool) => Ok(tools.to_string()),
        _ => {
            let message = format!("{}: this is no list of tools", file.display());
            Err(Failure::Usage(message))
        }
    }
}

pub(crate) fn run(args: &FixArgs, console: &mut Console) -> Result<Exit, Failure> {
    let is_check = args.output.check;
    let mut stream = Stream::of(args)?;
    let mut worst = Exit::Done;
    for file in fix::inputs(&args.files) {
        let exit = match fix::open(file, console) {
            Ok(input) => stream.run(file, &mut BufReader::new(input), console)?,
            Err(failure) => {
                console.complain(&failure);
                failure.exit()
            }
        };
        worst = worst.max(exit);
    }
    // What went well is seen in the output; a check has none.
    if stream.tally.has_refused() || is_check && stream.tally.mended > 0 {
        console.tell(&stream.tally.summary(is_check));
    }
    Ok(worst)
}

/// The lines of all inputs, and what is kept from one to the next. Recorded turns mostly offer the
/// same tools line after line, so the last list is kept.
#[derive(Debug)]
struct Stream {
    settings: Settings,
    options: Options,
    is_check: bool,
    tools: ToolSet,
    tools_spelt: String,
    tally: Tally,
}

impl Stream {
    fn of(args: &FixArgs) -> Result<Self, Failure> {
        let mut settings = config::settings(args.lines.config.as_deref())?;
        settings.trust = args.allowed.trust.map_or(settings.trust, Trust::from);
        if args.allowed.close || settings.trust == Trust::Guess {
            settings.truncation = Truncation::Close;
        }
        let explain = args.output.explain.map(|how| (how, Console::width()));
        Ok(Self {
            settings,
            options: Options { chunk: args.lines.chunk, explain },
            is_check: args.output.check,
            tools: ToolSet::default(),
            tools_spelt: String::new(),
            tally: Tally::default(),
        })
    }

    /// Takes the tools of the next line, as they are spelt.
    fn offer(&mut self, spelt: &str) {
        if spelt != self.tools_spelt {
            spelt.clone_into(&mut self.tools_spelt);
            // A list that is no list offers nothing: arguments are then mended by syntax alone.
            let tools: Vec<Value> = serde_json::from_str(spelt).unwrap_or_default();
            self.tools = ToolSet::read(&tools).with_synonyms(self.settings.synonyms.clone());
        }
    }

    fn run(
        &mut self,
        file: &Path,
        input: &mut impl BufRead,
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        let name = fix::name_of(file);
        let mut worst = Exit::Done;
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            let read = input.read_until(b'\n', &mut bytes);
            match read {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => {
                    let failure = Failure::Io(format!("cannot read {name}"), error);
                    console.complain(&failure);
                    return Ok(failure.exit());
                }
            }
            let line = bytes.strip_prefix(b"\xef\xbb\xbf").filter(|_| number == 1);
            let line = line.unwrap_or(&bytes).trim_ascii();
            if !line.is_empty() {
                worst = worst.max(self.line(&format!("{name}:{number}"), number, line, console)?);
            }
        }
        Ok(worst)
    }

    /// Mends one line and writes it at once: whoever reads may be waiting for it.
    fn line(
        &mut self,
        name: &str,
        number: usize,
        bytes: &[u8],
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        let (out, tally, told) = match Line::read(bytes) {
            Ok(line) => {
                self.offer(line.tools());
                let turn =
                    Turn::of(&line, &self.tools, &self.settings, self.options, (name, number));
                (turn.to_json(), turn.tally(), turn.told)
            }
            Err(bad) => {
                let id = bad.id.as_deref().unwrap_or("null");
                let error = quoted(&format!("line {number}: {}", bad.message));
                let out = Object::new().raw("id", id).raw("error", &error).finish();
                (out, Tally { bad_lines: 1, ..Tally::default() }, String::new())
            }
        };
        if !self.is_check {
            console.put_line(&out)?;
            console.flush()?;
        }
        console.tell(&told);
        self.tally += tally;
        let is_refused = tally.has_refused() || self.is_check && tally.mended > 0;
        Ok(if is_refused { Exit::Refused } else { Exit::Done })
    }
}

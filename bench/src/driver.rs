//! A contender in a process of its own: it may crash or hang without harm.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// How a driver is started.
#[derive(Clone, Debug)]
pub struct Start {
    /// The name that tables show.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// What came back for one text.
#[derive(Clone, Debug)]
pub enum Answer {
    /// JSON text, and the least time of one call where it was asked for.
    Mended(String, Duration),
    /// It said no.
    Refused,
    /// The process ended.
    Crashed,
    /// It took too long and was ended.
    Hung,
}

/// A running driver, started again when it ends.
#[derive(Debug)]
pub struct Driver {
    start: Start,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Driver {
    /// A driver that starts with the first text.
    pub fn new(start: Start) -> Self {
        Self { start, running: None }
    }

    /// The name that tables show.
    pub fn name(&self) -> &str {
        &self.start.name
    }

    /// Asks for one text. With a budget the call is repeated for so long and timed.
    pub fn ask(&mut self, text: &str, budget: Duration, patience: Duration) -> Answer {
        let line = json!({ "text": text, "budget_ms": budget.as_millis() as u64 });
        match self.exchange(&line, patience) {
            Ok(line) => read_answer(&line),
            Err(RecvTimeoutError::Timeout) => Answer::Hung,
            Err(RecvTimeoutError::Disconnected) => Answer::Crashed,
        }
    }

    /// Sends one line and waits for the one that comes back.
    ///
    /// # Errors
    /// Says whether the process took too long or ended; it starts again with the next line.
    pub fn exchange(
        &mut self,
        line: &Value,
        patience: Duration,
    ) -> Result<String, RecvTimeoutError> {
        if self.running.is_none() {
            self.running = Running::start(&self.start);
        }
        let Some(running) = &mut self.running else { return Err(RecvTimeoutError::Disconnected) };
        let is_sent =
            writeln!(running.input, "{line}").and_then(|()| running.input.flush()).is_ok();
        let answer = match is_sent {
            true => running.lines.recv_timeout(patience),
            false => Err(RecvTimeoutError::Disconnected),
        };
        if answer.is_err() {
            self.stop();
        }
        answer
    }

    fn stop(&mut self) {
        if let Some(mut running) = self.running.take() {
            // It may have ended already.
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Running {
    fn start(start: &Start) -> Option<Self> {
        let mut child = Command::new(&start.program)
            .args(&start.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let input = child.stdin.take()?;
        let output = child.stdout.take()?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Some(Self { child, input, lines })
    }
}

fn read_answer(line: &str) -> Answer {
    let Ok(answer) = serde_json::from_str::<Value>(line) else { return Answer::Crashed };
    let nanos = answer.get("nanos").and_then(Value::as_u64).unwrap_or_default();
    match answer.get("out").and_then(Value::as_str) {
        Some(out) => Answer::Mended(out.to_owned(), Duration::from_nanos(nanos)),
        None => Answer::Refused,
    }
}

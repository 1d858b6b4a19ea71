//! The other side of a driver: this binary answering for one of its libraries.

use std::io::{BufRead, Write, stdin, stdout};

use serde_json::{Value, json};

use crate::contender::{guarded, library};

/// Answers lines of JSON on standard input for the library of this name.
pub fn serve(name: &str) -> std::io::Result<()> {
    let Some(library) = library(name) else { return Ok(()) };
    // A panic is an answer here, and its message would only be noise.
    std::panic::set_hook(Box::new(|_| {}));
    for line in stdin().lock().lines() {
        let line = line?;
        let ask: Value = serde_json::from_str(&line).unwrap_or_default();
        let text = ask.get("text").and_then(Value::as_str).unwrap_or_default();
        let out = guarded(|| (library.mend)(text));
        let mut output = stdout().lock();
        writeln!(output, "{}", json!({ "out": out, "nanos": 0 }))?;
        output.flush()?;
    }
    Ok(())
}

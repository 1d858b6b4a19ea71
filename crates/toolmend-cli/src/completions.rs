//! Completions for shells, made from the command line itself.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Args;
use crate::console::Console;
use crate::exit::{Exit, Failure};

pub(crate) fn run(shell: Shell, console: &mut Console) -> Result<Exit, Failure> {
    // Written to memory first: the generator would panic at a closed pipe.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "toolmend", &mut script);
    console.put_apart(&script)?;
    Ok(Exit::Done)
}

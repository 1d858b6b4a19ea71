//! The `toolmend` command: reads what models write and writes what tools accept.

mod advice;
mod args;
mod captures;
mod check;
mod completions;
mod config;
mod console;
mod dialects;
mod doctor;
mod eval;
mod exit;
mod explain;
mod faults;
mod fix;
mod glyph;
mod json_out;
mod jsonl;
mod near;
mod proxy;
mod rules;
mod shape;
mod store;
mod transcript;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::console::Console;
use crate::exit::Exit;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return exit::of_parsing(&error).into(),
    };
    let mut console = Console::new(args.color);
    let result = match args.command {
        Command::Fix(fix) if fix.lines.jsonl => jsonl::run(&fix, &mut console),
        Command::Fix(fix) if fix.known.tools.is_some() => jsonl::run_answers(&fix, &mut console),
        Command::Fix(fix) => fix::run(&fix, &mut console),
        Command::Faults(faults) => faults::run(&faults, &mut console),
        Command::Dialects(dialects) => dialects::run(&dialects, &mut console),
        Command::Proxy(args) => proxy::run(&args, &mut console),
        Command::Run(args) => proxy::run_command(&args, &mut console),
        Command::Doctor(args) => doctor::run(&args, &mut console),
        Command::Config(config) => config::run(&config, &mut console),
        Command::Check(check) => check::run(&check, &mut console),
        Command::Captures(captures) => captures::run(&captures, &mut console),
        Command::Eval(eval) => eval::run(&eval, &mut console),
        Command::Rules(rules) => rules::run(&rules, &mut console),
        Command::Completions { shell } => completions::run(shell, &mut console),
    };
    let result = result.and_then(|exit| console.flush().map(|()| exit));
    match result {
        Ok(exit) => exit,
        // Whoever read our output has seen enough: `toolmend … | head`.
        Err(failure) if failure.is_broken_pipe() => Exit::Done,
        Err(failure) => {
            console.complain(&failure);
            failure.exit()
        }
    }
    .into()
}

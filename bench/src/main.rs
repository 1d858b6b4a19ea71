//! Measures the JSON reader beside its rivals: right values, speed, memory. A measurement, not a
//! test: it always ends well.

mod arguments;
mod contender;
mod correctness;
mod driver;
mod install;
mod ours;
mod report;
mod serve;
mod verdict;

use std::error::Error;

use clap::Parser;

use arguments::{Arguments, Part};
use report::Report;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    if let Some(name) = &arguments.serve {
        return Ok(serve::serve(name)?);
    }
    let foreign = if arguments.only_us { Vec::new() } else { install::foreign() };
    let mut report = Report::default();
    if arguments.has(Part::Correctness) {
        correctness::run(&arguments, &foreign, &mut report);
    }
    let data = report.finish();
    if let Some(path) = &arguments.json {
        std::fs::write(path, serde_json::to_string_pretty(&data)?)?;
    }
    Ok(())
}

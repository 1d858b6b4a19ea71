//! Measures the JSON reader, the search for calls and the repair by schema beside their rivals: right values, speed,
//! memory. A measurement, not a test: it always ends well.

mod arguments;
mod contender;
mod correctness;
mod dialects;
mod driver;
#[cfg(feature = "gateway")]
mod gateway;
mod history;
mod hostile;
mod install;
mod memory;
mod ours;
mod report;
mod schema;
mod serve;
mod session;
mod speed;
mod timing;
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
    if let Some(name) = &arguments.memory_child {
        return Ok(memory::child(name)?);
    }
    if let Some(named) = &arguments.hostile_child {
        hostile::child(named);
        return Ok(());
    }
    #[cfg(feature = "gateway")]
    if let Some(part) = &arguments.gateway_child {
        return gateway::child(part);
    }
    let has_foreign =
        !arguments.only_us && (arguments.has(Part::Correctness) || arguments.has(Part::Speed));
    let foreign = if has_foreign { install::foreign() } else { Vec::new() };
    let mut report = Report::default();
    if arguments.has(Part::Correctness) {
        correctness::run(&arguments, &foreign, &mut report);
    }
    if arguments.has(Part::Speed) {
        speed::run(&arguments, &foreign, &mut report);
    }
    if arguments.has(Part::Speed) && arguments.class.is_none() {
        memory::run(arguments.seed, &mut report);
    }
    if arguments.has(Part::Hostile) {
        hostile::run(&mut report);
    }
    if arguments.has(Part::Dialects) {
        dialects::run(&arguments, &mut report);
    }
    if arguments.has(Part::Schema) {
        schema::run(&arguments, &mut report)?;
    }
    if arguments.has(Part::Session) {
        session::run(&arguments, &mut report)?;
    }
    if arguments.has(Part::History) {
        history::run(&arguments, &mut report);
    }
    #[cfg(feature = "gateway")]
    if arguments.has(Part::Gateway) {
        gateway::run(&arguments, &mut report)?;
    }
    #[cfg(not(feature = "gateway"))]
    if arguments.only == Some(Part::Gateway) {
        eprintln!("the gateway is measured with --features gateway");
    }
    let data = report.finish();
    if let Some(path) = &arguments.json {
        std::fs::write(path, serde_json::to_string_pretty(&data)?)?;
    }
    Ok(())
}

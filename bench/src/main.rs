//! Measures whole turns, the JSON reader, the search for calls, the repair by schema and the proxy beside their
//! rivals: right values, speed, memory. A measurement, not a test: it always ends well.

mod arguments;
mod contender;
mod correctness;
mod dialects;
mod docs;
mod driver;
#[cfg(feature = "gateway")]
mod gateway;
mod glance;
mod history;
mod hostile;
mod install;
mod memory;
mod ours;
mod provenance;
mod report;
mod schema;
mod serve;
mod session;
mod speed;
mod timing;
mod turns;
mod verdict;

use std::error::Error;

use clap::{Parser, ValueEnum};
use serde_json::Value;

use arguments::{Arguments, Part};
use report::Report;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    if let Some(answer) = child(&arguments) {
        return answer;
    }
    let data = match &arguments.docs_from {
        Some(path) => serde_json::from_str(&std::fs::read_to_string(path)?)?,
        None => measured(&arguments)?,
    };
    print_glance(&data);
    if let Some(path) = &arguments.json {
        std::fs::write(path, serde_json::to_string_pretty(&data)?)?;
    }
    if arguments.write_docs || arguments.docs_from.is_some() {
        docs::write(&data)?;
    }
    Ok(())
}

/// Prints what all parts come to, one below the other.
fn print_glance(data: &Value) {
    let seen = Part::value_variants().iter().filter_map(|&part| glance::of(part, data));
    let seen: Vec<String> = seen.collect();
    if !seen.is_empty() {
        let from = docs::provenance(data);
        println!("\n## At a glance\n\n{from}\n\n{}", seen.join("\n"));
    }
}

/// Runs what a process of its own was started for; `None` where this is none.
fn child(arguments: &Arguments) -> Option<Result<(), Box<dyn Error>>> {
    if let Some(name) = &arguments.serve {
        return Some(serve::serve(name).map_err(Into::into));
    }
    if let Some(name) = &arguments.serve_turns {
        return Some(turns::serve(name).map_err(Into::into));
    }
    if let Some(name) = &arguments.memory_child {
        return Some(memory::child(name).map_err(Into::into));
    }
    if let Some(named) = &arguments.hostile_child {
        hostile::child(named);
        return Some(Ok(()));
    }
    #[cfg(feature = "gateway")]
    if let Some(part) = &arguments.gateway_child {
        return Some(gateway::child(part));
    }
    None
}

/// Measures the parts that are asked for.
fn measured(arguments: &Arguments) -> Result<Value, Box<dyn Error>> {
    let has_foreign =
        !arguments.only_us && (arguments.has(Part::Correctness) || arguments.has(Part::Speed));
    let foreign = if has_foreign { install::foreign() } else { Vec::new() };
    let mut report = Report::default();
    report.data("provenance", provenance::provenance());
    report.data("command", docs::command().into());
    for &part in Part::value_variants().iter().filter(|part| arguments.has(**part)) {
        match part {
            Part::Turns => turns::run(arguments, &mut report)?,
            Part::Correctness => correctness::run(arguments, &foreign, &mut report),
            Part::Speed => {
                speed::run(arguments, &foreign, &mut report);
                if arguments.class.is_none() {
                    memory::run(arguments.seed, &mut report);
                }
            }
            Part::Hostile => hostile::run(&mut report),
            Part::Dialects => dialects::run(arguments, &mut report)?,
            Part::Schema => schema::run(arguments, &mut report)?,
            Part::Session => session::run(arguments, &mut report)?,
            Part::History => history::run(arguments, &mut report),
            #[cfg(feature = "gateway")]
            Part::Gateway => gateway::run(arguments, &mut report)?,
            #[cfg(feature = "gateway")]
            Part::Capture => gateway::capture(arguments, &mut report)?,
            #[cfg(feature = "gateway")]
            Part::Soak => gateway::soak(arguments, &mut report)?,
            #[cfg(not(feature = "gateway"))]
            Part::Gateway | Part::Capture | Part::Soak => {
                eprintln!("the gateway is measured with --features gateway");
            }
        }
        report.end_part(part.name());
    }
    Ok(report.finish())
}

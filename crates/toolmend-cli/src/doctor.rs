//! `toolmend doctor`: what a model server is and can do, for people and for scripts.

use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs};

use clap::Args as ClapArgs;
use tokio::runtime::Runtime;
use toolmend_proxy::doctor::{Check, Complaint, Diagnosis, Health, examine};
use toolmend_proxy::find;

use crate::config;
use crate::console::{BOLD, Console, GREEN, RED, YELLOW};
use crate::exit::{Exit, Failure};
use crate::glyph;
use crate::json_out::{Object, quoted};

/// What `doctor` takes.
#[derive(Debug, ClapArgs)]
pub(crate) struct DoctorArgs {
    /// The model server, with or without /v1; else that of the settings, or one that is found here.
    #[arg(value_name = "URL")]
    pub(crate) url: Option<String>,

    /// The model to ask; else the first that the server lists.
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,

    /// The variable of the environment that holds the server's key.
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) key_env: Option<String>,

    /// How many seconds each answer may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) wait: u64,

    /// Write the proposed settings to this file, which must not be there yet.
    #[arg(long, value_name = "FILE")]
    pub(crate) settings: Option<PathBuf>,

    /// Write one JSON object for each check.
    #[arg(long)]
    pub(crate) json: bool,

    /// The settings file; `toolmend.toml` in the current folder where none is named.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

pub(crate) fn run(args: &DoctorArgs, console: &mut Console) -> Result<Exit, Failure> {
    let runtime = Runtime::new().map_err(|error| Failure::Io("cannot start".to_owned(), error))?;
    let (url, is_found) = server(args, &runtime)?;
    let key = key(args, is_found)?;
    let wait = Duration::from_secs(args.wait.max(1));
    let complaint = Complaint { url: url.clone(), key, model: args.model.clone(), wait };
    let diagnosis = runtime.block_on(examine(&complaint));
    let diagnosis = diagnosis.map_err(|error| Failure::Usage(error.to_string()))?;
    for check in &diagnosis.checks {
        match args.json {
            true => console.put_line(&json(check))?,
            false => console.put_styled(&line(check))?,
        }
    }
    if diagnosis.model.is_some() {
        propose(args, &url, &diagnosis, console)?;
    }
    Ok(if diagnosis.is_well() { Exit::Done } else { Exit::Refused })
}

/// The server to examine, and whether it was merely found.
fn server(args: &DoctorArgs, runtime: &Runtime) -> Result<(String, bool), Failure> {
    let named = match &args.url {
        Some(url) => Some(url.clone()),
        None => config::settings(args.config.as_deref())?.proxy.upstream,
    };
    if let Some(url) = named {
        return Ok((url, false));
    }
    let found = runtime.block_on(find());
    let missing = || {
        let message = "no model server is named, and none is found on this machine: give its URL";
        Failure::Usage(message.to_owned())
    };
    found.map(|found| (found.url, true)).ok_or_else(missing)
}

/// The key in the variable that is named. A server that was merely found gets none.
fn key(args: &DoctorArgs, is_found: bool) -> Result<Option<String>, Failure> {
    let Some(name) = args.key_env.as_deref().filter(|_| !is_found) else { return Ok(None) };
    let missing = |_| Failure::Usage(format!("the variable {name} is not set"));
    env::var(name).map(Some).map_err(missing)
}

fn line(check: &Check) -> String {
    let (style, mark) = match check.health {
        Health::Good => (GREEN, "ok"),
        Health::Mended => (YELLOW, "mended"),
        Health::Bad => (RED, "bad"),
        Health::Unknown => (YELLOW, "?"),
    };
    let told = glyph::line(&check.told);
    format!("{style}{mark:<7}{style:#} {BOLD}{:<18}{BOLD:#} {told}\n", check.name)
}

fn json(check: &Check) -> String {
    Object::new()
        .raw("check", &quoted(check.name))
        .raw("health", &quoted(check.health.as_str()))
        .raw("told", &quoted(&check.told))
        .finish()
}

fn propose(
    args: &DoctorArgs,
    url: &str,
    diagnosis: &Diagnosis,
    console: &mut Console,
) -> Result<(), Failure> {
    let settings = diagnosis.settings(url);
    let Some(path) = &args.settings else {
        if !args.json {
            let whom = if diagnosis.proxy.is_some() { "that proxy" } else { "it" };
            let told =
                format!("\nSettings for {whom} (`--settings FILE` writes them):\n\n{settings}");
            console.put_styled(&told)?;
        }
        return Ok(());
    };
    let name = path.display();
    if path.exists() {
        return Err(Failure::Usage(format!("{name} is there already: it is not written over")));
    }
    fs::write(path, settings).map_err(|error| Failure::Io(format!("cannot write {name}"), error))
}

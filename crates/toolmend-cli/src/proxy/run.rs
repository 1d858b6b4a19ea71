//! `toolmend run -- AGENT …`: an agent with the proxy in front of its model, for as long as it runs.

use std::io;
use std::process::{Command, ExitStatus};

use tokio::sync::oneshot;

use super::{failed, open, reachable, settings, start_runtime, urls};
use crate::args::RunArgs;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::store;

pub(crate) fn run(args: &RunArgs, console: &mut Console) -> Result<Exit, Failure> {
    let Some((program, rest)) = args.command.split_first() else {
        return Err(Failure::Usage("which command? `toolmend run -- claude`".to_owned()));
    };
    let mut settings = settings(&args.proxy)?;
    if args.proxy.listen.is_none() {
        // Several agents may run at once.
        "127.0.0.1:0".clone_into(&mut settings.proxy.listen);
    }
    let runtime = start_runtime()?;
    let (proxy, target, store) = runtime.block_on(open(&args.proxy, settings, console))?;
    let address = proxy.address().map_err(|error| failed("cannot tell the address", error))?;
    console.tell(&format!("{}\n", target.told));
    let (stop, stopped) = oneshot::channel::<()>();
    let served = runtime.spawn(proxy.serve(async {
        let _ = stopped.await;
    }));
    let base = reachable(address);
    let mut command = Command::new(program);
    command.args(rest);
    for (name, path) in urls::VARIABLES {
        command.env(name, format!("{base}{path}"));
    }
    let status = runtime.block_on(ended(&mut command));
    let _ = stop.send(());
    let _ = runtime.block_on(served);
    // What still waits is written before the agent's own code is passed on.
    if let Some(store) = &store {
        store.flush();
    }
    if target.is_demo {
        store::remove_demo();
    }
    match status {
        Ok(status) => Ok(Exit::Of(code(status))),
        Err(error) => {
            let code = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
            console.tell(&format!("error: cannot run {}: {error}\n", program.to_string_lossy()));
            Ok(Exit::Of(code))
        }
    }
}

/// Runs the agent to its end. What a terminal sends reaches the agent as well, and it is the agent that
/// decides what to do about it; a wish to end that reaches this process alone is passed on.
#[cfg(unix)]
async fn ended(command: &mut Command) -> io::Result<ExitStatus> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupts, mut ends) =
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let mut agent = command.spawn()?;
    let id = agent.id().to_string();
    let mut waiting = tokio::task::spawn_blocking(move || agent.wait());
    loop {
        tokio::select! {
            status = &mut waiting => return status.map_err(io::Error::other)?,
            _ = interrupts.recv() => {}
            _ = ends.recv() => {
                // An agent that has just ended is not there any more.
                let _ = Command::new("kill").args(["-TERM", &id]).status();
            }
        }
    }
}

#[cfg(not(unix))]
async fn ended(command: &mut Command) -> io::Result<ExitStatus> {
    let mut agent = command.spawn()?;
    tokio::task::spawn_blocking(move || agent.wait()).await.map_err(io::Error::other)?
}

/// The agent's own code, or that of a shell for one that a signal ended.
fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(1);
    }
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

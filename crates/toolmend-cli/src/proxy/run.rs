//! `toolmend run -- AGENT …`: an agent with the proxy in front of its model, for as long as it runs.

use std::process::Command;

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
    let status = command.status();
    let _ = stop.send(());
    let _ = runtime.block_on(served);
    // What still waits is written before the agent's own code is passed on.
    if let Some(store) = &store {
        store.flush();
    }
    if target.is_demo {
        store::remove_demo();
    }
    let status = status
        .map_err(|error| Failure::Io(format!("cannot run {}", program.to_string_lossy()), error))?;
    Ok(Exit::Of(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1)))
}

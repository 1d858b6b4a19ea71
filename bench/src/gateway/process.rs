//! Processes, and what they use. Linux only: elsewhere the numbers are zero.

use std::error::Error;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// A process that ends with this value.
#[derive(Debug)]
pub(super) struct Running {
    child: Child,
    /// Where it listens.
    pub(super) address: String,
}

impl Running {
    pub(super) fn new(child: Child, address: String) -> Self {
        Self { child, address }
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Ends this process when the one that started it is gone, however that ended: it holds the other end of
/// standard input.
pub(super) fn end_with_parent() {
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
}

/// Starts a part of this program as a process of its own; it tells its address on its first line.
pub(super) fn own(part: &str) -> Result<Running, Box<dyn Error>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--gateway-child", part]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn()?;
    let mut line = String::new();
    let out = child.stdout.take().ok_or("no output")?;
    BufReader::new(out).read_line(&mut line)?;
    Ok(Running::new(child, line.trim().to_owned()))
}

/// All processes of a group that began with this one: a gateway may have workers.
fn family(id: u32) -> Vec<u32> {
    let mut all = vec![id];
    let mut at = 0;
    while let Some(&parent) = all.get(at) {
        at += 1;
        let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"));
        let children = children.unwrap_or_default();
        all.extend(children.split_whitespace().filter_map(|word| word.parse::<u32>().ok()));
    }
    all
}

/// The processor's time that a process and its children took so far, in microseconds.
pub(super) fn cpu_us(id: u32) -> f64 {
    let thread = |path: fs::DirEntry| {
        let text = fs::read_to_string(path.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    };
    let of = |id: u32| -> f64 {
        let threads = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten();
        threads.filter_map(Result::ok).filter_map(thread).sum()
    };
    family(id).into_iter().map(of).sum::<f64>() / 1000.0
}

/// The memory that a process and its children hold, in kilobytes.
pub(super) fn resident_kb(id: u32) -> f64 {
    let of = |id: u32| {
        let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.to_owned();
        line.split_whitespace().next()?.parse::<f64>().ok()
    };
    family(id).into_iter().filter_map(of).sum()
}

/// The files and sockets that a process and its children have open.
pub(super) fn descriptors(id: u32) -> f64 {
    let of = |id: u32| fs::read_dir(format!("/proc/{id}/fd")).map_or(0, Iterator::count);
    family(id).into_iter().map(of).sum::<usize>() as f64
}

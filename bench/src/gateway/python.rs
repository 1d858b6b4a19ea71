//! Gateways that come as Python packages, each with one worker, where they can be installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::contender::Contender;
use super::model::{HOLD, PLAIN, STREAM};
use super::nginx::{free_address, wait_for};
use super::process::Running;
use crate::install::python_packages;

pub(super) const LITELLM: &str = "LiteLLM";
pub(super) const SMG: &str = "SMG";
const LITELLM_VERSION: &str = "1.106.2";
const SMG_VERSION: &str = "1.13.0";
/// Both want this minor version of Python 3, or a newer one.
const PYTHON: u32 = 10;
/// Big ones take their time.
const WAIT: Duration = Duration::from_secs(90);

/// The proxy of `LiteLLM`.
pub(super) fn litellm(model: &Running) -> Result<Contender, String> {
    let home = installed("litellm", &format!("litellm[proxy]=={LITELLM_VERSION}"))?;
    let address = free_address()?;
    let settings = home.join("bench.yaml");
    let row = |name: &str| {
        format!(
            "  - model_name: {name}\n    litellm_params: {{model: openai/{name}, api_base: \"http://{}/v1\", api_key: none}}\n",
            model.address
        )
    };
    let rows: String = [PLAIN, STREAM, HOLD].map(row).concat();
    // It starts without a key only when told so; none of the others asks for one here.
    let open = "general_settings: {dangerously_permit_weak_or_unset_master_key: true}";
    fs::write(&settings, format!("model_list:\n{rows}{open}\n"))
        .map_err(|error| error.to_string())?;
    let settings = settings.to_string_lossy().into_owned();
    let port = address.rsplit(':').next().unwrap_or_default().to_owned();
    let arguments =
        ["--config", &settings, "--host", "127.0.0.1", "--port", &port, "--num_workers", "1"];
    started(LITELLM, LITELLM_VERSION, &home.join("bin/litellm"), &arguments, address)
}

/// The gateway of the `SGLang` project.
pub(super) fn smg(model: &Running) -> Result<Contender, String> {
    let home = installed("smg", &format!("smg=={SMG_VERSION}"))?;
    let address = free_address()?;
    let port = address.rsplit(':').next().unwrap_or_default().to_owned();
    let worker = format!("http://{}", model.address);
    let arguments = [
        "launch",
        "--host",
        "127.0.0.1",
        "--port",
        &port,
        "--backend",
        "openai",
        "--worker-urls",
        &worker,
    ];
    started(SMG, SMG_VERSION, &home.join("bin/smg"), &arguments, address)
}

fn installed(name: &str, wanted: &str) -> Result<PathBuf, String> {
    python_packages(name, PYTHON, &[wanted]).map_err(|why| format!("{name} ({why})"))
}

fn started(
    name: &str,
    version: &str,
    program: &Path,
    arguments: &[&str],
    address: String,
) -> Result<Contender, String> {
    let child = Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{name} ({error})"))?;
    let running = Running::new(child, address);
    wait_for(&running.address, WAIT).map_err(|why| format!("{name} ({why})"))?;
    Ok(Contender::new(&format!("{name} {version}"), running))
}

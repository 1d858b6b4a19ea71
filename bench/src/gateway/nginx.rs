//! nginx as a reverse proxy, where it is installed or Debian's package of it can be had.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::contender::Contender;
use super::process::Running;
use crate::install::debian_package;

/// The variable that names the program, where it is not on the path.
const PROGRAM: &str = "NGINX";

pub(super) fn start(model: &Running) -> Result<Contender, String> {
    let (program, version) = program()?;
    let address = free_address()?;
    let folder = std::env::temp_dir().join(format!("bench-nginx-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let place = folder.display();
    let settings = format!(
        "daemon off; worker_processes 1; pid {place}/pid; error_log {place}/error;\n\
         events {{ worker_connections 16384; }}\n\
         http {{ access_log off; client_body_temp_path {place}/body; proxy_temp_path {place}/proxy;\n\
         fastcgi_temp_path {place}/f; uwsgi_temp_path {place}/u; scgi_temp_path {place}/s;\n\
         upstream model {{ server {}; keepalive 64; }}\n\
         server {{ listen {address}; client_max_body_size 64m; location / {{ proxy_pass http://model;\n\
         proxy_http_version 1.1; proxy_set_header Connection \"\"; proxy_buffering off; }} }} }}\n",
        model.address
    );
    let file = folder.join("nginx.conf");
    fs::write(&file, settings).map_err(|error| error.to_string())?;
    let child = Command::new(program)
        .arg("-c")
        .arg(&file)
        .arg("-p")
        .arg(&folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("nginx ({error})"))?;
    let running = Running::new(child, address);
    wait_for(&running.address, Duration::from_secs(5)).map_err(|why| format!("nginx ({why})"))?;
    Ok(Contender::new(&format!("nginx {version}"), running))
}

/// The program, and its version.
fn program() -> Result<(PathBuf, String), String> {
    let named = std::env::var(PROGRAM).unwrap_or_else(|_| "nginx".to_owned());
    let named = PathBuf::from(named);
    let told = version(&named).map(|version| (named, version));
    told.or_else(|| {
        let unpacked = debian_package("nginx", "nginx").ok()?.join("usr/sbin/nginx");
        version(&unpacked).map(|version| (unpacked, version))
    })
    .ok_or_else(|| "nginx (it is not on the path, and cannot be had from Debian)".to_owned())
}

/// What it says of itself: `nginx version: nginx/1.22.1`.
fn version(program: &Path) -> Option<String> {
    let told = Command::new(program).arg("-v").output().ok()?;
    let told = String::from_utf8(told.stderr).ok()?;
    Some(told.trim().rsplit('/').next()?.to_owned())
}

/// An address that is free now.
pub(super) fn free_address() -> Result<String, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    listener.local_addr().map(|address| address.to_string()).map_err(|error| error.to_string())
}

/// Waits until someone listens.
pub(super) fn wait_for(address: &str, long: Duration) -> Result<(), String> {
    let started = std::time::Instant::now();
    while started.elapsed() < long {
        if TcpStream::connect(address).is_ok() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Err("it does not listen".to_owned())
}

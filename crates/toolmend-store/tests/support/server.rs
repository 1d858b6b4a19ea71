//! A PostgreSQL server of its own for a test, where the machine has one.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::support::Folder;

/// Where packages put the programs that are not on the path.
const FOLDERS: &str = "/usr/lib/postgresql";
/// A server that is not there after this long does not come.
const TRIES: u32 = 300;

/// A server that runs until it is dropped.
pub(crate) struct Server {
    child: Child,
    port: u16,
    _folder: Folder,
}

impl Server {
    /// Starts one; says why where that cannot be done.
    pub(crate) fn start() -> Result<Self, String> {
        let initdb = program("initdb").ok_or("PostgreSQL is not installed")?;
        let postgres = program("postgres").ok_or("PostgreSQL is not installed")?;
        let folder = Folder::new();
        let data = folder.0.join("data");
        let own = owner(&folder.0)?;
        let mut made = run_as(&initdb, own);
        made.arg("-D").arg(&data).args(["-U", "toolmend", "-A", "trust", "--no-sync"]);
        let made = made.output().map_err(|error| error.to_string())?;
        if !made.status.success() {
            return Err(String::from_utf8_lossy(&made.stderr).into_owned());
        }
        let free = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
        let port = free.local_addr().map_err(|error| error.to_string())?.port();
        drop(free);
        let mut command = run_as(&postgres, own);
        command.arg("-D").arg(&data).arg("-k").arg(&folder.0);
        command.args(["-h", "127.0.0.1", "-p", &port.to_string(), "-F"]);
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().map_err(|error| error.to_string())?;
        let server = Self { child, port, _folder: folder };
        for _ in 0..TRIES {
            if postgres::Client::connect(&server.url("postgres"), postgres::NoTls).is_ok() {
                return Ok(server);
            }
            sleep(Duration::from_millis(100));
        }
        Err("the server does not answer".to_owned())
    }

    fn url(&self, database: &str) -> String {
        format!("postgres://toolmend@127.0.0.1:{}/{database}", self.port)
    }

    /// An empty database.
    pub(crate) fn database(&self, name: &str) -> String {
        let mut client = postgres::Client::connect(&self.url("postgres"), postgres::NoTls).unwrap();
        client.batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
        self.url(name)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let on_path = std::env::split_paths(&path).map(|folder| folder.join(name));
    let versions = fs::read_dir(FOLDERS).ok().into_iter().flatten().flatten();
    let packaged = versions.map(|version| version.path().join("bin").join(name));
    on_path.chain(packaged).find(|program| program.is_file())
}

/// Who runs the server: it refuses to be run by root, so there another user has to.
fn owner(folder: &Path) -> Result<Option<(u32, u32)>, String> {
    use std::os::unix::fs::{MetadataExt as _, chown};
    let me = fs::metadata(folder).map_err(|error| error.to_string())?.uid();
    if me != 0 {
        return Ok(None);
    }
    let users = fs::read_to_string("/etc/passwd").map_err(|error| error.to_string())?;
    let user = users.lines().find_map(|line| {
        let mut fields = line.strip_prefix("postgres:")?.split(':').skip(1);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    });
    let (uid, gid) = user.ok_or("root may not run PostgreSQL, and there is no user for it")?;
    chown(folder, Some(uid), Some(gid)).map_err(|error| error.to_string())?;
    Ok(Some((uid, gid)))
}

fn run_as(program: &Path, owner: Option<(u32, u32)>) -> Command {
    use std::os::unix::process::CommandExt as _;
    let mut command = Command::new(program);
    command.current_dir("/");
    if let Some((uid, gid)) = owner {
        command.uid(uid).gid(gid);
    }
    command
}

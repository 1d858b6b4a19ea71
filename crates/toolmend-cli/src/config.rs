//! Settings from the file, the environment and flags; and `toolmend config`, which shows them.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use toolmend::{Layer, Layers, Settings};

use crate::args::ConfigArgs;
use crate::console::{BOLD, Console, DIM};
use crate::exit::{Exit, Failure};
use crate::json_out::{Object, quoted};

/// The file that is read where none is named.
const FILE: &str = "toolmend.toml";
/// The variable that names another one, beside the settings themselves.
const FILE_VARIABLE: &str = "TOOLMEND_CONFIG";

/// The settings of the file that is named, or of the one that lies here, under the environment.
pub(crate) fn load(named: Option<&Path>) -> Result<Layers, Failure> {
    let layers = match read_file(named)? {
        Some((name, text)) => {
            let layer = Layer::file(&name, &text).map_err(|error| usage(&error))?;
            Layers::new().over(layer)
        }
        None => Layers::new(),
    };
    let variables = env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let is_other = |name: &str| FILE_VARIABLE.ends_with(name);
    let environment = Layer::environment(variables, is_other).map_err(|error| usage(&error))?;
    Ok(layers.over(environment))
}

/// The settings that are in force.
pub(crate) fn settings(named: Option<&Path>) -> Result<Settings, Failure> {
    load(named)?.settings().map_err(|error| usage(&error))
}

fn usage(error: &toolmend::SettingsError) -> Failure {
    Failure::Usage(error.to_string())
}

fn read_file(named: Option<&Path>) -> Result<Option<(String, String)>, Failure> {
    let named =
        named.map(Path::to_path_buf).or_else(|| env::var_os(FILE_VARIABLE).map(PathBuf::from));
    let path = named.clone().unwrap_or_else(|| PathBuf::from(FILE));
    let name = path.display().to_string();
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some((name, text))),
        Err(error) if error.kind() == io::ErrorKind::NotFound && named.is_none() => Ok(None),
        Err(error) => Err(Failure::Io(format!("cannot read the settings {name}"), error)),
    }
}

pub(crate) fn run(args: &ConfigArgs, console: &mut Console) -> Result<Exit, Failure> {
    let layers = load(args.config.as_deref())?;
    layers.settings().map_err(|error| usage(&error))?;
    for (key, value, origin) in layers.told() {
        if args.json {
            let origin = origin.map_or_else(|| "null".to_owned(), quoted);
            let line = Object::new().string("key", &key).string("value", &value);
            console.put_line(&line.raw("from", &origin).finish())?;
        } else if let Some(origin) = origin {
            console
                .put_styled(&format!("{BOLD}{key} = {value}{BOLD:#}  {DIM}# {origin}{DIM:#}\n"))?;
        } else {
            console.put_styled(&format!("{key} = {value}  {DIM}# default{DIM:#}\n"))?;
        }
    }
    Ok(Exit::Done)
}

//! Settings from the file, the environment and flags; and `toolmend config`, which shows them.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use toolmend::{Layer, Layers, Setting, Settings};

use crate::args::{ConfigArgs, ConfigCommand};
use crate::console::{BOLD, Console, DIM};
use crate::exit::{Exit, Failure};
use crate::json_out::{Object, quoted};
use crate::near::unknown;

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
    let all = lines(&layers);
    let Some(ConfigCommand::Show { keys }) = &args.show else {
        all.iter().try_for_each(|line| line.put(args.json, console))?;
        return Ok(Exit::Done);
    };
    let is_under = |line: &Line<'_>, key: &str| {
        let is = |own: &str| {
            own == key || own.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'))
        };
        is(&line.key) || is(line.setting.key)
    };
    let is_meant = |line: &Line<'_>| keys.is_empty() || keys.iter().any(|key| is_under(line, key));
    if let Some(key) = keys.iter().find(|key| !all.iter().any(|line| is_under(line, key))) {
        let known = Setting::ALL.iter().map(|setting| setting.key);
        return Err(unknown(("setting", "config"), key, known));
    }
    for line in all.iter().filter(|line| is_meant(line)) {
        line.put(args.json, console)?;
        if !args.json {
            console.put_styled(&line.explained())?;
        }
    }
    Ok(Exit::Done)
}

/// A setting, and what is in force of it.
struct Line<'l> {
    key: String,
    /// As TOML; `None` where nothing is.
    value: Option<String>,
    origin: Option<&'l str>,
    setting: &'static Setting,
}

/// What is in force in the order of the table, and what could be set.
fn lines(layers: &Layers) -> Vec<Line<'_>> {
    let told = layers.told();
    let mut lines = Vec::new();
    for setting in Setting::ALL {
        let own = told.iter().filter(|(key, ..)| Setting::find(key) == Some(setting));
        let own = own.map(|(key, value, origin)| (key.clone(), Some(value.clone()), *origin));
        let before = lines.len();
        lines.extend(own.map(|(key, value, origin)| Line { key, value, origin, setting }));
        if lines.len() == before {
            let key = setting.key.to_owned();
            lines.push(Line { key, value: None, origin: None, setting });
        }
    }
    lines
}

impl Line<'_> {
    fn put(&self, is_json: bool, console: &mut Console) -> Result<(), Failure> {
        if is_json {
            return console.put_line(&self.to_json());
        }
        let key = &self.key;
        console.put_styled(&match (&self.value, self.origin) {
            (Some(value), Some(origin)) => {
                format!("{BOLD}{key} = {value}{BOLD:#}  {DIM}# {origin}{DIM:#}\n")
            }
            (Some(value), None) => format!("{key} = {value}  {DIM}# default{DIM:#}\n"),
            (None, _) => format!("{DIM}# {key} is not set{DIM:#}\n"),
        })
    }

    fn to_json(&self) -> String {
        let or_null = |text: Option<&str>| text.map_or_else(|| "null".to_owned(), quoted);
        Object::new()
            .string("key", &self.key)
            .raw("value", &or_null(self.value.as_deref()))
            .raw("from", &or_null(self.origin))
            .string("what", self.setting.what)
            .string("values", self.setting.values)
            .raw("default", &or_null(self.setting.default().as_deref()))
            .string("variable", &self.setting.variable())
            .finish()
    }

    fn explained(&self) -> String {
        let Setting { what, values, .. } = self.setting;
        let default = self.setting.default().unwrap_or_else(|| "nothing".to_owned());
        let variable = self.setting.variable();
        format!("    {what}\n    {DIM}{values}; default {default}; {variable}{DIM:#}\n\n")
    }
}

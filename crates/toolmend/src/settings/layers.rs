//! Settings from several places: each goes over those before it, and it stays known which one a
//! value came from.

use std::collections::BTreeMap;
use std::fmt;

use toml::{Table, Value};

use super::{AskLimits, Settings};

/// Variables of the environment that are settings start with this; two underscores stand for a dot.
pub(super) const PREFIX: &str = "TOOLMEND_";

/// How many letters a key may be off to be taken for another one.
const NEAR_MIN: f64 = 0.6;

/// What one place says.
#[derive(Clone, Debug)]
pub struct Layer {
    table: Table,
    /// Where each leaf was said, as a person finds it.
    origins: BTreeMap<String, String>,
}

/// All that was said, in order.
#[derive(Clone, Debug)]
pub struct Layers {
    table: Table,
    origins: BTreeMap<String, String>,
}

/// What is wrong with settings, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsError {
    /// The file and line, or the variable.
    pub place: String,
    /// What is wrong, and what may have been meant.
    pub message: String,
}

impl fmt::Display for SettingsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for SettingsError {}

impl Layer {
    /// Reads a settings file; `name` is what it is called in errors.
    ///
    /// # Errors
    ///
    /// It is no TOML, or says something that no setting can be.
    pub fn file(name: &str, text: &str) -> Result<Self, SettingsError> {
        let place = |error: &toml::de::Error| match error.span() {
            Some(span) => format!("{name}:{}", line_of(text, span.start)),
            None => name.to_owned(),
        };
        let told = |error: toml::de::Error| SettingsError {
            place: place(&error),
            message: message(error.message()),
        };
        toml::from_str::<Settings>(text).map_err(told)?;
        let table: Table = toml::from_str(text).map_err(told)?;
        let origins = leaves(&table).into_iter().map(|(key, _)| {
            let line = line_of_key(text, &key).map(|line| format!(":{line}"));
            (key, format!("{name}{}", line.unwrap_or_default()))
        });
        Ok(Self { origins: origins.collect(), table })
    }

    /// Reads the variables of the environment that are settings: `TOOLMEND_STORM__MODE=warn`.
    ///
    /// # Errors
    ///
    /// A variable names no setting, or says something that it cannot be.
    pub fn environment(
        variables: impl IntoIterator<Item = (String, String)>,
        is_other: impl Fn(&str) -> bool,
    ) -> Result<Self, SettingsError> {
        let mut layer = Self { table: Table::new(), origins: BTreeMap::new() };
        for (variable, value) in variables {
            let Some(name) = variable.strip_prefix(PREFIX).filter(|name| !is_other(name)) else {
                continue;
            };
            let key = name.to_lowercase().replace("__", ".");
            let mut alone = Table::new();
            set(&mut alone, &key, read_value(&value));
            if let Err(error) = alone.clone().try_into::<Settings>() {
                return Err(SettingsError { place: variable, message: message(error.message()) });
            }
            let said = leaves(&alone).into_iter().map(|(leaf, _)| (leaf, variable.clone()));
            layer.origins.extend(said);
            merge(&mut layer.table, alone);
        }
        Ok(layer)
    }
}

impl Layers {
    /// Starts with what holds where nothing is said.
    #[must_use]
    pub fn new() -> Self {
        let table = Table::try_from(Settings::default()).unwrap_or_default();
        Self { table, origins: BTreeMap::new() }
    }

    /// Puts another layer over those before it.
    #[must_use]
    pub fn over(mut self, layer: Layer) -> Self {
        merge(&mut self.table, layer.table);
        self.origins.extend(layer.origins);
        self
    }

    /// The settings that are in force.
    ///
    /// # Errors
    ///
    /// A number is out of its bounds.
    pub fn settings(&self) -> Result<Settings, SettingsError> {
        let told = |error: toml::de::Error| SettingsError {
            place: "settings".to_owned(),
            message: message(error.message()),
        };
        let settings: Settings = self.table.clone().try_into().map_err(told)?;
        let bounds = [
            ("ask.max_asks", settings.ask.max_asks, AskLimits::ASKS_MAX),
            ("ask.max_reprompts", settings.ask.max_reprompts, AskLimits::REPROMPTS_MAX),
        ];
        for (key, value, max) in bounds {
            if value > max {
                let place = self.origins.get(key).cloned().unwrap_or_default();
                return Err(SettingsError { place, message: format!("{key} is at most {max}") });
            }
        }
        Ok(settings)
    }

    /// Each setting: its key, its value as TOML, and where it comes from; `None` where nobody said
    /// it.
    #[must_use]
    pub fn told(&self) -> Vec<(String, String, Option<&str>)> {
        let leaves = leaves(&self.table).into_iter();
        leaves
            .map(|(key, value)| {
                let origin = self.origins.get(&key).map(String::as_str);
                (key, value, origin)
            })
            .collect()
    }
}

impl Default for Layers {
    fn default() -> Self {
        Self::new()
    }
}

/// The leaves of a table by their dotted keys. Lists are leaves.
fn leaves(table: &Table) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut open: Vec<(String, &Table)> = vec![(String::new(), table)];
    while let Some((prefix, table)) = open.pop() {
        for (key, value) in table {
            let key = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
            match value {
                Value::Table(inner) => open.push((key, inner)),
                value => out.push((key, value.to_string())),
            }
        }
    }
    out.sort();
    out
}

fn merge(into: &mut Table, from: Table) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(Value::Table(into)), Value::Table(from)) => merge(into, from),
            (_, value) => drop(into.insert(key, value)),
        }
    }
}

/// Sets a leaf by its dotted key.
fn set(table: &mut Table, key: &str, value: Value) {
    match key.split_once('.') {
        None => drop(table.insert(key.to_owned(), value)),
        Some((first, rest)) => {
            let inner = table.entry(first).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(inner) = inner {
                set(inner, rest, value);
            }
        }
    }
}

/// A value of the environment: TOML where it is some, else a string.
fn read_value(text: &str) -> Value {
    let line = format!("v = {text}");
    let table: Result<Table, _> = toml::from_str(&line);
    let value = table.ok().and_then(|mut table| table.remove("v"));
    value.unwrap_or_else(|| Value::String(text.to_owned()))
}

fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|&byte| byte == b'\n').count() + 1
}

/// The line on which a dotted key is set: alone, in its section, or in a table that is written on one line.
fn line_of_key(text: &str, key: &str) -> Option<usize> {
    let bare = |name: &str| name.replace(['"', '\'', ' '], "");
    let mut section = String::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[').and_then(|line| line.split(']').next()) {
            section = bare(header) + ".";
        }
        let own = line.split_once('=').map(|(name, _)| format!("{section}{}", bare(name)));
        let rest = own.and_then(|own| key.strip_prefix(&own));
        if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.')) {
            return Some(number);
        }
    }
    None
}

/// What serde says, and the nearest of the words that it lists.
fn message(text: &str) -> String {
    let text = text.trim_end();
    let Some((head, list)) = text.split_once(", expected") else { return text.to_owned() };
    let wrong = head.split('`').nth(1).unwrap_or_default();
    let known = list.split('`').skip(1).step_by(2);
    let near = known
        .map(|word| (strsim::jaro_winkler(wrong, word), word))
        .filter(|(near, _)| *near >= NEAR_MIN)
        .max_by(|one, other| one.0.total_cmp(&other.0));
    match near {
        Some((_, word)) => format!("{head}; did you mean `{word}`?"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Layer, Layers};
    use crate::settings::StormMode;

    #[test]
    fn a_wrong_key_names_its_line_and_the_nearest_one() {
        let text = "trust = \"exact\"\n\n[storm]\nmod = \"warn\"\n";
        let error = Layer::file("toolmend.toml", text).unwrap_err();
        assert_eq!(error.place, "toolmend.toml:4");
        assert!(error.message.contains("did you mean `mode`?"), "{error}");
    }

    #[test]
    fn a_wrong_word_names_the_right_ones() {
        let error = Layer::file("t", "trust = \"likly\"").unwrap_err();
        assert!(error.message.contains("`likely`"), "{error}");
    }

    #[test]
    fn later_layers_go_over_earlier_ones_and_are_told() {
        let file = Layer::file("t.toml", "show_values = true\n[storm]\nmode = \"warn\"\n");
        let variables = [("TOOLMEND_STORM__MODE", "off"), ("TOOLMEND_LOG", "x"), ("HOME", "/")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let environment = Layer::environment(variables, |name| name == "LOG");
        let layers = Layers::new().over(file.unwrap()).over(environment.unwrap());
        let settings = layers.settings().unwrap();
        assert_eq!((settings.storm.mode, settings.show_values), (StormMode::Off, true));
        let origin = |key: &str| {
            layers
                .told()
                .into_iter()
                .find(|(name, ..)| name == key)
                .and_then(|(_, _, o)| o.map(str::to_owned))
        };
        assert_eq!(origin("storm.mode").as_deref(), Some("TOOLMEND_STORM__MODE"));
        assert_eq!(origin("show_values").as_deref(), Some("t.toml:1"));
        assert_eq!(origin("ask.max_asks"), None);
    }

    #[test]
    fn a_variable_can_hold_a_table_with_names_that_no_variable_has() {
        let value = "{ Bash = { mutating = true }, 'a.b' = { storm_exempt = true } }";
        let variables = [("TOOLMEND_TOOLS".to_owned(), value.to_owned())];
        let layers = Layers::new().over(Layer::environment(variables, |_| false).unwrap());
        let settings = layers.settings().unwrap();
        assert_eq!(settings.tools["Bash"].mutating, Some(true));
        let told = layers.told();
        let told = told.iter().filter(|told| told.0.starts_with("tools."));
        assert!(
            told.clone().count() == 2 && told.clone().all(|told| told.2 == Some("TOOLMEND_TOOLS"))
        );
    }

    #[test]
    fn each_setting_is_told_with_its_line() {
        let text = "ask.max_reprompts = 2\nask.max_asks = 3\nshow_values = true\n\n\
            [storm]\nmode = \"warn\"\nrepeat.threshold = 4\ncycle = { on = true, window = 8 }\n\n\
            [tools.\"get.mode\"]\nmutating = true\n[tools.mode]\nmutating = false\n";
        let layers = Layers::new().over(Layer::file("t.toml", text).unwrap());
        let told = layers.told();
        let said: Vec<(&str, &str, &str)> = told
            .iter()
            .filter_map(|(key, value, origin)| Some((key.as_str(), value.as_str(), (*origin)?)))
            .collect();
        assert_eq!(
            said,
            [
                ("ask.max_asks", "3", "t.toml:2"),
                ("ask.max_reprompts", "2", "t.toml:1"),
                ("show_values", "true", "t.toml:3"),
                ("storm.cycle.on", "true", "t.toml:8"),
                ("storm.cycle.window", "8", "t.toml:8"),
                ("storm.mode", "\"warn\"", "t.toml:6"),
                ("storm.repeat.threshold", "4", "t.toml:7"),
                ("tools.get.mode.mutating", "true", "t.toml:11"),
                ("tools.mode.mutating", "false", "t.toml:13"),
            ]
        );
    }

    #[test]
    fn a_number_over_its_bound_is_told_with_its_line() {
        let settings =
            |text: &str| Layers::new().over(Layer::file("t.toml", text).unwrap()).settings();
        for (text, place, message) in [
            ("[ask]\nmax_asks = 5\n", "t.toml:2", "ask.max_asks is at most 4"),
            ("\nask.max_reprompts = 6\n", "t.toml:2", "ask.max_reprompts is at most 5"),
        ] {
            let error = settings(text).unwrap_err();
            assert_eq!((error.place.as_str(), error.message.as_str()), (place, message));
        }
        let ask = settings("[ask]\nmax_asks = 4\nmax_reprompts = 5\n").unwrap().ask;
        assert_eq!((ask.max_asks, ask.max_reprompts), (4, 5));
    }

    #[test]
    fn a_variable_is_a_value_of_toml_or_a_string() {
        let of = |name: &str, value: &str| {
            let variables = [(format!("TOOLMEND_{name}"), value.to_owned())];
            let layers = Layers::new().over(Layer::environment(variables, |_| false).unwrap());
            layers.settings().unwrap()
        };
        assert!(of("SHOW_VALUES", "true").show_values);
        assert_eq!(of("ASK__MAX_ASKS", "2").ask.max_asks, 2);
        assert_eq!(of("STORM__REPEAT__THRESHOLD", "7").storm.repeat.threshold, 7);
        assert_eq!(of("STORM__MODE", "\"stop\"").storm.mode, StormMode::Stop);
        assert_eq!(of("STORM__MODE", "stop").storm.mode, StormMode::Stop);
    }

    #[test]
    fn a_word_that_is_like_no_other_is_told_with_all_of_them() {
        let error = Layer::file("t", "zzz = 1").unwrap_err();
        assert!(!error.message.contains("did you mean"), "{error}");
        assert!(error.message.contains("`trust`"), "{error}");
    }

    #[test]
    fn a_variable_that_is_no_setting_is_an_error() {
        let variables = [("TOOLMEND_STORMS__MODE".to_owned(), "off".to_owned())];
        let error = Layer::environment(variables, |_| false).unwrap_err();
        assert_eq!(error.place, "TOOLMEND_STORMS__MODE");
        assert!(error.message.contains("did you mean `storm`?"), "{error}");
    }
}

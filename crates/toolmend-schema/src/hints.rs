//! Hints: what a host knows about its tool and no JSON Schema can say. They stand under
//! `x-toolmend`, or under the spellings of older systems, and never reach the model.

use serde_json::{Map, Value};
use toolmend_json::Trust;

use crate::fold::fold;
use crate::node::Node;

/// The keys under which hints stand. `x-dirge-kind` holds a word only.
pub(crate) const KEYS: [&str; 3] = ["x-toolmend", "dirge-hints", "x-dirge-kind"];

/// The key of a text for the model, beside the hints.
pub(crate) const CONTRACT_KEY: &str = "contract_hint";

/// What the hints of a tool say about it as a whole.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Hints {
    /// Whether a call changes something.
    pub mutating: Option<bool>,
    /// Whether repeated calls are right, as for tools that wait.
    pub storm_exempt: Option<bool>,
    /// What to do with a call that was cut: `continue`, `close` or `refuse`.
    pub truncation: Option<String>,
    /// How far repairs of this tool's arguments may go.
    pub trust: Option<Trust>,
    /// A text for the model, appended to the description.
    pub contract_hint: Option<String>,
    pub(crate) relations: Vec<Relation>,
    pub(crate) aliases: Vec<(String, Vec<String>)>,
}

/// Members that need each other, with what to take where one is missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Relation {
    pub(crate) fields: Vec<String>,
    pub(crate) defaults: Map<String, Value>,
}

impl Hints {
    /// Reads the hints of a tool: beside its name, and at the root of its schema.
    pub(crate) fn read(tool: &Map<String, Value>, schema: Option<&Value>) -> Self {
        let mut hints = Self::default();
        let places = [Some(tool), schema.and_then(Value::as_object)];
        for place in places.into_iter().flatten() {
            let text = place.get(CONTRACT_KEY).and_then(Value::as_str);
            hints.contract_hint = text.map(str::to_owned).or(hints.contract_hint);
            for found in KEYS.iter().filter_map(|key| place.get(*key)?.as_object()) {
                hints.merge(found);
            }
        }
        hints
    }

    fn merge(&mut self, found: &Map<String, Value>) {
        let flag = |key: &str| found.get(key).and_then(Value::as_bool);
        let word = |key: &str| found.get(key).and_then(Value::as_str).map(str::to_owned);
        self.mutating = flag("mutating").or(self.mutating);
        self.storm_exempt = flag("storm_exempt").or(self.storm_exempt);
        self.truncation = word("truncation").or(self.truncation.take());
        self.contract_hint = word(CONTRACT_KEY).or(self.contract_hint.take());
        let named = |name: &str| Trust::ALL.into_iter().find(|trust| trust.as_str() == name);
        self.trust = word("trust").and_then(|name| named(&name)).or(self.trust);
        let relations = found.get("relational").and_then(Value::as_array).into_iter().flatten();
        self.relations.extend(relations.filter_map(Relation::read));
        if let Some(Value::Object(aliases)) = found.get("aliases") {
            let rows =
                aliases.iter().map(|(name, list)| (name.clone(), strings(Some(list)).collect()));
            self.aliases.extend(rows);
        }
    }

    /// The other names of a property.
    pub(crate) fn aliases_of(&self, name: &str) -> impl Iterator<Item = &str> {
        let rows = self.aliases.iter().filter(move |(own, _)| own == name);
        rows.flat_map(|(_, names)| names).map(String::as_str)
    }
}

impl Relation {
    fn read(value: &Value) -> Option<Self> {
        let either = |keys: [&str; 2]| keys.iter().find_map(|key| value.get(*key));
        let fields = strings(either(["requires", "fields"])).collect();
        let defaults = either(["defaults", "default"])?.as_object()?.clone();
        Some(Self { fields, defaults })
    }

    /// Whether some of the members are there and others are not.
    pub(crate) fn is_broken(&self, members: &Map<String, Value>) -> bool {
        let is_there = |field: &&String| members.contains_key(field.as_str());
        let there = self.fields.iter().filter(is_there).count();
        there > 0 && there < self.fields.len()
    }
}

/// Fields of these names hold paths, also where no hint says so.
const PATH_NAMES: &[&str] = &[
    "path",
    "paths",
    "filepath",
    "filepaths",
    "filename",
    "filenames",
    "file",
    "files",
    "dir",
    "dirs",
    "directory",
    "directories",
    "dirpath",
    "folder",
    "folders",
    "cwd",
    "workdir",
    "workingdirectory",
    "absolutepath",
    "relativepath",
    "targetfile",
    "notebookpath",
];

/// What the hints of one subschema say about it.
pub(crate) fn read_into(node: &mut Node, members: &Map<String, Value>) {
    let name = node.pointer.rsplit_once("/properties/").map_or("", |(_, name)| name);
    node.is_path = !name.contains('/') && PATH_NAMES.contains(&fold(name).as_str());
    for key in KEYS {
        match members.get(key) {
            Some(Value::String(kind)) => node.is_path = kind == "path",
            Some(Value::Object(hints)) => {
                if let Some(kind) = hints.get("semantic").and_then(Value::as_str) {
                    node.is_path = is_path_kind(kind);
                }
                node.aliases.extend(strings(hints.get("aliases")));
            }
            _ => {}
        }
    }
}

fn is_path_kind(kind: &str) -> bool {
    let kinds = ["path", "absolutepath", "relativepath", "filepath", "file", "directory"];
    kinds.contains(&fold(kind).as_str())
}

/// The strings of a list.
fn strings(list: Option<&Value>) -> impl Iterator<Item = String> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned))
}

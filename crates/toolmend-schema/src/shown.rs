//! What a model gets to see of a tool, and the way back from what it answers.

use serde_json::{Map, Value};

use crate::flatten::{self, Flatten};
use crate::form::{Form, SCHEMA_KEYS, inner_mut};
use crate::graph::join;
use crate::hints;
use crate::repair::Repair;
use crate::tool::Tool;
use crate::walk::{NAMED_SCHEMAS, SCHEMAS};
use crate::{Rule, Trust};

/// A tool as the model sees it: without hints, perhaps with flat names.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Shown {
    /// The tool, in the form in which the host wrote it.
    pub tool: Value,
    /// Whether it has flat names. Then arguments that come back go through [`Shown::nest`], and
    /// those of past calls through [`Shown::flatten`].
    pub is_flat: bool,
    /// How many leaves the schema has; arrays count as leaves.
    pub leaves: usize,
    /// How deep the schema is; the root is at depth 0.
    pub depth: usize,
    /// Why it has no flat names although it was to have them.
    pub obstacle: Option<&'static str>,
    objects: Vec<Vec<String>>,
}

/// Arguments whose flat names became objects again.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Nested {
    /// The arguments.
    pub arguments: Value,
    /// What was put back where.
    pub repairs: Vec<Repair>,
    /// Names that contradict what stands at their place. With any of these the arguments are as they
    /// came.
    pub conflicts: Vec<String>,
}

impl Tool {
    /// The tool as the model should see it: without hints, with the contract hint in its
    /// description, and with flat names where `flatten` says so.
    #[must_use]
    pub fn shown(&self, flatten: Flatten) -> Shown {
        let mut tool = self.source().clone();
        let schema = Form::of(self.source()).and_then(|form| form.schema);
        let measure = schema.map(flatten::measure).unwrap_or_default();
        let is_wanted = !measure.objects.is_empty()
            && match flatten {
                Flatten::Off => false,
                Flatten::Always => true,
                Flatten::Over { leaves, depth } => measure.leaves > leaves || measure.depth > depth,
            };
        let is_strict = [Some(self.source()), self.source().get("function")]
            .into_iter()
            .flatten()
            .any(|place| place.get("strict") == Some(&Value::Bool(true)));
        let obstacle = match schema {
            Some(_) if is_strict => Some("the tool is strict"),
            Some(schema) => flatten::obstacle(schema, &measure.objects),
            None => None,
        };
        let obstacle = obstacle.filter(|_| is_wanted);
        let is_flat = is_wanted && obstacle.is_none();
        if let Some(inner) = inner_mut(&mut tool) {
            self.dress(inner, is_flat);
        }
        let objects = if is_flat { measure.objects } else { Vec::new() };
        let (leaves, depth) = (measure.leaves, measure.depth);
        Shown { tool, is_flat, leaves, depth, obstacle, objects }
    }

    fn dress(&self, inner: &mut Map<String, Value>, is_flat: bool) {
        let key = SCHEMA_KEYS.into_iter().find(|key| inner.get(*key).is_some_and(|v| !v.is_null()));
        if let Some(schema) = key.and_then(|key| inner.get_mut(key)) {
            if is_flat {
                *schema = flatten::flatten(schema);
            }
            strip(schema);
        }
        strip_own(inner);
        if let Some(hint) = &self.hints().contract_hint {
            let description = match self.description() {
                "" => hint.clone(),
                own => format!("{own}\n\n{hint}"),
            };
            inner.insert("description".to_owned(), description.into());
        }
    }
}

impl Shown {
    /// How large the schema is, in words: `31 leaves, depth 4`.
    #[must_use]
    pub fn size(&self) -> String {
        let leaves = if self.leaves == 1 { "leaf" } else { "leaves" };
        format!("{} {leaves}, depth {}", self.leaves, self.depth)
    }

    /// Makes objects of flat names again, where this tool was shown with them. Nested and flat names
    /// may stand side by side.
    #[must_use]
    pub fn nest(&self, arguments: Value) -> Nested {
        if !self.is_flat {
            return Nested { arguments, repairs: Vec::new(), conflicts: Vec::new() };
        }
        let (arguments, placed, conflicts) = flatten::nest_arguments(&self.objects, arguments);
        let repairs = placed.iter().map(|path| {
            let steps: Vec<&str> = path.iter().map(String::as_str).collect();
            Repair { rule: RENESTED.id, path: join("", &steps), trust: Trust::Exact }
        });
        Nested { repairs: repairs.collect(), arguments, conflicts }
    }

    /// The arguments of a past call as this tool is shown.
    #[must_use]
    pub fn flatten(&self, arguments: Value) -> Value {
        if self.is_flat { flatten::flat_arguments(&self.objects, arguments) } else { arguments }
    }
}

const RENESTED: &Rule = crate::rules::RENESTED;

/// Takes the hints out of a schema and all within it.
fn strip(schema: &mut Value) {
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        match schema {
            Value::Array(schemas) => open.extend(schemas),
            Value::Object(members) => {
                strip_own(members);
                for (keyword, inner) in members.iter_mut() {
                    if SCHEMAS.contains(&keyword.as_str()) {
                        open.push(inner);
                    } else if NAMED_SCHEMAS.contains(&keyword.as_str()) {
                        open.extend(inner.as_object_mut().into_iter().flat_map(Map::values_mut));
                    }
                }
            }
            _ => {}
        }
    }
}

fn strip_own(members: &mut Map<String, Value>) {
    for key in hints::KEYS.into_iter().chain([hints::CONTRACT_KEY]) {
        members.shift_remove(key);
    }
}

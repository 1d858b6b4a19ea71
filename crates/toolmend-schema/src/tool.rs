//! A tool: read once, compiled once, cheap to clone.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value, json};
use toolmend_json::{Expected, Options, Trust, Want};

use crate::effect::Effect;
use crate::form::Form;
use crate::graph::{Graph, join};
use crate::hints::Hints;
use crate::kinds::Kinds;
use crate::md_links::Spot;
use crate::repair::{Repair, Repaired};
use crate::{before, md_links, normal, rules, shape, text, walk};

/// A tool that a model may call, with the schema of its arguments compiled.
#[derive(Clone, Debug)]
pub struct Tool {
    pub(crate) inner: Arc<Inner>,
}

/// What a tool knows about itself.
#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) name: String,
    pub(crate) description: String,
    /// The tool as the host wrote it.
    pub(crate) source: Value,
    pub(crate) graph: Option<Graph>,
    problem: Option<String>,
    pub(crate) keys: BTreeSet<String>,
    pub(crate) properties: Vec<String>,
    pub(crate) required: Vec<String>,
    effect: Effect,
    pub(crate) hints: Hints,
    /// Where paths stand in the arguments.
    pub(crate) path_spots: Vec<Spot>,
    /// What the reader knows before it reads a list or an object in a string.
    options: [OnceLock<Options>; 2],
}

impl Inner {
    /// What the reader should know before it reads a text that should be a list or an object.
    pub(crate) fn options(&self, want: Want) -> &Options {
        let [array, object] = &self.options;
        let slot = if want == Want::Array { array } else { object };
        slot.get_or_init(|| {
            let expected = Expected::root(want).with_keys(self.keys.iter().cloned());
            Options { expected, ..Options::default() }
        })
    }
}

/// Why a value is no tool: a mistake of the host's.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolError {
    /// It has no name.
    NoName,
    /// Its schema is neither an object nor a boolean.
    NoSchema,
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoName => "the tool has no name",
            Self::NoSchema => "the schema of the tool is neither an object nor a boolean",
        })
    }
}

impl std::error::Error for ToolError {}

impl Tool {
    /// Reads a tool as `OpenAI`, Anthropic, MCP or Ollama write it, or as a plain
    /// `{name, description, parameters}`, and compiles its schema.
    ///
    /// A schema that does not compile is the host's mistake: the tool comes back all the same,
    /// accepts everything, and [`Tool::problem`] says why.
    ///
    /// # Errors
    /// The value is no tool at all.
    pub fn read(tool: &Value) -> Result<Self, ToolError> {
        let form = Form::of(tool).ok_or(ToolError::NoName)?;
        let mut schema = form.schema.cloned().unwrap_or_else(|| json!({"type": "object"}));
        if !schema.is_object() && !schema.is_boolean() {
            return Err(ToolError::NoSchema);
        }
        normal::normalise(&mut schema);
        let keys = walk::keys(&schema);
        let hints = Hints::read(form.inner, form.schema);
        let (graph, problem) = match Graph::compile(schema) {
            Ok(graph) => (Some(graph), None),
            Err(reason) => (None, Some(reason)),
        };
        let mutating =
            hints.mutating.map(|is| if is { Effect::Mutating } else { Effect::ReadOnly });
        let effect = mutating
            .or_else(|| Effect::annotated(form.inner))
            .unwrap_or_else(|| Effect::of_name(form.name));
        let (properties, required) = graph.as_ref().map(Graph::root_names).unwrap_or_default();
        let path_spots = graph.as_ref().map(md_links::spots).unwrap_or_default();
        let inner = Inner {
            name: form.name.to_owned(),
            description: form.description.to_owned(),
            source: tool.clone(),
            graph,
            problem,
            keys,
            properties,
            required,
            effect,
            hints,
            path_spots,
            options: Default::default(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The name that a model calls it by.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The host's description.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.inner.description
    }

    /// The tool as the host wrote it.
    #[must_use]
    pub fn source(&self) -> &Value {
        &self.inner.source
    }

    /// Why the schema does not compile, if it does not. Such a tool accepts everything.
    #[must_use]
    pub fn problem(&self) -> Option<&str> {
        self.inner.problem.as_deref()
    }

    /// The names of all properties, at any depth.
    #[must_use]
    pub fn keys(&self) -> &BTreeSet<String> {
        &self.inner.keys
    }

    /// What the JSON reader should know before it reads arguments.
    #[must_use]
    pub fn expected(&self) -> Expected {
        let kinds = self.graph().map_or(Kinds::OBJECT, |graph| graph.all_kinds(Graph::ROOT));
        let want = match kinds {
            Kinds::ARRAY => Want::Array,
            _ if kinds.has(Kinds::OBJECT) => Want::Object,
            _ => Want::Any,
        };
        let expected = Expected::root(want).with_keys(self.inner.keys.iter().cloned());
        expected.with_root_keys(self.inner.properties.iter().cloned())
    }

    /// The properties of the arguments, in the order in which the schema has them.
    #[must_use]
    pub fn properties(&self) -> &[String] {
        &self.inner.properties
    }

    /// The properties that every call must have.
    #[must_use]
    pub fn required(&self) -> &[String] {
        &self.inner.required
    }

    /// The schema of a property of the arguments, behind references, in whichever form the tool is
    /// written. Spellings that no draft knows are those of the drafts here: `INT` is `integer`.
    #[must_use]
    pub fn property(&self, key: &str) -> Option<&Value> {
        let Some(graph) = self.graph() else {
            return Form::of(&self.inner.source)?.schema?.get("properties")?.get(key);
        };
        graph.property(key)
    }

    /// What a property takes, in a few words: `array of string`.
    #[must_use]
    pub fn shape(&self, key: &str) -> Option<String> {
        let graph = self.graph()?;
        let is_known = self.inner.properties.iter().any(|name| name == key);
        is_known.then(|| shape::words(graph, &join("", &[key])))
    }

    /// What a call does to the world: from hints, MCP's annotations, or a table of well-known names.
    #[must_use]
    pub fn effect(&self) -> Effect {
        self.inner.effect
    }

    /// What the hints say about the tool as a whole.
    #[must_use]
    pub fn hints(&self) -> &Hints {
        &self.inner.hints
    }

    /// Whether arguments satisfy the schema and the hints.
    #[must_use]
    pub fn is_valid(&self, arguments: &Value) -> bool {
        self.graph().is_none_or(|graph| graph.validator.is_valid(arguments))
            && !before::is_needed(&self.inner, arguments)
    }

    /// Gives the raw text of one argument the type that the schema wants for this property. What is
    /// a string to the schema, or unknown to it, stays verbatim; what fits no type stays text.
    #[must_use]
    pub fn type_text(&self, key: &str, text: &str) -> Value {
        text::typed(&self.inner, key, text)
    }

    /// Names the arguments of a call such as `f("a", 3, mode="x")`: those without a name take the
    /// properties that are still free, in order. `None` where there are more arguments than names.
    #[must_use]
    pub fn name_positional(
        &self,
        positional: Vec<Value>,
        named: Map<String, Value>,
    ) -> Option<(Value, Vec<Repair>)> {
        rules::name_positional(&self.inner.properties, positional, named)
    }

    /// Validates arguments, and repairs them where they fail, with rules that are trusted this far
    /// or further. Arguments that are right, and those that cannot be repaired as a whole, come back
    /// as they are.
    #[must_use]
    pub fn repair(&self, arguments: Value, allowed: Trust) -> Repaired {
        before::repair(&self.inner, arguments, allowed)
    }

    pub(crate) fn graph(&self) -> Option<&Graph> {
        self.inner.graph.as_ref()
    }
}

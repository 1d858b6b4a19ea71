//! What becomes of the arguments of a call that the server made out.

use serde_json::Value;
use toolmend_dialect::{Arguments, Field, Offered, read_parameters};
use toolmend_json::{Accepted, Cut, Document, Expected, Fault, FaultCode, Limits, Lines, Options};
use toolmend_json::{Policy, Refusal, Shape, Trust, Want, accept};
use toolmend_schema::{Repair, Rule, Tool};

use crate::arguments;
use crate::beside;
use crate::judge::sentence;
use crate::refusal::{No, Reason};
use crate::settings::Truncation;
use crate::spelt;
use crate::turn::Written;
use crate::unescaped;

/// So many calls a turn may have that were glued together in one.
const VALUES_MAX: usize = 64;

/// How arguments came to be what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Untouched,
    Mended,
    /// They were cut, and were closed; lossy where something may be missing.
    Closed {
        is_lossy: bool,
    },
    /// There were none, and the tool needs none.
    Filled,
}

/// What became of the arguments.
#[derive(Debug)]
pub(crate) struct Answer {
    /// One object for each call that comes out.
    pub(crate) values: Result<Vec<Fitted>, Wrong>,
    pub(crate) way: Way,
    /// Each fault, and the index of the value in which it stands.
    pub(crate) faults: Vec<(usize, Fault)>,
}

/// Why arguments cannot be delivered.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) no: No,
    /// What the schema has to say to the model.
    pub(crate) advice: Option<String>,
}

impl From<No> for Wrong {
    fn from(no: No) -> Self {
        Self { no, advice: None }
    }
}

/// Arguments that the tool accepts.
#[derive(Debug)]
pub(crate) struct Fitted {
    /// As they leave.
    pub(crate) text: String,
    pub(crate) value: Value,
    pub(crate) repairs: Vec<Repair>,
    pub(crate) notes: Vec<String>,
}

impl Answer {
    fn plain(values: Result<Vec<String>, No>, way: Way) -> Read {
        Read { values, way, faults: Vec::new(), repairs: Vec::new() }
    }
}

/// Arguments that were read, before the tool was asked.
struct Read {
    values: Result<Vec<String>, No>,
    way: Way,
    faults: Vec<(usize, Fault)>,
    /// What reading changed, by rules of the turn.
    repairs: Vec<Repair>,
}

impl Read {
    /// An empty object beside another one is none of the model's: some servers put it there.
    fn without_empty(mut self) -> Self {
        let Ok(values) = &mut self.values else { return self };
        let is_empty = |value: &String| value == "{}";
        if values.len() < 2 || !values.iter().any(is_empty) || values.iter().all(is_empty) {
            return self;
        }
        let kept: Vec<bool> = values.iter().map(|value| !is_empty(value)).collect();
        values.retain(|value| !is_empty(value));
        let last = values.len().saturating_sub(1);
        for (at, _) in &mut self.faults {
            *at = kept.iter().take(*at).filter(|is_kept| **is_kept).count().min(last);
        }
        self.repairs.push(Repair::new(Rule::EMPTY_OBJECT_DROPPED, "", Trust::Likely));
        self
    }
}

/// Where a call is mended: what is known about its tool and its turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Desk<'a> {
    pub(crate) tool: Option<&'a Tool>,
    /// What the scanner knows of all tools.
    pub(crate) offered: &'a Offered,
    pub(crate) trust: Trust,
    pub(crate) truncation: Truncation,
    /// Whether the finish reason says that the turn was cut.
    pub(crate) is_turn_cut: bool,
}

impl Desk<'_> {
    /// Mends arguments, and makes them fit the tool.
    pub(crate) fn mend(&self, arguments: &Written) -> Answer {
        let read = self.read(arguments);
        let mut way = read.way;
        let mut values = read.values.map_err(Wrong::from).and_then(|values| {
            values.into_iter().map(|text| self.fit(text)).collect::<Result<Vec<_>, _>>()
        });
        if let (Ok(fitted), Some(tool)) = (&mut values, self.tool)
            && fitted.iter().any(spelt::is_needed)
        {
            values = self.respell(arguments, std::mem::take(fitted), tool);
        }
        if let Ok([first, ..]) = values.as_deref_mut() {
            first.repairs.splice(..0, read.repairs);
        }
        let is_repaired = values.iter().flatten().any(|fitted: &Fitted| !fitted.repairs.is_empty());
        if is_repaired && way == Way::Untouched {
            way = Way::Mended;
        }
        Answer { values, way, faults: read.faults }
    }

    /// Makes a value fit the tool; what fits already is not touched.
    fn fit(&self, text: String) -> Result<Fitted, Wrong> {
        let value: Value = serde_json::from_str(&text)
            .map_err(|_| (Reason::Unreadable, "the arguments cannot be read".to_owned()))?;
        let Some(tool) = self.tool else {
            return Ok(Fitted { text, value, repairs: Vec::new(), notes: Vec::new() });
        };
        let is_empty = value.as_object().is_some_and(serde_json::Map::is_empty);
        let repaired = tool.repair(value, self.trust);
        if let Some(mismatch) = repaired.mismatches.first() {
            // Some servers put an empty object where a turn was cut inside of the arguments.
            if is_empty && self.is_turn_cut {
                let message = "the turn was cut, and nothing is left of the arguments".to_owned();
                return Err((Reason::Cut, message).into());
            }
            return Err(Wrong {
                no: (Reason::Mismatch, sentence(mismatch)),
                advice: Some(tool.advise(&repaired.mismatches)),
            });
        }
        if !repaired.arguments.is_object() {
            let message = "the arguments are a list, and the tool takes an object".to_owned();
            return Err(Wrong::from((Reason::NotAnObject, message)));
        }
        let text = if repaired.repairs.is_empty() { text } else { repaired.arguments.to_string() };
        Ok(Fitted {
            text,
            value: repaired.arguments,
            repairs: repaired.repairs,
            notes: repaired.notes,
        })
    }

    /// Reads the text once more, for the rules that made texts of what was none in it.
    #[cold]
    fn respell(
        &self,
        arguments: &Written,
        fitted: Vec<Fitted>,
        tool: &Tool,
    ) -> Result<Vec<Fitted>, Wrong> {
        let (Written::Text(text) | Written::Object(text) | Written::Other(text)) = arguments else {
            return Ok(fitted);
        };
        let document = toolmend_json::read(text, &self.options());
        let respelt = fitted.into_iter().map(|fitted| spelt::respell(fitted, &document, tool));
        respelt.collect::<Result<_, _>>().map_err(Wrong::from)
    }

    fn read(&self, arguments: &Written) -> Read {
        match arguments {
            Written::Missing => self.fill(),
            Written::Object(text) => Answer::plain(Ok(vec![text.clone()]), Way::Untouched),
            Written::Text(text) => self
                .read_tagged(text)
                .or_else(|| self.read_beside_empty(text))
                .unwrap_or_else(|| self.read_text(text)),
            Written::Other(text) if text.starts_with('[') => self.read_text(text),
            Written::Other(_) => {
                let message = "the arguments are neither an object nor a string".to_owned();
                Answer::plain(Err((Reason::NotAnObject, message)), Way::Untouched)
            }
        }
    }

    fn read_text(&self, text: &str) -> Read {
        let mut document = toolmend_json::read(text, &self.options());
        let ending = document.cut().map(Cut::ending).unwrap_or_default();
        let mut verdict = accept(&mut document, self.policy());
        if let Err(Refusal::Untrusted(..)) = verdict
            && let Some(read) = self.read_unescaped(document.text())
        {
            return read;
        }
        let mut half = None;
        if let (Ok(Accepted::Mended) | Err(Refusal::Untrusted(..)), Some(end)) =
            (verdict, self.missing_end(&document))
        {
            verdict = Ok(Accepted::Closed(Trust::Guess));
            let message = || format!("the turn was cut, and here {}", end.clause());
            half = (self.truncation != Truncation::Close).then(message);
        }
        if let Ok(Accepted::Closed(_)) = verdict {
            let lack = || Some(format!("the text was cut {ending}; {}", self.lack(&document)?));
            half = half.or_else(lack);
        }
        let values: Vec<String> = document.values().map(|value| value.to_json()).collect();
        let values = match verdict {
            Err(Refusal::Empty) => return self.fill(),
            Err(Refusal::Shape(Shape::Null)) if values.len() == 1 => return self.fill(),
            Err(Refusal::Shape(Shape::Array)) if self.tool.is_some() && is_in_list(&document) => {
                Ok(values)
            }
            Err(Refusal::Shape(Shape::String)) if self.tool.is_some() && is_fenced(&document) => {
                Ok(values)
            }
            Err(refusal) => Err((reason(&refusal), message(&refusal, &document))),
            Ok(_) if half.is_some() => Err((Reason::Cut, half.unwrap_or_default())),
            Ok(_) if values.len() > VALUES_MAX => {
                Err((Reason::TooManyValues, format!("{} objects in a row", values.len())))
            }
            Ok(Accepted::Untouched) => Ok(vec![document.text().trim().to_owned()]),
            Ok(_) => Ok(values),
        };
        let (way, faults) = (self.way(verdict), placed(&document));
        Read { values, way, faults, repairs: Vec::new() }.without_empty()
    }

    /// Arguments with empty objects beside them, without those.
    fn read_beside_empty(&self, text: &str) -> Option<Read> {
        let rule = Rule::EMPTY_OBJECT_DROPPED;
        // Most texts end with one brace, and have something behind the first.
        let is_likely = text.trim_start().strip_prefix('{')?.trim_start().starts_with('}')
            || text.trim_end().strip_suffix('}')?.trim_end().ends_with('{');
        if !is_likely || self.trust < Trust::Likely {
            return None;
        }
        let text = beside::blanked(text)?;
        let mut read = self.read_text(&text);
        let is_told = read.repairs.iter().any(|repair| repair.rule == rule.id);
        read.repairs.extend((!is_told).then(|| Repair::new(rule, "", Trust::Likely)));
        Some(read)
    }

    /// Arguments that are JSON but for the quotes around a list or an object in it.
    #[cold]
    fn read_unescaped(&self, text: &str) -> Option<Read> {
        let tool = self.tool.filter(|_| self.trust >= Trust::Likely)?;
        let (text, repairs) = unescaped::read(text, tool)?;
        Some(Read { values: Ok(vec![text]), way: Way::Mended, faults: Vec::new(), repairs })
    }

    /// Arguments that are the tagged parameters of the tool.
    fn read_tagged(&self, text: &str) -> Option<Read> {
        let tool = self.tool.filter(|_| text.trim_start().starts_with('<'))?;
        let fields = read_parameters(text, tool.name(), self.offered)?;
        let is_known = |field: &Field| {
            field.key.as_ref().is_some_and(|key| tool.properties().iter().any(|name| name == key))
        };
        if !fields.iter().all(is_known) {
            return None;
        }
        let rule = Rule::TAGGED_ARGUMENTS;
        let object = arguments::object(Arguments::Fields(fields), tool).ok()?;
        let needed = object.trust.max(rule.trust);
        let refuse = |no: No| Some(Answer::plain(Err(no), Way::Untouched));
        if self.is_turn_cut {
            let message = "the turn was cut, and more parameters may have been to come";
            return refuse((Reason::Cut, message.to_owned()));
        }
        if needed > self.trust {
            let message = format!("reading tags as arguments is only {}", needed.as_str());
            return refuse((Reason::Untrusted, message));
        }
        let mut repairs = vec![Repair::new(rule, "", needed)];
        repairs.extend(object.changes.into_iter().filter_map(|change| {
            Some(Repair::new(Rule::find(change.rule)?, change.path, change.trust))
        }));
        let values = Ok(vec![object.value.to_string()]);
        Some(Read { values, way: Way::Mended, faults: Vec::new(), repairs })
    }

    fn options(&self) -> Options {
        let expected = self.tool.map_or_else(|| Expected::root(Want::Object), Tool::expected);
        Options { expected, limits: Limits::default() }
    }

    fn policy(&self) -> Policy {
        let closing = match (self.truncation, self.is_turn_cut) {
            (Truncation::Close, _) => Some(Trust::Guess),
            (_, true) => None,
            (_, false) => Some(self.trust),
        };
        Policy { trust: self.trust, closing, want: Want::Object }
    }

    /// In a turn that was cut, an end that is missing is where it was cut, even where a brace
    /// inside a string makes the text look whole. Members without braces have none to show that they end.
    fn missing_end(&self, document: &Document<'_>) -> Option<FaultCode> {
        let mut codes = document.faults().iter().map(|fault| fault.code);
        let is_end = |code: &FaultCode| {
            matches!(
                code,
                FaultCode::MissingQuote
                    | FaultCode::MissingCloser
                    | FaultCode::WrongCloser
                    | FaultCode::NoBraces
            )
        };
        let end = codes.find(is_end);
        end.filter(|_| self.is_turn_cut)
    }

    /// What a closed call lacks. Nothing at all is never enough: that the text began with a brace
    /// does not mean that the model meant an empty object.
    fn lack(&self, document: &Document<'_>) -> Option<String> {
        let closed = document.values().last()?;
        let missing = self.required().iter().filter(|name| closed.get(name).is_none());
        let missing: Vec<&str> = missing.map(String::as_str).collect();
        if !missing.is_empty() {
            let names = missing.join(", ");
            return Some(format!("closed, it lacks what the tool requires: {names}"));
        }
        let is_bare = closed.members().next().is_none();
        is_bare.then(|| "closed, nothing of it would be left".to_owned())
    }

    fn required(&self) -> &[String] {
        self.tool.map(Tool::required).unwrap_or_default()
    }

    fn way(&self, verdict: Result<Accepted, Refusal>) -> Way {
        match verdict {
            Ok(Accepted::Closed(needed)) => {
                Way::Closed { is_lossy: needed == Trust::Guess || self.is_turn_cut }
            }
            Ok(Accepted::Mended) => Way::Mended,
            _ => Way::Untouched,
        }
    }

    /// No arguments mean an empty object only where the tool is known and requires none.
    fn fill(&self) -> Read {
        let refuse = |reason, message: &str| {
            Answer::plain(Err((reason, message.to_owned())), Way::Untouched)
        };
        match self.tool {
            _ if self.is_turn_cut => {
                refuse(Reason::Cut, "the turn was cut before the arguments came")
            }
            None => refuse(Reason::Empty, "there are no arguments, and the tool is not known"),
            Some(tool) if !tool.required().is_empty() => {
                let names = tool.required().join(", ");
                refuse(Reason::Empty, &format!("there are no arguments; required are: {names}"))
            }
            Some(_) if self.trust < Trust::Likely => refuse(
                Reason::Untrusted,
                "no arguments for a tool that requires none are only likely an empty object",
            ),
            Some(_) => Answer::plain(Ok(vec!["{}".to_owned()]), Way::Filled),
        }
    }
}

/// Whether a text is a list of one object: the schema says whether the object is meant.
fn is_in_list(document: &Document<'_>) -> bool {
    let mut values = document.values();
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    let mut items = value.items();
    let (item, more) = (items.next(), items.next());
    item.is_some_and(|item| item.shape() == Shape::Object) && more.is_none()
}

/// Whether a text is a string that starts with a fence: the rules say whether an object is in it.
fn is_fenced(document: &Document<'_>) -> bool {
    let mut values = document.values();
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    matches!(value.to_value(), Value::String(text) if text.trim_start().starts_with("```"))
}

fn reason(refusal: &Refusal) -> Reason {
    match refusal {
        Refusal::Empty => Reason::Empty,
        Refusal::Unreadable(FaultCode::TooLarge) => Reason::TooLarge,
        Refusal::Unreadable(FaultCode::TooDeep) => Reason::TooDeep,
        Refusal::Unreadable(_) => Reason::Unreadable,
        Refusal::Cut(_) => Reason::Cut,
        Refusal::Untrusted(..) => Reason::Untrusted,
        Refusal::Shape(_) => Reason::NotAnObject,
    }
}

fn message(refusal: &Refusal, document: &Document<'_>) -> String {
    let headline = refusal.headline(document, Want::Object);
    match refusal.place(document) {
        Some(at) => format!("{}: {headline}", Lines::of(document.text()).position(at)),
        None => headline,
    }
}

/// Each fault with the value in which it stands; what stands outside goes with the next one.
fn placed(document: &Document<'_>) -> Vec<(usize, Fault)> {
    let ends: Vec<u32> = document.values().map(|value| value.span().end).collect();
    let last = ends.len().saturating_sub(1);
    let place = |fault: &Fault| ends.partition_point(|&end| end <= fault.span.start).min(last);
    document.faults().iter().map(|fault| (place(fault), *fault)).collect()
}

//! One declared call: what it says, and what becomes of its arguments.

use serde_json::value::RawValue;
use toolmend_json::{Document, Expected, Fault, FaultCode, Limits, Options, Reader, Shape};
use toolmend_json::{Trust, Want};

use super::Settings;
use super::line::Fields;
use super::refusal::Reason;
use super::text;
use crate::advice;
use crate::console::{BOLD, RED};
use crate::explain::Story;
use crate::position::Lines;
use crate::schema_keys::Known;
use crate::verdict::{self, Accepted, Policy, Refusal};

/// So many calls a turn may have that were glued together in one.
const VALUES_MAX: usize = 64;

/// Members of a call that come out in their own place.
const OWN: [&str; 6] = ["id", "name", "arguments", "function", "outcome", "lossy"];

/// A call as the line has it. All parts are as they are spelt.
#[derive(Debug)]
pub(super) struct Declared<'l> {
    pub(super) raw: &'l str,
    pub(super) id: Option<&'l str>,
    /// Spelt, and decoded.
    pub(super) name: Option<(&'l str, String)>,
    pub(super) arguments: Option<&'l str>,
    /// What this does not know.
    pub(super) unknown: Vec<(String, &'l str)>,
}

impl<'l> Declared<'l> {
    /// Reads a call, flat or as `OpenAI` nests it; `None` where it is no object.
    pub(super) fn read(call: &'l RawValue) -> Option<Self> {
        let fields: Fields<'l> = serde_json::from_str(call.get()).ok()?;
        let nested = fields.get("function").map(|function| serde_json::from_str(function.get()));
        let nested: Fields<'l> = nested.and_then(Result::ok).unwrap_or_default();
        let find = |key: &str| fields.get(key).or_else(|| nested.get(key)).map(|value| value.get());
        let name = find("name").and_then(|raw| Some((raw, text::decode(raw)?)));
        let unknown =
            fields.iter().chain(nested.iter().filter(|(key, _)| !fields.contains_key(*key)));
        let unknown = unknown.filter(|(key, _)| !OWN.contains(&key.as_str()));
        Some(Self {
            raw: call.get(),
            id: find("id").filter(|id| !matches!(*id, "null" | "\"\"")),
            name: name.filter(|(_, name)| !name.is_empty()),
            arguments: find("arguments").filter(|arguments| *arguments != "null"),
            unknown: unknown.map(|(key, value)| (key.clone(), value.get())).collect(),
        })
    }
}

/// How arguments came to be what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
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
pub(super) struct Answer {
    /// One object for each call that comes out.
    pub(super) values: Result<Vec<String>, (Reason, String)>,
    pub(super) way: Way,
    /// Each fault, and the index of the value in which it stands.
    pub(super) faults: Vec<(usize, Fault)>,
    /// For a person, where that is wanted.
    pub(super) told: String,
}

impl Answer {
    fn plain(values: Result<Vec<String>, (Reason, String)>, way: Way) -> Self {
        Self { values, way, faults: Vec::new(), told: String::new() }
    }
}

/// Where a call is mended: what is known about its tool and its turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Desk<'a> {
    pub(super) settings: Settings,
    pub(super) known: Option<&'a Known>,
    /// Whether the finish reason says that the turn was cut.
    pub(super) is_turn_cut: bool,
    /// How the call is named to a person.
    pub(super) name: &'a str,
}

impl Desk<'_> {
    /// Mends arguments, given as they are spelt.
    pub(super) fn mend(&self, arguments: Option<&str>) -> Answer {
        let mut answer = self.answer(arguments);
        if let (Err((_, message)), Some(_), "") =
            (&answer.values, self.settings.explain, answer.told.as_str())
        {
            answer.told = format!("{RED}refused:{RED:#} {BOLD}{}{BOLD:#}: {message}\n", self.name);
        }
        answer
    }

    fn answer(&self, arguments: Option<&str>) -> Answer {
        let Some(raw) = arguments else { return self.fill() };
        if raw.starts_with('{') {
            return Answer::plain(Ok(vec![raw.to_owned()]), Way::Untouched);
        }
        if let Some(text) = text::decode(raw) {
            return self.mend_text(&text);
        }
        let message = "the arguments are neither an object nor a string".to_owned();
        Answer::plain(Err((Reason::NotAnObject, message)), Way::Untouched)
    }

    fn mend_text(&self, text: &str) -> Answer {
        let mut document = self.read(text);
        let ending = document.cut().map(advice::ending).unwrap_or_default();
        let mut verdict = verdict::judge(&mut document, self.policy());
        let mut half = None;
        if let (Ok(Accepted::Mended) | Err(Refusal::Untrusted(..)), Some(end)) =
            (verdict, self.missing_end(&document))
        {
            verdict = Ok(Accepted::Closed(Trust::Guess));
            let message = || format!("the turn was cut, and here {}", advice::sentence(end));
            half = (!self.settings.closes_guesses).then(message);
        }
        if let Ok(Accepted::Closed(_)) = verdict {
            let lack = || Some(format!("the text was cut {ending}; {}", self.lack(&document)?));
            half = half.or_else(lack);
        }
        let values: Vec<String> = document.values().map(|value| value.to_json()).collect();
        let values = match verdict {
            Err(Refusal::Empty) => return self.fill(),
            Err(Refusal::Shape(Shape::Null)) if values.len() == 1 => return self.fill(),
            Err(refusal) => Err((reason(&refusal), message(&refusal, &document))),
            Ok(_) if half.is_some() => Err((Reason::Cut, half.unwrap_or_default())),
            Ok(_) if values.len() > VALUES_MAX => {
                Err((Reason::TooManyValues, format!("{} objects in a row", values.len())))
            }
            Ok(Accepted::Untouched) => Ok(vec![document.text().trim().to_owned()]),
            Ok(_) => Ok(values),
        };
        let is_told = values.is_ok() || verdict.is_err();
        let told = if is_told { self.tell(&document, verdict) } else { String::new() };
        Answer { values, way: self.way(verdict), faults: placed(&document), told }
    }

    fn read<'t>(&self, text: &'t str) -> Document<'t> {
        let expected = self
            .known
            .map_or_else(|| Expected::root(Want::Object), |known| known.expected(Want::Object));
        let options = Options { expected, limits: Limits::default() };
        let Some(size) = self.settings.chunk else { return toolmend_json::read(text, &options) };
        let mut reader = Reader::new(options);
        text.as_bytes().chunks(size.get()).for_each(|chunk| reader.push(chunk));
        reader.finish()
    }

    fn policy(&self) -> Policy {
        let trust = self.settings.trust;
        let closing = match (self.settings.closes_guesses, self.is_turn_cut) {
            (true, _) => Some(Trust::Guess),
            (false, true) => None,
            (false, false) => Some(trust),
        };
        Policy { trust, closing, want: Want::Object }
    }

    /// In a turn that was cut, an end that is missing is where it was cut, even where a brace
    /// inside a string makes the text look whole.
    fn missing_end(&self, document: &Document<'_>) -> Option<FaultCode> {
        let mut codes = document.faults().iter().map(|fault| fault.code);
        let is_end = |code: &FaultCode| {
            matches!(
                code,
                FaultCode::MissingQuote | FaultCode::MissingCloser | FaultCode::WrongCloser
            )
        };
        let end = codes.find(is_end);
        end.filter(|_| self.is_turn_cut)
    }

    /// What a closed call lacks. Nothing at all is never enough: that the text began with a brace
    /// does not mean that the model meant an empty object.
    fn lack(&self, document: &Document<'_>) -> Option<String> {
        let closed = document.values().last()?;
        let required = self.known.map(|known| known.required.as_slice()).unwrap_or_default();
        let missing = required.iter().filter(|name| closed.get(name).is_none());
        let missing: Vec<&str> = missing.map(String::as_str).collect();
        if !missing.is_empty() {
            let names = missing.join(", ");
            return Some(format!("closed, it lacks what the tool requires: {names}"));
        }
        let is_bare = closed.members().next().is_none();
        is_bare.then(|| "closed, nothing of it would be left".to_owned())
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
    fn fill(&self) -> Answer {
        let refuse = |reason, message: &str| {
            Answer::plain(Err((reason, message.to_owned())), Way::Untouched)
        };
        match self.known {
            _ if self.is_turn_cut => {
                refuse(Reason::Cut, "the turn was cut before the arguments came")
            }
            None => refuse(Reason::Empty, "there are no arguments, and the tool is not known"),
            Some(known) if !known.required.is_empty() => {
                let names = known.required.join(", ");
                refuse(Reason::Empty, &format!("there are no arguments; required are: {names}"))
            }
            Some(_) if self.settings.trust < Trust::Likely => refuse(
                Reason::Untrusted,
                "no arguments for a tool that requires none are only likely an empty object",
            ),
            Some(_) => Answer::plain(Ok(vec!["{}".to_owned()]), Way::Filled),
        }
    }

    fn tell(&self, document: &Document<'_>, verdict: Result<Accepted, Refusal>) -> String {
        match (self.settings.explain, verdict) {
            (None, _) | (_, Ok(Accepted::Untouched)) => String::new(),
            (Some((how, width)), _) => {
                Story { name: self.name, document, verdict, want: Want::Object }.page(how, width)
            }
        }
    }
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
    let headline = advice::headline(refusal, document, Want::Object);
    match advice::place_of(refusal, document) {
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

//! Valid JSON straight into values, where it is written as most of it is.
//!
//! It decides nothing that the machine decides: where it stops, the machine reads the same text from
//! the start. The ends of its tokens are found, and its numbers and escapes are read, by the same
//! functions.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::value::number;
use crate::{escape, scan};

/// Values that are nested deeper are left to the machine.
const DEPTH_MAX: usize = 8;

/// Objects of more members are built as they are read.
const FEW_MEMBERS: usize = 8;

/// Reads valid JSON token by token, without a tree. What it does not take it says nothing of.
#[derive(Debug)]
pub struct Plain<'t> {
    text: &'t str,
    at: usize,
    is_wrong: bool,
}

impl<'t> Plain<'t> {
    /// Reads from this place of a text on.
    #[must_use]
    pub fn new(text: &'t str, at: usize) -> Self {
        Self { text, at, is_wrong: false }
    }

    /// How far it was read.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Whether reading stopped at something that is not valid JSON.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        self.is_wrong
    }

    /// Passes this mark of structure; whether it stands here.
    #[inline]
    pub fn takes(&mut self, mark: u8) -> bool {
        let is_there = self.peek() == Some(mark);
        self.at += usize::from(is_there);
        is_there
    }

    /// Passes the mark that must stand here.
    #[inline]
    pub fn must_take(&mut self, mark: u8) -> Option<()> {
        if self.takes(mark) { Some(()) } else { self.wrong() }
    }

    /// Passes the name of a member and its colon. One with escapes is left to others.
    #[inline]
    pub fn key(&mut self) -> Option<&'t str> {
        self.must_take(b'"')?;
        let end = scan::find_special(self.text.as_bytes(), self.at, b'"');
        let key = self.text.get(self.at..end).filter(|_| self.byte(end) == Some(b'"'))?;
        self.at = end + 1;
        self.must_take(b':')?;
        Some(key)
    }

    /// Passes a string.
    #[inline]
    pub fn string(&mut self) -> Option<Cow<'t, str>> {
        match self.leaf()? {
            Leaf::Text(text) => Some(Cow::Borrowed(text)),
            Leaf::Escaped(body) => Some(Cow::Owned(escape::decode(body))),
            _ => None,
        }
    }

    /// Passes an object. Where it is short and flat nothing is made of it yet, so that it costs little if
    /// something behind it is wrong.
    #[inline]
    pub fn object(&mut self, object: &mut Object<'t>) -> Option<()> {
        let start = self.at;
        if self.flat(object).is_none() {
            if self.is_wrong {
                return None;
            }
            self.at = start;
            object.built = Some(self.value().filter(Value::is_object)?);
        }
        Some(())
    }

    #[inline]
    fn flat(&mut self, object: &mut Object<'t>) -> Option<()> {
        self.must_take(b'{')?;
        if self.takes(b'}') {
            return Some(());
        }
        loop {
            let name = self.key()?;
            if matches!(self.peek(), Some(b'{' | b'[')) {
                return None;
            }
            *object.members.get_mut(object.count)? = (name, self.leaf()?);
            object.count += 1;
            if !self.takes(b',') {
                return self.must_take(b'}');
            }
        }
    }

    /// Passes a value, and builds it.
    fn value(&mut self) -> Option<Value> {
        let mut outer: Vec<Open> = Vec::new();
        let mut top = match self.start()? {
            Start::Whole(value) => return Some(value),
            Start::Open(open) => open,
        };
        loop {
            let mut child = match self.start()? {
                Start::Whole(value) => value,
                Start::Open(_) if outer.len() >= DEPTH_MAX => return None,
                Start::Open(inner) => {
                    outer.push(std::mem::replace(&mut top, inner));
                    continue;
                }
            };
            loop {
                top.take(child)?;
                if self.takes(b',') {
                    top.go_on(self)?;
                    break;
                }
                self.must_take(top.closer())?;
                child = top.into_value();
                let Some(parent) = outer.pop() else { return Some(child) };
                top = parent;
            }
        }
    }

    /// Passes a value that holds no others, or the opening of one that does.
    fn start(&mut self) -> Option<Start> {
        let empty = match self.peek() {
            Some(b'{') => {
                self.at += 1;
                if !self.takes(b'}') {
                    let name = self.key()?.to_owned();
                    return Some(Start::Open(Open::Object(Map::new(), name)));
                }
                Value::Object(Map::new())
            }
            Some(b'[') => {
                self.at += 1;
                if !self.takes(b']') {
                    return Some(Start::Open(Open::Array(Vec::new())));
                }
                Value::Array(Vec::new())
            }
            _ => self.leaf()?.value()?,
        };
        Some(Start::Whole(empty))
    }

    /// Passes a value that holds no others.
    #[inline]
    fn leaf(&mut self) -> Option<Leaf<'t>> {
        match self.peek() {
            Some(b'"') => {
                let start = self.at + 1;
                let end = scan::find_special(self.text.as_bytes(), start, b'"');
                if self.byte(end) != Some(b'"') {
                    return self.escaped(start, end).map(Leaf::Escaped);
                }
                self.at = end + 1;
                self.text.get(start..end).map(Leaf::Text)
            }
            Some(b't') => self.literal("true", Leaf::Bool(true)),
            Some(b'f') => self.literal("false", Leaf::Bool(false)),
            Some(b'n') => self.literal("null", Leaf::Null),
            _ => {
                let Some(end) = scan::number_end(self.text.as_bytes(), self.at) else {
                    return self.wrong();
                };
                let digits = self.text.get(self.at..end)?;
                self.at = end;
                Some(Leaf::Number(digits))
            }
        }
    }

    /// The body of a string that has something else at this place than a quote.
    #[inline(never)]
    fn escaped(&mut self, start: usize, special: usize) -> Option<&'t str> {
        let bytes = self.text.as_bytes();
        let mut end = special;
        while self.byte(end) == Some(b'\\') {
            let Some(width) = bytes.get(end..).and_then(escape::valid_width) else {
                return self.wrong();
            };
            end = scan::find_special(bytes, end + width, b'"');
        }
        if self.byte(end) != Some(b'"') {
            return self.wrong();
        }
        self.at = end + 1;
        self.text.get(start..end)
    }

    fn literal(&mut self, word: &str, leaf: Leaf<'t>) -> Option<Leaf<'t>> {
        if !self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            return self.wrong();
        }
        self.at += word.len();
        Some(leaf)
    }

    /// The next byte that is no white space.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.byte(self.at) {
            self.at += 1;
        }
        self.byte(self.at)
    }

    #[inline]
    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn wrong<T>(&mut self) -> Option<T> {
        self.is_wrong = true;
        None
    }
}

/// A value that holds no others, as it stands in the text.
#[derive(Clone, Copy, Debug, Default)]
enum Leaf<'t> {
    #[default]
    Null,
    Bool(bool),
    Number(&'t str),
    Text(&'t str),
    Escaped(&'t str),
}

impl Leaf<'_> {
    #[inline]
    fn value(self) -> Option<Value> {
        Some(match self {
            Self::Null => Value::Null,
            Self::Bool(bool) => Value::Bool(bool),
            Self::Number(digits) => Value::Number(number(digits)?),
            Self::Text(text) => Value::String(text.to_owned()),
            Self::Escaped(body) => Value::String(escape::decode(body)),
        })
    }
}

/// An object that was passed.
#[derive(Debug, Default)]
pub struct Object<'t> {
    members: [(&'t str, Leaf<'t>); FEW_MEMBERS],
    count: usize,
    /// One that is long or nested.
    built: Option<Value>,
}

impl Object<'_> {
    /// The object as `serde_json` holds it; none where a name comes twice.
    #[must_use]
    pub fn take_value(&mut self) -> Option<Value> {
        if self.built.is_some() {
            return self.built.take();
        }
        let members = self.members.get(..self.count)?;
        let mut object = Map::with_capacity(members.len());
        for (name, leaf) in members {
            if object.insert((*name).to_owned(), leaf.value()?).is_some() {
                return None;
            }
        }
        Some(Value::Object(object))
    }
}

/// What a value begins with.
enum Start {
    Whole(Value),
    Open(Open),
}

/// A list or an object that is being built, and the name of the member that comes next.
enum Open {
    Array(Vec<Value>),
    Object(Map<String, Value>, String),
}

impl Open {
    fn closer(&self) -> u8 {
        match self {
            Self::Array(_) => b']',
            Self::Object(..) => b'}',
        }
    }

    /// Takes a child, unless its name came before.
    fn take(&mut self, child: Value) -> Option<()> {
        match self {
            Self::Array(items) => {
                items.push(child);
                Some(())
            }
            Self::Object(members, name) => {
                members.insert(std::mem::take(name), child).is_none().then_some(())
            }
        }
    }

    /// Goes on behind a comma.
    fn go_on(&mut self, plain: &mut Plain<'_>) -> Option<()> {
        if let Self::Object(_, name) = self {
            plain.key()?.clone_into(name);
        }
        Some(())
    }

    fn into_value(self) -> Value {
        match self {
            Self::Array(items) => Value::Array(items),
            Self::Object(members, _) => Value::Object(members),
        }
    }
}

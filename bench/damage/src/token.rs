//! A value written as tokens, so that damage happens at tokens and never inside a string by
//! accident.

use serde_json::{Map, Value};

use crate::quoting;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    OpenObject,
    OpenArray,
    CloseObject,
    CloseArray,
    Key,
    String,
    Number,
    Literal,
    Colon,
    Comma,
    Space,
    /// Text that damage put there.
    Raw,
}

/// One token with its text as it will be written.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    pub text: String,
    /// The characters of a key or string.
    pub plain: String,
    /// How many containers are open around it. A container's own braces count it.
    pub depth: usize,
    pub in_array: bool,
}

impl Token {
    pub(crate) fn raw(text: impl Into<String>) -> Self {
        Self { kind: Kind::Raw, text: text.into(), plain: String::new(), depth: 0, in_array: false }
    }

    pub(crate) fn is_opener(&self) -> bool {
        matches!(self.kind, Kind::OpenObject | Kind::OpenArray)
    }

    pub(crate) fn is_closer(&self) -> bool {
        matches!(self.kind, Kind::CloseObject | Kind::CloseArray)
    }

    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self.kind, Kind::String | Kind::Number | Kind::Literal)
    }

    /// Whether a value ends with this token.
    pub(crate) fn ends_value(&self) -> bool {
        self.is_scalar() || self.is_closer()
    }

    pub(crate) fn is_line_break(&self) -> bool {
        self.kind == Kind::Space && self.text.contains('\n')
    }
}

/// How much white space stands between tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// None.
    Compact,
    /// One space after each comma and colon.
    Spaced,
    /// A line per member, indented with this.
    Pretty(&'static str),
}

/// Which characters of a string are escaped beyond need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escapes {
    /// None.
    Needed,
    /// All that are not ASCII, as Python's `json` does.
    NonAscii,
}

/// Writes a value as tokens.
pub(crate) fn lay_out(value: &Value, layout: Layout, escapes: Escapes) -> Vec<Token> {
    let mut writer = Writer { layout, escapes, tokens: Vec::new(), depth: 0, around: Vec::new() };
    writer.value(value);
    writer.tokens
}

struct Writer {
    layout: Layout,
    escapes: Escapes,
    tokens: Vec<Token>,
    depth: usize,
    /// Whether each container around is an array, outermost first.
    around: Vec<bool>,
}

impl Writer {
    fn add(&mut self, kind: Kind, text: impl Into<String>) {
        let (depth, in_array) = (self.depth, self.around.last() == Some(&true));
        self.tokens.push(Token { kind, text: text.into(), plain: String::new(), depth, in_array });
    }

    fn quoted(&mut self, kind: Kind, plain: &str) {
        let text = match self.escapes {
            Escapes::Needed => quoting::json(plain),
            Escapes::NonAscii => quoting::ascii(plain),
        };
        self.add(kind, text);
        if let Some(token) = self.tokens.last_mut() {
            plain.clone_into(&mut token.plain);
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.add(Kind::Literal, "null"),
            Value::Bool(flag) => self.add(Kind::Literal, if *flag { "true" } else { "false" }),
            Value::Number(number) => self.add(Kind::Number, number.to_string()),
            Value::String(plain) => self.quoted(Kind::String, plain),
            Value::Array(items) => self.array(items),
            Value::Object(members) => self.object(members),
        }
    }

    fn array(&mut self, items: &[Value]) {
        self.open(Kind::OpenArray, "[");
        // Models put short lists on one line even in pretty text.
        let is_short =
            items.len() < 6 && items.iter().all(|item| !item.is_array() && !item.is_object());
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.add(Kind::Comma, ",");
            }
            if is_short {
                self.inline_space(index > 0);
            } else {
                self.space(index > 0);
            }
            self.value(item);
        }
        let is_broken = !items.is_empty() && !is_short;
        self.close(Kind::CloseArray, "]", is_broken);
    }

    fn object(&mut self, members: &Map<String, Value>) {
        self.open(Kind::OpenObject, "{");
        for (index, (key, value)) in members.iter().enumerate() {
            if index > 0 {
                self.add(Kind::Comma, ",");
            }
            self.space(index > 0);
            self.quoted(Kind::Key, key);
            self.add(Kind::Colon, ":");
            self.inline_space(true);
            self.value(value);
        }
        self.close(Kind::CloseObject, "}", !members.is_empty());
    }

    fn open(&mut self, kind: Kind, text: &str) {
        self.depth += 1;
        self.add(kind, text);
        self.around.push(kind == Kind::OpenArray);
    }

    fn close(&mut self, kind: Kind, text: &str, is_broken: bool) {
        self.depth -= 1;
        if is_broken && matches!(self.layout, Layout::Pretty(_)) {
            self.space(false);
        }
        self.depth += 1;
        self.around.pop();
        self.add(kind, text);
        self.depth -= 1;
    }

    fn space(&mut self, is_after_comma: bool) {
        match self.layout {
            Layout::Compact => {}
            Layout::Spaced => self.inline_space(is_after_comma),
            Layout::Pretty(indent) => {
                self.add(Kind::Space, format!("\n{}", indent.repeat(self.depth)));
            }
        }
    }

    fn inline_space(&mut self, is_after_sign: bool) {
        if is_after_sign && self.layout != Layout::Compact {
            self.add(Kind::Space, " ");
        }
    }
}

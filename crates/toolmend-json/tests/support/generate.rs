//! Texts that nobody wrote: values in every spelling, token soup, and valid text with damage.

use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop_oneof};
use proptest::sample::{Index, select};
use serde_json::{Map, Value};

/// Characters that make readers stumble, and some that do not.
const CHARACTERS: &[char] = &[
    'a',
    'b',
    'Z',
    '0',
    '9',
    ' ',
    ' ',
    '"',
    '\'',
    '`',
    '\\',
    '/',
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '.',
    '#',
    '<',
    '>',
    '=',
    '\n',
    '\r',
    '\t',
    '\u{0}',
    '\u{1f}',
    '\u{7f}',
    '\u{a0}',
    'é',
    'à',
    '“',
    '”',
    '漢',
    '\u{2028}',
    '\u{feff}',
    '\u{fffd}',
    '🙂',
    '\u{10ffff}',
];

const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "7",
    "-12",
    "1.10",
    "0.5",
    "-1.25e-7",
    "1E+5",
    "1e400",
    "12345678901234567890",
    "3.14159265358979323846264338327950288",
];

/// What broken text is made of.
const SCRAPS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ":",
    ",",
    ";",
    "=",
    "=>",
    "\"",
    "'",
    "`",
    "```",
    "\"\"\"",
    "\\",
    "\\\"",
    "\\n",
    "\\u12",
    "\n",
    "\t",
    " ",
    "\u{a0}",
    "\u{feff}",
    "“",
    "”",
    "a",
    "path",
    "it's",
    "\"a\"",
    "\"path\"",
    "'b'",
    "\"x\\\"y\"",
    "1",
    "-1.5e3",
    "0x1F",
    "1,000",
    "1_000",
    ".5",
    "007",
    "true",
    "null",
    "True",
    "None",
    "undefined",
    "NaN",
    "...",
    "//",
    "/*",
    "*/",
    "#",
    "<think>",
    "</think>",
    "<x>",
    "+",
    "*",
    "漢",
    "🙂",
    "```json\n",
];

/// What JSON is made of; a short run of these is often valid.
const TOKENS: &[&str] = &["{", "}", "[", "]", ":", ",", "\"a\"", "\"b\"", "1", "null", " ", "\n"];

/// Any value, not very deep.
pub(crate) fn values() -> impl Strategy<Value = Value> {
    leaves().prop_recursive(4, 40, 6, |inner| prop_oneof![arrays(inner.clone()), objects(inner)])
}

/// Any list or object.
pub(crate) fn containers() -> impl Strategy<Value = Value> {
    prop_oneof![arrays(values()), objects(values())]
}

fn leaves() -> BoxedStrategy<Value> {
    let numbers = prop_oneof![
        select(NUMBERS).prop_map(str::to_owned),
        any::<i64>().prop_map(|number| number.to_string()),
    ];
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        numbers.prop_map(|digits| serde_json::from_str(&digits).unwrap_or_default()),
        strings().prop_map(Value::String),
    ]
    .boxed()
}

fn strings() -> impl Strategy<Value = String> {
    vec(select(CHARACTERS), 0..12).prop_map(String::from_iter)
}

fn arrays(items: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    vec(items, 0..6).prop_map(Value::Array)
}

fn objects(values: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    vec((strings(), values), 0..6).prop_map(|members| Value::Object(Map::from_iter(members)))
}

/// A value with one of the many valid texts for it.
pub(crate) fn spelt(
    values: impl Strategy<Value = Value>,
) -> impl Strategy<Value = (Value, String)> {
    (values, any::<u64>()).prop_map(|(value, seed)| {
        let mut pen = Pen { out: String::new(), dice: seed | 1 };
        pen.value(&value);
        pen.space();
        (value, pen.out)
    })
}

/// Tokens of JSON in any order.
pub(crate) fn token_soup() -> impl Strategy<Value = String> {
    vec(select(TOKENS), 0..10).prop_map(|tokens| tokens.concat())
}

/// Scraps of what models write, in any order.
pub(crate) fn scrap_soup() -> impl Strategy<Value = String> {
    vec(select(SCRAPS), 0..24).prop_map(|scraps| scraps.concat())
}

/// A valid text with one to three places torn out, pasted over or doubled.
pub(crate) fn damaged() -> impl Strategy<Value = String> {
    let edits = vec((any::<Index>(), 0..4_usize, select(SCRAPS)), 1..4);
    (spelt(containers()), edits).prop_map(|((_, mut text), edits)| {
        for (index, length, scrap) in edits {
            let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let Some(at) = (!starts.is_empty()).then(|| index.index(starts.len())) else { break };
            let start = starts.get(at).copied().unwrap_or(text.len());
            let end = starts.get(at + length).copied().unwrap_or(text.len());
            text.replace_range(start..end, if length == 3 { "" } else { scrap });
        }
        text
    })
}

/// Writes a value with random white space and escapes.
struct Pen {
    out: String,
    dice: u64,
}

impl Pen {
    /// A number below `sides`; xorshift is random enough to choose a spelling.
    fn roll(&mut self, sides: u64) -> u64 {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        self.dice % sides
    }

    fn space(&mut self) {
        for _ in 0..self.roll(6).saturating_sub(3) {
            let space = match self.roll(4) {
                0 => '\n',
                1 => '\t',
                2 => '\r',
                _ => ' ',
            };
            self.out.push(space);
        }
    }

    fn value(&mut self, value: &Value) {
        self.space();
        match value {
            Value::String(text) => self.string(text),
            Value::Array(items) => {
                self.out.push('[');
                for (index, item) in items.iter().enumerate() {
                    self.separate(index);
                    self.value(item);
                }
                self.space();
                self.out.push(']');
            }
            Value::Object(members) => {
                self.out.push('{');
                for (index, (key, value)) in members.iter().enumerate() {
                    self.separate(index);
                    self.space();
                    self.string(key);
                    self.space();
                    self.out.push(':');
                    self.value(value);
                }
                self.space();
                self.out.push('}');
            }
            scalar => self.out += &scalar.to_string(),
        }
    }

    fn separate(&mut self, index: usize) {
        if index > 0 {
            self.space();
            self.out.push(',');
        }
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        for character in text.chars() {
            let must_escape = character < ' ' || matches!(character, '"' | '\\');
            if must_escape || self.roll(5) == 0 {
                self.escape(character);
            } else {
                self.out.push(character);
            }
        }
        self.out.push('"');
    }

    fn escape(&mut self, character: char) {
        let short = match character {
            '"' | '\\' | '/' => Some(character),
            '\n' => Some('n'),
            '\r' => Some('r'),
            '\t' => Some('t'),
            _ => None,
        };
        match short {
            Some(short) if self.roll(2) == 0 => self.out.extend(['\\', short]),
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    let hex = format!("{unit:04x}");
                    let hex = if self.roll(2) == 0 { hex.to_uppercase() } else { hex };
                    self.out += "\\u";
                    self.out += &hex;
                }
            }
        }
    }
}

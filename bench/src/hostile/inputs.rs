//! Texts that nobody means, and that some reader chokes on.

/// A hostile text: something once, then a piece again and again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    pub name: &'static str,
    start: &'static str,
    piece: &'static str,
}

const fn input(name: &'static str, start: &'static str, piece: &'static str) -> Input {
    Input { name, start, piece }
}

pub(super) const INPUTS: &[Input] = &[
    input("open brackets", "", "["),
    input("open braces", "", "{"),
    input("open members", "", "{\"a\":"),
    input("open lists of objects", "", "[{\"a\":"),
    input("open parentheses", "", "("),
    input("closers", "", "}]"),
    input("braces", "", "{}"),
    input("braces in words", "", "see {name} and "),
    input("brackets in words", "", "[1] is x, "),
    input("double quotes", "", "\""),
    input("quotes in an object", "{", "\""),
    input("quotes in a string", "{\"a\": \"", "\" "),
    input("single quotes", "", "'"),
    input("smart quotes", "", "“"),
    input("triple quotes", "", "\"\"\" "),
    input("backslashes", "", "\\"),
    input("backslashes in a string", "{\"a\": \"", "\\"),
    input("escaped quotes", "", "\\\""),
    input("half escapes", "{\"a\": \"", "\\u00"),
    input("lone surrogates", "{\"a\": \"", "\\ud83d"),
    input("colons", "", ":"),
    input("colons in an object", "{\"a\"", ":"),
    input("commas", "", ","),
    input("commas in an object", "{", ","),
    input("backticks", "", "`"),
    input("fences", "", "```\n"),
    input("fences with a language", "", "```json\n{"),
    input("keys only", "{", "\"key\" "),
    input("keys and colons only", "{", "\"key\": "),
    input("keys and commas only", "{", "\"key\", "),
    input("bare keys", "{", "key: "),
    input("bare words", "{\"a\": ", "word "),
    input("prose", "", "The quick brown fox, it isn't here: \"no\". "),
    input("spaces after a quote", "{\"a\": \"b\"", " "),
    input("spaces after stray quotes", "{\"a\": \"b", "\"          "),
    input("ends that are none", "{\"a\": \"b", "\", c "),
    input("near members", "{\"a\": \"b", "\", \"c\" d "),
    input("spaces", "", " "),
    input("line breaks", "", "\n"),
    input("odd spaces", "", "\u{a0}"),
    input("byte order marks", "", "\u{feff}"),
    input("zero bytes", "", "\0"),
    input("line comments", "{", "// x\n"),
    input("comment openers", "{", "/* "),
    input("slashes", "", "/"),
    input("hashes", "", "#"),
    input("digits", "{\"a\": ", "1"),
    input("minus signs", "{\"a\": ", "-"),
    input("thousands", "{\"a\": 1", ",000"),
    input("numbers", "[", "1 "),
    input("ellipses", "[", "..., "),
    input("plus signs", "{\"a\": \"b\"", " + \"c\""),
    input("literals", "[", "null "),
    input("think openers", "", "<think>"),
    input("tags", "", "<tool_call>{"),
    input("calls", "", "f("),
    input("small objects", "", "{\"a\": \"b\"}"),
    input("small objects that differ", "", "{\"a\": 1}{\"a\": 2}"),
    input("same key", "{", "\"a\": 1, "),
    input("encoded twice", "\"", "{\\\"a\\\": "),
    input("letters", "", "a"),
    input("arrows", "{\"a\" ", "=>"),
    input("no closers", "{", "\"a\": [1, "),
];

impl Input {
    /// The text, of about this many bytes.
    pub(super) fn text(&self, bytes: usize) -> String {
        let count = bytes.saturating_sub(self.start.len()) / self.piece.len().max(1);
        format!("{}{}", self.start, self.piece.repeat(count))
    }
}

//! The ways in which models break JSON: one row each.
#![expect(clippy::unnecessary_wraps, reason = "the rows of one table have one type of function")]

mod calls;
mod closers;
mod commas;
mod comments;
mod cuts;
mod encodings;
mod fences;
mod literals;
mod marked;
mod numbers;
mod prose;
mod quotes;
mod several;
mod signs;
mod strings;
mod valid;

use crate::draft::Draft;

/// One way to break a payload.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// Its name, as tables show it.
    pub name: &'static str,
    /// What it belongs to.
    pub group: Group,
    /// Whether the text still holds all that was meant.
    pub keeps_information: bool,
    /// Whether `serde_json` reads the text, and what it reads.
    pub strict: Strict,
    pub(crate) damage: Damage,
}

/// Breaks a draft, or finds that it has nothing to break in this way.
pub(crate) type Damage = fn(&mut Draft) -> Option<()>;

/// What a strict reader makes of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strict {
    /// It reads the original value.
    Reads,
    /// It refuses.
    Refuses,
    /// It reads a string that holds the value.
    ReadsString,
}

/// Classes that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// Nothing is wrong.
    Valid,
    /// Markdown fences.
    Fences,
    /// Text around the value.
    Prose,
    /// Commas.
    Commas,
    /// Quotes of keys and strings.
    Quotes,
    /// Literals of other languages.
    Literals,
    /// Comments.
    Comments,
    /// Signs between keys and values.
    Signs,
    /// Braces and brackets.
    Closers,
    /// What stands inside strings.
    Strings,
    /// Forms of numbers.
    Numbers,
    /// Escaped or encoded as a whole.
    Encodings,
    /// Source code around the value.
    Calls,
    /// Several values, or several faults.
    Several,
    /// The text ends early.
    Cuts,
}

const fn keeps(name: &'static str, group: Group, damage: Damage) -> Class {
    Class { name, group, keeps_information: true, strict: Strict::Refuses, damage }
}

const fn loses(name: &'static str, group: Group, damage: Damage) -> Class {
    Class { name, group, keeps_information: false, strict: Strict::Refuses, damage }
}

const fn read(name: &'static str, strict: Strict, group: Group, damage: Damage) -> Class {
    Class { name, group, keeps_information: true, strict, damage }
}

/// Every class.
#[must_use]
pub const fn classes() -> &'static [Class] {
    CLASSES
}

/// The class of this name.
#[must_use]
pub fn class(name: &str) -> Option<&'static Class> {
    CLASSES.iter().find(|class| class.name == name)
}

const CLASSES: &[Class] = &[
    read("valid-compact", Strict::Reads, Group::Valid, valid::compact),
    read("valid-pretty", Strict::Reads, Group::Valid, valid::pretty),
    read("valid-escaped", Strict::Reads, Group::Valid, valid::escaped),
    keeps("fence", Group::Fences, fences::plain),
    keeps("fence-unclosed", Group::Fences, fences::unclosed),
    keeps("fence-no-language", Group::Fences, fences::no_language),
    keeps("fence-with-prose", Group::Fences, fences::with_prose),
    keeps("prose-around", Group::Prose, prose::around),
    keeps("prose-with-braces", Group::Prose, prose::with_braces),
    keeps("think-block", Group::Prose, prose::think_block),
    keeps("tool-call-tag", Group::Prose, prose::tool_call_tag),
    keeps("comma-trailing", Group::Commas, commas::trailing),
    keeps("comma-doubled", Group::Commas, commas::doubled),
    keeps("comma-leading", Group::Commas, commas::leading),
    keeps("comma-missing-newline", Group::Commas, commas::missing_at_newline),
    keeps("comma-missing-space", Group::Commas, commas::missing_at_space),
    keeps("comma-missing-one", Group::Commas, commas::missing_one),
    keeps("quotes-single", Group::Quotes, quotes::single),
    keeps("quotes-smart", Group::Quotes, quotes::smart),
    keeps("quotes-backtick", Group::Quotes, quotes::backtick),
    keeps("quotes-doubled", Group::Quotes, quotes::doubled),
    keeps("keys-unquoted", Group::Quotes, quotes::keys_unquoted),
    keeps("values-unquoted", Group::Quotes, quotes::values_unquoted),
    keeps("key-start-quote-missing", Group::Quotes, quotes::key_start_missing),
    keeps("key-end-quote-missing", Group::Quotes, quotes::key_end_missing),
    keeps("value-start-quote-missing", Group::Quotes, quotes::value_start_missing),
    keeps("value-end-quote-missing", Group::Quotes, quotes::value_end_missing),
    keeps("python-literals", Group::Literals, literals::python_literals),
    keeps("python-repr", Group::Literals, literals::python_repr),
    keeps("python-tuples", Group::Literals, literals::python_tuples),
    keeps("triple-quotes", Group::Literals, strings::triple_quotes),
    keeps("undefined", Group::Literals, literals::undefined),
    loses("ellipsis", Group::Literals, literals::ellipsis),
    keeps("comments-js", Group::Comments, comments::js),
    keeps("comments-hash", Group::Comments, comments::hash),
    keeps("colon-missing", Group::Signs, signs::colon_missing),
    keeps("colon-equals", Group::Signs, signs::equals),
    keeps("colon-arrow", Group::Signs, signs::arrow),
    keeps("semicolons", Group::Signs, signs::semicolons),
    keeps("closer-missing", Group::Closers, closers::missing),
    keeps("closer-extra", Group::Closers, closers::extra),
    keeps("closer-mismatched", Group::Closers, closers::mismatched),
    keeps("opener-missing", Group::Closers, closers::opener_missing),
    keeps("opener-extra", Group::Closers, closers::opener_extra),
    keeps("braces-doubled", Group::Closers, closers::doubled),
    keeps("no-braces", Group::Closers, closers::no_braces),
    keeps("raw-newlines", Group::Strings, strings::raw_newlines),
    keeps("raw-code-block", Group::Strings, strings::raw_code_block),
    keeps("control-characters", Group::Strings, strings::control_characters),
    keeps("invalid-escapes", Group::Strings, strings::invalid_escapes),
    keeps("escaped-single-quote", Group::Strings, strings::escaped_single_quote),
    keeps("unescaped-quotes-prose", Group::Strings, strings::unescaped_quotes_prose),
    keeps("unescaped-quotes-code", Group::Strings, strings::unescaped_quotes_code),
    keeps("number-plus", Group::Numbers, numbers::plus),
    keeps("number-underscores", Group::Numbers, numbers::underscores),
    keeps("number-hex", Group::Numbers, numbers::hex),
    keeps("number-thousands", Group::Numbers, numbers::thousands),
    keeps("number-leading-zero", Group::Numbers, numbers::leading_zero),
    keeps("number-bare-point", Group::Numbers, numbers::bare_point),
    loses("number-not-finite", Group::Numbers, numbers::not_finite),
    keeps("byte-order-mark", Group::Encodings, encodings::byte_order_mark),
    keeps("odd-spaces", Group::Encodings, encodings::odd_spaces),
    keeps("escaped-whole", Group::Encodings, encodings::escaped_whole),
    read("double-encoded", Strict::ReadsString, Group::Encodings, encodings::double_encoded),
    keeps("js-concatenation", Group::Calls, calls::concatenation),
    keeps("js-assignment", Group::Calls, calls::assignment),
    keeps("js-object", Group::Calls, calls::object),
    keeps("function-call", Group::Calls, calls::function_call),
    keeps("same-twice", Group::Several, several::same_twice),
    keeps("two-objects", Group::Several, several::two_objects),
    keeps("several-at-once", Group::Several, several::at_once),
    loses("cut-in-key", Group::Cuts, cuts::in_key),
    loses("cut-after-key", Group::Cuts, cuts::after_key),
    loses("cut-after-colon", Group::Cuts, cuts::after_colon),
    loses("cut-after-comma", Group::Cuts, cuts::after_comma),
    loses("cut-in-string", Group::Cuts, cuts::in_string),
    loses("cut-in-escape", Group::Cuts, cuts::in_escape),
    loses("cut-in-number", Group::Cuts, cuts::in_number),
    loses("cut-in-literal", Group::Cuts, cuts::in_literal),
    loses("cut-after-opener", Group::Cuts, cuts::after_opener),
    loses("cut-between", Group::Cuts, cuts::between),
];

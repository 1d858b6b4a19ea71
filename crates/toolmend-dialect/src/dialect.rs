//! What a dialect is: a row of data.

/// How one model family writes tool calls as text. Data only: leniency is the same for all rows
/// and shows as faults.
#[derive(Debug)]
#[non_exhaustive]
pub struct Dialect {
    /// The stable id.
    pub id: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// The models that write it.
    pub models: &'static [&'static str],
    /// Where the format is laid down, or where it was seen.
    pub source: &'static str,
    /// The marks around a run of calls.
    pub frame: Frame,
    /// How one call is written.
    pub call: Call,
    /// One call, `get_weather(city="Oslo", days=3)`, exactly as a model writes it.
    pub example: &'static str,
}

/// Alternative spellings of one mark, the usual one first.
pub type Marks = &'static [&'static str];

/// The marks around a run of calls. Without an opener each call opens itself.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Frame {
    /// Opens the run.
    pub open: Marks,
    /// Closes it.
    pub close: Marks,
}

/// How one call is written.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Call {
    /// Opens the call.
    pub open: Marks,
    /// Where the name stands.
    pub name: Name,
    /// How the arguments are written.
    pub body: Body,
    /// Closes the call.
    pub close: Marks,
}

/// Where the name of the tool stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Name {
    /// In the body: a member of an object, or the head of a call.
    InBody,
    /// In the opening tag: `<function=NAME>`, `<invoke name="NAME">`, `<NAME>`.
    InTag,
    /// In a child of the opening tag: `<tool_name>NAME</tool_name>`.
    InChild,
    /// Between the opener and one of these marks.
    Until(Marks),
    /// In a header, as `to=NAME`.
    Recipient,
    /// On the line before the body, or alone before the first argument.
    Alone,
}

/// How the arguments are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Body {
    /// A JSON object, an envelope around it, or a list of envelopes.
    Json,
    /// Tagged parameters: `<parameter=k>v</parameter>`, `<arg_key>k</arg_key>…`, `<k>v</k>`.
    Tags,
    /// Arguments of a call in Python: `f(k="v", n=3)`.
    Python,
    /// Bare keys with strings between quote marks of the dialect's own: `{k:<|"|>v<|"|>}`.
    Map,
}

impl Body {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Tags => "tags",
            Self::Python => "python",
            Self::Map => "map",
        }
    }
}

impl Dialect {
    /// Whether calls of this dialect stand between marks that nothing else uses. Without them,
    /// the shape alone is weak evidence.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        self.openers().any(|mark| !is_line_mark(mark))
    }

    /// All marks that open a run or a call.
    pub fn openers(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.frame.open.iter().chain(self.call.open).copied()
    }

    /// All marks that close one.
    pub fn closers(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.frame.close.iter().chain(self.call.close).copied()
    }
}

/// Whether a mark is words that mean something only at the start of a line.
pub(crate) fn is_line_mark(mark: &str) -> bool {
    mark.ends_with([':', ' '])
        || mark.starts_with("[Previous")
        || mark.starts_with("**")
        || matches!(mark, ">>>" | "```" | "```tool_code")
}

/// A frame.
pub(crate) const fn frame(open: Marks, close: Marks) -> Frame {
    Frame { open, close }
}

/// Each call opens itself.
pub(crate) const NO_FRAME: Frame = Frame { open: &[], close: &[] };

/// A call whose name stands in its body.
pub(crate) const fn call(open: Marks, body: Body, close: Marks) -> Call {
    Call { open, name: Name::InBody, body, close }
}

/// A call whose name stands elsewhere.
pub(crate) const fn named(open: Marks, name: Name, body: Body, close: Marks) -> Call {
    Call { open, name, body, close }
}

/// Stands where it is not known yet how a call is written. The table is never empty, so that it is
/// always known in the end.
pub(crate) static UNKNOWN: Dialect = Dialect {
    id: "unknown",
    title: "Unknown",
    models: &[],
    source: "",
    frame: NO_FRAME,
    call: call(&[], Body::Json, &[]),
    example: "",
};

//! What can be wrong with the text: one table for the reader, the documents and the reports.

use crate::{Span, Trust};

/// Something wrong in the model's text. Data, not an error: the reader went on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fault {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub code: FaultCode,
}

/// One row per fault: what it is, how far its reading can be trusted, and an example.
macro_rules! faults {
    ($($name:ident $id:literal $trust:expr, $what:literal, $example:literal;)*) => {
        /// The kind of a fault. Its id is stable; [`FaultCode::trust`] says what reading on costs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum FaultCode { $(#[doc = $what] $name,)* }

        impl FaultCode {
            /// Every kind, in the order of the documents: by trust, then as they were thought of.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The stable id that reports, counters and settings use.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self { $(Self::$name => $id),* }
            }

            /// How far a value read past this fault can be trusted; `None` refuses the value.
            #[must_use]
            pub const fn trust(self) -> Option<Trust> {
                match self { $(Self::$name => $trust),* }
            }

            /// One sentence that tells what is wrong.
            #[must_use]
            pub const fn what(self) -> &'static str {
                match self { $(Self::$name => $what),* }
            }

            /// A text that has this fault, and perhaps others.
            #[must_use]
            pub const fn example(self) -> &'static str {
                match self { $(Self::$name => $example),* }
            }
        }
    };
}

const EXACT: Option<Trust> = Some(Trust::Exact);
const LIKELY: Option<Trust> = Some(Trust::Likely);
const GUESS: Option<Trust> = Some(Trust::Guess);
const REFUSED: Option<Trust> = None;

faults! {
    ByteOrderMark "byte-order-mark" EXACT, "A byte order mark stands before the value.", "\u{feff}{\"a\": 1}";
    OddSpace "odd-space" EXACT, "A space that JSON does not know stands between two tokens.", "{\"a\":\u{a0}1}";
    Fence "fence" EXACT, "A Markdown fence stands around the value.", "```json\n{\"a\": 1}\n```";
    Comment "comment" EXACT, "A comment stands between two tokens.", "{\"a\": 1 // one\n}";
    SingleQuotes "single-quotes" EXACT, "A string is in single quotes.", "{'a': 'it\\'s'}";
    SmartQuotes "smart-quotes" EXACT, "A string is in typographic quotes.", "{“a”: “b”}";
    BacktickQuotes "backtick-quotes" EXACT, "A string is in backticks.", "{\"a\": `b`}";
    TripleQuotes "triple-quotes" EXACT, "A string is in triple quotes.", "{\"a\": \"\"\"b \"c\" d\"\"\"}";
    DoubledQuotes "doubled-quotes" EXACT, "Each quote of a string is doubled.", "{\"a\": \"\"b\"\"}";
    EscapedQuotes "escaped-quotes" EXACT, "The quotes of a string are escaped, often in the whole text.", "{\\\"a\\\": 1}";
    DoubleEncoded "double-encoded" EXACT, "The value is JSON inside a JSON string.", "\"{\\\"a\\\": 1}\"";
    StringPrefix "string-prefix" EXACT, "A string has a Python prefix.", "{u'a': 1}";
    StringJoined "string-joined" EXACT, "Strings are joined with a plus sign.", "{\"a\": \"b\" + \"c\"}";
    RawControl "raw-control" EXACT, "A string holds a raw line break, tab or control character.", "{\"a\": \"b\nc\"}";
    TrailingComma "trailing-comma" EXACT, "A comma stands after the last member.", "{\"a\": 1,}";
    ExtraComma "extra-comma" EXACT, "A comma stands where no member ends.", "[1,, 2]";
    OtherComma "other-comma" EXACT, "Another sign stands for a comma.", "{\"a\": 1; \"b\": 2}";
    OtherColon "other-colon" EXACT, "Another sign stands for a colon.", "{\"a\" => 1}";
    ExtraColon "extra-colon" EXACT, "A colon is doubled.", "{\"a\":: 1}";
    OtherLiteral "other-literal" EXACT, "A literal is spelt as Python or a shouting model spells it.", "{\"a\": True}";
    NumberForm "number-form" EXACT, "A number is written as another language writes it.", "{\"a\": 0x1F}";
    DuplicateKey "duplicate-key" EXACT, "A key stands twice in one object: the last one counts.", "{\"a\": 1, \"a\": 2}";
    RepeatedValue "repeated-value" EXACT, "The same value stands there again.", "{\"a\": 1}{\"a\": 1}";

    OutsideText "outside-text" LIKELY, "Text that is not JSON stands around the value.", "Sure: {\"a\": 1}";
    ThinkBlock "think-block" LIKELY, "A block of reasoning stands before the value.", "<think>{hm}</think>{\"a\": 1}";
    SeveralValues "several-values" LIKELY, "Several different values stand in a row.", "{\"a\": 1}{\"a\": 2}";
    InvalidUtf8 "invalid-utf8" LIKELY, "Bytes that are not UTF-8 became replacement characters; at the end of the text they were dropped.", "";
    LoneSurrogate "lone-surrogate" LIKELY, "Half a surrogate pair became a replacement character.", "{\"a\": \"\\ud83d\"}";
    BadEscape "bad-escape" LIKELY, "A backslash stands before a character that needs none.", "{\"a\": \"\\d+\"}";
    MissingComma "missing-comma" LIKELY, "Two members have no comma between them.", "{\"a\": 1 \"b\": 2}";
    MissingColon "missing-colon" LIKELY, "A key and its value have no colon between them.", "{\"a\" 1}";
    UnquotedKey "unquoted-key" LIKELY, "A key has no quotes.", "{a: 1}";
    UnquotedValue "unquoted-value" LIKELY, "A string value has no quotes.", "{\"a\": hello}";
    MissingQuote "missing-quote" LIKELY, "A string has only one of its quotes.", "{\"a\": \"b, \"c\": 1}";
    UnescapedQuote "unescaped-quote" LIKELY, "A quote inside a string is not escaped.", "{\"a\": \"say \"hi\" now\"}";
    MissingOpener "missing-opener" LIKELY, "An opening brace is missing.", "{\"a\": \"b\": 1}}";
    ExtraOpener "extra-opener" LIKELY, "An opening brace is doubled.", "{{\"a\": 1}}";
    MissingCloser "missing-closer" LIKELY, "A closing brace or bracket is missing.", "{\"a\": [1, 2}";
    ExtraCloser "extra-closer" LIKELY, "A closing brace or bracket is one too many.", "{\"a\": 1}}";
    WrongCloser "wrong-closer" LIKELY, "A brace closes a bracket, or the other way round.", "{\"a\": [1, 2}}";
    NoBraces "no-braces" LIKELY, "Members stand without braces around them.", "\"a\": 1, \"b\": 2";
    ThousandsComma "thousands-comma" LIKELY, "A number has commas between its thousands.", "{\"a\": 1,000}";
    LeadingZero "leading-zero" LIKELY, "A number starts with zeros.", "{\"a\": 007}";
    Undefined "undefined" LIKELY, "The value is JavaScript's undefined, read as null.", "{\"a\": undefined}";
    Tuple "tuple" LIKELY, "A list is in parentheses.", "{\"a\": (1, 2)}";
    CodeBlock "code-block" LIKELY, "A value is a raw fenced block of code.", "{\"a\": ```\nx = 1\n```}";

    Ellipsis "ellipsis" GUESS, "An ellipsis stands between members.", "[1, 2, ...]";
    UnclearEnd "unclear-end" GUESS, "A string with stray quotes could end in several places.", "{\"a\": \"b\" c\", \"d\": \"e\" f\"}";
    UnclearCloser "unclear-closer" GUESS, "A closing brace or bracket is one too many, and which one is not clear.", "{\"a\": {\"b\": {\"c\": 1}}, \"d\": {}}}, \"e\": 2}";
    RaggedValue "ragged-value" GUESS, "An unquoted value could end in several places.", "{\"a\": b, c, \"d\": 1}";
    UnclearValue "unclear-value" GUESS, "Several values stand in the text, and none is clearly the one.", "Not {\"a\": 1} but {\"a\": 2}";
    OutsideMember "outside-member" GUESS, "What seems to be a member stands outside of the value.", "{\"a\": 1} \"b\": 2";
    NotFinite "not-finite" GUESS, "The value is not a finite number, read as a string.", "{\"a\": NaN}";
    ClosedCut "closed-cut" GUESS, "The text was cut; what was open was closed.", "{\"a\": \"b";
    DroppedCut "dropped-cut" GUESS, "The text was cut; the unfinished member was dropped.", "{\"a\": 1, \"b";
    CompletedCut "completed-cut" GUESS, "The text was cut in a literal, which was completed.", "{\"a\": tr";

    Expression "expression" REFUSED, "The value is an expression, not a value.", "{\"a\": 6*30.48}";
    Placeholder "placeholder" REFUSED, "The value is a placeholder or an elision.", "{\"a\": <your key>}";
    MissingValue "missing-value" REFUSED, "A key has no value.", "{\"a\": , \"b\": 1}";
    MissingKey "missing-key" REFUSED, "A value has no key.", "{: 1}";
    StrayText "stray-text" REFUSED, "Text stands where a member should end.", "{\"a\": [1] b}";
    NoValue "no-value" REFUSED, "There is no JSON value in the text.", "I could not find it.";
    TooDeep "too-deep" REFUSED, "Containers nest deeper than the limit.", "";
    TooLarge "too-large" REFUSED, "The text is broken and larger than the limit.", "";
}

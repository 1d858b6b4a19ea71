//! Why a call is not delivered: a fixed list, because others build on it.

/// Why a call is not delivered, and the same for a person.
pub(crate) type No = (Reason, String);

/// One row per reason.
macro_rules! reasons {
    ($($name:ident $id:literal $what:literal;)*) => {
        /// Why a call is not delivered.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Reason { $(#[doc = $what] $name,)* }

        impl Reason {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The stable id.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self { $(Self::$name => $id),* }
            }

            /// What it means, in a sentence.
            #[must_use]
            pub const fn what(self) -> &'static str {
                match self { $(Self::$name => $what),* }
            }
        }
    };
}

reasons! {
    Malformed "malformed" "The call is not an object.";
    NoName "no-name" "The call does not say which tool it calls.";
    UnknownTool "unknown-tool" "No offered tool has this name, or more than one could be meant.";
    Empty "empty" "There are no arguments, and the tool needs some or is not known.";
    Unreadable "unreadable" "No value can be made out in the arguments.";
    Cut "cut" "The arguments were cut, and closing them is not allowed.";
    Untrusted "untrusted" "Reading the arguments needs more trust than is allowed.";
    NotAnObject "not-an-object" "The arguments are a value of another shape.";
    Mismatch "mismatch" "The arguments do not satisfy the tool's schema, and no rule mends them.";
    TooLarge "too-large" "The arguments are broken and larger than the limit.";
    TooDeep "too-deep" "The arguments nest deeper than the limit.";
    TooManyValues "too-many-values" "The arguments are more objects in a row than a turn may have calls.";
    TooManyCalls "too-many-calls" "The turn has more calls than it may have.";
    Example "example" "The text shows a call: an example, a format, a document.";
    Warned "warned" "The text says that this must not run.";
    Possible "possible" "The text says that this could be called, not that it is.";
    Quoted "quoted" "The text quotes: a block quote, quotation marks, backticks, someone else's words.";
    Fenced "fenced" "The call stands in a fenced block that explains.";
    Inline "inline" "The call stands inside a sentence.";
    Echo "echo" "The same text stands in a user or tool message of this request.";
    Placeholder "placeholder" "A value only stands for a value.";
    InReasoning "in-reasoning" "The call stands in the reasoning, and the turn does not end there.";
    NotAlone "not-alone" "A call without marks to a tool that changes things must be the whole message.";
    BesideCalls "beside-calls" "A call without marks stands beside calls that the turn declares.";
    Storm "storm" "The same calls came again and again with the same results.";
    Denied "denied" "The settings do not allow this tool to be called from text.";
}

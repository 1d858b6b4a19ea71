//! Why a call is not delivered: a fixed list, because others build on it.

use crate::json_out::Object;

/// One row per reason.
macro_rules! reasons {
    ($($name:ident $id:literal $what:literal;)*) => {
        /// Why a call is not delivered.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Reason { $(#[doc = $what] $name,)* }

        impl Reason {
            pub(super) const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The stable id.
            pub(super) const fn id(self) -> &'static str {
                match self { $(Self::$name => $id),* }
            }

            pub(super) const fn what(self) -> &'static str {
                match self { $(Self::$name => $what),* }
            }
        }
    };
}

reasons! {
    Malformed "malformed" "The call is not an object.";
    NoName "no-name" "The call does not say which tool it calls.";
    Empty "empty" "There are no arguments, and the tool needs some or is not known.";
    Unreadable "unreadable" "No value can be made out in the arguments.";
    Cut "cut" "The arguments were cut, and closing them is not allowed.";
    Untrusted "untrusted" "Reading the arguments needs more trust than is allowed.";
    NotAnObject "not-an-object" "The arguments are a value of another shape.";
    TooLarge "too-large" "The arguments are broken and larger than the limit.";
    TooDeep "too-deep" "The arguments nest deeper than the limit.";
    TooManyValues "too-many-values" "The arguments are more objects in a row than a turn may have calls.";
}

/// A call that is not delivered.
#[derive(Debug)]
pub(super) struct Refused {
    /// As they are spelt.
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) reason: Reason,
    pub(super) message: String,
    /// The arguments as a JSON string, or the whole call where it has none.
    pub(super) raw: String,
}

impl Refused {
    pub(super) fn to_json(&self) -> String {
        let mut out = Object::new();
        if let Some(id) = &self.id {
            out = out.raw("id", id);
        }
        if let Some(name) = &self.name {
            out = out.raw("name", name);
        }
        out.string("channel", "tool_calls")
            .string("reason", self.reason.id())
            .string("message", &self.message)
            .raw("raw", &self.raw)
            .finish()
    }
}

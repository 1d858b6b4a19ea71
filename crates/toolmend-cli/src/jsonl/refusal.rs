//! A call that is not delivered.

pub(super) use toolmend::Reason;

use crate::json_out::Object;

/// A call that is not delivered.
#[derive(Debug)]
pub(super) struct Refused {
    /// As they are spelt.
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    /// Where it stood.
    pub(super) channel: &'static str,
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
        out.string("channel", self.channel)
            .string("reason", self.reason.id())
            .string("message", &self.message)
            .raw("raw", &self.raw)
            .finish()
    }
}

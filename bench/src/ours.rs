//! How our reader is asked.

use serde_json::Value;
use toolmend_json::{Expected, Limits, Options, Outcome, Trust, Want, read};

/// One way to ask our reader.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The name that tables show.
    pub name: &'static str,
    /// How far a reading must be trusted to count.
    pub trust: Trust,
    /// Whether the names of keys are told beforehand, as a schema would.
    pub has_keys: bool,
}

/// The ways that are measured. The first one is the default of the product.
pub const SETTINGS: &[Setting] = &[
    Setting { name: "toolmend", trust: Trust::Likely, has_keys: false },
    Setting { name: "toolmend, keys", trust: Trust::Likely, has_keys: true },
    Setting { name: "toolmend, guess", trust: Trust::Guess, has_keys: false },
    Setting { name: "toolmend, guess, keys", trust: Trust::Guess, has_keys: true },
];

/// Options for the arguments of a tool call, with room for broken text of any size.
pub fn options(keys: &[String]) -> Options {
    Options {
        expected: Expected::root(Want::Object).with_keys(keys.iter().cloned()),
        limits: Limits::default().with_broken_bytes_max(usize::MAX),
    }
}

/// The values read at this trust; `None` where the reader refuses or would have to guess more.
pub fn values(text: &str, keys: &[String], setting: Setting) -> Option<Vec<Value>> {
    let keys = if setting.has_keys { keys } else { &[] };
    let mut document = read(text, &options(keys));
    let mut outcome = document.outcome();
    if outcome == Outcome::Cut {
        outcome = document.close(setting.trust);
    }
    let is_allowed = match outcome {
        Outcome::Untouched => true,
        Outcome::Mended(trust) => trust <= setting.trust,
        _ => false,
    };
    is_allowed.then(|| document.values().map(|node| node.to_value()).collect())
}

/// Why the reader gives no value, or how far it trusts it.
pub fn reason(text: &str) -> String {
    let mut document = read(text, &options(&[]));
    if document.outcome() == Outcome::Cut {
        document.close(Trust::Likely);
    }
    let shown =
        |fault: &toolmend_json::Fault| format!("{} at {:?}", fault.code.id(), fault.span.range());
    let faults: Vec<String> = document
        .faults()
        .iter()
        .filter(|fault| fault.code.trust().is_none_or(|trust| trust == Trust::Guess))
        .take(3)
        .map(shown)
        .collect();
    format!("{:?}; {}", document.outcome(), faults.join(", "))
}

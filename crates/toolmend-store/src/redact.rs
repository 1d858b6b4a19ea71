//! Blanks keys, and what users name, before anything is written.

use regex::{Regex, RegexSet};
use serde_json::Value;

use crate::StoreError;
use crate::record::Name;

/// What keys look like. Each pattern is anchored by a prefix that its issuer chose to be found by. Words
/// end where ASCII's do: the search is fast then in every language.
const KEYS: &[&str] = &[
    r"(?-u:\b)(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}",
    r"(?-u:\b)(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,}",
    r"(?-u:\b)gh[pousr]_[A-Za-z0-9]{20,}",
    r"(?-u:\b)github_pat_[A-Za-z0-9_]{20,}",
    r"(?-u:\b)glpat-[A-Za-z0-9_-]{16,}",
    r"(?-u:\b)xox[abeoprs]-[A-Za-z0-9-]{10,}",
    r"(?-u:\b)(?:AKIA|ASIA)[A-Z0-9]{16}(?-u:\b)",
    r"(?-u:\b)AIza[A-Za-z0-9_-]{30,}",
    r"(?-u:\b)hf_[A-Za-z0-9]{20,}",
    r"(?-u:\b)npm_[A-Za-z0-9]{30,}",
    r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
    r"(?i)(?-u:\b)bearer\s+[A-Za-z0-9._~+/=-]{12,}",
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
    r"(?-u:\b)[a-z][a-z0-9+.-]*://[^\s:/@]+:[^\s/@]+@",
];

/// What stands in every JSON text with a key in one of its strings: how keys begin, or an escape that
/// may spell a character of that.
const SIGNS: &str = concat!(
    r"(?:sk|pk|rk)[-_]|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|AKIA|ASIA|AIza|hf_|npm_|eyJ",
    r"|(?i:bearer)|-----BEGIN|:\\?/\\?/[^\s:/@]+:|\\u00[2-7]",
);

/// Blanks keys, and what users name.
#[derive(Clone, Debug)]
pub struct Redactor {
    patterns: Vec<Regex>,
    /// All of them at once: most texts have none.
    any: RegexSet,
    /// Tells which JSON texts have none; users' patterns may be found by anything.
    signs: Option<Regex>,
}

impl Redactor {
    /// Takes the patterns of the user beside those for keys.
    ///
    /// # Errors
    ///
    /// A pattern is no regular expression.
    pub fn new(users: &[String]) -> Result<Self, StoreError> {
        let all = KEYS.iter().copied().chain(users.iter().map(String::as_str));
        let read = |pattern: &str| {
            Regex::new(pattern).map_err(|error| {
                StoreError::new(format!("store.redact: {pattern:?} is no pattern: {error}"))
            })
        };
        let patterns: Vec<Regex> = all.map(read).collect::<Result<_, _>>()?;
        let failed = |error: regex::Error| StoreError::new(format!("store.redact: {error}"));
        let any = RegexSet::new(patterns.iter().map(Regex::as_str)).map_err(failed)?;
        let signs = users.is_empty().then(|| Regex::new(SIGNS).map_err(failed)).transpose()?;
        Ok(Self { patterns, any, signs })
    }

    /// The text with a `*` for each byte of what must not be kept, so that places in it stay right.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for at in self.any.matches(text) {
            let stars = |found: &regex::Captures<'_>| {
                "*".repeat(found.get(0).map_or(0, |whole| whole.len()))
            };
            if let Some(pattern) = self.patterns.get(at) {
                out = pattern.replace_all(&out, stars).into_owned();
            }
        }
        out
    }

    /// Does the same to a string in place; most have nothing that must not be kept.
    fn string(&self, text: &mut String) {
        if self.any.is_match(text) {
            *text = self.text(text);
        }
    }

    /// Does the same to a name.
    pub(crate) fn name(&self, name: &mut Name) {
        if self.any.is_match(name) {
            *name = self.text(name).into();
        }
    }

    /// Does the same to every string in a JSON text, keys of objects included. Nothing is left of a text
    /// that may have a key and cannot be read: escapes may hide the key.
    #[must_use]
    pub fn json(&self, text: String) -> Option<String> {
        if self.signs.as_ref().is_some_and(|signs| !signs.is_match(&text)) {
            return Some(text);
        }
        let mut value: Value = serde_json::from_str(&text).ok()?;
        self.value(&mut value);
        Some(value.to_string())
    }

    /// Does the same to every string in a value.
    fn value(&self, value: &mut Value) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            match value {
                Value::String(text) => self.string(text),
                Value::Array(items) => open.extend(items),
                Value::Object(members) => {
                    if members.keys().any(|key| self.any.is_match(key)) {
                        let old = std::mem::take(members);
                        members
                            .extend(old.into_iter().map(|(key, value)| (self.text(&key), value)));
                    }
                    open.extend(members.values_mut());
                }
                Value::Number(number) => {
                    let spelt = number.to_string();
                    if self.any.is_match(&spelt) {
                        *value = Value::String(self.text(&spelt));
                    }
                }
                Value::Null | Value::Bool(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Redactor;

    #[test]
    fn keys_are_blanked_in_place() {
        let redactor = Redactor::new(&[]).unwrap();
        let text = redactor.text("use sk-abcdefghij0123456789 or Bearer abc.def-ghi_jkl now");
        assert_eq!(text, "use *********************** or ********************** now");
        assert_eq!(redactor.text("a risk-free task"), "a risk-free task");
    }

    #[test]
    fn keys_are_blanked_in_json_however_it_is_spelt() {
        let redactor = Redactor::new(&[]).unwrap();
        for (text, wanted) in [
            (r#"{"a": "no key"}"#, r#"{"a": "no key"}"#),
            (r#"{"a": "sk-abcdefghij0123456789"}"#, r#"{"a":"***********************"}"#),
            (r#"["\u0073k-abcdefghij0123456789"]"#, r#"["***********************"]"#),
            (r#"["bearer\nabcdef\/ghijkl"]"#, r#"["********************"]"#),
            (r#"["http:\/\/me:pass@host"]"#, r#"["***************host"]"#),
            (r#"["http:\//me:pass@host"]"#, r#"["***************host"]"#),
            (r#"["a\/b"]"#, r#"["a\/b"]"#),
            (r#"{"hf_abcdefghij0123456789": 1}"#, r#"{"***********************":1}"#),
        ] {
            assert_eq!(redactor.json(text.to_owned()).as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn what_may_have_a_key_and_cannot_be_read_goes() {
        let redactor = Redactor::new(&[]).unwrap();
        let deep = format!(r#"{}"http:\/\/me:pass@host"{}"#, "[".repeat(200), "]".repeat(200));
        for text in [
            r#"[{"$serde_json::private::Number":"x","u":"postgres:\/\/me:secret@h"}]"#,
            r#"["http:\/\/me:pass@host""#,
            &deep,
        ] {
            assert_eq!(redactor.json(text.to_owned()), None, "{text}");
        }
    }

    #[test]
    fn every_key_has_a_sign() {
        let redactor = Redactor::new(&[]).unwrap();
        let signs = redactor.signs.as_ref().unwrap();
        for key in [
            "sk-abcdefghij0123456789",
            "rk_live_abcdefghij0123456789",
            "ghp_abcdefghij0123456789",
            "github_pat_abcdefghij0123456789",
            "glpat-abcdefghij0123456789",
            "xoxb-abcdefghij0123456789",
            "AKIAABCDEFGHIJ012345",
            "AIzaabcdefghij0123456789abcdefghij",
            "hf_abcdefghij0123456789",
            "npm_abcdefghij0123456789abcdefghij",
            "eyJabcdefghij.abcdefghij.abcdefghij",
            "Bearer abcdefghij0123456789",
            "-----BEGIN RSA PRIVATE KEY-----",
            "postgres://me:secret@host",
        ] {
            assert!(redactor.any.is_match(key), "{key}");
            assert!(signs.is_match(key), "{key}");
        }
        assert_eq!(super::KEYS.len(), 14);
    }

    #[test]
    fn users_name_what_else_is_blanked_in_strings_keys_and_numbers() {
        let redactor = Redactor::new(&[r"\d{4} ?\d{4}".to_owned()]).unwrap();
        let mut value = json!({"1234 5678": ["id 12345678.", 12_345_678, 1.5, {"a": null}]});
        redactor.value(&mut value);
        assert_eq!(value, json!({"*********": ["id ********.", "********", 1.5, {"a": null}]}));
    }

    #[test]
    fn a_bad_pattern_is_an_error() {
        assert!(Redactor::new(&["(".to_owned()]).is_err());
    }
}

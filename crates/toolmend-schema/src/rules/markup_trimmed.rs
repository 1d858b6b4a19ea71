//! `markup-trimmed`
//!
//! ## What it does
//! Cuts leaked close tags and control tokens from the end of a text that its schema refuses.
//!
//! ## Why models do it
//! The dialect of a model ends values with a tag; a parser that expects another dialect keeps it.
//!
//! ## Example
//! `{"unit":"celsius</arg_value>"}` → `{"unit":"celsius"}`
//!
//! ## Trust
//! Likely. Only where the schema refuses the text as it stands; a tag that was opened in the text
//! stays.

use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};
use crate::kinds::Kinds;
use crate::site::{Offer, Site};

pub(crate) const RULE: Rule = Rule {
    id: "markup-trimmed",
    trust: Trust::Likely,
    what: "Cuts leaked close tags and control tokens from the end of a refused text.",
    example: (r#"{"unit":"celsius</arg_value>"}"#, r#"{"unit":"celsius"}"#),
    propose: Propose::Value { from: Kinds::STRING, to: Kinds::ANY, propose },
    source: include_str!("markup_trimmed.rs"),
};

fn propose(site: &Site<'_>) -> Option<Offer> {
    trimmed(site.text()?).map(Offer::exact)
}

/// A text without the close tags and control tokens at its end; `None` where there are none.
fn trimmed(text: &str) -> Option<&str> {
    let mut rest = text.trim_end();
    let mut found = None;
    while let Some(shorter) = without_mark(rest) {
        rest = shorter.trim_end();
        found = Some(rest);
    }
    found
}

fn without_mark(text: &str) -> Option<&str> {
    let (head, mark) = text.strip_suffix('>')?.rsplit_once('<')?;
    if let Some(name) = mark.strip_prefix('/') {
        let name = name.trim_matches(['|', '｜']);
        let is_name = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '｜' | '|'));
        return (is_name && !head.contains(&format!("<{name}"))).then_some(head);
    }
    let inner = mark.strip_prefix(['|', '｜']).and_then(|rest| rest.strip_suffix(['|', '｜']))?;
    (!inner.is_empty() && !inner.contains(['\n', '|', '"'])).then_some(head)
}

#[cfg(test)]
mod tests {
    use super::trimmed;

    #[test]
    fn only_what_was_not_opened_is_cut() {
        assert_eq!(trimmed("ls</arg_value>\n</tool_call>"), Some("ls"));
        assert_eq!(trimmed("5<|im_end|>"), Some("5"));
        assert_eq!(trimmed("<b>x</b>"), None);
        assert_eq!(trimmed("a > b"), None);
        assert_eq!(trimmed("x</s>"), Some("x"));
        // What cannot be the name of a tag is text.
        for text in ["x</>", "x</a b>", "x</|>", "x<||>", "x<|a\"b|>", "x<|a\nb|>"] {
            assert_eq!(trimmed(text), None, "{text}");
        }
    }
}

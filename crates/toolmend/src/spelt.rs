//! How the model spelt what became a text. Rules see values: that a number began with a zero, and that an
//! object had its lines, only the text of the arguments knows.

use serde_json::Value;
use toolmend_json::{Document, Node, Shape, Trust};
use toolmend_schema::{Rule, Tool};

use crate::declared::Fitted;
use crate::refusal::{No, Reason};

/// Whether a rule made a text of something else.
pub(crate) fn is_needed(fitted: &Fitted) -> bool {
    let rules = [Rule::NUMBER_TO_STRING, Rule::OBJECT_TO_JSON_STRING, Rule::SINGLE_ITEM_UNWRAPPED];
    fitted.repairs.iter().any(|repair| rules.iter().any(|rule| rule.id == repair.rule))
}

/// Gives the texts that rules made the spelling that they have in the arguments.
///
/// # Errors
/// Where it is not known which spelling a text had, where the tool does not take it so, and where words
/// in brackets only stand for a value.
pub(crate) fn respell(
    mut fitted: Fitted,
    document: &Document<'_>,
    tool: &Tool,
) -> Result<Fitted, No> {
    let mut is_changed = false;
    for repair in &fitted.repairs {
        let Some(Value::String(text)) = fitted.value.pointer_mut(&repair.path) else { continue };
        let spelt = match repair.rule {
            rule if rule == Rule::NUMBER_TO_STRING.id => number(document, &repair.path, text)?,
            rule if rule == Rule::OBJECT_TO_JSON_STRING.id => object(document, &repair.path),
            rule if rule == Rule::SINGLE_ITEM_UNWRAPPED.id => {
                refuse_words(document, text)?;
                None
            }
            _ => None,
        };
        if let Some(spelt) = spelt.filter(|spelt| spelt != text) {
            *text = spelt.to_owned();
            is_changed = true;
        }
    }
    if !is_changed {
        return Ok(fitted);
    }
    let again = tool.repair(fitted.value.clone(), Trust::Exact);
    if !again.is_valid() || !again.repairs.is_empty() {
        let message = "the tool does not take a number as it is spelt here".to_owned();
        return Err((Reason::Mismatch, message));
    }
    fitted.text = fitted.value.to_string();
    Ok(fitted)
}

/// How a number is spelt that became this text. Where it was moved, all that are this number say so.
fn number<'d>(document: &'d Document<'_>, path: &str, text: &str) -> Result<Option<&'d str>, No> {
    let is_it = |node: &Node<'d>| node.as_number() == Some(text);
    if let Some(node) = at(document, path).filter(is_it) {
        return Ok(Some(node.source()));
    }
    let mut spelt = nodes(document).filter(is_it).map(|node| node.source());
    let first = spelt.next();
    if spelt.any(|other| Some(other) != first) {
        let message =
            format!("it is not known how {text} is spelt: it stands there more than once");
        return Err((Reason::Untrusted, message));
    }
    Ok(first)
}

/// The text of an object that is JSON as it stands. Where it was moved, nothing is told of it.
fn object<'d>(document: &'d Document<'_>, path: &str) -> Option<&'d str> {
    let is_whole = |node: &Node<'_>| matches!(node.shape(), Shape::Object | Shape::Array);
    let text = at(document, path).filter(is_whole)?.source();
    toolmend_json::is_valid(text).then_some(text)
}

/// The value at a place in the arguments, as they came.
fn at<'d>(document: &'d Document<'_>, path: &str) -> Option<Node<'d>> {
    let mut values = document.values();
    let (Some(mut node), None) = (values.next(), values.next()) else { return None };
    for step in path.split('/').skip(1) {
        let name = step.replace("~1", "/").replace("~0", "~");
        node = match node.shape() {
            Shape::Array => node.items().nth(name.parse().ok()?)?,
            _ => node.get(&name)?,
        };
    }
    Some(node)
}

/// `[insert date]` is no list of one text: the words in it have no quotes.
fn refuse_words(document: &Document<'_>, text: &str) -> Result<(), No> {
    let is_word = |c: char| c.is_alphabetic() || matches!(c, ' ' | '_' | '-' | '\'');
    if !text.chars().all(is_word) {
        return Ok(());
    }
    let is_bare = |list: Node<'_>| {
        let mut items = list.items();
        let (Some(item), None) = (items.next(), items.next()) else { return false };
        item.as_str().is_some_and(|item| item == text)
            && item.source().starts_with(char::is_alphabetic)
    };
    if nodes(document).any(is_bare) {
        let message = format!("`{text}` in brackets only stands for a value");
        return Err((Reason::Placeholder, message));
    }
    Ok(())
}

/// All values of a text, those in others as well.
fn nodes<'d>(document: &'d Document<'_>) -> impl Iterator<Item = Node<'d>> {
    let mut open: Vec<Node<'d>> = document.values().collect();
    std::iter::from_fn(move || {
        let node = open.pop()?;
        open.extend(node.items());
        open.extend(node.members().map(|(_, value)| value));
        Some(node)
    })
}

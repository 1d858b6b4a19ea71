//! Values that are replaced by something that JSON has no word for.

use serde_json::Value;

use crate::draft::Draft;
use crate::token::Kind;

/// Stands in a value for what will be written as another token. From the private use area.
const MARK: &str = "\u{e000}mark\u{e000}";

/// Replaces values that fit with a mark, as many as the extent says.
pub(super) fn mark(draft: &mut Draft, fits: fn(&Value) -> bool) -> Option<()> {
    let mut count = 0;
    visit(&mut draft.value, fits, &mut |_| count += 1);
    let chosen = draft.choose((0..count).collect());
    if chosen.is_empty() {
        return None;
    }
    let mut index = 0;
    visit(&mut draft.value, fits, &mut |value| {
        if chosen.binary_search(&index).is_ok() {
            *value = MARK.into();
        }
        index += 1;
    });
    draft.refresh();
    Some(())
}

fn visit(value: &mut Value, fits: fn(&Value) -> bool, act: &mut impl FnMut(&mut Value)) {
    if fits(value) {
        act(value);
        return;
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| visit(item, fits, act)),
        Value::Object(members) => members.values_mut().for_each(|item| visit(item, fits, act)),
        _ => {}
    }
}

/// Writes this text where marks stand.
pub(super) fn write(draft: &mut Draft, text: &str) {
    draft.change_all(|_, token| {
        (token.kind == Kind::String && token.plain == MARK).then(|| text.into())
    });
}

/// The value with each mark replaced, or left out with its key.
pub(super) fn resolved(value: &Value, with: Option<&Value>) -> Value {
    let resolve = |value: &Value| match value {
        Value::String(text) if text == MARK => with.cloned(),
        other => Some(resolved(other, with)),
    };
    match value {
        Value::Array(items) => items.iter().filter_map(resolve).collect(),
        Value::Object(members) => {
            let kept =
                members.iter().filter_map(|(key, value)| Some((key.clone(), resolve(value)?)));
            Value::Object(kept.collect())
        }
        other => other.clone(),
    }
}

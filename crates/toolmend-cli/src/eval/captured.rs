//! Captures as a corpus: what was delivered then is what should come out now.

use serde_json::{Value, json};
use toolmend::Settings;
use toolmend_store::Filter;

use super::item::Item;
use crate::captures::each_text;
use crate::exit::Failure;
use crate::store;

pub(super) fn items(settings: &Settings, named: Option<&str>) -> Result<Vec<Item>, Failure> {
    let mut kept = settings.store.clone();
    kept.place = named.map(str::to_owned).or(kept.place);
    // To look is no reason to remove.
    kept.days_max = u32::MAX;
    let store = store::open_existing(&kept)?;
    let mut items = Vec::new();
    each_text(&store, &Filter::default(), |turn, texts| {
        items.extend(item(turn, texts));
        Ok(())
    })?;
    match items.is_empty() {
        true => Err(Failure::Usage(
            "no texts were kept: `toolmend proxy --keep failures` keeps them".to_owned(),
        )),
        false => Ok(items),
    }
}

fn item(turn: i64, texts: &Value) -> Option<Item> {
    let line = texts.get("in")?.clone();
    let calls = texts.pointer("/out/tool_calls").and_then(Value::as_array)?;
    let refused = texts.pointer("/out/refused").and_then(Value::as_array)?;
    let call = |call: &Value| json!({"name": call.get("name"), "arguments": call.get("arguments")});
    let word = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let reason = refused.first().and_then(|refused| word(refused.get("reason")));
    let outcome = || word(calls.first().and_then(|call| call.get("outcome")));
    Some(Item {
        id: turn.to_string(),
        model: word(line.get("model")).unwrap_or_default(),
        class: reason.or_else(outcome).unwrap_or_else(|| "no call".to_owned()),
        expected: Some(calls.iter().map(call).collect()),
        accept: None,
        is_either: false,
        line,
    })
}

//! What must hold for any history, whatever is wrong with it. Cases, laws and fuzz targets share it.

use std::borrow::Cow;

use serde_json::Value;
use toolmend_history::{Api, Healed, History, Options, Role, check, heal};

/// Heals a history, and tells what does not hold.
pub(crate) fn heal_and_check(text: &str, api: Api, options: Options) -> Result<Healed<'_>, String> {
    let history = History::read(text, api).map_err(|error| error.to_string())?;
    let findings = check(&history, options);
    let healed = heal(&history, options);
    if findings.is_empty() != healed.edits.is_empty() {
        return Err(format!("found {findings:?}\n  but edited {:?}", healed.edits));
    }
    if findings.is_empty() && !matches!(healed.text, Cow::Borrowed(own) if std::ptr::eq(own, text))
    {
        return Err("what was right was touched".to_owned());
    }
    if !std::ptr::eq(history.text(), text) {
        return Err("a history does not know its text".to_owned());
    }
    keeps_messages(&history, &healed)?;
    let again = History::read(&healed.text, api).map_err(|e| format!("{e}: {}", healed.text))?;
    let findings = check(&again, options);
    if !findings.is_empty() {
        return Err(format!("still wrong: {findings:?}\n  in {}", healed.text));
    }
    let twice = heal(&again, options);
    if twice.text != healed.text || !twice.edits.is_empty() {
        return Err(format!("healed again: {:?}\n  {}", twice.edits, twice.text));
    }
    if let Err(error) = serde_json::from_str::<Value>(&healed.text)
        && serde_json::from_str::<Value>(text).is_ok()
    {
        return Err(format!("{error}: {}", healed.text));
    }
    Ok(healed)
}

/// A message that no edit names keeps its bytes. In Anthropic's shape, results go into messages of
/// the user, so only those of others are looked at.
fn keeps_messages(history: &History<'_>, healed: &Healed<'_>) -> Result<(), String> {
    let Ok(items) = serde_json::from_str::<Vec<&serde_json::value::RawValue>>(history.text())
    else {
        return Ok(());
    };
    let messages = history.messages().iter().zip(items).enumerate();
    for (at, (message, item)) in messages {
        let is_edited = healed.edits.iter().any(|edit| edit.place.message == at);
        let takes_results = history.api() == Api::Anthropic && message.role() == Role::User;
        if !is_edited && !takes_results && !healed.text.contains(item.get()) {
            return Err(format!("message {at} changed without a word: {}", item.get()));
        }
    }
    Ok(())
}

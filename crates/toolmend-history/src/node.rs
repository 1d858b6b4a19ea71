//! Looking into JSON that was read, and changing single values of it in place.

use std::borrow::Cow;

use toolmend_json::{Document, FaultCode, Limits, Node, Options, Shape, Span, read};

/// Room for the arguments of a call, which may nest 128 deep, inside of a history.
const DEPTH_MAX: usize = 256;

/// Reads JSON that is right. Half a surrogate pair and a key that stands twice are not our business
/// here: both are JSON, and the text stays as it is.
pub(crate) fn read_valid(text: &str) -> Option<Document<'_>> {
    // Places are 32 bits wide.
    u32::try_from(text.len()).ok()?;
    let limits = Limits::default().with_depth_max(DEPTH_MAX).with_broken_bytes_max(usize::MAX);
    let document = read(text, &Options { limits, ..Options::default() });
    let is_harmless = |code| matches!(code, FaultCode::LoneSurrogate | FaultCode::DuplicateKey);
    let is_valid = document.faults().iter().all(|fault| is_harmless(fault.code));
    (is_valid && document.value().is_some()).then_some(document)
}

/// The characters of a string. They are a part of the text wherever nothing in it is escaped.
pub(crate) fn string<'t>(text: &'t str, node: &Node<'_>) -> Option<Cow<'t, str>> {
    match node.shape() {
        Shape::String => decoded(text.get(node.span().range())?),
        _ => None,
    }
}

/// The characters of a JSON string.
pub(crate) fn decoded(source: &str) -> Option<Cow<'_, str>> {
    let inner = source.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    if let Ok(text) = serde_json::from_str(source) {
        return Some(Cow::Owned(text));
    }
    // Half a surrogate pair is nothing that a strict decoder takes.
    read_valid(source)?.value()?.as_str().map(|text| Cow::Owned(text.into_owned()))
}

/// A string that says something.
pub(crate) fn filled<'t>(text: &'t str, node: &Node<'_>) -> Option<Cow<'t, str>> {
    string(text, node).filter(|string| !string.is_empty())
}

/// The text of a content: a string, or a list of blocks with texts. Anything else is its JSON.
pub(crate) fn text_of(content: &str) -> Cow<'_, str> {
    let Some(document) = read_valid(content) else { return Cow::Borrowed(content) };
    let Some(root) = document.value() else { return Cow::Borrowed(content) };
    match root.shape() {
        Shape::String => string(content, &root).unwrap_or_default(),
        Shape::Array => {
            let texts: Vec<Cow<'_, str>> =
                root.items().filter_map(|block| string(content, &block.get("text")?)).collect();
            match texts.is_empty() {
                true => Cow::Borrowed(content),
                false => Cow::Owned(texts.join("\n")),
            }
        }
        _ => Cow::Borrowed(content),
    }
}

/// One change of the text: what stands at `span` becomes `text`.
#[derive(Clone, Debug)]
pub(crate) struct Splice {
    pub(crate) span: Span,
    pub(crate) text: String,
}

/// Sets the member at the end of a path in the object at `span`: replaced where it is, added where
/// it is not. `None` if there is no object to put it in.
pub(crate) fn set(text: &str, span: Span, path: &[&str], json: &str) -> Option<Splice> {
    let document = read_valid(text.get(span.range())?)?;
    let (key, outer) = path.split_last()?;
    let object = outer.iter().try_fold(document.value()?, |node, key| node.get(key))?;
    if object.shape() != Shape::Object {
        return None;
    }
    let shifted = |start: u32, end: u32| Span { start: span.start + start, end: span.start + end };
    if let Some(value) = object.get(key) {
        let Span { start, end } = value.span();
        return Some(Splice { span: shifted(start, end), text: json.to_owned() });
    }
    let end = object.span().end.saturating_sub(1);
    let comma = if object.members().next().is_some() { "," } else { "" };
    let key = serde_json::Value::from(*key);
    Some(Splice { span: shifted(end, end), text: format!("{comma}{key}:{json}") })
}

/// Where the member of this name stands in the object at `span`.
pub(crate) fn find_member(text: &str, span: Span, key: &str) -> Option<Span> {
    let document = read_valid(text.get(span.range())?)?;
    let Span { start, end } = document.value()?.get(key)?.span();
    Some(Span { start: span.start + start, end: span.start + end })
}

//! Calls that a server could not read, and that its error quotes.

use serde_json::{Map, Value};
use toolmend::{Declared, Mended, Request, Turn, Written};
use toolmend_wire::rejected_text;

/// The turn that the model meant, where an error quotes it and a call can be made out.
pub(crate) fn turn(request: &Request<'_>, message: &str) -> Option<Mended> {
    let text = rejected_text(message).filter(|_| request.may_call)?;
    let has_call = |turn: &Mended| !turn.calls.is_empty();
    Some(as_text(request, text)).filter(has_call).or_else(|| as_arguments(request, text))
}

/// The text may be a call in the words of the model.
fn as_text(request: &Request<'_>, text: &str) -> Mended {
    let turn = Turn {
        id: "mined".to_owned(),
        content: text.to_owned(),
        finish: Some("stop".to_owned()),
        ..Turn::default()
    };
    request.mend(turn)
}

/// The text may be the arguments alone. The tool is the one that they fit, if it is only one.
fn as_arguments(request: &Request<'_>, text: &str) -> Option<Mended> {
    let mut fitting = request.tools.iter().filter_map(|tool| {
        let call = Declared {
            id: None,
            name: Some(tool.name().to_owned()),
            arguments: Written::Text(text.to_owned()),
        };
        let turn = Turn { id: "mined".to_owned(), calls: vec![call], ..Turn::default() };
        let mended = request.mend(turn);
        let call = mended.calls.first().filter(|_| mended.refused.is_empty())?;
        let arguments: Map<String, Value> = serde_json::from_str(&call.arguments).ok()?;
        let is_known = |name: &String| tool.property(name).is_some();
        (!arguments.is_empty() && arguments.keys().all(is_known)).then_some(mended)
    });
    let first = fitting.next()?;
    fitting.next().is_none().then_some(first)
}

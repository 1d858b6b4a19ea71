//! A turn as a session mends it while it comes.

use toolmend::{Declared, Delta, Mended, Past, Request, Session, Settings, Written};

use crate::check::Turn;

/// The content as a session lets it out in pieces of so many bytes, with what it has left at the
/// end.
pub(crate) fn streamed(turn: &Turn, size: usize) -> (String, Mended) {
    let settings = Settings { trust: turn.trust, ..Settings::default() };
    let request = Request {
        tools: &turn.tools,
        may_call: true,
        echo: &turn.echo,
        past: Past::Unknown,
        settings: &settings,
    };
    let mut session = Session::new(&request, "case");
    session.push(Delta::Reasoning(&turn.reasoning));
    let mut out = String::new();
    let mut start = 0;
    while start < turn.content.len() {
        let mut end = (start + size.max(1)).min(turn.content.len());
        while !turn.content.is_char_boundary(end) {
            end += 1;
        }
        let piece = turn.content.get(start..end).unwrap_or_default();
        out.push_str(session.push(Delta::Content(piece)));
        start = end;
    }
    for (name, value) in &turn.declared {
        let arguments = Written::Object(value.to_string());
        session.declare(Declared { name: Some(name.clone()), arguments, ..Declared::default() });
    }
    let reason = match (turn.is_cut, turn.is_over) {
        (true, _) => Some("length"),
        (false, is_over) => is_over.then_some("stop"),
    };
    let mended = session.finish(&request, reason);
    out.push_str(&mended.rest);
    (out, mended)
}

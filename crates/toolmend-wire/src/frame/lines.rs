//! One line of a stream of JSON lines.

use super::{Body, Frame};

pub(super) fn read(raw: Vec<u8>, is_closed: bool) -> Frame {
    let body = match std::str::from_utf8(&raw) {
        Err(_) => Body::NotText,
        Ok(text) if text.trim().is_empty() => Body::Nothing,
        Ok(text) => Body::Data(text.trim().to_owned()),
    };
    Frame { raw, event: None, body, is_closed }
}

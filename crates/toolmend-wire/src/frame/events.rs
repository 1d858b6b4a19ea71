//! One server-sent event: its lines, and writing it again with other data.

use super::{Body, Frame};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Whether an event is the first of its stream: a byte order mark may stand before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    First,
    Later,
}

/// Reads the lines of one event.
pub(super) fn read(raw: Vec<u8>, place: Place, is_closed: bool) -> Frame {
    let mut event = None;
    let mut data: Option<Vec<u8>> = None;
    for (number, line) in lines(&raw).enumerate() {
        let text = match place == Place::First && number == 0 {
            true => line.text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line.text),
            false => line.text,
        };
        match field(text) {
            (b"event", value) => event = std::str::from_utf8(value).ok().map(str::to_owned),
            (b"data", value) => match &mut data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => data = Some(value.to_vec()),
            },
            _ => {}
        }
    }
    let body = match data.map(String::from_utf8) {
        None => Body::Nothing,
        Some(Ok(text)) => Body::Data(text),
        Some(Err(_)) => Body::NotText,
    };
    Frame { raw, event, body, is_closed }
}

/// Writes an event with other data.
pub(super) fn rewrite(frame: &Frame, data: &str, event: Option<&str>, out: &mut Vec<u8>) {
    let mut is_told = event.is_none();
    let mut is_written = false;
    for line in lines(&frame.raw) {
        let bare = line.text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line.text);
        let (name, _) = field(bare);
        let end = if line.end.is_empty() { b"\n" } else { line.end };
        if name != b"event" && name != b"data" {
            write_line(&[line.text], end, out);
            continue;
        }
        if bare.len() < line.text.len() {
            out.extend_from_slice(BYTE_ORDER_MARK);
        }
        match (name, event) {
            (b"event", None) => write_line(&[bare], end, out),
            (b"event", Some(event)) if !is_told => {
                is_told = true;
                write_line(&[b"event: ", event.as_bytes()], end, out);
            }
            (b"data", event) if !is_written => {
                if let (Some(event), false) = (event, is_told) {
                    is_told = true;
                    write_line(&[b"event: ", event.as_bytes()], end, out);
                }
                is_written = true;
                write_line(&[b"data: ", one_line(data).as_bytes()], end, out);
            }
            _ => {}
        }
    }
    if !frame.is_closed {
        // The last line that was written has its end by now.
        out.extend_from_slice(b"\n");
    }
}

/// What must follow bytes that were cut off between events, so that the event counts.
pub(super) fn missing_end(raw: &[u8]) -> &'static [u8] {
    match raw.last() {
        None => b"",
        Some(b'\n' | b'\r') => b"\n",
        Some(_) => b"\n\n",
    }
}

fn write_line(parts: &[&[u8]], end: &[u8], out: &mut Vec<u8>) {
    for part in parts {
        out.extend_from_slice(part);
    }
    out.extend_from_slice(end);
}

/// Valid JSON has line breaks only between its tokens.
pub(crate) fn one_line(data: &str) -> String {
    data.replace(['\n', '\r'], " ")
}

/// A field's name and value; a comment has no name.
fn field(line: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b':', line) {
        Some(colon) => {
            let (name, rest) = line.split_at(colon);
            let value = rest.strip_prefix(b":").unwrap_or(rest);
            (name, value.strip_prefix(b" ").unwrap_or(value))
        }
        None => (line, b""),
    }
}

struct Line<'f> {
    text: &'f [u8],
    end: &'f [u8],
}

fn lines(raw: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mut rest = raw;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let at = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let (text, after) = rest.split_at(at);
        let end_bytes = match after {
            [b'\r', b'\n', ..] => 2,
            [] => 0,
            _ => 1,
        };
        let (end, after) = after.split_at(end_bytes);
        rest = after;
        Some(Line { text, end })
    })
}

#[cfg(test)]
mod tests {
    use super::{Place, read, rewrite};

    #[test]
    fn an_event_gets_its_name_where_one_stood() {
        for (raw, expected) in [
            ("event: a\n: c\ndata: 1\n\n", "event: b\n: c\ndata: {}\n\n"),
            (": c\ndata: 1\n\n", ": c\nevent: b\ndata: {}\n\n"),
            ("event: a\nevent: c\ndata: 1\n\n", "event: b\ndata: {}\n\n"),
            ("data: 1\nevent: a\n\n", "event: b\ndata: {}\n\n"),
        ] {
            let frame = read(raw.as_bytes().to_vec(), Place::First, true);
            let mut out = Vec::new();
            rewrite(&frame, "{}", Some("b"), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}

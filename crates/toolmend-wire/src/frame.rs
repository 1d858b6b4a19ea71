//! Frames: the pieces of a stream that are read one by one. Joined, their bytes are the stream.

mod events;
mod lines;

use crate::api::Framing;

pub(crate) use events::one_line;

/// One event, or one line. Keeps the bytes that came, whatever could be read from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The bytes, line ends included.
    pub raw: Vec<u8>,
    /// What the `event:` line names.
    pub event: Option<String>,
    /// What the frame carries.
    pub body: Body,
    /// Whether the frame was ended by what ends a frame, and not by the end of the stream.
    pub is_closed: bool,
}

/// What a frame carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// No data: a comment, a blank line, a retry time.
    Nothing,
    /// The text of the `data:` lines, or of the line.
    Data(String),
    /// Bytes that are no UTF-8.
    NotText,
    /// A part of a frame that is over the limit; its other parts follow, or came before.
    Oversize,
}

/// No limit is smaller: a part must be longer than the line end that is kept back.
const BYTES_LEAST: usize = 16;

/// Cuts bytes into frames, whatever pieces they come in.
#[derive(Clone, Debug)]
pub struct Framer {
    framing: Framing,
    bytes_max: usize,
    buffer: Vec<u8>,
    /// How far the buffer was looked at.
    seen: usize,
    /// Where the line starts that is being looked at.
    line: usize,
    place: events::Place,
    /// The frame before ended with a carriage return: a line feed behind it is part of that.
    after_return: bool,
    /// Parts of this frame went out already, because it is over the limit.
    is_oversize: bool,
}

impl Framer {
    /// A framer that passes frames of more than `bytes_max` on in parts.
    #[must_use]
    pub fn new(framing: Framing, bytes_max: usize) -> Self {
        Self {
            framing,
            bytes_max: bytes_max.max(BYTES_LEAST),
            buffer: Vec::new(),
            seen: 0,
            line: 0,
            place: events::Place::First,
            after_return: false,
            is_oversize: false,
        }
    }

    /// Takes bytes; ask for the frames that are whole now with [`Framer::next_frame`].
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next frame that is whole.
    pub fn next_frame(&mut self) -> Option<Frame> {
        let end = match self.framing {
            Framing::Events => self.find_event_end(),
            Framing::Lines => self.find_line_end(),
        };
        match end {
            Some(end) => {
                // Also where its last piece came with its end: pieces do not matter.
                self.is_oversize |= end > self.bytes_max;
                Some(self.take(end, true))
            }
            None if self.buffer.len() > self.bytes_max => {
                self.is_oversize = true;
                Some(self.take_part())
            }
            None => None,
        }
    }

    /// What is left when the stream ends: a frame that nothing closed.
    pub fn finish(&mut self) -> Option<Frame> {
        if let Some(frame) = self.next_frame() {
            return Some(frame);
        }
        let end = self.buffer.len();
        // A blank line that ends with a carriage return was only waiting for a line feed.
        let is_closed = self.framing == Framing::Events
            && self.buffer.get(self.line..) == Some(b"\r".as_slice());
        (end > 0).then(|| self.take(end, is_closed))
    }

    fn take(&mut self, end: usize, is_closed: bool) -> Frame {
        let rest = self.buffer.split_off(end);
        let raw = std::mem::replace(&mut self.buffer, rest);
        (self.seen, self.line) = (0, 0);
        self.after_return = self.framing == Framing::Events && raw.ends_with(b"\r");
        let place = std::mem::replace(&mut self.place, events::Place::Later);
        if std::mem::replace(&mut self.is_oversize, false) {
            return Frame { raw, event: None, body: Body::Oversize, is_closed };
        }
        match self.framing {
            Framing::Events => events::read(raw, place, is_closed),
            Framing::Lines => lines::read(raw, is_closed),
        }
    }

    /// Everything that is there of a frame that is over the limit. Where it ends is looked for on.
    fn take_part(&mut self) -> Frame {
        // The line end that is looked at stays, so that a blank line is still seen as one.
        let kept = self.buffer.len().min(2);
        let rest = self.buffer.split_off(self.buffer.len() - kept);
        let raw = std::mem::replace(&mut self.buffer, rest);
        self.seen = self.seen.saturating_sub(raw.len());
        self.line = self.line.saturating_sub(raw.len());
        self.place = events::Place::Later;
        Frame { raw, event: None, body: Body::Oversize, is_closed: false }
    }

    fn find_line_end(&mut self) -> Option<usize> {
        let rest = self.buffer.get(self.seen..).unwrap_or_default();
        let found = memchr::memchr(b'\n', rest).map(|offset| self.seen + offset + 1);
        self.seen = self.buffer.len();
        found
    }

    /// Where the blank line ends that ends this event. Lines end with a line feed, a carriage
    /// return, or both; which of them is decided by the bytes alone, not by how they arrived.
    fn find_event_end(&mut self) -> Option<usize> {
        loop {
            let rest = self.buffer.get(self.seen..)?;
            let at = self.seen + memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
            let Some(&byte) = self.buffer.get(at) else {
                self.seen = at;
                return None;
            };
            let before = at.checked_sub(1).and_then(|before| self.buffer.get(before));
            let is_blank = at == self.line;
            if byte == b'\n' {
                let ends_return = match at {
                    0 => self.after_return,
                    _ => is_blank && before == Some(&b'\r'),
                };
                (self.seen, self.line) = (at + 1, at + 1);
                if is_blank && !ends_return {
                    return Some(at + 1);
                }
            } else if is_blank {
                let is_plain_return = before == Some(&b'\r');
                match self.buffer.get(at + 1) {
                    _ if is_plain_return => return Some(at + 1),
                    Some(b'\n') => return Some(at + 2),
                    Some(_) => return Some(at + 1),
                    None => {
                        self.seen = at;
                        return None;
                    }
                }
            } else {
                (self.seen, self.line) = (at + 1, at + 1);
            }
        }
    }
}

impl Frame {
    /// Writes the frame with other data, and with another event name if one is given. Comments and
    /// other lines stay as they came; a frame that nothing closed is closed.
    pub(crate) fn rewrite(&self, data: &str, event: Option<&str>, out: &mut Vec<u8>) {
        events::rewrite(self, data, event, out);
    }

    /// The same frame with other data.
    pub(crate) fn with_data(self, framing: Framing, data: &str) -> Self {
        let mut raw = Vec::new();
        match framing {
            Framing::Events => self.rewrite(data, None, &mut raw),
            Framing::Lines => raw.extend([data.as_bytes(), b"\n"].concat()),
        }
        Self { raw, body: Body::Data(data.to_owned()), is_closed: true, ..self }
    }

    /// Writes the bytes as they came, and what closes the frame if nothing did.
    pub(crate) fn write_closed(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.raw);
        if !self.is_closed {
            out.extend_from_slice(events::missing_end(&self.raw));
        }
    }
}

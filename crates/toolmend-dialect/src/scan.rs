//! The scanner: text in, in any pieces; text and regions out, in order, nothing lost.

use crate::cursor::{Look, byte, follows, from};
use crate::found::{Event, Region};
use crate::lex::NAMESPACE;
use crate::offered::Offered;
use crate::parse::{self, Parse};
use crate::triggers::{self, Watch};

/// A region longer than this is text.
const REGION_BYTES_MAX: usize = 1 << 20;
/// How much reading may be wasted on regions that come to nothing, for each byte of text.
const WASTE_PER_BYTE: usize = 8;
/// Wasted reading that is always allowed.
const WASTE_FREE: usize = 1 << 18;
/// How often the text of a region may be read while it grows, and what is always allowed.
const READINGS: usize = 3;
const READ_FREE: usize = 256;
/// A region may be this long once too much was wasted.
const REGION_BYTES_TIRED: usize = 1 << 10;

/// Finds regions in one channel of a turn.
#[derive(Debug)]
pub struct Scanner<'o> {
    offered: &'o Offered,
    /// What has not been told yet. The text before it has.
    text: String,
    /// How far the automaton has run.
    seen: usize,
    watch: Watch,
    hold: Hold,
    /// How much of the held region was read, all readings together, and its length at the last.
    work: usize,
    read_to: usize,
    told: usize,
    wasted: usize,
}

/// Why text is held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    /// It is not.
    None,
    /// From here on it may be a line that starts a region.
    Line(usize),
    /// From here on it may be a mark.
    Mark(usize),
    /// From here on it is a region, perhaps.
    Region(usize),
}

impl<'o> Scanner<'o> {
    /// Starts on a channel of a turn in which these tools were offered.
    #[must_use]
    pub fn new(offered: &'o Offered) -> Self {
        Self {
            offered,
            text: String::new(),
            seen: 0,
            watch: Watch::new(),
            hold: Hold::Line(0),
            work: 0,
            read_to: 0,
            told: 0,
            wasted: 0,
        }
    }

    /// Takes the next piece and tells what it settles.
    pub fn push(&mut self, piece: &str, out: &mut impl FnMut(Event)) {
        self.text.push_str(piece);
        self.go_on(false, out);
        self.release(out);
    }

    /// Ends the text and tells the rest.
    pub fn finish(mut self, out: &mut impl FnMut(Event)) {
        self.go_on(true, out);
        let end = self.text.len();
        self.tell(end, out);
    }

    fn go_on(&mut self, is_ended: bool, out: &mut impl FnMut(Event)) {
        while self.advance(is_ended, out) {}
    }

    /// Does one thing; `false` where nothing more can be done with this text.
    fn advance(&mut self, is_ended: bool, out: &mut impl FnMut(Event)) -> bool {
        match self.hold {
            Hold::None => self.run(),
            Hold::Line(at) => match triggers::line(&self.text, at, self.offered, is_ended) {
                Look::Is(start) => self.hold_region(start),
                Look::Not => self.let_go(at),
                Look::More => false,
            },
            Hold::Mark(at) => match triggers::opens(&self.text, at, self.offered, is_ended) {
                Look::Is(()) => self.hold_region(at),
                Look::Not => self.let_go(at + 1),
                Look::More => false,
            },
            Hold::Region(at) => self.read(at, is_ended, out),
        }
    }

    /// Runs the automaton over what it has not seen.
    fn run(&mut self) -> bool {
        let bytes = self.text.as_bytes().get(self.seen..).unwrap_or_default();
        let Some((end, length)) = self.watch.run(bytes) else {
            self.seen = self.text.len();
            return false;
        };
        self.seen += end;
        let at = self.seen - length;
        self.hold = match (byte(&self.text, at), length) {
            (Some(b'\n'), 1) => Hold::Line(self.seen),
            (Some(b'<'), 1) => match self.namespace(at) {
                Some(start) => Hold::Region(start),
                None => Hold::Mark(at),
            },
            _ => Hold::Region(at),
        };
        (self.work, self.read_to) = (0, 0);
        true
    }

    /// The place of the namespace of `MiniMax` M3, whose second byte looks like a mark.
    fn namespace(&self, at: usize) -> Option<usize> {
        let start = at.checked_sub(1)?;
        (follows(&self.text, start, NAMESPACE) != Look::Not).then_some(start)
    }

    fn hold_region(&mut self, at: usize) -> bool {
        self.hold = Hold::Region(at);
        (self.work, self.read_to) = (0, 0);
        true
    }

    /// Goes on as with ordinary text from here.
    fn let_go(&mut self, at: usize) -> bool {
        self.hold = Hold::None;
        self.seen = self.seen.max(at);
        true
    }

    fn read(&mut self, at: usize, is_ended: bool, out: &mut impl FnMut(Event)) -> bool {
        let length = self.text.len() - at;
        if !is_ended && !self.is_worth_reading(at, length) {
            return false;
        }
        let limit = self.limit();
        let is_over = length > limit;
        let text = from(&self.text, at);
        let text = if is_over { head(text, limit) } else { text };
        match parse::region(text, self.offered, is_ended && !is_over) {
            Parse::Region { len, calls, is_marked } => {
                self.tell(at, out);
                let text: String = self.text.drain(..len).collect();
                self.told += len;
                out(Event::Region(Region { text, calls, is_marked }));
                self.seen = 0;
                self.watch = Watch::new();
                // What follows on the same line may be another region without marks.
                self.hold = Hold::Line(0);
                true
            }
            Parse::More if !is_ended && !is_over => {
                self.work += length;
                self.read_to = length;
                false
            }
            Parse::Not | Parse::More => {
                self.wasted += text.len().min(length);
                self.skip(at)
            }
        }
    }

    /// Whether what came since the last reading may close the region. Readings of a region that
    /// grows take no more than a few times its length in all; when it is read changes nothing but
    /// the time.
    fn is_worth_reading(&self, at: usize, length: usize) -> bool {
        let news = self.text.as_bytes().get(at + self.read_to..).unwrap_or_default();
        let may_close = news.iter().any(|byte| matches!(byte, b'>' | b'}' | b']' | b')' | b'\n'));
        let is_cheap = self.work + length <= READINGS * length + READ_FREE;
        may_close && is_cheap || length >= self.read_to + self.read_to / 2 + READ_FREE
    }

    /// What stands here is no region: the next mark behind it may be one.
    fn skip(&mut self, at: usize) -> bool {
        let rest = from(&self.text, at);
        let first = match rest.starts_with(NAMESPACE) {
            true => NAMESPACE.len(),
            false => rest.chars().next().map_or(1, char::len_utf8),
        };
        // What only began like the namespace may still be a mark from its second byte on.
        if rest.starts_with("]<") && first == 1 {
            self.hold = Hold::Mark(at + 1);
            self.seen = self.seen.max(at + 2);
            return true;
        }
        self.hold = Hold::None;
        self.seen = at + first;
        self.watch = Watch::new();
        true
    }

    /// How long a region may be. A text in which many regions came to nothing gets less, so that
    /// reading stays linear.
    fn limit(&self) -> usize {
        let seen = self.told + self.text.len();
        if self.wasted > WASTE_FREE + WASTE_PER_BYTE * seen {
            REGION_BYTES_TIRED
        } else {
            REGION_BYTES_MAX
        }
    }

    /// Tells the text that can no longer be part of a region.
    fn release(&mut self, out: &mut impl FnMut(Event)) {
        let end = match self.hold {
            Hold::None => self.text.len() - self.watch.held().min(self.text.len()),
            Hold::Line(at) | Hold::Mark(at) | Hold::Region(at) => at,
        };
        self.tell(end, out);
    }

    fn tell(&mut self, end: usize, out: &mut impl FnMut(Event)) {
        if end == 0 {
            return;
        }
        let text: String = if end == self.text.len() {
            std::mem::take(&mut self.text)
        } else {
            self.text.drain(..end).collect()
        };
        self.told += end;
        self.seen = self.seen.saturating_sub(end);
        self.hold = match self.hold {
            Hold::None => Hold::None,
            Hold::Line(at) => Hold::Line(at.saturating_sub(end)),
            Hold::Mark(at) => Hold::Mark(at.saturating_sub(end)),
            Hold::Region(at) => Hold::Region(at.saturating_sub(end)),
        };
        out(Event::Text(text));
    }
}

/// The first bytes of a text, ended on a character.
fn head(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

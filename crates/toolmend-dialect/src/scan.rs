//! The scanner: text in, in any pieces; text and regions out, in order, nothing lost.

use crate::cursor::{Look, between, byte, follows, from};
use crate::escaped;
use crate::found::{Event, Region};
use crate::lex::NAMESPACE;
use crate::offered::Offered;
use crate::parse::{self, Parse};
use crate::triggers::{self, Opening, Watch, is_plain_line, is_plain_tag};
use crate::whole::{self, Whole};

/// A region longer than this is text.
const REGION_BYTES_MAX: usize = 1 << 20;
/// How much reading may be wasted on regions that come to nothing, for each byte of text.
const WASTE_PER_BYTE: usize = 8;
/// Wasted reading that is always allowed.
const WASTE_FREE: usize = 1 << 18;
/// How often the text of a region may be read while it grows, and what is always allowed.
const READINGS: usize = 2;
const READ_FREE: usize = 256;
/// How often a line or a mark that grows may be looked at, and what is always allowed.
const LOOKS: usize = 8;
const LOOK_FREE: usize = 1 << 12;
/// A region may be this long once too much was wasted.
const REGION_BYTES_TIRED: usize = 1 << 10;
/// Text that was told is dropped once there is so much of it.
const TOLD_BYTES_KEPT: usize = 1 << 12;

/// Finds regions in one channel of a turn, and keeps what is not told yet.
#[derive(Debug)]
pub struct Scanner {
    scan: Scan,
    text: String,
}

/// Finds regions in one channel of a turn whose text someone else keeps. Each look is given all
/// the text that has come so far.
#[derive(Debug)]
pub struct Scan {
    offered: Offered,
    /// What stands before this was told.
    told: usize,
    /// How far the automaton has run.
    seen: usize,
    watch: Watch,
    hold: Hold,
    reading: Reading,
    /// Where a body starts with which something is known to be wrong.
    wrong: Option<usize>,
    /// How much text was dropped after it was told, and how much reading came to nothing.
    dropped: usize,
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

/// How often a region that grows was read.
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    /// The bytes read, all readings together.
    work: usize,
    /// How far the text was looked at, and how long the region must be to be read in any case.
    looked: usize,
    due: usize,
    /// Whether something that may close the region came since.
    may_close: bool,
}

impl Scanner {
    /// Starts on a channel of a turn in which these tools were offered.
    #[must_use]
    pub fn new(offered: &Offered) -> Self {
        Self { scan: Scan::new(offered), text: String::new() }
    }

    /// Takes the next piece and tells what it settles.
    pub fn push(&mut self, piece: &str, out: &mut impl FnMut(Event<'_>)) {
        let may_pass = self.text.is_empty() && self.scan.hold == Hold::None;
        if may_pass && self.pass(piece, out) {
            return;
        }
        self.text.push_str(piece);
        self.scan.go_on(&self.text, out);
        self.forget();
    }

    /// Ends the text and tells the rest.
    pub fn finish(self, out: &mut impl FnMut(Event<'_>)) {
        self.scan.finish(&self.text, out);
    }

    /// Passes on a piece of plain text without keeping it.
    fn pass(&mut self, piece: &str, out: &mut impl FnMut(Event<'_>)) -> bool {
        let scan = &mut self.scan;
        if scan.watch.passes(piece.as_bytes()) {
            scan.dropped += piece.len();
            out(Event::Text(piece));
            return true;
        }
        let mut watch = scan.watch;
        if watch.run(piece.as_bytes()).is_some() {
            return false;
        }
        scan.watch = watch;
        let held = watch.held();
        let end = piece.len().saturating_sub(held);
        if end > 0 {
            scan.dropped += end;
            out(Event::Text(between(piece, 0, end)));
        }
        if held > 0 {
            self.text.push_str(from(piece, end));
            scan.seen = self.text.len();
        }
        true
    }

    /// Drops text that was told.
    fn forget(&mut self) {
        let gone = self.scan.told;
        if gone < self.text.len() && gone < TOLD_BYTES_KEPT || gone == 0 {
            return;
        }
        if gone == self.text.len() {
            self.text.clear();
        } else {
            self.text.drain(..gone);
        }
        self.scan.drop_told();
    }
}

impl Scan {
    /// Starts on a channel of a turn in which these tools were offered.
    #[must_use]
    pub fn new(offered: &Offered) -> Self {
        Self {
            offered: offered.clone(),
            told: 0,
            seen: 0,
            watch: Watch::new(),
            hold: Hold::Line(0),
            reading: Reading::default(),
            wrong: None,
            dropped: 0,
            wasted: 0,
        }
    }

    /// Tells all of a text that has come whole.
    pub fn all<'t>(offered: &Offered, text: &'t str, out: &mut impl FnMut(Event<'t>)) {
        if text.is_empty() {
            return;
        }
        // Most calls are all of their text.
        let wrong = match whole::read(text, offered) {
            Whole::Region(region) if text.len() <= REGION_BYTES_MAX => {
                out(Event::Region(text, region));
                return;
            }
            Whole::Region(_) => None,
            Whole::Not(wrong) => wrong,
        };
        Self { wrong, ..Self::new(offered) }.finish(text, out);
    }

    /// Looks at what has come since the last look, and tells what it settles.
    #[inline]
    pub fn go_on<'t>(&mut self, text: &'t str, out: &mut impl FnMut(Event<'t>)) {
        // Most pieces of a region are only part of it.
        let hold = self.hold;
        match hold {
            Hold::Region(at) if !self.is_worth_reading(text, at) => {}
            _ => self.advance_all(text, out),
        }
    }

    fn advance_all<'t>(&mut self, text: &'t str, out: &mut impl FnMut(Event<'t>)) {
        while self.advance(text, false, out) {}
        self.release(text, out);
    }

    /// Ends the text and tells the rest. A text that comes whole is read once in this way, and not
    /// once more when it turns out that nothing follows.
    pub fn finish<'t>(mut self, text: &'t str, out: &mut impl FnMut(Event<'t>)) {
        while self.advance(text, true, out) {}
        self.tell(text, text.len(), out);
    }

    /// Does one thing; `false` where nothing more can be done with this text.
    fn advance<'t>(
        &mut self,
        text: &'t str,
        is_ended: bool,
        out: &mut impl FnMut(Event<'t>),
    ) -> bool {
        let hold = self.hold;
        match hold {
            Hold::None => self.run(text),
            Hold::Line(at) | Hold::Mark(at) if !is_ended && !self.is_worth_a_look(text, at) => {
                false
            }
            Hold::Line(at) => match triggers::line(text, at, &self.offered, is_ended) {
                Look::Is(start) => self.hold_back(Hold::Region(start)),
                Look::Not => self.let_go(at),
                Look::More => false,
            },
            Hold::Mark(at) => match triggers::opens(text, at, &self.offered, is_ended) {
                Look::Is(Opening::Region) => self.hold_back(Hold::Region(at)),
                Look::Is(Opening::Answer(start)) => self.hold_back(Hold::Line(start)),
                Look::Not => self.let_go(at + 1),
                Look::More => false,
            },
            Hold::Region(at) => self.read(text, at, is_ended, out),
        }
    }

    /// Runs the automaton over what it has not seen.
    fn run(&mut self, text: &str) -> bool {
        loop {
            let bytes = text.as_bytes().get(self.seen..).unwrap_or_default();
            let Some((end, length)) = self.watch.run(bytes) else {
                self.seen = text.len();
                return false;
            };
            self.seen += end;
            let at = self.seen - length;
            match (byte(text, at), length) {
                (Some(b'\n'), 1) if is_plain_line(text, self.seen, &self.offered) => {}
                (Some(b'\n'), 1) => return self.hold_back(Hold::Line(self.seen)),
                (Some(b'<'), 1) => match self.namespace(text, at) {
                    Some(start) => return self.hold_back(Hold::Region(start)),
                    None if is_plain_tag(text, at, &self.offered) => {}
                    None => return self.hold_back(Hold::Mark(at)),
                },
                _ => return self.hold_back(Hold::Region(at)),
            }
        }
    }

    /// The place of the namespace of `MiniMax` M3, whose second byte looks like a mark.
    fn namespace(&self, text: &str, at: usize) -> Option<usize> {
        let start = at.checked_sub(1).filter(|&start| start >= self.told)?;
        let start = Some(start).filter(|&start| byte(text, start) == Some(b']'))?;
        (follows(text, start, NAMESPACE) != Look::Not).then_some(start)
    }

    fn hold_back(&mut self, hold: Hold) -> bool {
        self.hold = hold;
        self.reading = Reading::default();
        true
    }

    /// Whether to look again at a line or a mark that is longer now. The looks at one take no more
    /// than a few times its length in all.
    fn is_worth_a_look(&mut self, text: &str, at: usize) -> bool {
        let length = text.len() - at;
        let is_cheap = self.reading.work <= LOOKS * length + LOOK_FREE;
        self.reading.work += if is_cheap { length } else { 0 };
        is_cheap
    }

    /// Goes on as with ordinary text from here.
    fn let_go(&mut self, at: usize) -> bool {
        self.hold = Hold::None;
        self.seen = self.seen.max(at);
        true
    }

    fn read<'t>(
        &mut self,
        text: &'t str,
        at: usize,
        is_ended: bool,
        out: &mut impl FnMut(Event<'t>),
    ) -> bool {
        let length = text.len() - at;
        // What only begins like the namespace opens nothing.
        if byte(text, at) == Some(b']') {
            match follows(text, at, NAMESPACE).ended(is_ended) {
                Look::Is(_) => {}
                Look::More => return false,
                Look::Not => return self.skip(text, at),
            }
        }
        if !is_ended && !self.is_worth_reading(text, at) {
            return false;
        }
        let limit = self.limit(at);
        let is_over = length > limit;
        let rest = from(text, at);
        let rest = if is_over { head(rest, limit) } else { rest };
        let wrong = self.wrong.and_then(|wrong| wrong.checked_sub(at));
        let parsed = match rest.starts_with(escaped::OPENER) {
            true => escaped::region(rest, &self.offered, is_ended && !is_over),
            false => parse::region(rest, &self.offered, is_ended && !is_over, wrong),
        };
        match parsed {
            Parse::Region { len, calls, is_marked, wasted } => {
                self.wasted += wasted;
                self.tell(text, at, out);
                out(Event::Region(between(text, at, at + len), Region { calls, is_marked }));
                self.told = at + len;
                self.seen = self.told;
                self.watch = Watch::new();
                // What follows on the same line may be another region without marks.
                self.hold_back(Hold::Line(self.told))
            }
            Parse::More if !is_ended && !is_over => {
                self.reading.work += length;
                self.reading.due = length + length / 2 + READ_FREE;
                self.reading.may_close = false;
                false
            }
            Parse::Not(looked) => {
                self.wasted += looked;
                self.skip(text, at)
            }
            Parse::More => {
                self.wasted += rest.len();
                self.skip(text, at)
            }
        }
    }

    /// Whether what came since the last reading may close the region. Readings of a region that
    /// grows take no more than a few times its length in all; when it is read changes nothing but
    /// the time.
    #[inline]
    fn is_worth_reading(&mut self, text: &str, at: usize) -> bool {
        let length = text.len() - at;
        let reading = &mut self.reading;
        if length >= reading.due {
            reading.looked = length;
            return true;
        }
        if reading.work + length > READINGS * length + READ_FREE {
            return false;
        }
        let news = text.as_bytes().get(at + reading.looked..).unwrap_or_default();
        reading.may_close |=
            news.iter().any(|byte| matches!(byte, b'>' | b'}' | b']' | b')' | b'\n'));
        reading.looked = length;
        reading.may_close
    }

    /// What stands here is no region: the next mark behind it may be one.
    fn skip(&mut self, text: &str, at: usize) -> bool {
        let rest = from(text, at);
        self.watch = Watch::new();
        // What only began like the namespace may still be a mark from its second byte on.
        if rest.starts_with("]<") && !rest.starts_with(NAMESPACE) {
            self.seen = self.seen.max(at + 2);
            return self.hold_back(Hold::Mark(at + 1));
        }
        let first = match rest.starts_with(NAMESPACE) {
            true => NAMESPACE.len(),
            false => rest.chars().next().map_or(1, char::len_utf8),
        };
        self.hold = Hold::None;
        self.seen = at + first;
        true
    }

    /// How long a region may be. A text in which many regions came to nothing gets less, so that
    /// reading stays linear.
    fn limit(&self, at: usize) -> usize {
        match self.wasted > WASTE_FREE + WASTE_PER_BYTE * (self.dropped + at) {
            true => REGION_BYTES_TIRED,
            false => REGION_BYTES_MAX,
        }
    }

    /// Tells the text that can no longer be part of a region.
    fn release<'t>(&mut self, text: &'t str, out: &mut impl FnMut(Event<'t>)) {
        let end = match self.hold {
            Hold::None => text.len() - self.watch.held().min(text.len() - self.told),
            Hold::Line(at) | Hold::Mark(at) | Hold::Region(at) => at,
        };
        self.tell(text, end, out);
    }

    fn tell<'t>(&mut self, text: &'t str, end: usize, out: &mut impl FnMut(Event<'t>)) {
        if end > self.told {
            out(Event::Text(between(text, self.told, end)));
            self.told = end;
        }
    }

    /// The text that was told is no longer there: places count from its end.
    fn drop_told(&mut self) {
        let gone = std::mem::take(&mut self.told);
        self.dropped += gone;
        self.seen -= gone.min(self.seen);
        self.hold = match self.hold {
            Hold::None => Hold::None,
            Hold::Line(at) => Hold::Line(at - gone),
            Hold::Mark(at) => Hold::Mark(at - gone),
            Hold::Region(at) => Hold::Region(at - gone),
        };
    }
}

/// The first bytes of a text, ended on a character.
fn head(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    between(text, 0, end)
}

//! Strings: from their quotes to the tape.

use crate::escape::{self, Speller, push_fault};
use crate::input::{Input, Look};
use crate::machine::{Anchor, Machine, State};
use crate::quote::{self, Quote};
use crate::scan;
use crate::tape::{Body, Slot};
use crate::{FaultCode, Span};

/// A string that is being scanned, kept so that the next chunk goes on where the last one ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scanning {
    start: usize,
    at: usize,
    flags: StringFlags,
}

/// What a scanned string holds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StringFlags {
    has_escapes: bool,
    /// Whether a double quote stands in it that is not escaped.
    has_double: bool,
    is_odd: bool,
}

/// A string as its quotes delimit it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scanned {
    Closed { end: usize, flags: StringFlags },
    Unclosed,
}

impl Machine {
    /// The end of the string at this place if nothing in it needs a closer look, as in most.
    pub(crate) fn plain_end(&self, input: &Input<'_>) -> Option<usize> {
        if self.scanning.is_some() {
            return None;
        }
        let end = scan::find_special(input.bytes(), self.pos + 1, b'"');
        (input.byte(end) == Some(b'"')).then_some(end)
    }

    /// Puts a plain string on the tape that ends before `end`.
    pub(crate) fn push_plain(&mut self, end: usize) {
        let body = Body::Text(Span::new(self.pos + 1, end));
        self.tape.slots.push(Slot::string(Span::new(self.pos, end + 1), body, false).plain());
    }

    /// The same, where later text may show that it ends elsewhere.
    pub(crate) fn push_anchored(&mut self, end: usize) -> Anchor {
        let anchor = Anchor::new(self.pos, end, Quote::Double, self.mark());
        self.push_plain(end);
        self.pos = end + 1;
        anchor
    }

    /// Reads a key in quotes.
    #[inline(never)]
    pub(crate) fn key_string(&mut self, input: &Input<'_>, at: usize, quote: Quote) -> Look<()> {
        match self.scan_string(input, at, quote)? {
            Scanned::Closed { end, flags } => {
                let mark = self.mark();
                self.push_string(input, at, end, quote, flags);
                self.pos = end + quote.width();
                self.state = State::Colon;
                self.key_anchor = Some(Anchor::new(at, end, quote, mark));
                Some(())
            }
            Scanned::Unclosed => self.unclosed_key(input, at, quote),
        }
    }

    /// Reads a value in quotes.
    #[inline(never)]
    pub(crate) fn value_string(&mut self, input: &Input<'_>, at: usize, quote: Quote) -> Look<()> {
        match self.scan_string(input, at, quote)? {
            Scanned::Closed { end, flags } => {
                let mark = self.mark();
                // JavaScript would put a value there.
                let content = input.slice(at + 1, end);
                if quote == Quote::Backtick
                    && content.starts_with("${")
                    && content.find('}') == Some(content.len() - 1)
                {
                    return self.refuse(FaultCode::Placeholder, at, end + 1);
                }
                self.push_string(input, at, end, quote, flags);
                self.pos = end + quote.width();
                self.state = State::After;
                self.anchor = Some(Anchor::new(at, end, quote, mark));
                Some(())
            }
            Scanned::Unclosed => self.settle_string(input, at, quote),
        }
    }

    /// Finds the closing quote, taking quotes at their word.
    pub(crate) fn scan_string(
        &mut self,
        input: &Input<'_>,
        start: usize,
        quote: Quote,
    ) -> Look<Scanned> {
        let mut scanning = match self.scanning {
            Some(scanning) if scanning.start == start => scanning,
            _ => Scanning { start, at: start + quote.width(), flags: StringFlags::default() },
        };
        self.scanning = None;
        let bytes = input.bytes();
        loop {
            let at = if quote == Quote::Double {
                scan::find_special(bytes, scanning.at, b'"')
            } else {
                scan::find_special_or_double(bytes, scanning.at, quote.byte())
            };
            scanning.at = at;
            let waiting = Some(scanning);
            match bytes.get(at) {
                None if input.ended => return Some(Scanned::Unclosed),
                None => {
                    self.scanning = waiting;
                    return None;
                }
                Some(b'\\') => {
                    let escape = bytes.get(at..).unwrap_or_default();
                    if quote == Quote::Escaped {
                        let Some(run) = quote::backslash_run(input, at) else {
                            self.scanning = waiting;
                            return None;
                        };
                        if run.closes {
                            let flags = scanning.flags;
                            return Some(Scanned::Closed { end: run.end - 2, flags });
                        }
                        scanning.flags.has_escapes = true;
                        scanning.flags.is_odd = true;
                        scanning.at = run.end;
                        continue;
                    }
                    let width = escape::valid_width(escape);
                    if width.is_none() && escape.len() < 12 && !input.ended {
                        self.scanning = waiting;
                        return None;
                    }
                    scanning.flags.has_escapes = true;
                    scanning.flags.is_odd |= width.is_none();
                    scanning.at = at + width.unwrap_or(2);
                }
                Some(&byte) if byte == quote.byte() => {
                    let Some(closing) = quote.closing(input, at) else {
                        self.scanning = waiting;
                        return None;
                    };
                    if closing.is_some() {
                        return Some(Scanned::Closed { end: at, flags: scanning.flags });
                    }
                    scanning.flags.has_double |= byte == b'"';
                    scanning.at = at + 1;
                }
                Some(b'"') => {
                    scanning.flags.has_double = true;
                    scanning.at = at + 1;
                }
                Some(_) => {
                    scanning.flags.is_odd = true;
                    scanning.at = at + 1;
                }
            }
        }
    }

    /// Puts a string on the tape. `end` is where its characters end.
    pub(crate) fn push_string(
        &mut self,
        input: &Input<'_>,
        start: usize,
        end: usize,
        quote: Quote,
        flags: StringFlags,
    ) {
        let content = start + quote.width();
        let span = Span::new(start, end + quote.width());
        if let Some(code) = quote.fault() {
            push_fault(&mut self.faults, code, start, end + quote.width());
        }
        let is_clean =
            !flags.is_odd && (quote == Quote::Double || !(flags.has_escapes || flags.has_double));
        if is_clean {
            let body = Body::Text(Span::new(content, end));
            let slot = Slot::string(span, body, flags.has_escapes);
            self.tape.slots.push(if quote == Quote::Double { slot.plain() } else { slot });
        } else {
            self.push_spelt(input.slice(content, end), content, span, quote);
        }
    }

    /// Puts a string on the tape whose characters were not looked at.
    pub(crate) fn push_content(&mut self, raw: &str, base: usize, span: Span, quote: Quote) {
        let is_clean = scan::find_special_or_double(raw.as_bytes(), 0, quote.byte()) == raw.len();
        if is_clean {
            let body = Body::Text(Span::new(base, base + raw.len()));
            self.tape.slots.push(Slot::string(span, body, false));
        } else {
            self.push_spelt(raw, base, span, quote);
        }
    }

    /// Puts a string on the tape whose characters must be spelt anew.
    fn push_spelt(&mut self, raw: &str, base: usize, span: Span, quote: Quote) {
        let faults = &mut self.faults;
        let body = self.tape.mend(|out| {
            if quote == Quote::Escaped {
                escape::spell_escaped(raw, base, out, faults);
            } else {
                Speller { out, faults, quote }.spell(raw, base);
            }
        });
        self.tape.slots.push(Slot::string(span, body, true));
    }

    /// Puts a string on the tape whose characters stand for themselves, backslashes too.
    pub(crate) fn push_verbatim(&mut self, raw: &str, span: Span) {
        let body = self.tape.mend(|out| escape::spell_verbatim(raw, out));
        self.tape.slots.push(Slot::string(span, body, true));
    }
}

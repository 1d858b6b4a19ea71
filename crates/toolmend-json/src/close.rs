//! Closes a text that was cut: an explicit step with a trust of its own.

use crate::cut::Place;
use crate::document::{Document, Node, Outcome};
use crate::escape::Speller;
use crate::finish::{sort, worst};
use crate::input::Input;
use crate::quote::Quote;
use crate::reader::decode;
use crate::settle::cut_escape;
use crate::tape::{Body, Kind, Slot};
use crate::{Expected, Fault, FaultCode, Options, Span, Trust, scan};

impl Document<'_> {
    /// Closes a cut text as far as `allowed` permits and tells the outcome, which stays
    /// [`Outcome::Cut`] where closing would need more trust.
    ///
    /// Nothing inside a string is trimmed or completed. An unfinished key, number or literal is
    /// dropped with its member, but for a literal that can only be one. A value of which nothing
    /// would be left is refused.
    pub fn close(&mut self, allowed: Trust) -> Outcome {
        let Some(cut) = self.cut.clone() else { return self.outcome };
        let trust = cut.trust();
        if trust > allowed {
            return self.outcome;
        }
        let end = self.text.len();
        let code =
            if trust == Trust::Likely { FaultCode::MissingCloser } else { FaultCode::ClosedCut };
        let code = match cut.place {
            Place::String | Place::Escape => self.close_string(&cut),
            Place::Number => self.close_number(cut.token),
            Place::Literal => self.close_literal(cut.token),
            Place::Key | Place::AfterKey | Place::AfterColon => self.drop_member(),
            Place::AfterComma | Place::AfterOpener | Place::Between => code,
        };
        if code == FaultCode::DroppedCut && self.is_bare() {
            self.outcome = Outcome::Refused(FaultCode::MissingValue);
            self.cut = None;
            return self.outcome;
        }
        for slot in std::mem::take(&mut self.open).into_iter().rev() {
            self.tape.close(slot, end);
        }
        self.faults.push(Fault { span: Span::new(end, end), code });
        self.roots.push(self.cut_root);
        self.drop_repeated();
        sort(&mut self.faults);
        self.cut = None;
        self.outcome = Outcome::Mended(worst(&self.faults));
        decode(self, &Options { expected: Expected::root(self.want), ..Options::default() });
        self.outcome
    }

    /// The value that was cut may be the one before it again.
    fn drop_repeated(&mut self) {
        if let [.., before, last] = *self.roots.as_slice() {
            let node = |index| Node { tape: &self.tape, text: &self.text, index };
            if node(before).is_same(&node(last)) {
                let span = node(last).span();
                self.roots.pop();
                self.faults.push(Fault { span, code: FaultCode::RepeatedValue });
                self.faults.retain(|fault| fault.code != FaultCode::SeveralValues);
            }
        }
    }

    fn close_string(&mut self, cut: &crate::Cut) -> FaultCode {
        let options = Options::default();
        let text = self.text.clone();
        let input = Input { text: &text, ended: true, mends: true, options: &options };
        let start = cut.token.start as usize;
        let end = cut_escape(&input, start).unwrap_or(text.len());
        let quote = Quote::opening(&input, start).flatten().unwrap_or(Quote::Double);
        let content = start + quote.width();
        let raw = text.get(content..end).unwrap_or_default();
        // A quote with which the text ends closes the string, if it is to be closed at all.
        let is_plain = matches!(quote, Quote::Double | Quote::Single | Quote::Backtick);
        let raw = match raw.trim_end().strip_suffix(char::from(quote.byte())) {
            Some(less) if is_plain && !ends_in_escape(less) => less,
            _ => raw,
        };
        let faults = &mut self.faults;
        if let Some(code) = quote.fault() {
            faults.push(Fault { span: cut.token, code });
        }
        let body = self.tape.mend(|out| Speller { out, faults, quote }.spell(raw, content));
        self.tape.slots.push(Slot::string(cut.token, body, true));
        FaultCode::ClosedCut
    }

    /// A number may have had more digits, but those that are there are a number.
    fn close_number(&mut self, token: Span) -> FaultCode {
        let raw = self.text.get(token.range()).unwrap_or_default().trim_end();
        if scan::number_end(raw.as_bytes(), 0) != Some(raw.len()) {
            return self.drop_member();
        }
        self.tape.slots.push(Slot::number(token, Body::Text(token)));
        FaultCode::ClosedCut
    }

    /// A literal is completed where only one starts so.
    fn close_literal(&mut self, token: Span) -> FaultCode {
        let raw = self.text.get(token.range()).unwrap_or_default().trim_end();
        let words = [
            ("true", Kind::True),
            ("false", Kind::False),
            ("null", Kind::Null),
            ("True", Kind::True),
            ("False", Kind::False),
            ("None", Kind::Null),
        ];
        match words.iter().find(|(word, _)| !raw.is_empty() && word.starts_with(raw)) {
            Some((_, kind)) => {
                self.tape.slots.push(Slot::literal(*kind, token));
                FaultCode::CompletedCut
            }
            None => self.drop_member(),
        }
    }

    /// Takes back a key that has no value.
    fn drop_member(&mut self) -> FaultCode {
        let Some(&top) = self.open.last() else { return FaultCode::DroppedCut };
        let is_object = self.tape.slots.get(top).is_some_and(|slot| slot.kind == Kind::Object);
        let mut at = top + 1;
        while is_object && at < self.tape.slots.len() {
            if at + 1 == self.tape.slots.len() {
                self.tape.slots.pop();
                break;
            }
            at = self.tape.after(at + 1);
        }
        FaultCode::DroppedCut
    }

    /// Whether nothing but open containers, each in the one before, is left of the value.
    fn is_bare(&self) -> bool {
        let left = self.tape.slots.get(self.cut_root..).unwrap_or_default();
        let is_object = |slot: &&usize| {
            self.tape.slots.get(**slot).is_some_and(|slot| slot.kind == Kind::Object)
        };
        let outer = self.open.split_last().map_or(&[][..], |(_, outer)| outer);
        let keys = outer.iter().filter(is_object).count();
        left.len() == self.open.len() + keys
    }
}

/// Whether the last backslash of this text escapes what comes after it.
fn ends_in_escape(text: &str) -> bool {
    text.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1
}

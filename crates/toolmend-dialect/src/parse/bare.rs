//! Bodies that need no marks: objects, lists, and calls in Python syntax.

use std::ops::Range;

use toolmend_json::{Plain, Trust};

use super::{Calls, Parser, Step};
use crate::cursor::{
    Look, between, byte, follows, from, name_end, skip_blanks, skip_space, unescaped, word_end,
};
use crate::decode::header::{self, Extent};
use crate::decode::{envelope, json, plain, python};
use crate::dialect::Body;
use crate::found::{Arguments, Ending, Found};
use crate::lexicon;
use crate::triggers;

/// An index longer than this is none.
const INDEX_DIGITS_MAX: usize = 4;

/// Whether the arguments of calls are closed when all that stands before the end of a text is.
fn are_whole(drafts: &[Found]) -> bool {
    !drafts.iter().any(|draft| matches!(draft.arguments, Arguments::Beside(..) | Arguments::None))
}

impl<'t> Parser<'t, '_> {
    /// An object, or objects in a row.
    pub(super) fn json(&self, place: usize) -> Step {
        if !self.signs.is_open && !self.may_be_call(place) {
            return Step::Over;
        }
        let Extent { end, ending, document, .. } = match self.body_end(place) {
            Ok(extent) => extent,
            Err(step) => return step,
        };
        let body = between(self.text, place, end);
        let mut document = document.unwrap_or_else(|| json::read(body));
        // The mark behind it says that the body is over, or the end of the text, perhaps: only braces
        // are missing.
        if ending != Ending::Cut && document.cut().is_some() {
            document.close(Trust::Likely);
        }
        if ending == Ending::Cut || json::trust(&document).is_none() {
            return self.cut(&mut document, place..end, ending);
        }
        let drafts = json::calls(&document, place, self.offered);
        match ending == Ending::Open && !are_whole(&drafts) {
            _ if drafts.is_empty() => Step::Over,
            true => self.cut(&mut document, place..end, ending),
            false => Calls::bare(drafts, end, ending, Body::Json),
        }
    }

    /// Between marks, the members of a call without the braces around them, or all of it in a string.
    pub(super) fn unbraced(&self, place: usize) -> Step {
        if !self.is_ended {
            return Step::More;
        }
        self.look_to(self.text.len());
        let Look::Is(mark) = header::mark_after(self.text, place, true) else { return Step::Over };
        let end = header::trim(self.text, place, mark);
        let document = json::read_object(between(self.text, place, end));
        let drafts = json::calls(&document, place, self.offered);
        match drafts.is_empty() {
            true => Step::Over,
            false => Calls::bare(drafts, end, Ending::Unclosed, Body::Json),
        }
    }

    /// A body that was cut or cannot be read: the name, if it can be made out.
    pub(super) fn cut(
        &self,
        document: &mut toolmend_json::Document<'_>,
        place: Range<usize>,
        ending: Ending,
    ) -> Step {
        if self.is_ended && ending != Ending::Unclosed {
            document.close(toolmend_json::Trust::Guess);
        }
        let mut drafts = json::calls(document, place.start, self.offered);
        if drafts.is_empty() {
            return Step::Over;
        }
        for draft in &mut drafts {
            draft.arguments = Arguments::Unreadable(None);
        }
        Calls::bare(drafts, place.end, Ending::Cut, Body::Json)
    }

    /// Whether an object without marks begins like a call.
    pub(super) fn may_be_call(&self, place: usize) -> bool {
        // Small models copy the doubled braces of a template.
        let place = place + usize::from(byte(self.text, place + 1) == Some(b'{'));
        match json::first_key(self.text, place) {
            Look::Is(key) => envelope::may_begin_call(key) || self.offered.knows(key),
            Look::More => true,
            Look::Not => false,
        }
    }

    /// A square bracket: a literal mark, a list of envelopes, or a list of calls.
    pub(super) fn list(&self, place: usize) -> Step {
        if let Some((mark, role)) = lexicon::literal_at(from(self.text, place)) {
            let end = place + mark.len();
            return if role.opens { Step::Open(end) } else { Step::Close(end) };
        }
        if let Some(look) = self.half_literal(place) {
            return look;
        }
        let inner = skip_space(self.text, place + 1);
        let Some(skipped) = from(self.text, inner).find(|c| !matches!(c, '{' | '\'' | '"' | '['))
        else {
            return if self.is_ended { Step::Over } else { Step::More };
        };
        let quoted = inner + skipped;
        let Some(first) = byte(self.text, inner) else {
            return if self.is_ended { Step::Over } else { Step::More };
        };
        if !matches!(first, b'{' | b'"' | b'\'') {
            return self.statement(quoted.max(inner), place);
        }
        match self.call_head(quoted) {
            Look::Is(()) => self.statement(quoted, place),
            Look::More => Step::More,
            Look::Not if self.signs.is_open => self.json_list(place),
            Look::Not if first == b'{' && self.may_be_call(inner) => self.json_list(place),
            Look::Not => Step::Over,
        }
    }

    /// Whether a call in Python syntax ends right before this place.
    pub(super) fn is_right_behind(&self, place: usize) -> bool {
        self.last()
            .is_some_and(|(call, trace)| trace.body == Body::Python && call.span.end == place)
    }

    /// Whether a call in Python syntax ends before this place, on the same line.
    pub(super) fn is_on_line_behind(&self, place: usize) -> bool {
        self.last().is_some_and(|(call, trace)| {
            trace.body == Body::Python && !between(self.text, call.span.end, place).contains('\n')
        })
    }

    /// An `and` between two calls on a line.
    pub(super) fn conjunction(&self, place: usize) -> Step {
        let next = match follows(self.text, place, "and ").ended(self.is_ended) {
            Look::Is(end) => skip_blanks(self.text, end),
            Look::More => return Step::More,
            Look::Not => return self.word(place),
        };
        match self.call_head(next) {
            Look::Is(()) => Step::Noise(next),
            Look::More => Step::More,
            Look::Not => Step::Over,
        }
    }

    /// The end of the `[0]` that stands right behind a call: what is taken of the result is not part
    /// of the call.
    pub(super) fn index_end(&self, place: usize) -> Look<usize> {
        if !self.is_right_behind(place) {
            return Look::Not;
        }
        let digits = from(self.text, place + 1).bytes().take_while(u8::is_ascii_digit).count();
        let end = place + 1 + digits;
        match byte(self.text, end) {
            _ if digits > INDEX_DIGITS_MAX => Look::Not,
            Some(b']') if digits > 0 => Look::Is(end + 1),
            None if !self.is_ended => Look::More,
            _ => Look::Not,
        }
    }

    /// How far the JSON that starts here goes; else what to do.
    fn body_end(&self, place: usize) -> Result<Extent<'t>, Step> {
        let mut wrong = self.wrong;
        if self.is_ended && wrong != Some(place) {
            let mut body = Plain::new(self.text, place);
            if let Some(drafts) = plain::calls(&mut body, self.offered) {
                self.look_to(body.at());
                return Err(Calls::bare(drafts, body.at(), Ending::Unclosed, Body::Json));
            }
            wrong = body.is_wrong().then_some(place);
        }
        let extent = match header::body_end(self.text, place, self.is_ended, wrong) {
            Look::Is(extent) => extent,
            Look::More => return Err(Step::More),
            Look::Not => return Err(Step::Over),
        };
        // A body that cannot be read as its brackets say was looked at to the end of the text.
        let is_last = self.is_ended && extent.document.is_none();
        self.look_to(if is_last { self.text.len() } else { extent.end });
        self.look_past(extent.end, extent.looked);
        Ok(extent)
    }

    /// A list of envelopes.
    pub(super) fn json_list(&self, place: usize) -> Step {
        let Extent { end, ending, document, .. } = match self.body_end(place) {
            Ok(extent) => extent,
            Err(step) => return step,
        };
        let body = between(self.text, place, end);
        let mut document = document.unwrap_or_else(|| json::read(body));
        if ending != Ending::Cut && document.cut().is_some() {
            return self.open_list(place, end, ending);
        }
        let drafts = json::calls(&document, place, self.offered);
        match drafts.is_empty() {
            true if ending == Ending::Cut => self.cut(&mut document, place..end, ending),
            true => Step::Over,
            false => Calls::bare(drafts, end, ending, Body::Json),
        }
    }

    /// A list of envelopes without its bracket: its items, of which the last may lack braces.
    fn open_list(&self, place: usize, end: usize, ending: Ending) -> Step {
        let mut items = json::read(between(self.text, place + 1, end));
        items.close(Trust::Likely);
        let drafts = json::calls(&items, place + 1, self.offered);
        match drafts.is_empty() || ending == Ending::Open && !are_whole(&drafts) {
            true => {
                let mut document = json::read(between(self.text, place, end));
                // Its end is known, whether more text may come or not.
                document.close(Trust::Guess);
                self.cut(&mut document, place..end, Ending::Unclosed)
            }
            false => Calls::bare(drafts, end, ending, Body::Json),
        }
    }

    /// Whether a name of an offered tool and a bracket stand here.
    pub(super) fn call_head(&self, place: usize) -> Look<()> {
        triggers::head_of_call(self.text, place, self.offered, self.is_ended)
    }

    /// Whether an offered tool has this name.
    pub(super) fn is_known(&self, name: &str) -> bool {
        self.offered.knows(&unescaped(name))
    }

    /// A call in Python syntax that starts at `call`; the statement started at `place`.
    pub(super) fn statement(&self, call: usize, place: usize) -> Step {
        match python::call(self.text, call) {
            Look::Is((draft, end)) => {
                if !self.signs.is_open && !self.is_known(&draft.name) {
                    return Step::Over;
                }
                // The brackets of a list or of `print(` close with the call.
                let opened = between(self.text, place, call);
                let (end, is_closed) = self.close_statement(end, opened);
                let ending = if is_closed { Ending::Closed } else { Ending::Unclosed };
                Calls::bare(vec![draft], end, ending, Body::Python)
            }
            Look::More if self.is_ended => {
                self.look_to(self.text.len());
                self.cut_statement(call)
            }
            Look::More => {
                if self.signs.is_open || self.may_become_call(call) != Look::Not {
                    Step::More
                } else {
                    Step::Over
                }
            }
            Look::Not => Step::Over,
        }
    }

    /// A call that never closes: its name is known, its arguments are not.
    pub(super) fn cut_statement(&self, call: usize) -> Step {
        if self.call_head(call) != Look::Is(()) {
            return Step::Over;
        }
        let name = between(self.text, call, name_end(self.text, call));
        let drafts = vec![Found::new(unescaped(name), Arguments::Unreadable(None))];
        Calls::bare(drafts, self.text.len(), Ending::Cut, Body::Python)
    }

    /// Whether an offered tool is, or may still be, named here.
    pub(super) fn may_become_call(&self, place: usize) -> Look<()> {
        let name = match word_end(self.text, place).ended(self.is_ended) {
            Look::Is(end) => between(self.text, place, end),
            // Any word may still be the namespace of a tool.
            Look::More => return Look::More,
            Look::Not => return Look::Not,
        };
        if self.is_known(name) {
            return Look::Is(());
        }
        match python::opening(self.text, place, self.is_ended) {
            Look::Is(call) if call > place => Look::Is(()),
            Look::More => Look::More,
            _ => Look::Not,
        }
    }

    /// Passes the brackets that close what was opened before the call.
    pub(super) fn close_statement(&self, end: usize, opened: &str) -> (usize, bool) {
        let wanted = opened.chars().filter(|c| matches!(c, '(')).count();
        let mut at = end;
        for _ in 0..wanted {
            let place = skip_blanks(self.text, at);
            if byte(self.text, place) == Some(b')') {
                at = place + 1;
            }
        }
        (at, !opened.contains('['))
    }

    /// What stands between calls without marks, or closes what stands around them.
    pub(super) fn separator(&self, place: usize, first: char) -> Step {
        // A stray bracket stands right behind a call; with space before it, it quotes.
        let is_behind = self.calls.last().is_some_and(|call| call.span.end == place);
        if first == '>' && !is_behind {
            return Step::Over;
        }
        let next = skip_space(self.text, place + first.len_utf8());
        if matches!(first, ']' | ')' | ';')
            || matches!(first, '\'' | '"' | '}') && self.is_listed(next)
        {
            return Step::Bracket(place + first.len_utf8());
        }
        match byte(self.text, next) {
            None if self.is_ended => Step::Over,
            None => Step::More,
            Some(b'{' | b'[' | b'<' | b']' | b',' | b'\'' | b'"') => Step::Noise(place + 1),
            Some(_) => match self.may_become_call(next) {
                Look::Is(()) => Step::Noise(place + 1),
                Look::More => Step::More,
                Look::Not => Step::Over,
            },
        }
    }

    /// Whether the list goes on or closes here.
    pub(super) fn is_listed(&self, at: usize) -> bool {
        matches!(byte(self.text, at), Some(b']' | b',' | b'}' | b'\'' | b'"'))
    }
}

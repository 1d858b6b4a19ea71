//! Ends reading: chooses among values, names what stood around them, and sums up.

use std::borrow::Cow;

use crate::document::{Document, Node, Outcome};
use crate::doubt::{is_misplaced, swallowed_keys};
use crate::duplicates::mark_duplicates;
use crate::escape::push_fault;
use crate::expected::Want;
use crate::machine::Machine;
use crate::outer::{Outer, has_scraps};
use crate::outside::Root;
use crate::tape::{Kind, Tape};
use crate::{Fault, FaultCode, Options, Span, Trust};

/// JSON's own white space.
const SPACE: [char; 4] = [' ', '\n', '\r', '\t'];

impl Machine {
    /// Makes the document of what was read.
    pub(crate) fn into_document<'t>(
        mut self,
        text: Cow<'t, str>,
        options: &Options,
    ) -> Document<'t> {
        if let Some(mut fault) = self.refusal {
            let end = text.ceil_char_boundary(fault.span.end as usize);
            fault.span = Span::new(fault.span.start as usize, end);
            return refused(text, self.faults, fault);
        }
        let mut roots = std::mem::take(&mut self.outside.roots);
        let cut_root = self.outside.current.map_or(0, |start| start.mark.slots());
        // A half value after whole ones and prose is prose too.
        if self.cut.is_some() && self.outside.is_prose && !roots.is_empty() {
            self.cut = None;
        }
        // A list in prose is part of the prose where an object is wanted.
        if self.outside.is_prose && options.expected.want() == Want::Object {
            let is_list = |root: &Root| {
                self.tape.slots.get(root.slot).is_some_and(|slot| slot.kind == Kind::Array)
            };
            if roots.iter().all(is_list) {
                roots.clear();
            }
        }
        let has_scraps = !roots.is_empty() && self.cut.is_none() && {
            sort(&mut self.faults);
            has_scraps(&text, &roots, &self.faults)
        };
        if roots.len() > 1 {
            choose(&mut roots, &self.tape, &text, &mut self.faults, options);
            collapse(&mut roots, &self.tape, &text, &mut self.faults);
        }
        if roots.len() > 1 {
            sort(&mut self.faults);
            let has_gaps = has_text_between(&text, &roots, &self.faults);
            let code = if has_gaps { FaultCode::UnclearValue } else { FaultCode::SeveralValues };
            let second = roots.get(1).map_or(Span::default(), |root| root.span);
            self.faults.push(Fault { span: second, code });
        }
        self.name_outside_text(&text, &roots);
        let outer = Outer { text: &text, tape: &self.tape, roots: &roots, options };
        if let Some(fault) = outer.expression(&self.faults) {
            return refused(text, self.faults, fault);
        }
        let members = outer.members(&self.faults);
        self.faults.extend(members);
        mark_duplicates(&mut self.tape, &text, &mut self.faults);
        if !self.faults.is_empty() {
            sort(&mut self.faults);
            let swallowed = swallowed_keys(&self.tape, &text, &self.faults, &options.expected);
            self.faults.extend(swallowed);
        }
        self.doubt_placement(&text, &roots, cut_root, options);
        if has_scraps || self.is_doubtful() {
            let span = roots.first().map_or(Span::default(), |root| root.span);
            self.faults.push(Fault { span, code: FaultCode::UnclearEnd });
        }
        sort(&mut self.faults);
        let open = self.frames.open().iter().map(|frame| frame.slot as usize).collect();
        let outcome = outcome(&text, &roots, &self.faults, self.cut.is_some());
        let mut faults = self.faults;
        if outcome == Outcome::Refused(FaultCode::NoValue) {
            faults = vec![Fault { span: Span::new(0, text.len()), code: FaultCode::NoValue }];
        }
        Document {
            text,
            tape: self.tape,
            roots: roots.into_iter().map(|root| root.slot).collect(),
            faults,
            cut: self.cut,
            open,
            cut_root,
            want: options.expected.want(),
            outcome,
        }
    }

    /// The same for a text that is one list or object in which nothing is wrong, but that names may repeat.
    pub(crate) fn into_right_document<'t>(
        mut self,
        text: &'t str,
        options: &Options,
    ) -> Document<'t> {
        mark_duplicates(&mut self.tape, text, &mut self.faults);
        sort(&mut self.faults);
        Document {
            text: Cow::Borrowed(text),
            tape: self.tape,
            roots: self.outside.roots.into_iter().map(|root| root.slot).collect(),
            faults: self.faults,
            cut: None,
            open: Vec::new(),
            cut_root: 0,
            want: options.expected.want(),
            outcome: Outcome::Untouched,
        }
    }

    /// Where closers are missing at the end, a member of the root may stand in an object inside it.
    fn doubt_placement(&mut self, text: &str, roots: &[Root], cut_root: usize, options: &Options) {
        if let Some(cut) = &mut self.cut {
            cut.is_doubtful |= is_misplaced(&self.tape, text, cut_root, &options.expected);
            return;
        }
        let lacks_closer = |root: &&Root| {
            self.faults.iter().any(|fault| {
                fault.code == FaultCode::MissingCloser && fault.span.start + 1 >= root.span.end
            })
        };
        let is_doubtful =
            |root: &&Root| is_misplaced(&self.tape, text, root.slot, &options.expected);
        let [root] = roots else { return };
        if lacks_closer(&root) && is_doubtful(&root) {
            self.faults.push(Fault { span: root.span, code: FaultCode::UnclearCloser });
        }
    }

    /// Whether stray quotes came with damage that they may have caused themselves.
    fn is_doubtful(&self) -> bool {
        let has = |codes: &[FaultCode]| self.faults.iter().any(|fault| codes.contains(&fault.code));
        has(&[FaultCode::UnescapedQuote])
            && has(&[FaultCode::WrongCloser, FaultCode::DuplicateKey, FaultCode::MissingOpener])
    }

    /// Whatever is no value, fence, reasoning or stray closer is text around the value.
    fn name_outside_text(&mut self, text: &str, roots: &[Root]) {
        if is_all(text, roots) {
            return;
        }
        let is_outer = |code| {
            matches!(
                code,
                FaultCode::Fence
                    | FaultCode::ThinkBlock
                    | FaultCode::ByteOrderMark
                    | FaultCode::ExtraCloser
                    | FaultCode::RepeatedValue
                    | FaultCode::Comment
                    | FaultCode::OddSpace
            )
        };
        sort(&mut self.faults);
        let cut = self.cut.as_ref().map(|_| Span::new(self.outside.root_start(), text.len()));
        let mut found = Vec::new();
        let mut at = 0;
        for span in known(text, &self.faults, is_outer, roots, cut) {
            let between = text.get(at..span.start as usize).unwrap_or_default();
            let words = between.trim_matches(SPACE);
            if !words.is_empty() {
                let start = at + (between.len() - between.trim_start_matches(SPACE).len());
                let is_comma = at > 0 && words.bytes().all(|byte| matches!(byte, b',' | b';'));
                let code = if is_comma { FaultCode::TrailingComma } else { FaultCode::OutsideText };
                push_fault(&mut found, code, start, start + words.len());
            }
            at = at.max(span.end as usize);
        }
        // Most texts in prose have no other fault.
        if self.faults.is_empty() {
            self.faults = found;
        } else {
            self.faults.append(&mut found);
        }
    }
}

/// The stretches that are known to be something: faults of some kinds, values, what was cut, and the
/// end of the text, in source order, which is that of the faults and of the values.
pub(crate) fn known<'a>(
    text: &str,
    faults: &'a [Fault],
    is_outer: impl Fn(FaultCode) -> bool + 'a,
    roots: &'a [Root],
    cut: Option<Span>,
) -> impl Iterator<Item = Span> + 'a {
    let end = Span::new(text.len(), text.len());
    let mut values = roots.iter().map(|root| root.span).chain(cut).chain([end]).peekable();
    let mut outer = faults.iter().filter(move |fault| is_outer(fault.code)).peekable();
    std::iter::from_fn(move || {
        let value = values.peek();
        let fault = outer.next_if(|fault| value.is_none_or(|value| fault.span < *value));
        fault.map(|fault| fault.span).or_else(|| values.next())
    })
}

/// A document that holds nothing but the reason why.
pub(crate) fn refused(text: Cow<'_, str>, mut faults: Vec<Fault>, fault: Fault) -> Document<'_> {
    faults.push(fault);
    sort(&mut faults);
    Document {
        text,
        tape: Tape::default(),
        roots: Vec::new(),
        faults,
        cut: None,
        open: Vec::new(),
        cut_root: 0,
        want: Want::Any,
        outcome: Outcome::Refused(fault.code),
    }
}

/// Puts faults in source order.
pub(crate) fn sort(faults: &mut [Fault]) {
    let key = |fault: &Fault| (fault.span, fault.code);
    if !faults.is_sorted_by_key(key) {
        // Most are in order: runs that are sorted already are only merged.
        faults.sort_by_key(key);
    }
}

fn outcome(text: &str, roots: &[Root], faults: &[Fault], is_cut: bool) -> Outcome {
    if is_cut {
        return Outcome::Cut;
    }
    if roots.is_empty() {
        let is_blank = text.chars().all(|c| c.is_whitespace() || c == '\u{feff}');
        return if is_blank { Outcome::Empty } else { Outcome::Refused(FaultCode::NoValue) };
    }
    let is_valid = faults.iter().all(|fault| fault.code == FaultCode::DuplicateKey);
    if is_valid { Outcome::Untouched } else { Outcome::Mended(worst(faults)) }
}

/// The least trust among faults.
pub(crate) fn worst(faults: &[Fault]) -> Trust {
    faults.iter().filter_map(|fault| fault.code.trust()).max().unwrap_or(Trust::Exact)
}

/// Whether prose stands between two values or before the first.
fn has_text_around(text: &str, roots: &[Root], faults: &[Fault]) -> bool {
    let start = Root { slot: 0, span: Span::default() };
    let all: Vec<Root> = std::iter::once(start).chain(roots.iter().copied()).collect();
    has_text_between(text, &all, faults)
}

/// Whether anything but white space, commas, tags and fences stands between two values.
fn has_text_between(text: &str, roots: &[Root], faults: &[Fault]) -> bool {
    let known = faults
        .iter()
        .filter(|fault| matches!(fault.code, FaultCode::Fence | FaultCode::ThinkBlock));
    let mut fence = known.map(|fault| fault.span).peekable();
    roots.windows(2).any(|pair| {
        let (Some(left), Some(right)) = (pair.first(), pair.last()) else { return false };
        let start = left.span.end as usize;
        let between = text.get(start..right.span.start as usize).unwrap_or_default();
        let mut is_tag = false;
        between.char_indices().any(|(offset, c)| {
            let at = start + offset;
            while fence.next_if(|span| span.end as usize <= at).is_some() {}
            let is_fence = fence.peek().is_some_and(|span| span.range().contains(&at));
            let is_mark = is_tag || c == '<';
            is_tag = is_mark && c != '>';
            !is_mark && !is_fence && !c.is_whitespace() && !matches!(c, ',' | ';')
        })
    })
}

/// Whether one value is the whole text: nothing stands around it.
pub(crate) fn is_all(text: &str, roots: &[Root]) -> bool {
    matches!(roots, [root] if root.span == Span::new(0, text.len()))
}

/// Keeps the values that are meant, where the text has several and tells which those are.
fn choose(
    roots: &mut Vec<Root>,
    tape: &Tape,
    text: &str,
    faults: &mut Vec<Fault>,
    options: &Options,
) {
    let all = roots.clone();
    let node = |root: &Root| Node { tape, text, index: root.slot };
    let kind = |root: &Root| tape.slots.get(root.slot).map(|slot| slot.kind);
    if has_text_around(text, &all, faults) {
        if options.expected.names_keys() {
            let has_known = |root: &Root| {
                let mut members = node(root).members();
                members.any(|(key, _)| options.expected.has_key(&key.as_str().unwrap_or_default()))
            };
            prefer(roots, has_known);
        }
        let wanted = match options.expected.want() {
            Want::Array => Kind::Array,
            Want::Any | Want::Object => Kind::Object,
        };
        prefer(roots, |root| kind(root) == Some(wanted));
        prefer(roots, |root| tape.after(root.slot) > root.slot + 1);
        prefer(roots, |root| !is_template(tape, text, root.slot));
        let broken = holding(roots, faults);
        prefer(roots, |root| broken.binary_search(&root.slot).is_err());
    }
    let kept: Vec<usize> = roots.iter().map(|root| root.slot).collect();
    let dropped = all.iter().filter(|root| kept.binary_search(&root.slot).is_err());
    drop_inside(faults, &dropped.map(|root| root.span).collect::<Vec<_>>());
}

/// Whether a value only shows a form: all that is in it are words that stand for something.
fn is_template(tape: &Tape, text: &str, root: usize) -> bool {
    let stands_for = |value: &str| {
        matches!(value, "..." | "…" | "value" | "string" | "str")
            || (value.starts_with('<') && value.ends_with('>'))
    };
    let node = Node { tape, text, index: root };
    let mut members = node.members().peekable();
    // `{"type": "object"}` is a schema.
    let is_type = |key: &str, value: &str| {
        key == "type" && matches!(value, "object" | "array" | "number" | "integer" | "boolean")
    };
    members.peek().is_some()
        && members.all(|(key, value)| {
            value.as_str().is_some_and(|value| {
                stands_for(&value) || key.as_str().is_some_and(|key| is_type(&key, &value))
            })
        })
}

/// The slots of the values that hold a fault. Both lists are in source order.
fn holding(roots: &[Root], faults: &[Fault]) -> Vec<usize> {
    let mut fault = faults.iter().peekable();
    let holds = |root: &&Root| {
        while fault.next_if(|fault| fault.span.start < root.span.start).is_some() {}
        fault.peek().is_some_and(|fault| fault.span.end <= root.span.end)
    };
    roots.iter().filter(holds).map(|root| root.slot).collect()
}

/// Forgets the faults inside these spans. Both lists are in source order.
fn drop_inside(faults: &mut Vec<Fault>, spans: &[Span]) {
    let mut spans = spans.iter().peekable();
    faults.retain(|fault| {
        while spans.next_if(|span| span.end < fault.span.end).is_some() {}
        spans.peek().is_none_or(|span| span.start > fault.span.start)
    });
}

/// Keeps those that are better, if any is.
fn prefer(roots: &mut Vec<Root>, is_better: impl Fn(&Root) -> bool) {
    if roots.iter().any(&is_better) {
        roots.retain(is_better);
    }
}

/// The same value twice in a row says nothing new.
fn collapse(roots: &mut Vec<Root>, tape: &Tape, text: &str, faults: &mut Vec<Fault>) {
    let mut last = None;
    let mut repeated = Vec::new();
    roots.retain(|root| {
        let node = Node { tape, text, index: root.slot };
        let is_new = !last.replace(node).is_some_and(|last: Node<'_>| last.is_same(&node));
        if !is_new {
            repeated.push(root.span);
        }
        is_new
    });
    drop_inside(faults, &repeated);
    faults.extend(repeated.iter().map(|&span| Fault { span, code: FaultCode::RepeatedValue }));
}

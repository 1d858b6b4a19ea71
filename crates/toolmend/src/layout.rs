//! How a message is laid out: fences, code spans, block quotes, and what stands around a region.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memmem};
use toolmend_dialect::is_bullet;

use crate::evidence::{shows, tail};

/// A fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    /// From the opening fence to the end of the closing one.
    pub(crate) whole: Range<usize>,
    /// What stands between.
    pub(crate) inner: Range<usize>,
}

/// A message, and where its regions stand. Fences inside regions are not fences of the message.
#[derive(Debug)]
pub(crate) struct Layout<'t> {
    text: &'t str,
    fences: Vec<Fence>,
    spans: Vec<Range<usize>>,
    asides: Vec<Range<usize>>,
}

impl<'t> Layout<'t> {
    pub(crate) fn new(text: &'t str, regions: &[Range<usize>]) -> Self {
        let mut fences: Vec<Fence> = Vec::new();
        let mut open: Option<(usize, usize, &str)> = None;
        let mut left = regions.iter().peekable();
        let mut at = 0;
        while at < text.len() {
            let start = at;
            while left.next_if(|region| region.end <= start).is_some() {}
            // Lines that start in a region are passed over together.
            if let Some(region) = left.peek().filter(|region| region.start <= start) {
                at = line_end(text, region.end - 1);
                continue;
            }
            at = line_end(text, start);
            let line = text.get(start..at).unwrap_or_default();
            let Some(mark) = fence_mark(line) else { continue };
            match open {
                None => open = Some((start, at, mark)),
                Some((whole, inner, opener)) => {
                    let info = line.trim().trim_start_matches(['`', '~']);
                    if mark.starts_with(opener) && is_turn_end(info) {
                        let end = at - (line.len() - line.trim_end_matches(['\n', '\r']).len());
                        fences.push(Fence { whole: whole..end, inner: inner..start });
                        open = None;
                    }
                }
            }
        }
        if let Some((whole, inner, _)) = open {
            fences.push(Fence { whole: whole..text.len(), inner: inner..text.len() });
        }
        let spans = code_spans(text, &fences, regions);
        Self { text, fences, spans, asides: asides(text) }
    }

    /// A message around whose one region nothing stands.
    pub(crate) fn plain(text: &'t str) -> Self {
        Self { text, fences: Vec::new(), spans: Vec::new(), asides: Vec::new() }
    }

    /// The fence around a place.
    pub(crate) fn fence(&self, at: usize) -> Option<&Fence> {
        let behind = self.fences.partition_point(|fence| fence.inner.start <= at);
        self.fences.get(behind.checked_sub(1)?).filter(|fence| fence.inner.contains(&at))
    }

    pub(crate) fn slice(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or_default()
    }

    /// What stands before a place on its line.
    pub(crate) fn before_on_line(&self, at: usize) -> &'t str {
        let before = self.slice(0..at);
        self.slice(before.rfind('\n').map_or(0, |line| line + 1)..at)
    }

    /// Where the line of a place starts behind its indentation, if only the number or the bullet of a
    /// list and marks of emphasis stand there before it; else the place.
    pub(crate) fn item_start(&self, at: usize) -> usize {
        match self.short_line(at).filter(|line| is_markup(line)) {
            Some(line) => at - line.trim_start().len(),
            None => at,
        }
    }

    /// What stands before a place on its line, if that is short: where many calls stand on a line, not
    /// each of them looks back to its start.
    pub(crate) fn short_line(&self, at: usize) -> Option<&'t str> {
        let before = self.slice(0..at);
        let mut from = at.saturating_sub(LINE_BYTES_MAX);
        while !before.is_char_boundary(from) {
            from += 1;
        }
        let near = self.slice(from..at);
        match near.rfind('\n') {
            Some(line) => near.get(line + 1..),
            None => (from == 0).then_some(near),
        }
    }

    /// Whether a place stands in a block quote.
    pub(crate) fn is_quoted(&self, at: usize) -> bool {
        let line = self.before_on_line(at).trim_start();
        line.starts_with('>') && !line.starts_with(">>>")
    }

    /// Whether a region stands between the backticks of a code span.
    pub(crate) fn is_code(&self, region: &Range<usize>) -> bool {
        let ticks = self.before_on_line(region.start).matches('`').count();
        ticks % 2 == 1 && self.slice(region.end..self.text.len()).contains('`')
    }

    /// Whether a region stands in a code span that holds more than the region.
    pub(crate) fn is_in_span(&self, region: &Range<usize>) -> bool {
        let around = |span: &Range<usize>| {
            let before = self.slice(span.start..region.start).trim_matches('`');
            let after = self.slice(region.end..span.end).trim_matches('`');
            (before, after)
        };
        let last = self.spans.partition_point(|span| span.start < region.start);
        let span = last.checked_sub(1).and_then(|last| self.spans.get(last));
        span.filter(|span| region.end < span.end).is_some_and(|span| {
            let (before, after) = around(span);
            !(before.trim().is_empty() && after.trim().is_empty())
        })
    }

    /// Whether a place stands in the body of a block of code, such as that of a function.
    pub(crate) fn is_in_block(&self, at: usize) -> bool {
        let line = self.before_on_line(at);
        let indent = indent(line);
        let before = self.slice(0..at - line.len());
        let is_outer = |line: &&str| !line.trim().is_empty() && self::indent(line) < indent;
        indent > 0 && before.lines().rev().take(BLOCK_LINES).find(is_outer).is_some_and(opens_block)
    }

    /// Whether a region stands in an element that is named for what is shown in it, such as
    /// `<example>`: one that opens not far before it, on a line of its own or with its closer behind the
    /// region, and does not close before it. A tag that prose speaks of is no element.
    pub(crate) fn is_shown(&self, region: &Range<usize>) -> bool {
        let before = tail(self.slice(0..region.start), ELEMENT_BYTES_MAX);
        let behind = self.slice(region.end..self.text.len());
        let behind = behind.get(..behind.floor_char_boundary(ELEMENT_BYTES_MAX));
        before.match_indices('<').any(|(at, _)| {
            let shown = element(before, at).filter(|(name, _)| shows(name));
            let Some((name, next)) = shown else { return false };
            let is_on_line = before.get(..at).is_some_and(|before| line_before(before).is_empty());
            let is_alone =
                is_on_line && next.lines().next().is_none_or(|line| line.trim().is_empty());
            let is_around = is_alone || behind.is_some_and(|behind| has_closer(behind, name));
            is_around && !has_closer(next, name)
        })
    }

    /// Whether a row of regions stands in an element of this kind, which opens in what stands before it and
    /// does not close there.
    pub(crate) fn is_in_element(
        &self,
        row: &Range<usize>,
        before: &str,
        is_kind: impl Fn(&str, &str) -> bool,
    ) -> bool {
        let behind = self.slice(row.end..self.text.len());
        let behind =
            behind.get(..behind.floor_char_boundary(ELEMENT_BYTES_MAX)).unwrap_or_default();
        before.match_indices('<').any(|(at, _)| {
            let Some((name, attributes, next)) = tag(before, at) else { return false };
            let is_right_around = || {
                let close = behind.trim_start().strip_prefix("</").unwrap_or_default();
                let is_closed =
                    close.get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name));
                is_closed && !next.contains(char::is_alphanumeric)
            };
            is_kind(name, attributes)
                && !has_closer(next, name)
                && (is_right_around() || has_closer(behind, name))
        })
    }

    /// Whether quotation marks stand right around a region. Those of a string over several lines, as
    /// Python has them, may stand on lines of their own.
    pub(crate) fn is_cited(&self, region: &Range<usize>) -> bool {
        let (before, after) =
            (self.slice(0..region.start), self.slice(region.end..self.text.len()));
        // A region may have taken some of the marks for its own. Models also answer in a string that stands
        // for itself; one that is given to something is of a program.
        let own = self.slice(region.clone()).trim_end_matches(['"', '\'']).len();
        let behind = self.slice(region.start + own..self.text.len()).trim_start();
        let is_around = |marks| {
            let Some(opened) = before.trim_end().strip_suffix(marks) else { return false };
            let is_given = opened.trim_end_matches(' ').ends_with(['=', '(', ',', ':']);
            after.trim_start().starts_with(marks) || is_given && behind.starts_with(marks)
        };
        if ["\"\"\"", "'''"].into_iter().any(is_around) {
            return true;
        }
        let before = before.trim_end_matches(' ').chars().next_back();
        let after = after.trim_start_matches(' ').chars().next();
        let pairs = [
            ('"', '"'),
            ('\'', '\''),
            ('“', '”'),
            ('‘', '’'),
            ('「', '」'),
            ('『', '』'),
            ('«', '»'),
            ('„', '“'),
            ('《', '》'),
        ];
        pairs.iter().any(|&(open, close)| before == Some(open) && after == Some(close))
    }
}

/// Marks around messages, which no reader of the answer was meant to see. Tokens between `<|` and
/// `|>` are known by that; those that stand here end what a region belongs to.
const TURN_MARKS: [&str; 13] = [
    "<|eot|>",
    "<|eom|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|im_end|>",
    "<|im_start|>",
    "<|endoftext|>",
    "<end_of_turn>",
    "<start_of_turn>",
    "</s>",
    "<eos>",
    "<bot_end>",
    "<!--",
];

impl Layout<'_> {
    /// A region with what belongs to its message: the header that names its recipient, and the
    /// marks that end it.
    pub(crate) fn message(&self, region: &Range<usize>) -> Range<usize> {
        let before = self.slice(0..region.start);
        let header = before.strip_suffix(HEADER_END).and_then(|head| {
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
            let head = head.trim_end_matches(is_name).strip_suffix(" to=")?;
            Some(head.strip_suffix("<|start|>assistant").unwrap_or(head).len())
        });
        let mut end = region.end;
        let mut rest = self.slice(end..self.text.len());
        while let Some(after) = turn_mark(rest) {
            end += rest.len() - after.len();
            rest = after;
        }
        header.unwrap_or(region.start)..end
    }

    /// Where the words end that lead to a place: before the header of its message, and before the
    /// thought that `ReAct` writes over an action.
    pub(crate) fn header_start(&self, at: usize) -> usize {
        let start = self.message(&(at..at)).start;
        // Servers that drop the tokens of Harmony leave the role, glued to what was said before it.
        let is_bare = self.slice(start..self.text.len()).starts_with("commentary to=");
        let role = || self.slice(0..start).strip_suffix("assistant").filter(|_| is_bare);
        let start = role().map_or(start, str::len);
        if !is_action(self.slice(start..self.text.len())) {
            return start;
        }
        let before = self.slice(0..start).trim_end();
        let line = before.rfind('\n').map_or(0, |line| line + 1);
        if before.get(line..).is_some_and(is_thought) { line } else { start }
    }

    /// Whether a place stands in a message whose header says that it is for no tool.
    pub(crate) fn is_aside(&self, at: usize) -> bool {
        let last = self.asides.partition_point(|aside| aside.start <= at);
        last.checked_sub(1)
            .and_then(|last| self.asides.get(last))
            .is_some_and(|aside| at < aside.end)
    }
}

/// Whether the action of a `ReAct` agent starts here.
fn is_action(text: &str) -> bool {
    let text = text.trim_start_matches('*');
    ["Action:", "Tool:"].iter().any(|action| text.starts_with(action)) || {
        let number = text.strip_prefix("Action ").unwrap_or_default();
        number.starts_with(|c: char| c.is_ascii_digit())
    }
}

/// Whether a line is the thought over such an action: `Thought:`, `**Thought:**`, `Thought 1:`.
fn is_thought(line: &str) -> bool {
    let rest = line.trim_start_matches('*').strip_prefix("Thought");
    rest.is_some_and(|rest| {
        rest.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit()).starts_with(':')
    })
}

/// What ends the header of a message.
const HEADER_END: &str = "<|message|>";

/// The messages that are for the model itself or for the user, each up to the mark that ends it or to
/// the next header.
fn asides(text: &str) -> Vec<Range<usize>> {
    let mut asides = Vec::new();
    let mut ends = memmem::find_iter(text.as_bytes(), HEADER_END).peekable();
    while let Some(at) = ends.next() {
        let header = text.get(..at).unwrap_or_default();
        if header.ends_with(" to=self") || header.ends_with(" to=user") {
            let start = at + HEADER_END.len();
            let next = ends.peek().map_or(text.len(), |next| next + HEADER_END.len());
            let message = text.get(start..next).unwrap_or_default();
            let over = message.match_indices('<').find_map(|(at, _)| turn_mark(message.get(at..)?));
            asides.push(start..next - over.map_or(0, str::len));
        }
    }
    asides
}

/// Whether a text is nothing but the number or the bullet of an item, and marks of emphasis and code.
pub(crate) fn is_markup(line: &str) -> bool {
    let line = line.trim();
    if line.len() > ITEM_BYTES_MAX {
        return false;
    }
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = match number.strip_prefix(['.', ')']) {
        Some(rest) if number.len() < line.len() => rest,
        _ => line.strip_prefix(is_bullet).filter(|rest| !rest.starts_with('*')).unwrap_or(line),
    };
    rest.trim_start().chars().all(|c| matches!(c, '`' | '*' | '_'))
}

/// So far before a region the element that it stands in is looked for.
const ELEMENT_BYTES_MAX: usize = 512;

/// The name of an element is no longer than this.
const NAME_BYTES_MAX: usize = 48;

/// A line that is an item or a title is no longer than this.
const LINE_BYTES_MAX: usize = 192;

/// What stands before a call in an item of a list is no longer than this.
const ITEM_BYTES_MAX: usize = 16;

/// Whether nothing but marks of turns stands here: they leak behind a fence that ends a message.
fn is_turn_end(text: &str) -> bool {
    let mut rest = text;
    while let Some(after) = turn_mark(rest) {
        rest = after.trim_start();
    }
    rest.is_empty()
}

/// What stands behind the mark of a turn.
fn turn_mark(text: &str) -> Option<&str> {
    TURN_MARKS.iter().find_map(|mark| text.strip_prefix(mark))
}

/// The place behind the line break that ends the line of a place.
fn line_end(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    memchr(b'\n', rest).map_or(text.len(), |end| at + end + 1)
}

fn next_tick(text: &str, from: usize) -> Option<usize> {
    memchr(b'`', text.as_bytes().get(from..)?).map(|at| from + at)
}

/// Stretches between runs of as many backticks, in one paragraph, outside fences and regions.
fn code_spans(text: &str, fences: &[Fence], regions: &[Range<usize>]) -> Vec<Range<usize>> {
    if next_tick(text, 0).is_none() {
        return Vec::new();
    }
    let mut others: Vec<&Range<usize>> = fences.iter().map(|fence| &fence.whole).collect();
    others.extend(regions);
    others.sort_by_key(|range| range.start);
    let mut others = others.into_iter().peekable();
    let mut spans = Vec::new();
    let mut open: Option<Range<usize>> = None;
    let mut at = 0;
    while let Some(run) = next_tick(text, at) {
        while others.next_if(|other| other.end <= run).is_some() {}
        let other = others.peek().filter(|other| other.contains(&run));
        let gap = text.get(at..other.map_or(run, |other| other.start)).unwrap_or_default();
        open = open.filter(|_| !gap.contains("\n\n"));
        if let Some(other) = other {
            at = other.end;
            continue;
        }
        let rest = text.get(run..).unwrap_or_default();
        at = run + rest.len() - rest.trim_start_matches('`').len();
        open = match open {
            Some(open) if open.len() == at - run => {
                spans.push(open.start..at);
                None
            }
            Some(open) => Some(open),
            None => Some(run..at),
        };
    }
    spans
}

/// The text without marks of other messages, which no reader of the answer was meant to see.
pub(crate) fn without_marks(text: &str) -> Cow<'_, str> {
    if !text.contains('<') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let token =
            after.strip_prefix('|').and_then(|token| token.split_once("|>")).map(|(_, rest)| rest);
        let mark = || turn_mark(rest.get(before.len()..)?);
        match token.or_else(mark).or_else(|| behind_tag(after)) {
            Some(next) => rest = next,
            None => {
                out.push('<');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// What stands behind a bare tag such as `</tool_call>` or `<answer>`.
fn behind_tag(after: &str) -> Option<&str> {
    let end = after.bytes().take(NAME_BYTES_MAX).position(|byte| byte == b'>')?;
    let (name, rest) = (after.get(..end)?, after.get(end + 1..)?);
    let name = name.strip_prefix('/').unwrap_or(name);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '-');
    (!name.is_empty() && name.len() < 40 && name.chars().all(is_name)).then_some(rest)
}

/// What stands before a place on its line.
fn line_before(before: &str) -> &str {
    before.rsplit('\n').next().unwrap_or_default().trim()
}

/// The name of the element that opens here, and what stands behind its tag. Behind a letter or a tick it
/// is a part of code.
fn element(text: &str, at: usize) -> Option<(&str, &str)> {
    let before = text.get(..at)?.chars().next_back();
    if before.is_some_and(|c| c.is_alphanumeric() || c == '`') {
        return None;
    }
    let after = text.get(at + 1..).filter(|after| !after.starts_with('/'))?;
    let next = behind_tag(after)?;
    Some((after.get(..after.len() - next.len() - 1)?, next))
}

/// The name of the element that opens here, its attributes, and what stands behind its tag.
fn tag(text: &str, at: usize) -> Option<(&str, &str, &str)> {
    let before = text.get(..at)?.chars().next_back();
    if before.is_some_and(|c| c.is_alphanumeric() || c == '`') {
        return None;
    }
    let (tag, next) = text.get(at + 1..)?.split_once('>')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '-' | '.');
    let end = tag.find(|c| !is_name(c)).unwrap_or(tag.len());
    let (name, attributes) = tag.split_at_checked(end)?;
    let is_attributes = attributes.is_empty() || attributes.starts_with([' ', '\n', '=']);
    (!name.is_empty() && is_attributes && !attributes.ends_with('/'))
        .then_some((name, attributes, next))
}

/// Elements that show their text as it stands, and others of which pages are made.
const PAGE_ELEMENTS: [&str; 62] = [
    "pre",
    "code",
    "textarea",
    "blockquote",
    "script",
    "style",
    "xmp",
    "samp",
    "kbd",
    "tt",
    "var",
    "listing",
    "plaintext",
    "details",
    "summary",
    "template",
    "noscript",
    "nowiki",
    "syntaxhighlight",
    "source",
    "html",
    "head",
    "body",
    "main",
    "article",
    "section",
    "header",
    "footer",
    "nav",
    "aside",
    "div",
    "span",
    "p",
    "ul",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "table",
    "tr",
    "td",
    "th",
    "form",
    "fieldset",
    "label",
    "button",
    "select",
    "option",
    "figure",
    "figcaption",
    "svg",
    "iframe",
    "marquee",
    "callout",
    "codeblock",
    "codegroup",
    "tabs",
    "tabitem",
    "admonition",
    "screen",
    "programlisting",
];

/// Whether a page shows what stands in an element. With attributes, those with which models answer may be of
/// a page, too.
pub(crate) fn is_page_element(name: &str, attributes: &str) -> bool {
    let name = name.to_ascii_lowercase();
    PAGE_ELEMENTS.contains(&name.as_str()) || name == "text" && !attributes.is_empty()
}

/// Parts of the names of elements that models write around their calls and their turns.
const CALL_ELEMENTS: [&str; 38] = [
    "tool",
    "function",
    "call",
    "invo",
    "action",
    "act",
    "think",
    "thought",
    "reason",
    "reflect",
    "scratch",
    "plan",
    "answer",
    "response",
    "reply",
    "output",
    "result",
    "final",
    "assistant",
    "message",
    "plugin",
    "api",
    "arg",
    "param",
    "request",
    "command",
    "cmd",
    "exec",
    "json",
    "python",
    "jupyter",
    "channel",
    "step",
    "turn",
    "begin",
    "end",
    "start",
    "sep",
];

/// Whether models write an element of this name around their calls and their turns.
pub(crate) fn is_call_element(name: &str) -> bool {
    let name = name.to_lowercase();
    let is_sign = matches!(name.as_str(), "s" | "eos" | "bos" | "pad" | "eot" | "eom");
    is_sign || CALL_ELEMENTS.iter().any(|part| name.contains(part))
}

/// The names of the bare tags in a text.
pub(crate) fn elements(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('<').filter_map(|(at, _)| {
        let after = text.get(at + 1..)?;
        let near = after.get(..after.floor_char_boundary(NAME_BYTES_MAX))?;
        let next = behind_tag(near)?;
        let name = near.get(..near.len() - next.len() - 1)?;
        Some(name.strip_prefix('/').unwrap_or(name))
    })
}

/// Whether an element of this name is closed in a text.
fn has_closer(text: &str, name: &str) -> bool {
    text.match_indices("</").any(|(at, mark)| {
        let rest = text.get(at + mark.len()..).unwrap_or_default();
        let is_name = rest.get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name));
        is_name && rest.as_bytes().get(name.len()) == Some(&b'>')
    })
}

/// The white space that a line starts with.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// A body longer than this is not looked through to its head.
const BLOCK_LINES: usize = 512;

/// Words that open a block of code, with what ends their line.
const BLOCKS: [&str; 11] = [
    "def ",
    "class ",
    "async ",
    "for ",
    "while ",
    "if ",
    "elif ",
    "with ",
    "function ",
    "fn ",
    "func ",
];

fn opens_block(line: &str) -> bool {
    let line = line.trim();
    let is_keyword = BLOCKS.iter().any(|word| line.starts_with(word));
    is_keyword && line.ends_with([':', '{']) || matches!(line, "else:" | "try:" | "finally:")
}

/// The run of backticks or tildes that a fence starts with.
fn fence_mark(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let first = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(first).len();
    let is_span = first == '`' && line.get(length..).is_some_and(|rest| rest.contains('`'));
    line.get(..length).filter(|mark| mark.len() >= 3 && !is_span)
}

//! How a message is laid out: fences, code spans, block quotes, and what stands around a region.

use std::ops::Range;

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
}

impl<'t> Layout<'t> {
    pub(crate) fn new(text: &'t str, regions: &[Range<usize>]) -> Self {
        let mut fences: Vec<Fence> = Vec::new();
        let mut open: Option<(usize, usize, &str)> = None;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let start = at;
            at += line.len();
            let is_inside =
                regions.iter().any(|region| region.start <= start && start < region.end);
            let mark = fence_mark(line);
            let (Some(mark), false) = (mark, is_inside) else { continue };
            match open {
                None => open = Some((start, at, mark)),
                Some((whole, inner, opener)) => {
                    let info = line.trim().trim_start_matches(['`', '~']);
                    if mark.starts_with(opener) && info.is_empty() {
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
        Self { text, fences }
    }

    /// The fence around a place.
    pub(crate) fn fence(&self, at: usize) -> Option<&Fence> {
        self.fences.iter().find(|fence| fence.inner.contains(&at))
    }

    pub(crate) fn slice(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or_default()
    }

    /// What stands before a place on its line.
    pub(crate) fn before_on_line(&self, at: usize) -> &'t str {
        let before = self.slice(0..at);
        self.slice(before.rfind('\n').map_or(0, |line| line + 1)..at)
    }

    /// What stands behind a place on its line.
    pub(crate) fn after_on_line(&self, at: usize) -> &'t str {
        let after = self.slice(at..self.text.len());
        after.split('\n').next().unwrap_or_default()
    }

    /// Whether a place stands in a block quote.
    pub(crate) fn is_quoted(&self, at: usize) -> bool {
        self.before_on_line(at).trim_start().starts_with('>')
            && !self.before_on_line(at).trim_start().starts_with(">>>")
    }

    /// Whether a region stands between the backticks of a code span.
    pub(crate) fn is_code(&self, region: &Range<usize>) -> bool {
        let ticks = self.before_on_line(region.start).matches('`').count();
        ticks % 2 == 1 && self.slice(region.end..self.text.len()).contains('`')
    }

    /// Whether quotation marks stand right around a region.
    pub(crate) fn is_cited(&self, region: &Range<usize>) -> bool {
        let before = self.slice(0..region.start).trim_end_matches(' ').chars().next_back();
        let after = self.slice(region.end..self.text.len()).trim_start_matches(' ').chars().next();
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

/// Marks that end a message.
const TURN_ENDS: [&str; 9] = [
    "<|eot|>",
    "<|eom|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|im_end|>",
    "<|im_start|>",
    "<end_of_turn>",
    "</s>",
    "<|endoftext|>",
];

impl Layout<'_> {
    /// A region with what belongs to its message: the header that names its recipient, and the
    /// marks that end it.
    pub(crate) fn message(&self, region: &Range<usize>) -> Range<usize> {
        let before = self.slice(0..region.start);
        let header = before.strip_suffix("<|message|>").and_then(|head| {
            let at = head.rfind(" to=")?;
            let name = head.get(at + " to=".len()..)?;
            let is_name = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'));
            is_name.then(|| {
                head.get(..at).map_or(at, |head| {
                    head.strip_suffix("<|start|>assistant").unwrap_or(head).len()
                })
            })
        });
        let mut end = region.end;
        let mut rest = self.slice(end..self.text.len());
        while let Some(after) = TURN_ENDS.iter().find_map(|mark| rest.strip_prefix(mark)) {
            end += rest.len() - after.len();
            rest = after;
        }
        header.unwrap_or(region.start)..end
    }

    /// Where the words end that lead to a place: before the header of its message, and before the
    /// thought that `ReAct` writes over an action.
    pub(crate) fn header_start(&self, at: usize) -> usize {
        let start = self.message(&(at..at)).start;
        let before = self.slice(0..start).trim_end();
        let line = before.rfind('\n').map_or(0, |line| line + 1);
        let is_thought = before.get(line..).is_some_and(|line| line.starts_with("Thought:"));
        let follows = self.slice(start..self.text.len()).starts_with("Action:");
        if is_thought && follows { line } else { start }
    }

    /// Who a message before this place is for, where a header says it.
    pub(crate) fn recipient(&self, at: usize) -> Option<&str> {
        let before = self.slice(0..at);
        let head = before.get(..before.rfind("<|message|>")?)?;
        head.rsplit_once(" to=").map(|(_, recipient)| recipient)
    }
}

/// The text without marks of other messages, which no reader of the answer was meant to see.
pub(crate) fn without_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let token =
            after.strip_prefix('|').and_then(|token| token.split_once("|>")).map(|(_, rest)| rest);
        let tag = ["end_of_turn>", "start_of_turn>", "/s>", "eos>", "bot_end>", "!--", "?xml?>"];
        let tag = || tag.iter().find_map(|tag| after.strip_prefix(tag));
        match token.or_else(tag).or_else(|| behind_tag(after)) {
            Some(next) => rest = next,
            None => {
                out.push('<');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// What stands behind a bare tag such as `</tool_call>` or `<answer>`.
fn behind_tag(after: &str) -> Option<&str> {
    let (name, rest) = after.split_once('>')?;
    let name = name.strip_prefix('/').unwrap_or(name);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '-');
    (!name.is_empty() && name.len() < 40 && name.chars().all(is_name)).then_some(rest)
}

/// The run of backticks or tildes that a fence starts with.
fn fence_mark(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let first = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(first).len();
    let is_span = first == '`' && line.get(length..).is_some_and(|rest| rest.contains('`'));
    line.get(..length).filter(|mark| mark.len() >= 3 && !is_span)
}

//! Reading one case file, and rewriting its expectations in place.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// One case file, with its blocks in order.
#[derive(Clone, Debug)]
pub struct Case {
    title: String,
    pieces: Vec<Piece>,
}

/// A stretch of a case file.
#[derive(Clone, Debug)]
enum Piece {
    Prose(String),
    Block(Block),
}

/// A fenced block.
#[derive(Clone, Debug)]
pub struct Block {
    name: String,
    options: Vec<String>,
    fence: String,
    /// The lines between the fences; each with its line break.
    lines: String,
}

impl Block {
    /// The first word of the info string.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text between the fences. The line break before the closing fence belongs to the fence.
    #[must_use]
    pub fn text(&self) -> &str {
        self.lines.strip_suffix('\n').unwrap_or(&self.lines)
    }

    /// The value of an option `name=value` in the info string; empty if it has no value.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find_map(|option| match option.split_once('=') {
            Some((key, value)) => (key == name).then_some(value),
            None => (option == name).then_some(""),
        })
    }

    /// The names of all options.
    pub fn options(&self) -> impl Iterator<Item = &str> {
        self.options.iter().map(|option| option.split('=').next().unwrap_or(option))
    }

    fn write(&self, out: &mut String) {
        let Self { name, options, fence, lines } = self;
        let info = options.iter().fold(name.clone(), |info, option| info + " " + option);
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{fence}{info}\n{lines}{fence}");
    }

    fn replace(&mut self, text: &str) {
        self.lines = format!("{text}\n");
        self.fence = fence_for(text, &self.fence);
    }
}

impl Case {
    /// Reads a case file.
    ///
    /// # Errors
    /// Passes on what the file system says, or says in which line the format is broken.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        Self::parse(&text)
    }

    /// Reads the text of a case file.
    ///
    /// # Errors
    /// Says in which line the format is broken.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.split_inclusive('\n').zip(1..);
        let (first, _) = lines.next().unwrap_or_default();
        let title = first.strip_prefix("# ").map(str::trim).unwrap_or_default().to_owned();
        if title.is_empty() {
            return Err("line 1: a case starts with `# ` and its title".to_owned());
        }
        let mut pieces = vec![Piece::Prose(first.to_owned())];
        while let Some((line, number)) = lines.next() {
            let Some((fence, info)) = opening(line) else {
                push_prose(&mut pieces, line);
                continue;
            };
            let mut body = String::new();
            loop {
                match lines.next() {
                    Some((line, _)) if closes(line, fence) => break,
                    Some((line, _)) => body.push_str(line),
                    None => return Err(format!("line {number}: this block does not end")),
                }
            }
            let mut words = info.split_whitespace().map(str::to_owned);
            let name = words.next().ok_or(format!("line {number}: this block has no name"))?;
            if pieces.iter().any(|piece| matches!(piece, Piece::Block(b) if b.name == name)) {
                return Err(format!("line {number}: a second block `{name}`"));
            }
            let options = words.collect();
            pieces.push(Piece::Block(Block {
                name,
                options,
                fence: fence.to_owned(),
                lines: body,
            }));
        }
        Ok(Self { title, pieces })
    }

    /// The title: what happens, in a sentence.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The prose under the title: where the text was seen, or why it is here.
    #[must_use]
    pub fn prose(&self) -> String {
        let prose = self.pieces.iter().map(|piece| match piece {
            Piece::Prose(text) => text.as_str(),
            Piece::Block(_) => "",
        });
        prose.collect::<String>().lines().skip(1).collect::<Vec<_>>().join("\n").trim().to_owned()
    }

    /// The block of this name.
    #[must_use]
    pub fn block(&self, name: &str) -> Option<&Block> {
        self.blocks().find(|block| block.name == name)
    }

    /// All blocks, in order.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Block(block) => Some(block),
            Piece::Prose(_) => None,
        })
    }

    /// The text of a block, empty if it is not there.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.block(name).map_or("", Block::text)
    }

    /// Sets a block's text: in place, at the end where it is new, removed where the text is empty.
    pub fn set(&mut self, name: &str, text: &str) {
        let at = self.pieces.iter().position(|piece| match piece {
            Piece::Block(block) => block.name == name,
            Piece::Prose(_) => false,
        });
        match at {
            Some(at) if text.is_empty() => drop(self.pieces.remove(at)),
            Some(at) => {
                if let Some(Piece::Block(block)) = self.pieces.get_mut(at) {
                    block.replace(text);
                }
            }
            None if text.is_empty() => {}
            None => {
                let mut block = Block {
                    name: name.to_owned(),
                    options: Vec::new(),
                    fence: "```".to_owned(),
                    lines: String::new(),
                };
                block.replace(text);
                self.pieces.push(Piece::Block(block));
            }
        }
    }

    /// The file's text.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Prose(text) => out.push_str(text),
                Piece::Block(block) => block.write(&mut out),
            }
        }
        out
    }
}

fn push_prose(pieces: &mut Vec<Piece>, line: &str) {
    match pieces.last_mut() {
        Some(Piece::Prose(text)) => text.push_str(line),
        _ => pieces.push(Piece::Prose(line.to_owned())),
    }
}

/// The fence and the info string, if a block opens here.
fn opening(line: &str) -> Option<(&str, &str)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let (fence, _) = line.split_at_checked(line.len() - info.len())?;
    let is_fence = fence.len() >= 3 && !(mark == '`' && info.contains('`'));
    is_fence.then_some((fence, info.trim()))
}

/// Whether a line closes the block that `fence` opened: the same mark, at least as many.
fn closes(line: &str, fence: &str) -> bool {
    line.strip_prefix(fence).is_some_and(|rest| {
        let mark = fence.chars().next().unwrap_or_default();
        rest.trim_start_matches(mark).trim().is_empty()
    })
}

/// The fence if it can hold the text, else a longer one.
fn fence_for(text: &str, fence: &str) -> String {
    let mut fence = fence.to_owned();
    let mark = fence.chars().next().unwrap_or('`');
    while text.lines().any(|line| closes(line, &fence)) {
        fence.push(mark);
    }
    fence
}

#[cfg(test)]
mod tests {
    use super::Case;

    const FILE: &str = "# One\n\nWhy.\n\n````input want=object escapes\n```json\n{}\n```\n````\n\
                        Between.\n```value\n{}\n```\n";

    #[test]
    fn a_longer_fence_holds_a_shorter_one() {
        let case = Case::parse(FILE).unwrap();
        let input = case.block("input").unwrap();
        assert_eq!(input.text(), "```json\n{}\n```");
        assert_eq!(input.option("want"), Some("object"));
        assert_eq!(input.options().collect::<Vec<_>>(), ["want", "escapes"]);
        assert_eq!((case.title(), case.prose()), ("One", "Why.\n\nBetween.".to_owned()));
    }

    #[test]
    fn a_file_that_is_not_changed_is_written_as_it_was() {
        assert_eq!(Case::parse(FILE).unwrap().to_markdown(), FILE);
    }

    #[test]
    fn only_the_block_that_is_set_changes() {
        let mut case = Case::parse(FILE).unwrap();
        case.set("value", "[\n```\n]");
        case.set("faults", "fence 0..3");
        let text = case.to_markdown();
        assert_eq!(
            text,
            FILE.replace("```value\n{}\n```\n", "````value\n[\n```\n]\n````\n")
                + "```faults\nfence 0..3\n```\n"
        );
        case.set("faults", "");
        case.set("value", "{}");
        assert_eq!(case.to_markdown(), FILE.replace("```value\n{}\n```", "````value\n{}\n````"));
    }

    #[test]
    fn an_empty_block_and_an_empty_line_are_no_text() {
        let case = Case::parse("# T\n```input\n```\n```value\n\n```\n```more\n\n\n```\n").unwrap();
        assert_eq!((case.text("input"), case.text("value"), case.text("more")), ("", "", "\n"));
    }

    #[test]
    fn broken_files_are_told_with_their_line() {
        for (text, line) in [
            ("Title\n", "line 1"),
            ("# T\n```input\n{}\n", "line 2"),
            ("# T\n```\n```\n", "line 2"),
            ("# T\n```a\n```\n```a\n```\n", "line 4"),
        ] {
            assert!(Case::parse(text).unwrap_err().starts_with(line), "{text}");
        }
    }
}

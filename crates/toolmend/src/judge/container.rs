//! Whether a region is the content of code or markup: what opens right before it closes right behind it.
//!
//! Who writes a file, a page or a program for the reader puts calls into it as text: into a comment, a
//! string, a block that shows its content. A model that calls has no reason to open one.

use std::ops::Range;

use super::Judge;
use super::row::{first_line, head, last_line, line_indent};
use crate::evidence::Lead;
use crate::layout::is_page_element;
use crate::refusal::{No, Reason};

/// What opens a container at the end of a line, and what closes it.
struct Container {
    /// In lower case.
    open: &'static str,
    /// What stands between the opener and the end of its line.
    until: Until,
    close: &'static str,
}

/// What stands behind an opener on its line.
enum Until {
    /// Nothing.
    Here,
    /// Anything that ends so, such as the language of a block.
    Ends(&'static str),
    /// Anything.
    Line,
}

const fn container(open: &'static str, until: Until, close: &'static str) -> Container {
    Container { open, until, close }
}

/// Comments, strings and blocks whose marks do not depend on what stands in them.
const CONTAINERS: [Container; 41] = [
    // Comments.
    container("<!--", Until::Line, "-->"),
    container("/*", Until::Line, "*/"),
    container("{-", Until::Line, "-}"),
    container("(*", Until::Line, "*)"),
    container("#|", Until::Line, "|#"),
    container("<#", Until::Line, "#>"),
    container("{#", Until::Line, "#}"),
    container("--[[", Until::Line, "]]"),
    container("=begin", Until::Line, "=end"),
    container("=pod", Until::Line, "=cut"),
    // Strings that need no escapes.
    container("<![cdata[", Until::Here, "]]>"),
    container("[[", Until::Here, "]]"),
    container("[=[", Until::Here, "]=]"),
    container("r#\"", Until::Here, "\"#"),
    container("r##\"", Until::Here, "\"##"),
    container("r\"(", Until::Here, ")\""),
    container("@'", Until::Here, "'@"),
    container("@\"", Until::Here, "\"@"),
    container("$$", Until::Here, "$$"),
    container("$body$", Until::Here, "$body$"),
    container("~s\"\"\"", Until::Here, "\"\"\""),
    // Blocks of markup languages.
    container("\\begin{", Until::Line, "\\end{"),
    container("\\verb|", Until::Here, "|"),
    container("#+begin_", Until::Line, "#+end_"),
    container("{code", Until::Ends("}"), "{code}"),
    container("{noformat", Until::Ends("}"), "{noformat}"),
    container("{quote", Until::Ends("}"), "{quote}"),
    container("{panel", Until::Ends("}"), "{panel}"),
    container("{{{", Until::Line, "}}}"),
    container("{% raw", Until::Ends("%}"), "{% endraw"),
    container("{% highlight", Until::Ends("%}"), "{% endhighlight"),
    container("{% code", Until::Ends("%}"), "{% endcode"),
    container(":::", Until::Line, ":::"),
    container("[code", Until::Ends("]"), "[/code]"),
    container("[pre", Until::Ends("]"), "[/pre]"),
    container("[quote", Until::Ends("]"), "[/quote]"),
    container("[tt", Until::Ends("]"), "[/tt]"),
    container("[noparse", Until::Ends("]"), "[/noparse]"),
    container("[nobbc", Until::Ends("]"), "[/nobbc]"),
    container("[spoiler", Until::Ends("]"), "[/spoiler]"),
    container("[plain", Until::Ends("]"), "[/plain]"),
];

/// Marks that open an indented block at the end of a line.
const SCALARS: [&str; 8] = [": |", ": |-", ": |+", ": >", ": >-", ": >+", "- |", "::"];

/// So many signs in a line of their own delimit a block.
const DELIMITER_MIN: usize = 4;

impl Judge<'_, '_> {
    /// Whether a row of regions is the content of code or markup.
    pub(super) fn contained(
        &self,
        at: usize,
        row: &Range<usize>,
        is_marked: bool,
    ) -> Result<(), No> {
        let no = |message: &str| Err((Reason::Quoted, message.to_owned()));
        let before = self.before_row(row);
        let behind = self.behind_row(row);
        let line = last_line(before).to_ascii_lowercase();
        let close = head(behind.trim_start()).to_ascii_lowercase();
        let found = CONTAINERS.iter().find(|container| container.is_around(&line, &close));
        // A model that was taught on pages puts calls that it announces into their comments.
        let is_leaked = |found: &Container| !is_marked && found.open == "<!--" && self.is_led();
        if found.is_some_and(|found| !is_leaked(found)) {
            return no("it stands in a comment, a string or a block of code");
        }
        // A region may have taken the marks of a string for its own.
        let own = self.layout.slice(row.clone()).trim_end().trim_end_matches(['"', '\'']).len();
        let closed = self.layout.slice(row.start + own..row.end + behind.len());
        let taken = self.layout.slice(row.clone());
        let taken = taken.len() - taken.trim_start_matches(['"', '\'']).len();
        let opened = self.layout.slice(row.start - before.len()..row.start + taken);
        if is_heredoc(last_line(before), behind) || is_given(before, behind) {
            return no(match before.ends_with('`') {
                true => "it stands in backticks",
                false => "it stands in a string of a program",
            });
        }
        let indent = line_indent(self.layout.before_on_line(row.start));
        if indent > line_indent(last_line(before))
            && SCALARS.iter().any(|mark| line.ends_with(mark))
        {
            return no("it stands in an indented block of text");
        }
        if is_delimited(&line, &close) && self.lead(at, row.start) != Lead::Announced {
            return no("it stands in a block between two delimiters");
        }
        if is_in_triple(opened, closed) {
            return no("it stands in a string of a program");
        }
        if self.layout.is_in_element(row, before, is_page_element) {
            let message = "it stands in an element of a page".to_owned();
            return Err((Reason::Example, message));
        }
        Ok(())
    }

    /// Whether words lead to the first region.
    fn is_led(&self) -> bool {
        let first = self.regions.first().map_or(0, |region| region.start);
        let before = self.layout.slice(0..first).trim_end();
        let before = before.strip_suffix("<!--").unwrap_or(before);
        before.trim_end().ends_with([':', '：'])
    }
}

impl Container {
    /// Whether a line ends with the opener, and the text behind starts with the closer.
    fn is_around(&self, line: &str, close: &str) -> bool {
        let line = line.trim_end();
        close.starts_with(self.close)
            && line.rfind(self.open).is_some_and(|at| {
                let rest = line.get(at + self.open.len()..).unwrap_or_default();
                match self.until {
                    Until::Here => rest.is_empty(),
                    Until::Ends(end) => rest.ends_with(end),
                    Until::Line => !rest.contains(self.close),
                }
            })
    }
}

/// Whether a line opens a string that a word ends, and the text behind starts with that word.
fn is_heredoc(line: &str, behind: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.match_indices("<<").any(|(at, mark)| {
        let rest = line.get(at + mark.len()..).unwrap_or_default();
        let rest = rest.trim_start_matches(['<', '-', '~', ' ', '\'', '"', '\\']);
        let word = rest.split(|c| !is_word(c)).next().unwrap_or_default();
        let end = first_line(behind).trim().strip_prefix(word);
        !word.is_empty() && end.is_some_and(|end| end.chars().all(|c| matches!(c, ';' | ')' | ',')))
    })
}

/// Whether a string that is given to something opens right before, and closes right behind. Only a
/// name may stand on a string between backticks.
fn is_given(before: &str, behind: &str) -> bool {
    let before = before.trim_end();
    let mark = before.chars().next_back().filter(|c| matches!(c, '"' | '\'' | '`'));
    mark.is_some_and(|mark| {
        let opened = before.trim_end_matches(mark);
        let is_tagged = opened.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let opened = opened.trim_end_matches(' ');
        let is_given =
            opened.ends_with(['=', '(', ',', '+', '[']) || opened.ends_with(':') && mark != '`';
        (is_given || mark == '`' && is_tagged) && behind.trim_start().starts_with(mark)
    })
}

/// Whether lines of the same signs stand before and behind.
fn is_delimited(line: &str, close: &str) -> bool {
    let (line, close) = (line.trim(), first_line(close).trim());
    let Some(sign) = line.chars().next().filter(|c| "-.=+*_~".contains(*c)) else { return false };
    line == close && line.len() >= DELIMITER_MIN && line.chars().all(|c| c == sign)
}

/// Whether a string over several lines opens before, with words in it, and closes behind.
fn is_in_triple(before: &str, behind: &str) -> bool {
    ["\"\"\"", "'''"].into_iter().any(|mark| {
        let opened = before.matches(mark).count() % 2 == 1 && behind.contains(mark);
        let line = before.rfind(mark).and_then(|at| before.get(..at)).unwrap_or_default();
        let line = line.rsplit('\n').next().unwrap_or_default().trim();
        // Models also answer in a string that stands for itself.
        let is_of_program = !line.is_empty() && !line.ends_with('.');
        let indent = before.rfind(mark).map_or(0, |at| {
            let start =
                before.get(..at).map_or(0, |before| before.rfind('\n').map_or(0, |at| at + 1));
            line_indent(before.get(start..at).unwrap_or_default())
        });
        opened && (is_of_program || indent > 0)
    })
}

#[cfg(test)]
mod tests {
    use super::CONTAINERS;

    #[test]
    fn openers_and_closers_are_written_in_lower_case() {
        for container in &CONTAINERS {
            assert_eq!(container.open, container.open.to_lowercase());
            assert_eq!(container.close, container.close.to_lowercase());
        }
    }
}

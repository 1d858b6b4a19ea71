//! How characters look on a terminal. Hostile text must not steer it, and carets must stand under
//! what they mean.

use unicode_width::UnicodeWidthChar;

const TAB_WIDTH: usize = 4;

/// How many columns a character takes as it is shown.
pub(crate) fn width(character: char) -> usize {
    match character {
        '\t' => TAB_WIDTH,
        other => shown(other).width().unwrap_or(1),
    }
}

/// Appends a character as it is shown.
pub(crate) fn push(character: char, out: &mut String) {
    match character {
        '\t' => out.extend(std::iter::repeat_n(' ', TAB_WIDTH)),
        other => out.push(shown(other)),
    }
}

/// One line as it is shown.
pub(crate) fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|character| push(character, &mut out));
    out
}

/// A name as it is shown, padded to so many columns; a longer one is cut.
pub(crate) fn padded(name: &str, columns: usize) -> String {
    let mut out = cut(name, columns);
    out.extend(std::iter::repeat_n(' ', columns.saturating_sub(columns_of(&out))));
    out
}

/// One line as it is shown, in no more than so many columns, with a sign where something is missing.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    let out = line(text);
    if columns_of(&out) <= columns {
        return out;
    }
    let mut taken = 1;
    let fits = |character: &char| {
        taken += width(*character);
        taken <= columns
    };
    let kept: String = out.chars().take_while(fits).collect();
    format!("{}…", kept.trim_end())
}

/// How many columns a name takes as it is shown.
pub(crate) fn columns_of(name: &str) -> usize {
    name.chars().map(width).sum()
}

fn shown(character: char) -> char {
    match character {
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(character)).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        // The second set of controls, marks that turn the direction, and what nobody can see.
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{200b}'
        | '\u{200c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}' => '\u{fffd}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::{columns_of, padded, push, width};

    #[test]
    fn names_fill_their_columns_and_no_more() {
        for (name, columns, wanted) in
            [("ab", 4, "ab  "), ("abcd", 4, "abcd"), ("abcde", 4, "abc…"), ("日本語", 4, "日… ")]
        {
            assert_eq!(padded(name, columns), wanted);
            assert_eq!(columns_of(&padded(name, columns)), columns);
        }
        assert_eq!(padded("\u{1b}[31m", 6), "␛[31m ");
    }

    #[test]
    fn nothing_steers_the_terminal_and_widths_are_those_of_what_is_shown() {
        for (character, text, columns) in [
            ('a', "a", 1),
            ('\t', "    ", 4),
            ('日', "日", 2),
            ('\u{1b}', "␛", 1),
            ('\u{feff}', "\u{fffd}", 1),
            ('\u{202e}', "\u{fffd}", 1),
            ('\u{301}', "\u{301}", 0),
        ] {
            let mut shown = String::new();
            push(character, &mut shown);
            assert_eq!((shown.as_str(), width(character)), (text, columns), "{character:?}");
        }
    }
}

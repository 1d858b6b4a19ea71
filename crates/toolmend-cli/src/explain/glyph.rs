//! How characters look on a terminal. Hostile text must not steer it, and carets must stand under
//! what they mean.

use unicode_width::UnicodeWidthChar;

const TAB_WIDTH: usize = 4;

/// How many columns a character takes as it is shown.
pub(super) fn width(character: char) -> usize {
    match character {
        '\t' => TAB_WIDTH,
        other => shown(other).width().unwrap_or(1),
    }
}

/// Appends a character as it is shown.
pub(super) fn push(character: char, out: &mut String) {
    match character {
        '\t' => out.extend(std::iter::repeat_n(' ', TAB_WIDTH)),
        other => out.push(shown(other)),
    }
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
    use super::{push, width};

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

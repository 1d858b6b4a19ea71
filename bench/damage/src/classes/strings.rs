//! What stands inside strings: raw characters, bad escapes, stray quotes, blocks of code.

use serde_json::Value;

use super::marked;
use crate::draft::{Draft, Extent, strings_mut};
use crate::payload::{sentence, source};
use crate::quoting;
use crate::rng::Rng;
use crate::token::{Kind, Token};

/// Makes sure that some string fits: where none does, one is put into the value.
fn plant(
    draft: &mut Draft,
    fits: impl Fn(&str) -> bool,
    make: impl Fn(&mut Rng) -> String,
) -> Option<()> {
    if draft
        .tokens
        .iter()
        .any(|token| token.kind == Kind::String && !token.in_array && fits(&token.plain))
    {
        return Some(());
    }
    let text = make(&mut draft.rng);
    let Value::Object(members) = &mut draft.value else { return None };
    let mut members_before = std::mem::take(members);
    let key = draft.rng.pick(&["content", "message", "text"]);
    let is_first = draft.rng.chance(50);
    if is_first {
        members.insert(key.into(), Value::from(text.clone()));
    }
    members.append(&mut members_before);
    members.insert(key.into(), text.into());
    draft.refresh();
    Some(())
}

/// Rewrites strings that fit, outside lists or everywhere.
fn rewrite(
    draft: &mut Draft,
    fits: impl Fn(&Token) -> bool,
    form: impl Fn(&mut Rng, &str) -> Option<String>,
) -> Option<()> {
    draft.change(
        |tokens, at| tokens.get(at).is_some_and(|token| token.kind == Kind::String && fits(token)),
        |rng, token| form(rng, &token.plain),
    )
}

pub(super) fn raw_newlines(draft: &mut Draft) -> Option<()> {
    let fits = |plain: &str| plain.contains(['\n', '\t']);
    plant(draft, fits, |rng| {
        format!("{}\n\n{}\n\t- {}", sentence(rng), sentence(rng), sentence(rng))
    })?;
    rewrite(
        draft,
        |token| fits(&token.plain),
        |_, plain| Some(format!("\"{}\"", quoting::escaped_but_lines(plain, '"'))),
    )
}

pub(super) fn control_characters(draft: &mut Draft) -> Option<()> {
    let mut rng = draft.rng.fork();
    let control = rng.pick(&[
        '\u{0}', '\u{1}', '\u{7}', '\u{8}', '\u{b}', '\u{c}', '\u{1b}', '\u{1f}', '\t', '\r',
    ]);
    for text in strings_mut(&mut draft.value) {
        let at = text
            .char_indices()
            .map(|(at, _)| at)
            .nth(rng.below(text.len().max(1)))
            .unwrap_or(text.len());
        text.insert(at, control);
    }
    plant(draft, |plain| plain.contains(control), |_| format!("raw {control} control"))?;
    draft.refresh();
    rewrite(
        draft,
        |token| token.plain.contains(control),
        |_, plain| {
            let escaped =
                plain.split(control).map(|part| quoting::escaped(part, '"')).collect::<Vec<_>>();
            Some(format!("\"{}\"", escaped.join(control.encode_utf8(&mut [0; 4]))))
        },
    )
}

/// Backslashes that were not doubled. Where the next character gives no escape, they stay or go.
pub(super) fn invalid_escapes(draft: &mut Draft) -> Option<()> {
    if draft.rng.chance(50) && undoubled(draft).is_some() {
        return Some(());
    }
    draft.extent = Extent::Once;
    marked::mark(draft, Value::is_string)
        .or_else(|| marked::mark(draft, |value| !value.is_array() && !value.is_object()))?;
    let (body, kept, other) = draft.rng.pick(&[
        ("\\d+ items", "\\d+ items", "d+ items"),
        ("^\\w*\\.$", "^\\w*\\.$", "^w*.$"),
        ("C:\\Windows\\System32", "C:\\Windows\\System32", "C:WindowsSystem32"),
        ("\\$HOME/bin", "\\$HOME/bin", "$HOME/bin"),
        ("snake\\_case\\_name", "snake\\_case\\_name", "snake_case_name"),
        ("a\\-b \\(c\\)", "a\\-b \\(c\\)", "a-b (c)"),
        ("\\*bold\\* and \\#1", "\\*bold\\* and \\#1", "*bold* and #1"),
        ("\\x41BC", "\\x41BC", "ABC"),
        ("50\\% off", "50\\% off", "50% off"),
        ("\\e[0m", "\\e[0m", "e[0m"),
        ("\\uXYZ and \\u12", "\\uXYZ and \\u12", "uXYZ and u12"),
        ("\\u{1F600} smile", "\\u{1F600} smile", "\u{1F600} smile"),
        ("it\\`s here", "it\\`s here", "it`s here"),
        ("\\[x\\] done", "\\[x\\] done", "[x] done"),
        ("\\s+\\d{2}\\:\\d{2}", "\\s+\\d{2}\\:\\d{2}", "s+d{2}:d{2}"),
        ("a \\ b", "a \\ b", "a  b"),
    ]);
    let value = marked::resolved(&draft.value, Some(&kept.into()));
    draft.others.push(marked::resolved(&draft.value, Some(&other.into())));
    marked::write(draft, &format!("\"{body}\""));
    draft.value = value;
    Some(())
}

/// The payload's own backslashes, written once where that is no escape.
fn undoubled(draft: &mut Draft) -> Option<()> {
    let is_lone = |next: Option<char>| next.is_some_and(|c| !"\"\\/bfnrtu".contains(c));
    rewrite(
        draft,
        |token| token.plain.contains('\\'),
        |_, plain| {
            let mut out = String::from("\"");
            let mut is_changed = false;
            let mut characters = plain.chars().peekable();
            let mut before = ' ';
            while let Some(character) = characters.next() {
                if character == '\\' && before != '\\' && is_lone(characters.peek().copied()) {
                    out.push('\\');
                    is_changed = true;
                } else {
                    out.push_str(&quoting::escaped(character.encode_utf8(&mut [0; 4]), '"'));
                }
                before = character;
            }
            out.push('"');
            is_changed.then_some(out)
        },
    )
}

pub(super) fn escaped_single_quote(draft: &mut Draft) -> Option<()> {
    let fits = |plain: &str| plain.contains('\'');
    plant(draft, fits, |rng| format!("it's {}, isn't it?", sentence(rng)))?;
    rewrite(
        draft,
        |token| fits(&token.plain),
        |_, plain| Some(quoting::json(plain).replace('\'', "\\'")),
    )
}

pub(super) fn unescaped_quotes_prose(draft: &mut Draft) -> Option<()> {
    let fits = |plain: &str| {
        plain.contains('"')
            && !plain.contains(['\n', '{', '\\'])
            && !plain.starts_with('"')
            && is_readable(plain)
    };
    plant(draft, fits, |rng| {
        let word = crate::payload::word(rng);
        match rng.below(8) {
            0 => format!("He said \"{word}\" and left."),
            1 => format!("The file \"{word}.txt\" was not found"),
            2 => format!("A 27\" screen and a \"{word}\" desk"),
            3 => format!("Search for \"{word}\" or \"old {word}\" today"),
            4 => format!("They call it \"{word}\""),
            5 => format!("Say \"{word}, please\", then wait"),
            6 => format!("The \"{word}\" (see \"notes\") is ready: go"),
            _ => format!("Do you mean \"{word}\"? Yes, \"{word}\"!"),
        }
    })?;
    rewrite(
        draft,
        |token| !token.in_array && fits(&token.plain),
        |_, plain| Some(format!("\"{}\"", quoting::escaped_but_quotes(plain))),
    )
}

pub(super) fn unescaped_quotes_code(draft: &mut Draft) -> Option<()> {
    let is_strict = draft.rng.chance(85);
    let fits = move |plain: &str| {
        plain.contains('"')
            && plain.contains(['(', '=', '{', '<'])
            && (!is_strict || is_readable(plain))
    };
    plant(draft, fits, |rng| {
        let language = rng.pick(&["python", "javascript", "html", "bash"]);
        (0..20)
            .map(|_| source(language, 60, rng))
            .find(|text| text.contains('"') && is_readable(text))
            .unwrap_or_else(|| "print(\"hello\")".into())
    })?;
    draft.keeps_information = draft
        .tokens
        .iter()
        .filter(|token| token.kind == Kind::String && fits(&token.plain))
        .all(|token| is_readable(&token.plain));
    rewrite(
        draft,
        |token| !token.in_array && fits(&token.plain),
        |_, plain| Some(format!("\"{}\"", quoting::escaped_but_quotes(plain))),
    )
}

/// Whether bare quotes inside leave the end of the string readable: nothing in it looks like the
/// end of a string and the start of the next member, or like the end of the object.
fn is_readable(plain: &str) -> bool {
    !plain.split('"').skip(1).any(|after| {
        let after = after.trim_start();
        after.starts_with(':')
            || after.starts_with('}')
            || after == ","
            || (after.starts_with(',') && after.trim() == ",")
    })
}

/// A value in a bare Markdown fence instead of a string, or code put between quotes as it is.
pub(super) fn raw_code_block(draft: &mut Draft) -> Option<()> {
    let fits = |plain: &str| plain.contains('\n') && !plain.contains("```");
    let language = draft.rng.pick(&["python", "javascript", "html", "bash", "rust", "json", ""]);
    plant(draft, fits, |rng| {
        format!("{}\n{}", source(language, 60, rng), source(language, 80, rng))
    })?;
    draft.extent = Extent::Once;
    let is_quoted = draft.rng.chance(15);
    let mut chosen = String::new();
    draft.change(
        |tokens, at| {
            tokens.get(at).is_some_and(|token| {
                token.kind == Kind::String && !token.in_array && fits(&token.plain)
            })
        },
        |rng, token| {
            chosen.clone_from(&token.plain);
            if is_quoted && !token.plain.contains('\\') && is_readable(&token.plain) {
                return Some(format!("\"{}\"", token.plain));
            }
            let gap = if token.plain.ends_with('\n') && rng.chance(50) { "" } else { "\n" };
            Some(format!("```{language}\n{}{gap}```", token.plain))
        },
    )?;
    // The line break before the closing fence may be the content's own.
    let trimmed = chosen.strip_suffix('\n').unwrap_or(&chosen).to_owned();
    let longer = format!("{chosen}\n");
    for other in [trimmed, longer] {
        let mut value = draft.value.clone();
        for text in strings_mut(&mut value) {
            if *text == chosen {
                text.clone_from(&other);
            }
        }
        draft.others.push(value);
    }
    Some(())
}

pub(super) fn triple_quotes(draft: &mut Draft) -> Option<()> {
    let habit = draft.rng.below(4);
    let fits = move |plain: &str| {
        let has_mark = plain.contains("\"\"\"") && plain.contains("'''");
        !plain.is_empty()
            && !has_mark
            && !plain.ends_with(['"', '\'', '\\'])
            && !plain.starts_with(['"', '\''])
    };
    plant(
        draft,
        |plain| fits(plain) && plain.contains('\n'),
        |rng| format!("{}\nHe said \"{}\".", sentence(rng), crate::payload::word(rng)),
    )?;
    let prefers_lines = draft.rng.chance(70);
    rewrite(
        draft,
        |token| fits(&token.plain) && (!prefers_lines || token.plain.contains('\n')),
        |_, plain| {
            let mark = if plain.contains("\"\"\"") || (habit == 1 && !plain.contains("'''")) {
                "'''"
            } else {
                "\"\"\""
            };
            let body = match habit {
                0 if mark == "\"\"\"" => quoting::escaped(plain, '"'),
                _ => plain.replace('\\', "\\\\"),
            };
            Some(format!("{mark}{body}{mark}"))
        },
    )
}

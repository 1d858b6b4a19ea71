//! Quotes of keys and strings: other ones, missing ones.

use crate::draft::{Draft, Extent, neighbour};
use crate::quoting;
use crate::rng::Rng;
use crate::token::{Kind, Token};

fn is_key(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.kind == Kind::Key)
}

fn is_text(token: &Token) -> bool {
    matches!(token.kind, Kind::Key | Kind::String)
}

/// Quotes everything or, now and then, only keys or only strings.
fn requote(draft: &mut Draft, quote: impl Fn(&mut Rng, &str) -> Option<String>) -> Option<()> {
    let only = match draft.rng.below(8) {
        0 => Some(Kind::Key),
        1 => Some(Kind::String),
        _ => None,
    };
    let fits = move |tokens: &[Token], at: usize| {
        tokens
            .get(at)
            .is_some_and(|token| is_text(token) && only.is_none_or(|kind| token.kind == kind))
    };
    if draft.extent != Extent::Once && draft.rng.chance(70) {
        return draft.change_all(|rng, token| {
            fits(std::slice::from_ref(token), 0).then(|| quote(rng, &token.plain)).flatten()
        });
    }
    draft.change(fits, |rng, token| quote(rng, &token.plain))
}

pub(super) fn single(draft: &mut Draft) -> Option<()> {
    // Some escape the apostrophe, some keep what JSON would have escaped, some escape nothing.
    let habit = draft.rng.below(10);
    requote(draft, |_, plain| {
        let body = match habit {
            0 if has_clear_apostrophes(plain) => quoting::escaped_but_quotes(plain),
            1 | 2 => quoting::escaped(plain, '\'').replace('"', "\\\""),
            _ => quoting::escaped(plain, '\''),
        };
        Some(format!("'{body}'"))
    })
}

/// Whether every apostrophe stands between letters: only then is a bare one readable.
fn has_clear_apostrophes(plain: &str) -> bool {
    let characters: Vec<char> = plain.chars().collect();
    characters.iter().enumerate().filter(|&(_, &c)| c == '\'').all(|(at, _)| {
        let letter = |index: Option<usize>| {
            index.and_then(|index| characters.get(index)).is_some_and(|c| c.is_alphabetic())
        };
        letter(at.checked_sub(1)) && letter(at.checked_add(1))
    })
}

pub(super) fn smart(draft: &mut Draft) -> Option<()> {
    let (open, close) = draft.rng.pick(&[
        ("“", "”"),
        ("“", "”"),
        ("“", "”"),
        ("”", "”"),
        ("„", "“"),
        ("«", "»"),
        ("‘", "’"),
    ]);
    let keeps_escape = draft.rng.chance(50);
    requote(draft, |_, plain| {
        // The same quote inside would end the string: nobody could tell.
        let is_clear =
            !plain.contains(open) && !plain.contains(close) && !plain.contains(['„', '“', '”']);
        let body = if keeps_escape {
            quoting::escaped(plain, '"')
        } else {
            quoting::escaped_but_quotes(plain)
        };
        is_clear.then(|| format!("{open}{body}{close}"))
    })
}

pub(super) fn backtick(draft: &mut Draft) -> Option<()> {
    let is_raw = draft.rng.chance(35);
    let is_only_values = draft.rng.chance(40);
    requote(draft, |_, plain| {
        let body = if is_raw {
            quoting::escaped_but_lines(plain, '`')
        } else {
            quoting::escaped(plain, '`')
        };
        Some(format!("`{body}`"))
    })?;
    if is_only_values {
        draft.change_all(|_, token| (token.kind == Kind::Key).then(|| quoting::json(&token.plain)));
        return draft
            .tokens
            .iter()
            .any(|token| token.kind == Kind::String && token.text.starts_with('`'))
            .then_some(());
    }
    Some(())
}

/// `""key"": ""value""`, as a template with quotes of its own makes it.
pub(super) fn doubled(draft: &mut Draft) -> Option<()> {
    requote(draft, |_, plain| {
        let is_sign = plain.starts_with(['}', ']', ',', ':', '{', '[']);
        let is_clear =
            !plain.is_empty() && !is_sign && !plain.contains('"') && !plain.ends_with('\\');
        is_clear.then(|| format!("\"\"{}\"\"", quoting::escaped(plain, '"')))
    })
}

pub(super) fn keys_unquoted(draft: &mut Draft) -> Option<()> {
    let has_odd = draft.rng.chance(30);
    draft.change(is_key, |_, token| {
        let is_name = token
            .plain
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '$' || (has_odd && c == '-'));
        is_name.then(|| token.plain.clone())
    })
}

pub(super) fn values_unquoted(draft: &mut Draft) -> Option<()> {
    let has_odd = draft.rng.chance(20);
    draft.change(
        |tokens, at| {
            tokens.get(at).is_some_and(|token| {
                let is_odd = has_odd && !token.in_array && is_date_or_address(&token.plain);
                token.kind == Kind::String && (is_odd || can_stand_bare(&token.plain))
            })
        },
        |_, token| Some(token.plain.clone()),
    )
}

/// Whether text without quotes still reads as this string: words, paths.
fn can_stand_bare(plain: &str) -> bool {
    let starts_well =
        plain.starts_with(|c: char| c.is_alphabetic() || matches!(c, '/' | '.' | '~'));
    let is_plain = plain
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/' | '@' | '~' | '+'));
    let word = plain.to_ascii_lowercase();
    let is_literal = matches!(
        word.as_str(),
        "true" | "false" | "null" | "none" | "nan" | "undefined" | "infinity"
    );
    starts_well
        && is_plain
        && !is_literal
        && plain.trim() == plain
        && !plain.contains("//")
        && plain != "..."
}

/// `2026-05-01T12:30:00Z` and `https://example.com/a?b=c`: one word, though with signs in it.
fn is_date_or_address(plain: &str) -> bool {
    let is_word =
        !plain.contains(|c: char| c.is_whitespace() || matches!(c, ',' | '{' | '}' | '"'));
    is_word && (plain.starts_with("2026-") || plain.starts_with("https://"))
}

pub(super) fn key_start_missing(draft: &mut Draft) -> Option<()> {
    draft.change(is_key, |_, token| {
        let rest = token.text.strip_prefix('"')?;
        (rest.len() > 1).then(|| rest.into())
    })
}

pub(super) fn key_end_missing(draft: &mut Draft) -> Option<()> {
    draft.change(
        |tokens, at| is_key(tokens, at) && !has_sign_behind(tokens, at),
        |_, token| {
            let rest = token.text.strip_suffix('"')?;
            (rest.len() > 1 && !token.plain.contains(':')).then(|| rest.into())
        },
    )
}

/// Whether the value of a key is a string that starts like punctuation: `"a: ":", …` is a riddle.
fn has_sign_behind(tokens: &[Token], at: usize) -> bool {
    let behind = tokens.get(at + 1..).unwrap_or_default();
    let value = behind.iter().find(|token| !matches!(token.kind, Kind::Colon | Kind::Space));
    value.is_some_and(|token| token.plain.starts_with([':', ',', '}', ']', '"']))
}

pub(super) fn value_start_missing(draft: &mut Draft) -> Option<()> {
    draft.change(is_member_text, |_, token| {
        // What stands at the start must not read as another value or as punctuation.
        let starts_well = token
            .plain
            .chars()
            .next()
            .is_some_and(|c| c.is_alphabetic() || matches!(c, '/' | '.' | '~'));
        let is_literal =
            matches!(token.plain.as_str(), "true" | "null" | "undefined" | "None" | "NaN");
        let is_comment = token.plain.starts_with("//") || token.plain.starts_with("/*");
        let is_clear =
            starts_well && !is_literal && !is_comment && !token.plain.contains(['"', '\n']);
        is_clear.then(|| token.text.strip_prefix('"').map(Into::into)).flatten()
    })
}

pub(super) fn value_end_missing(draft: &mut Draft) -> Option<()> {
    draft.change(is_member_text, |_, token| {
        let is_clear = !token.plain.is_empty()
            && token.plain.trim_end() == token.plain
            && ends_well(&token.plain);
        is_clear.then(|| token.text.strip_suffix('"').map(Into::into)).flatten()
    })?;
    draft.keeps_information = !may_be_cut(&draft.tokens);
    Some(())
}

/// Whether the text also reads as a longer string that was cut: `{"a": "b}` may have gone on after
/// the brace, as code does. Nothing in the text says which of the two it is.
fn may_be_cut(tokens: &[Token]) -> bool {
    let is_open = |token: &Token| token.kind == Kind::String && !token.text.ends_with('"');
    let Some(last) = tokens.iter().rposition(is_open) else { return false };
    let mut after = tokens.iter().skip(last + 1);
    after.all(|token| match token.kind {
        Kind::CloseObject | Kind::CloseArray => true,
        Kind::Space => !token.text.contains('\n'),
        _ => false,
    })
}

/// Whether the end of a string can be told from what follows it.
fn ends_well(plain: &str) -> bool {
    !plain.ends_with(['}', ']', ',', '\\', '"', ':', '{', '['])
        && !plain.contains("\": ")
        && !plain.contains("\",")
}

fn is_member_text(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.kind == Kind::String && !token.in_array)
        && matches!(neighbour(tokens, at, -1), Some(Kind::Colon))
}

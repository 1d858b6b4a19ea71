//! Items of lists: what stands before a call that is listed.

use crate::cursor::{Look, byte, follows, from, skip_blanks};
use crate::lexicon;
use crate::offered::Offered;
use crate::triggers::{head_of_call, list, object};

/// A number longer than this starts no item.
const ITEM_DIGITS_MAX: usize = 3;
/// More marks of emphasis and code than this are a line of their own.
const ITEM_MARKS_MAX: usize = 4;

/// The place behind the bullet or the number of an item, and behind marks of emphasis and code.
pub(crate) fn item(text: &str, at: usize) -> Look<usize> {
    let rest = from(text, at);
    let Some(first) = rest.chars().next() else { return Look::More };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let end = match byte(rest, digits) {
        _ if digits > ITEM_DIGITS_MAX => return Look::Not,
        None => return Look::More,
        Some(b'.' | b')') if digits > 0 => digits + 1,
        Some(_) if digits > 0 => return Look::Not,
        // Emphasis at the start of a line is no bullet.
        Some(_) if rest.starts_with("**") => 0,
        Some(_) => first.len_utf8(),
    };
    let blanks = skip_blanks(rest, end);
    match byte(rest, blanks) {
        None => Look::More,
        Some(_) if blanks == end && end > 0 => Look::Not,
        Some(_) => {
            let marks = from(rest, blanks);
            let inner = marks.trim_start_matches(['*', '_']);
            let inner = inner.strip_prefix('`').unwrap_or(inner);
            match marks.len() - inner.len() {
                length if length > ITEM_MARKS_MAX => Look::Not,
                _ if inner.is_empty() => Look::More,
                _ => Look::Is(at + rest.len() - inner.len()),
            }
        }
    }
}

/// Whether a region starts in the item that stands here: words that announce a call, or a call.
pub(crate) fn listed(text: &str, at: usize, offered: &Offered, is_ended: bool) -> Look<usize> {
    let is_number = byte(text, at).is_some_and(|byte| byte.is_ascii_digit());
    let announced = if is_number { Look::Not } else { behind_bullet(text, at).map(|_| at) };
    let call = match item(text, at) {
        Look::Is(place) => {
            let look = match byte(text, place) {
                Some(b'{') => object(text, place, offered, is_ended),
                Some(b'[') => list(text, place, offered, is_ended),
                _ => head_of_call(text, place, offered, is_ended),
            };
            look.map(|()| place)
        }
        Look::More => Look::More,
        Look::Not => Look::Not,
    };
    match (announced.ended(is_ended), call.ended(is_ended)) {
        (Look::Is(at), _) | (_, Look::Is(at)) => Look::Is(at),
        (Look::More, _) | (_, Look::More) => Look::More,
        _ => Look::Not,
    }
}

/// Whether this character starts an item of a list. Terminals of agents write `⏺` before a call.
#[must_use]
pub fn is_bullet(c: char) -> bool {
    matches!(c, '-' | '*' | '•' | '●' | '⏺')
}

/// The place behind the bullet that stands here, blanks and emphasis.
pub(crate) fn bullet_end(text: &str, at: usize) -> usize {
    let bullet = from(text, at).chars().next().map_or(0, char::len_utf8);
    let place = skip_blanks(text, at + bullet);
    place + from(text, place).bytes().take_while(|byte| *byte == b'*').count()
}

/// The place behind the bullet that stands here, where words that announce a call follow it.
pub(crate) fn behind_bullet(text: &str, at: usize) -> Look<usize> {
    let place = bullet_end(text, at);
    let mut is_half = byte(text, place).is_none();
    for mark in lexicon::call_marks() {
        match follows(text, place, mark) {
            Look::Is(_) => return Look::Is(place),
            Look::More => is_half = true,
            Look::Not => {}
        }
    }
    if is_half { Look::More } else { Look::Not }
}

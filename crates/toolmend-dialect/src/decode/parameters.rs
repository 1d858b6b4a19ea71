//! Tagged parameters that have lost the call around them.

use super::tags::{Read, Reading};
use crate::cursor::{Look, skip_space};
use crate::found::{Arguments, Ending, Field};
use crate::lex::{Mark, mark_at};
use crate::offered::Offered;

/// Reads a text that is nothing but the tagged parameters of a tool: some servers pass the body of a
/// call on as its arguments. `None` where there is anything else, or where a value does not end.
///
/// ```
/// use toolmend_dialect::{Offered, read_parameters};
///
/// let offered = Offered::new([("find_files", ["pattern"])]);
/// let fields = read_parameters("<parameter=pattern>**</parameter>", "find_files", &offered);
/// assert_eq!(fields.unwrap()[0].key.as_deref(), Some("pattern"));
/// ```
#[must_use]
pub fn read_parameters(text: &str, tool: &str, offered: &Offered) -> Option<Vec<Field>> {
    let reading = Reading { text, offered, is_ended: true, element: "", depth: 0 };
    let Look::Is(Read { draft, end, ending: Ending::Closed | Ending::Unclosed }) =
        reading.body(Some(tool.to_owned()), 0)
    else {
        return None;
    };
    let Arguments::Fields(fields) = draft.arguments else { return None };
    is_closing(text, end).then_some(fields)
}

/// Whether nothing but closers of what stood around the parameters follows.
fn is_closing(text: &str, start: usize) -> bool {
    let mut at = skip_space(text, start);
    while at < text.len() {
        let Look::Is((Mark::Tag(tag), end)) = mark_at(text, at).ended(true) else { return false };
        if !tag.closes {
            return false;
        }
        at = skip_space(text, end);
    }
    true
}

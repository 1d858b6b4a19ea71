//! Texts that are one call and nothing else, written as a row says and right.
//!
//! Such a text is a head and a tail of the row with a body between them. What is told of it is what the
//! scanner told of the row's own example: it looks at marks, and not into a body that is right.

use std::sync::LazyLock;

use memchr::memchr;
use toolmend_json::{Plain, Trust};

use crate::cursor::{Look, between, from, word_bytes};
use crate::decode::{map, plain};
use crate::dialect::{Body, Dialect};
use crate::found::{Arguments, Ending, Event, Found, Region};
use crate::offered::Offered;
use crate::rows::dialects;
use crate::scan::Scan;

/// What stands around the body of a call, and what is told of it then.
#[derive(PartialEq)]
struct Form {
    head: &'static str,
    tail: &'static str,
    body: Body,
    /// The id of the row.
    dialect: &'static str,
    ending: Ending,
}

/// What reading a text in one go came to.
pub(crate) enum Whole {
    /// It is a region.
    Region(Region),
    /// It is something else; whether something is wrong with the body that starts here.
    Not(Option<usize>),
}

/// The forms of the rows whose examples can be read so, with what closes them and without it.
static FORMS: LazyLock<Vec<(Form, &'static Dialect)>> = LazyLock::new(|| {
    let mut forms = Vec::new();
    for row in dialects().filter(|row| row.example.starts_with(['<', '['])) {
        let body = row.call.body;
        let Some((head, end)) = head_of(row.example, body) else { continue };
        // Some rows have nothing behind their calls.
        let mut ends = vec![row.example.len(), end];
        ends.dedup();
        for stop in ends {
            let form = form(between(row.example, 0, stop), head, end, body);
            forms.extend(form.and_then(|form| {
                let dialect = dialects().find(|row| row.id == form.dialect)?;
                Some((form, dialect))
            }));
        }
    }
    forms
});

/// The longest head, and what stands between it and the brace of a body.
static HEAD_BYTES: LazyLock<usize> = LazyLock::new(|| {
    let longest = FORMS.iter().map(|(form, _)| form.head.len()).max();
    longest.map_or(0, |longest| longest + NAME_BYTES)
});

/// So long a name before a body is at most.
const NAME_BYTES: usize = 64;

/// The tool of all examples, and others.
fn tools(others: &[&str]) -> Offered {
    Offered::new([TOOL].iter().chain(others).map(|name| (*name, ["city", "days"])))
}

const TOOL: &str = "get_weather";

/// Where the body of an example begins and ends.
fn head_of(example: &str, body: Body) -> Option<(usize, usize)> {
    let brace = memchr(b'{', example.as_bytes())?;
    match body {
        Body::Json => {
            let mut body = Plain::new(example, brace);
            plain::call(&mut body, &tools(&[]))?;
            // A head that names the tool is different for each.
            (!between(example, 0, brace).contains(TOOL)).then(|| (brace, body.at()))
        }
        Body::Map => {
            let start = between(example, 0, brace).rfind(map::HEAD)?;
            map_call(example, start).map(|(_, end)| (start, end))
        }
        Body::Tags | Body::Python => None,
    }
}

/// A call with a map in which nothing is wrong, and whose name is a plain word; where it ends.
fn map_call(text: &str, at: usize) -> Option<(Found, usize)> {
    let name = from(text, at + map::HEAD.len());
    let is_word = from(name, word_bytes(name)).starts_with('{');
    match map::call(text, at) {
        Look::Is((call, end)) if is_word && call.faults.is_empty() => Some((call, end)),
        _ => None,
    }
}

/// The form of an example, if all of it is one call that is right, whatever else the tools are called.
fn form(example: &'static str, start: usize, end: usize, body: Body) -> Option<Form> {
    let (head, tail) = (between(example, 0, start), from(example, end));
    let words = [head, tail].map(|part| part.split(|c: char| !c.is_alphanumeric() && c != '_'));
    let words: Vec<&str> = words.into_iter().flatten().filter(|word| !word.is_empty()).collect();
    let [told, other] = [&[][..], &words].map(|others| {
        let mut events = 0;
        let mut told = None;
        Scan::new(&tools(others)).finish(example, &mut |event| {
            events += 1;
            let Event::Region(_, Region { calls, is_marked }) = event else { return };
            let [call] = calls.as_slice() else { return };
            let is_right = matches!(call.arguments, Arguments::Object(_, Trust::Exact))
                && call.faults.is_empty()
                && call.name == TOOL;
            // Without marks, what a body holds tells whether it is a call, and of which dialect.
            if is_marked && is_right && call.span == (0..example.len()) {
                let (dialect, ending) = (call.dialect.id, call.ending);
                told = Some(Form { head, tail, body, dialect, ending });
            }
        });
        told.filter(|_| events == 1)
    });
    told.filter(|told| other.as_ref() == Some(told))
}

/// Reads a text that is one call of an offered tool, written exactly as one of the dialects says, with
/// nothing wrong in it. Of any other, nothing is told.
pub(crate) fn read(text: &str, offered: &Offered) -> Whole {
    let near = text.as_bytes().get(..*HEAD_BYTES).unwrap_or(text.as_bytes());
    let Some(brace) = memchr(b'{', near) else { return Whole::Not(None) };
    let before = between(text, 0, brace);
    let fits = |form: &Form| match form.body {
        Body::Json => form.head == before,
        _ => before.strip_prefix(form.head).is_some_and(|rest| rest.starts_with(map::HEAD)),
    };
    let mut forms = FORMS.iter().filter(|(form, _)| fits(form)).peekable();
    let Some((first, _)) = forms.peek() else { return Whole::Not(None) };
    let mut body = Plain::new(text, brace);
    let read = match first.body {
        Body::Json => plain::call(&mut body, offered).map(|call| (call, body.at())),
        _ => map_call(text, first.head.len()),
    };
    let Some((call, end)) = read else {
        return Whole::Not(Some(brace).filter(|_| body.is_wrong()));
    };
    let tail = from(text, end);
    let Some((form, dialect)) = forms.find(|(form, _)| form.tail == tail) else {
        return Whole::Not(None);
    };
    let calls = vec![Found { dialect, ending: form.ending, span: 0..text.len(), ..call }];
    Whole::Region(Region { calls, is_marked: true })
}

#[cfg(test)]
mod tests {
    use super::{FORMS, Whole, read, tools};
    use crate::found::Event;
    use crate::offered::Offered;
    use crate::rows::dialects;
    use crate::scan::{Scan, Scanner};

    /// What is told of a text, where the pieces of plain text are joined.
    fn told(tell: impl FnOnce(&mut dyn FnMut(Event<'_>))) -> String {
        let mut told = String::new();
        let mut plain = String::new();
        tell(&mut |event| match event {
            Event::Text(text) => plain.push_str(text),
            Event::Region(text, region) => {
                told.extend([format!("{:?} {text:?} {region:?}\n", std::mem::take(&mut plain))]);
            }
        });
        told + &plain
    }

    /// Checks that a text is told alike in one go, by the scanner, and in pieces; whether it was read in one go.
    fn is_alike(text: &str, offered: &Offered) -> bool {
        let whole = told(|mut out| Scan::all(offered, text, &mut out));
        let once = told(|mut out| Scan::new(offered).finish(text, &mut out));
        let pieces = told(|mut out| {
            let mut scanner = Scanner::new(offered);
            text.split_inclusive(['\n', '}', '>']).for_each(|piece| scanner.push(piece, &mut out));
            scanner.finish(&mut out);
        });
        assert_eq!(whole, once, "{text}");
        assert_eq!(whole, pieces, "{text}");
        matches!(read(text, offered), Whole::Region(_))
    }

    #[test]
    fn what_is_read_in_one_go_is_told_as_the_scanner_tells_it() {
        let values = [
            "",
            "\\n",
            "\\ud83d\\ude00",
            "\\ud83d",
            "\\x",
            "a\nb",
            "\"",
            "</tool_call>",
            "<|\"|>",
            "{",
            "é",
            "[1,",
            "tool_use",
            "function",
            "Action:",
        ];
        let swaps = [
            ("2", "-0"),
            ("2", "1e400"),
            ("2", "123456789012345678901"),
            ("2", "[1, {\"a\": [null, true, 2.50]}]"),
            ("2", "{}"),
            ("2", "01"),
            ("2", "2, \"days\": 3"),
            ("2", "[[[[[[[[[[[1]]]]]]]]]]]"),
            ("2}", "2,}"),
            ("\"Lima\"", "'Lima'"),
            ("\"days\"", "\"d\\u0061ys\""),
            ("\"name\"", "\"tool\""),
            ("\"name\"", "\"name\": \"fly\", \"tool\""),
            ("\"name\"", "\"id\": \" call_1 \", \"name\""),
            ("\"name\"", "\"id\": \"\", \"name\""),
            ("\"name\"", "\"type\": \"function\", \"name\""),
            ("get_weather", "getWeather"),
            ("get_weather", " get_weather "),
            ("get_weather", "fly"),
            ("get_weather", "tool_call"),
        ];
        let words =
            ["tool_call", "function_call", "python_tag", "TOOL_CALLS", "call", "name", "arguments"];
        let mut whole = 0;
        for offered in [tools(&[]), tools(&words)] {
            for example in dialects().map(|row| row.example) {
                let swapped = swaps.iter().map(|(from, to)| example.replacen(from, to, 1));
                let other = values.iter().map(|value| example.replace("Lima", value));
                let around = ["\n", " ", "x", "</s>", "<|im_end|>", "{", "]"];
                let behind = around.iter().map(|more| [example, more].concat());
                let before = around.iter().map(|more| [more, example].concat());
                let cuts = example.char_indices().map(|(at, _)| example.split_at(at).0.to_owned());
                let twice = std::iter::once([example, example].concat());
                let texts = swapped.chain(other).chain(behind).chain(before).chain(cuts);
                whole += texts.chain(twice).filter(|text| is_alike(text, &offered)).count();
            }
        }
        assert!(whole > 400, "{whole}");
    }

    #[test]
    fn rows_that_say_so_are_read_in_one_go() {
        let offered = tools(&[]);
        let rows = dialects().filter(|row| matches!(read(row.example, &offered), Whole::Region(_)));
        let rows: Vec<&str> = rows.map(|row| row.id).collect();
        for id in ["hermes_json", "llama3_json", "mistral_v3", "cohere_action", "gemma4"] {
            assert!(rows.contains(&id), "{rows:?}");
        }
        assert!(FORMS.len() >= rows.len());
    }
}

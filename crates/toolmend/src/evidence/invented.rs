//! Where a text goes on with what others say. A model that is not stopped in time writes the result
//! of its call, the next question of the user, or a program around it, and answers that as well: with
//! calls that nobody asked for, on results that never were.

use std::ops::Range;

/// Starts of a user's turn. Nobody writes them by chance.
const TURNS: [&str; 11] = [
    "### Instruction:",
    "### Human:",
    "### User:",
    "<|im_start|>user",
    "<|start_header_id|>user",
    "<|start|>user",
    "<start_of_turn>user",
    "<|user|>",
    "<｜User｜>",
    "<|User|>",
    "[INST]",
];

/// Starts of a user's turn, or of a result, that only count behind a call: the words also label
/// other things.
const LABELS: [&str; 28] = [
    "User:",
    "USER:",
    "Human:",
    "HUMAN:",
    "**User:**",
    "**Human:**",
    "用户：",
    "用户:",
    "人类：",
    "Observation:",
    "观察：",
    "Tool result:",
    "Tool output:",
    "Tool response:",
    "<tool_response>",
    "<tool_result>",
    "<tool_results>",
    "<tool_output>",
    "<tool_outputs>",
    "<function_result>",
    "<function_results>",
    "<function_response>",
    "<observation>",
    "<|observation|>",
    "<|tool_response|>",
    "<|im_start|>tool",
    "<|start_header_id|>ipython",
    "[TOOL_RESULTS]",
];

/// Where others first speak outside of the regions. `has_calls` says that the turn declares calls:
/// those were made before anything that the text says. `counts` says whether a place is one where
/// the model speaks aloud.
pub(crate) fn invented(
    text: &str,
    regions: &[Range<usize>],
    has_calls: bool,
    counts: impl Fn(usize) -> bool,
) -> Option<usize> {
    let mut from = 0;
    let gaps = regions.iter().map(|region| region.start).chain([text.len()]);
    let ends = regions.iter().map(|region| region.end).chain([text.len()]);
    for (index, (gap_end, next)) in gaps.zip(ends).enumerate() {
        let is_behind = has_calls || index > 0;
        let gap = text.get(from..gap_end).unwrap_or_default();
        let first = gap.len() - gap.trim_start().len();
        let is_other = |&place: &usize| {
            let rest = gap.get(place..).unwrap_or_default();
            let is_start = from == 0 && place <= first;
            let speaks = |marks: &[&str]| marks.iter().any(|mark| rest.starts_with(mark));
            speaks(&TURNS) && (has_calls || !is_start)
                || (speaks(&LABELS) || starts_program(rest)) && is_behind
        };
        let mut others = places(gap).filter(is_other).map(|place| from + place);
        if let Some(place) = others.find(|&place| counts(place)) {
            return Some(place);
        }
        from = next;
    }
    None
}

/// Whether a line starts a program: models for code go on with one behind their answer, and the calls
/// in it are its own.
fn starts_program(rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or_default().trim_end();
    let is_head = ["def ", "async def ", "class "].iter().any(|word| line.starts_with(word));
    let is_import = line.strip_prefix("import ").is_some_and(|modules| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        modules.split(',').all(|module| {
            let words: Vec<&str> = module.split_whitespace().collect();
            matches!(words.as_slice(), [_] | [_, "as", _])
                && words.iter().all(|word| word.chars().all(is_name))
        })
    });
    let is_from = line.starts_with("from ") && line.contains(" import ");
    is_head && line.ends_with(':') || is_import || is_from || line.starts_with("if __name__")
}

/// Where a turn can start: with a line, or right behind a mark.
fn places(gap: &str) -> impl Iterator<Item = usize> {
    let lines = gap.split_inclusive('\n').scan(0, |at, line| {
        let start = *at + (line.len() - line.trim_start().len());
        *at += line.len();
        Some(start)
    });
    let behind = gap.match_indices("><").map(|(at, _)| at + 1);
    lines.chain(behind)
}

#[cfg(test)]
mod tests {
    use super::invented;

    #[test]
    fn others_speak_at_the_start_of_a_line_or_behind_a_mark() {
        let find = |text: &str, call: &str, has_calls| {
            let regions: Vec<_> =
                text.match_indices(call).map(|(at, _)| at..at + call.len()).collect();
            invented(text, &regions, has_calls, |_| true)
        };
        assert_eq!(find("CALL\nUser: and then?\nCALL", "CALL", false), Some(5));
        assert_eq!(find("Yes.\nUser: and then?\nCALL", "CALL", false), None);
        assert_eq!(find("Yes.\nUser: and then?\nCALL", "CALL", true), Some(5));
        assert_eq!(find("Done.<|im_end|><|im_start|>user\nMore.", "CALL", false), Some(15));
        assert_eq!(find("[INST] Hello. [/INST]", "CALL", false), None);
        assert_eq!(find("CALL The user: a name.", "CALL", false), None);
        assert_eq!(find("CALL\nimport os\nCALL", "CALL", false), Some(5));
        assert_eq!(find("CALL\nimport taxes are due.\nCALL", "CALL", false), None);
    }
}

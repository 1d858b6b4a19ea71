//! Text around the value: what models say, think and tag.

use serde_json::{Value, json};

use crate::draft::{Draft, strings_mut};
use crate::payload::{sentence, word};

/// What a model says before it calls.
pub(super) fn before(draft: &mut Draft) -> String {
    let rng = &mut draft.rng;
    let fixed = rng.pick(&[
        "Here is the JSON:",
        "Sure! Here's the tool call you asked for:",
        "I'll call the tool now.",
        "Certainly. The arguments are as follows -",
        "**Arguments:**",
        "Let me check that (it won't take long):",
        "Step 1: find the file.\nStep 2: read it.\n\nCall:",
        "> quoted: \"as requested\"",
        "Output:",
        "json",
        "Based on [1] and the user's question, I need three things: a path, a limit, and a flag.",
        "I don't have that information, so I'll look it up. 🔍",
        "# Tool call",
        "The user said \"do it\", so:",
        "Action: write_file\nAction Input:",
        "1. First\n2. Second\n",
        "Note: this isn't final, e.g. key: value.",
        "assistant:",
        "Ok, here you go...",
        "Response (200 OK):",
        "Result = ",
        "<!-- answer -->",
    ]);
    if rng.chance(30) { format!("{} {fixed}", plain_sentence(draft)) } else { fixed.into() }
}

/// What a model says after it called.
pub(super) fn after(draft: &mut Draft) -> String {
    let rng = &mut draft.rng;
    let fixed = rng.pick(&[
        "Let me know if you need anything else!",
        "This will create the file.",
        "I hope that's what you wanted :)",
        "Note: \"limit\" is optional, isn't it?",
        "Explanation:\n- path: where it goes\n- limit: how many",
        "(end of call)",
        "The values are taken from section [2].",
        "Done.",
        "---",
        "✅",
        "If it fails, I'll try again...",
        "Observation: waiting for the result, then: next step.",
        "[DONE]",
        "<|im_end|>",
        "</s>",
    ]);
    if rng.chance(30) { format!("{fixed} {}", plain_sentence(draft)) } else { fixed.into() }
}

/// A sentence without braces.
fn plain_sentence(draft: &mut Draft) -> String {
    sentence(&mut draft.rng).replace(['{', '}'], "")
}

pub(super) fn around(draft: &mut Draft) -> Option<()> {
    let gap = draft.rng.pick(&["\n\n", "\n", " "]);
    let which = draft.rng.below(4);
    let start = if which == 0 { String::new() } else { format!("{}{gap}", before(draft)) };
    let end = if which == 1 { String::new() } else { format!("{gap}{}", after(draft)) };
    draft.wrap(&start, &end);
    Some(())
}

pub(super) fn with_braces(draft: &mut Draft) -> Option<()> {
    let braces = braces(draft);
    let gap = draft.rng.pick(&["\n\n", "\n", " ", "\n\n"]);
    match draft.rng.below(8) {
        0 => {
            let start = before(draft);
            draft.wrap(&format!("{start}{gap}"), &format!("{gap}{braces}"));
        }
        1 => draft.wrap("", &format!("{gap}{braces}")),
        2 => {
            let more = after(draft);
            draft.wrap(&format!("{braces}{gap}"), &format!("{gap}{more}"));
        }
        3 => {
            let (fence, end) = draft.rng.pick(&[("```json\n", "\n```"), ("```\n", "\n```")]);
            draft.wrap(&format!("{braces}{gap}{fence}"), end);
        }
        _ => draft.wrap(&format!("{braces}{gap}"), ""),
    }
    Some(())
}

/// A sentence with braces that are not the value.
fn braces(draft: &mut Draft) -> String {
    let word = word(&mut draft.rng);
    match draft.rng.below(20) {
        0 => format!("I replace {{name}} and {{{word}}} in the template:"),
        1 => "The set {1, 2, 3} is closed, so I use it:".into(),
        2 => format!("Using the format {{key: value}} for {word}:"),
        3 => "The function body is `if (x) { return; }` as before.".into(),
        4 => format!("The path is ${{HOME}}/{word}, so:"),
        5 => "In LaTeX this is \\frac{a}{b} and \\text{x}.".into(),
        6 => format!("I'll fill the {{{{ {word} }}}} placeholder."),
        7 => "An empty object {} would not be enough.".into(),
        8 => format!("Given {{x: 1}} as the state of {word}, I call:"),
        9 => "The tool {write_file} takes [path] and {content}.".into(),
        10 => "CSS like a { color: red; } stays. Now the call:".into(),
        11 => {
            format!("Params {{ {word} }}, [ ] and }} }} are fine:", word = word.replace(' ', "_"))
        }
        12 => "Schema: {\"type\": \"object\"} - so the arguments are:".into(),
        13 => "Braces { may be left open, so here it is:".into(),
        15 => "The arguments have the form { ... } or {…}, so:".into(),
        16 => "I follow the template {\"path\": \"...\", \"content\": \"...\"} here:".into(),
        17 => "With {\"key\": \"value\"} as the example, the call is:".into(),
        18 => format!("Options: [{word}], {{a|b}}, {{0}} and %{{x}}."),
        14 => "Emoticon :-} and a dict {'a'...} aside:".into(),
        _ => format!("for item in {{a, b}}: print({word:?})\nThen:"),
    }
}

pub(super) fn think_block(draft: &mut Draft) -> Option<()> {
    let inside = thought(draft);
    let (open, close) = draft.rng.pick(&[
        ("<think>\n", "\n</think>\n\n"),
        ("<think>\n", "\n</think>\n\n"),
        ("<think>", "</think>"),
        ("<thinking>\n", "\n</thinking>\n"),
        ("<reasoning>\n", "\n</reasoning>\n\n"),
        ("<thought>", "</thought>\n"),
        ("", "\n</think>\n\n"),
        ("[THINK]", "[/THINK]"),
        ("◁think▷", "◁/think▷"),
        ("<|thinking|>\n", "\n<|/thinking|>\n"),
        ("<seed:think>", "</seed:think>"),
        ("<think>\n\n</think>\n\n<think>", "</think>\n"),
    ]);
    let between =
        if draft.rng.chance(20) { format!("{}\n\n", before(draft)) } else { String::new() };
    let (fence, end) = if draft.rng.chance(15) { ("```json\n", "\n```") } else { ("", "") };
    draft.wrap(&format!("{open}{inside}{close}{between}{fence}"), end);
    Some(())
}

/// Reasoning, half of the time with a draft of the call or other JSON in it.
fn thought(draft: &mut Draft) -> String {
    let plain = plain_sentence(draft);
    match draft.rng.below(8) {
        0 => format!("The user wants {plain} I should call the tool."),
        1 => format!("Okay, {plain} Let's see... it's \"simple\".\nSo: one call."),
        2 => format!("Maybe {{\"path\": \"{}\"}}? No, that isn't right.", word(&mut draft.rng)),
        3 => format!("Draft: {}\nBut the value is wrong, so I change it.", another(draft)),
        4 => format!("I could use {{{}}} or [1, 2]. {plain}", word(&mut draft.rng)),
        5 => format!("```json\n{}\n```\nHmm, not this one.", another(draft)),
        6 => "Function f(x) { return x; } is unrelated".into(),
        _ => plain,
    }
}

/// The payload with other values: what the model thought of first.
pub(super) fn another(draft: &mut Draft) -> Value {
    let mut value = draft.value.clone();
    let rng = &mut draft.rng;
    for text in strings_mut(&mut value) {
        if rng.chance(60) || text.len() > 60 {
            *text = format!("{} {}", word(rng), rng.between(100, 999));
        }
    }
    if let Value::Object(members) = &mut value {
        if crate::same::same(&Value::Object(members.clone()), &draft.value) {
            members.insert("attempt".into(), rng.between(2, 9).into());
        }
        *members = std::mem::take(members).into_iter().take(12).collect();
    }
    value
}

pub(super) fn tool_call_tag(draft: &mut Draft) -> Option<()> {
    if draft.rng.chance(40) {
        draft.value = json!({ "name": "write_file", "arguments": draft.value.clone() });
        draft.refresh();
    }
    let (open, close) = draft.rng.pick(&[
        ("<tool_call>\n", "\n</tool_call>"),
        ("<tool_call>\n", "\n</tool_call>"),
        ("<tool_call>", "</tool_call>"),
        ("<tool_call>\n", ""),
        ("", "\n</tool_call>"),
        ("<function_call>", "</function_call>"),
        ("<|tool_call|>", "<|/tool_call|>"),
        ("<tool_calls>\n", "\n</tool_calls>"),
        ("<function=write_file>", "</function>"),
        ("<|python_tag|>", "<|eom_id|>"),
        ("<arguments>\n", "\n</arguments>"),
        ("<json>", "</json>"),
        ("<tool_call name=\"write_file\">\n", "\n</tool_call>"),
        ("<tool>\n", "\n</tool>\n"),
        ("I'll write it now.\n\n<tool_call>\n", "\n</tool_call>"),
        ("<tool_call>\n```json\n", "\n```\n</tool_call>"),
        (
            "<|tool_call_begin|>functions.write_file:0<|tool_call_argument_begin|>",
            "<|tool_call_end|>",
        ),
        ("<tool_call>\n", "\n</tool_call>\n<|im_end|>"),
        ("<TOOLCALL>", "</TOOLCALL>"),
        ("[TOOL_CALL] ", " [/TOOL_CALL]"),
    ]);
    draft.wrap(open, close);
    Some(())
}

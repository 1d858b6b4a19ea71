//! What holds for every turn. The seed is fixed, so that a run says the same twice; the fuzz targets
//! look further.

#[path = "support/check.rs"]
mod check;
#[path = "../../toolmend-json/tests/support/laws.rs"]
mod laws;
#[path = "../../toolmend-dialect/tests/support/soup.rs"]
mod soup;
#[path = "support/tools.rs"]
mod tools;

use std::num::NonZeroUsize;

use check::Turn;
use laws::{config, found};
use proptest::collection::vec;
use proptest::prelude::{
    Strategy, TestCaseError, any, prop_assert, prop_assert_eq, prop_oneof, proptest,
};
use serde_json::json;
use soup::soup;
use toolmend::{Echo, ToolSet};
use toolmend_json::Trust;

const TOOLS: &str = "get_weather(city: string, days: integer?)\nget_time(tz: string)";

/// A turn in which two tools are offered.
fn turn(content: String, reasoning: String, is_cut: bool) -> Result<Turn, TestCaseError> {
    Ok(Turn {
        tools: ToolSet::read(&found(tools::read(TOOLS))?),
        echo: Echo::default(),
        trust: Trust::Likely,
        is_cut,
        is_over: !is_cut,
        declared: Vec::new(),
        content,
        reasoning,
    })
}

/// Text as people write it: no marks, and no name of a tool.
fn prose() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        8 => "[A-Za-z]{1,9}",
        1 => "[0-9]{1,4}",
        1 => "[\u{e0}-\u{ff}]{1,5}",
        1 => "[\u{4e00}-\u{4e40}]{1,5}",
        1 => "\"[a-z ]{1,9}\"",
        1 => "[{\\[(][a-z0-9, ]{0,9}[}\\])]",
        1 => "<[a-z]{1,5}>",
    ];
    let end = prop_oneof![6 => " ", 2 => ", ", 1 => "[.!?:] ", 1 => "[.:]?\n", 1 => "\n\n"];
    vec((word, end), 0..60).prop_map(|words| {
        words.into_iter().fold(String::new(), |text, (word, end)| text + &word + &end)
    })
}

proptest! {
    #![proptest_config(config(2048))]

    #[test]
    fn nothing_is_lost(
        content in soup(),
        reasoning in prop_oneof![3 => "".boxed(), 1 => soup().boxed()],
        is_cut in any::<bool>(),
        size in 1..40_usize,
    ) {
        let turn = turn(content, reasoning, is_cut)?;
        for size in [1, size] {
            let findings = turn.search(NonZeroUsize::new(size));
            found(turn.keeps_text(&findings))?;
            found(turn.calls_fit(&findings))?;
        }
    }

    #[test]
    fn pieces_of_prose_do_not_matter(content in prose(), size in 1..40_usize) {
        let turn = turn(content, String::new(), false)?;
        let pieces = turn.search(NonZeroUsize::new(size));
        found(check::agree(&turn.search(None), &pieces))?;
        found(turn.holds(&pieces))?;
    }

    #[test]
    fn without_tools_nothing_is_found(content in soup(), reasoning in soup()) {
        let mut turn = turn(content, reasoning, false)?;
        turn.tools = ToolSet::default();
        let findings = turn.search(None);
        prop_assert!(findings.calls.is_empty() && findings.refused.is_empty());
        prop_assert_eq!(findings.content, None);
    }

    #[test]
    fn what_the_user_said_is_never_called(content in soup()) {
        let mut turn = turn(content, String::new(), false)?;
        turn.echo = Echo::of(&[json!({"role": "user", "content": turn.content})]);
        let findings = turn.search(None);
        prop_assert!(findings.calls.is_empty(), "{:?} gave {:?}", turn.content, findings.calls);
    }

    #[test]
    fn text_without_marks_and_names_is_not_touched(content in prose(), reasoning in prose()) {
        let turn = turn(content, reasoning, false)?;
        let findings = turn.search(None);
        prop_assert!(findings.calls.is_empty(), "{:?} gave {:?}", turn.content, findings.calls);
        prop_assert!(findings.refused.is_empty(), "{:?}: {:?}", turn.content, findings.refused);
        prop_assert_eq!(findings.content, None);
    }
}

/// Calls and half calls, over and over. Time grows with the text, or this does not finish.
#[test]
fn a_long_turn_of_anything_ends() {
    let call = "<tool_call>{\"name\": \"get_time\", \"arguments\": {\"tz\": \"x\"}}</tool_call>";
    let scraps = [
        "<",
        "[",
        "{\"name\":",
        "<tool_call>",
        "```",
        "get_weather(",
        "get_time <arg_key>",
        "get_time <arg_key>\n",
        "get_time<arg_key>tz\n",
        "\nget_time(tz='x')\n",
        "`get_time(tz='x')` ",
        "`get_time(tz='x')`\n",
        "\n> ",
        "<think>",
        "</think>",
        call,
        &format!("<think>a</think>{call}"),
        &format!("<|message|>{call}"),
        &format!(" to=self<|message|>{call}"),
        "\n```json\n{\"name\": \"get_time\", \"arguments\": {\"tz\": \"x\"}}\n```\n",
    ];
    for scrap in scraps {
        let turn = turn(scrap.repeat((1 << 18) / scrap.len()), String::new(), false).unwrap();
        let findings = turn.search(None);
        assert!(turn.keeps_text(&findings).is_ok(), "{scrap:?}");
    }
    let many: String =
        (0..4000).map(|i| call.replace("\"x\"", &format!("\"x{i}\"")) + "\n").collect();
    let turn = turn(many, String::new(), false).unwrap();
    assert!(turn.keeps_text(&turn.search(None)).is_ok());
}

/// A value that has no closer of its own may have been to go on, whatever stands behind what closes the
/// call; in a turn that was not cut the closer was forgotten.
#[test]
fn a_value_that_may_go_on_does_not_run_in_a_turn_that_was_cut() {
    let call = "<tool_call>\n<function=get_time>\n<parameter=tz>\nEach ends with </function>";
    for behind in ["", "\n", "\n</tool_call>", "\nBuy milk and bre"] {
        let calls = |is_cut: bool| {
            let turn = turn([call, behind].concat(), String::new(), is_cut).unwrap();
            turn.search(None).calls.len()
        };
        assert_eq!((calls(true), calls(false)), (0, 1), "{behind:?}");
    }
}

//! Marked dialects whose arguments are written as in Python, or as a map with marks for quotes.

use crate::dialect::{Body, Dialect, NO_FRAME, call, frame};

pub(super) static ROWS: &[Dialect] = &[
    Dialect {
        id: "minicpm3",
        title: "MiniCPM3",
        models: &["MiniCPM3"],
        source: "chat template of OpenBMB",
        frame: frame(&["<|tool_call_start|>\n```python"], &["<|tool_call_end|>"]),
        call: call(&[], Body::Python, &[]),
        example: r#"<|tool_call_start|>
```python
get_weather(city="Lima",days=2)
```
<|tool_call_end|>"#,
    },
    Dialect {
        id: "llama31_builtin",
        title: "Built-in tools of Llama",
        models: &["Llama 3.1, 3.3"],
        source: "prompt format guide of Meta",
        frame: NO_FRAME,
        call: call(&["<|python_tag|>"], Body::Python, &["<|eom_id|>", "<|eot_id|>"]),
        example: r#"<|python_tag|>brave_search.call(query="weather in Lima")"#,
    },
    Dialect {
        id: "olmo3",
        title: "Olmo 3",
        models: &["Olmo 3"],
        source: "chat template of Ai2",
        frame: frame(&["<function_calls>"], &["</function_calls>"]),
        call: call(&[], Body::Python, &[]),
        example: r#"<function_calls>
get_weather(city="Lima", days=2)
</function_calls>"#,
    },
    Dialect {
        id: "lfm2",
        title: "LFM2",
        models: &["LFM2, LFM2.5"],
        source: "chat template of Liquid AI",
        frame: frame(&["<|tool_call_start|>"], &["<|tool_call_end|>"]),
        call: call(&[], Body::Python, &[]),
        example: r#"<|tool_call_start|>[get_weather(city="Lima", days=2)]<|tool_call_end|>"#,
    },
    Dialect {
        id: "gemini_tool_code",
        title: "tool_code",
        models: &["Gemini", "Gemma 2, 3"],
        source: "malformed calls reported for Gemini",
        frame: frame(&["```tool_code"], &["```"]),
        call: call(&[], Body::Python, &[]),
        example: r#"```tool_code
print(default_api.get_weather(city = "Lima", days = 2))
```"#,
    },
    Dialect {
        id: "gorilla_raven",
        title: "Gorilla and NexusRaven",
        models: &["Gorilla OpenFunctions v2", "NexusRaven v2"],
        source: "handlers of the Berkeley leaderboard",
        frame: NO_FRAME,
        call: call(&["<<function>>", "Call:"], Body::Python, &["<bot_end>"]),
        example: r#"<<function>>get_weather(city="Lima", days=2)"#,
    },
    Dialect {
        id: "functiongemma",
        title: "FunctionGemma",
        models: &["FunctionGemma"],
        source: "model card of Google",
        frame: NO_FRAME,
        call: call(&["<start_function_call>"], Body::Map, &["<end_function_call>"]),
        example: r"<start_function_call>call:get_weather{city:<escape>Lima<escape>,days:2}<end_function_call>",
    },
    Dialect {
        id: "gemma4",
        title: "Gemma 4",
        models: &["Gemma 4"],
        source: "chat template of Gemma 4",
        frame: NO_FRAME,
        call: call(&["<|tool_call>"], Body::Map, &["<tool_call|>"]),
        example: r#"<|tool_call>call:get_weather{city:<|"|>Lima<|"|>,days:2}<tool_call|>"#,
    },
];

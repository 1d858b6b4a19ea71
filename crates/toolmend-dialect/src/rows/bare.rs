//! Shapes without marks of their own: weaker evidence, stricter gates.

use crate::dialect::{Body, Dialect, NO_FRAME, Name, call, named};

pub(super) static ROWS: &[Dialect] = &[
    Dialect {
        id: "xlam",
        title: "A bare JSON list",
        models: &["xLAM 1, 2"],
        source: "chat template of Salesforce",
        frame: NO_FRAME,
        call: call(&[], Body::Json, &[]),
        example: r#"[{"name": "get_weather", "arguments": {"city": "Lima", "days": 2}}]"#,
    },
    Dialect {
        id: "openai_function_call",
        title: "JSON of the OpenAI API",
        models: &["any model that imitates the API"],
        source: "API reference of OpenAI",
        frame: NO_FRAME,
        call: call(&[], Body::Json, &[]),
        example: r#"{"function_call": {"name": "get_weather", "arguments": "{\"city\": \"Lima\", \"days\": 2}"}}"#,
    },
    Dialect {
        id: "anthropic_tool_use_json",
        title: "JSON of the Anthropic API",
        models: &["models behind Anthropic-style routers"],
        source: "API reference of Anthropic",
        frame: NO_FRAME,
        call: call(&[], Body::Json, &[]),
        example: r#"{"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Lima", "days": 2}}"#,
    },
    Dialect {
        id: "bare_json",
        title: "Bare or fenced JSON",
        models: &["Qwen2.5-Coder", "Llama 3", "small models"],
        source: "seen in many reports",
        frame: NO_FRAME,
        call: call(&[], Body::Json, &[]),
        example: r#"```json
{"name": "get_weather", "arguments": {"city": "Lima", "days": 2}}
```"#,
    },
    Dialect {
        id: "cohere_r",
        title: "Action list of Command R",
        models: &["Command R, R+ of 2024"],
        source: "chat template of Command R+",
        frame: NO_FRAME,
        call: named(&["Action:"], Name::InBody, Body::Json, &[]),
        example: r#"Action:
```json
[
    {
        "tool_name": "get_weather",
        "parameters": {"city": "Lima", "days": 2}
    }
]
```"#,
    },
    Dialect {
        id: "react",
        title: "ReAct",
        models: &["agents of LangChain, LlamaIndex, crewAI, Dify"],
        source: "prompts of these frameworks",
        frame: NO_FRAME,
        call: named(
            &["Action:", "Tool:", "Function:", "Action ", "**Action:**", "**Tool:**"],
            Name::Alone,
            Body::Json,
            &[],
        ),
        example: r#"Thought: I need the forecast.
Action: get_weather
Action Input: {"city": "Lima", "days": 2}"#,
    },
    Dialect {
        id: "text_call",
        title: "Calls in prose",
        models: &["GLM-4.5 and Kimi behind routers"],
        source: "imitated histories",
        frame: NO_FRAME,
        call: call(
            &[
                "Tool call:",
                "Tool calls:",
                "Tool Call:",
                "tool call:",
                "tools call:",
                "Function call:",
                "Function calls:",
                "Function Call:",
                "API call:",
                "Calling:",
                "Calling tool:",
                "Calling function:",
                "Using tool:",
                "Answer:",
                "Final answer:",
                "Final Answer:",
                "Response:",
                "Output:",
                "Assistant:",
                "Tool call ",
                "[Tool Use:",
                "[Tool call:",
                "[Tool Call:",
                "[tool call:",
                "[tool_call:",
                "[TOOL_CALL:",
                "[Calling tool:",
                "[Previous assistant tool use]",
            ],
            Body::Python,
            &[],
        ),
        example: r#"Tool call: get_weather({"city": "Lima", "days": 2})"#,
    },
    Dialect {
        id: "glm4_name_newline",
        title: "Name, then JSON",
        models: &["GLM-4-9B, GLM-4-0414", "ChatGLM3"],
        source: "handler of the Berkeley leaderboard",
        frame: NO_FRAME,
        call: named(&[], Name::Alone, Body::Json, &["<|assistant|>"]),
        example: r#"get_weather
{"city": "Lima", "days": 2}"#,
    },
    Dialect {
        id: "pythonic",
        title: "A list of Python calls",
        models: &["Llama 3.2, 4", "ToolACE", "Gemma 3", "watt-tool"],
        source: "prompt format guide of Meta",
        frame: NO_FRAME,
        call: call(&[], Body::Python, &[]),
        example: r#"[get_weather(city="Lima", days=2)]"#,
    },
    Dialect {
        id: "cline_xml",
        title: "A tag for each tool",
        models: &["any model prompted by Cline, Roo or Kilo"],
        source: "system prompts of Cline",
        frame: NO_FRAME,
        call: named(&[], Name::InTag, Body::Tags, &[]),
        example: r"<get_weather>
<city>Lima</city>
<days>2</days>
</get_weather>",
    },
];

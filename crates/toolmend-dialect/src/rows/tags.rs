//! Marked dialects whose arguments are tagged parameters.

use crate::dialect::{Body, Dialect, NO_FRAME, Name, frame, named};

pub(super) static ROWS: &[Dialect] = &[
    Dialect {
        id: "qwen_xml",
        title: "Qwen3-Coder XML",
        models: &["Qwen3-Coder", "Qwen3.5 to 3.8", "Nemotron 3", "Step 3.5, 3.7", "MiMo V2"],
        source: "chat template of Qwen3-Coder",
        frame: frame(
            &["<tool_call>", "<function_invocation>"],
            &["</tool_call>", "</function_invocation>"],
        ),
        call: named(&["<function="], Name::InTag, Body::Tags, &["</function>"]),
        example: r"<tool_call>
<function=get_weather>
<parameter=city>
Lima
</parameter>
<parameter=days>
2
</parameter>
</function>
</tool_call>",
    },
    Dialect {
        id: "seed_xml",
        title: "Seed",
        models: &["Seed-OSS", "Doubao Seed"],
        source: "chat template of ByteDance Seed",
        frame: frame(&["<seed:tool_call>"], &["</seed:tool_call>"]),
        call: named(&["<function="], Name::InTag, Body::Tags, &["</function>"]),
        example: r"<seed:tool_call>
<function=get_weather>
<parameter=city>Lima</parameter>
<parameter=days>2</parameter>
</function>
</seed:tool_call>",
    },
    Dialect {
        id: "minicpm5",
        title: "MiniCPM5",
        models: &["MiniCPM5"],
        source: "chat template of OpenBMB",
        frame: NO_FRAME,
        call: named(&["<function name="], Name::InTag, Body::Tags, &["</function>"]),
        example: r#"<function name="get_weather"><param name="city">Lima</param><param name="days">2</param></function>"#,
    },
    Dialect {
        id: "glm45",
        title: "GLM-4.5",
        models: &["GLM-4.5, 4.6", "Laguna XS"],
        source: "chat template of Z.ai",
        frame: NO_FRAME,
        call: named(&["<tool_call>"], Name::Until(&["\n"]), Body::Tags, &["</tool_call>"]),
        example: r"<tool_call>get_weather
<arg_key>city</arg_key>
<arg_value>Lima</arg_value>
<arg_key>days</arg_key>
<arg_value>2</arg_value>
</tool_call>",
    },
    Dialect {
        id: "glm47",
        title: "GLM-4.7 and 5",
        models: &["GLM-4.7, 5, 5.1, 5.2", "Ling3", "Laguna S"],
        source: "chat template of Z.ai",
        frame: NO_FRAME,
        call: named(&["<tool_call>"], Name::Until(&["<arg_key>"]), Body::Tags, &["</tool_call>"]),
        example: r"<tool_call>get_weather<arg_key>city</arg_key><arg_value>Lima</arg_value><arg_key>days</arg_key><arg_value>2</arg_value></tool_call>",
    },
    Dialect {
        id: "hy3",
        title: "Hunyuan v3",
        models: &["Hy3"],
        source: "chat template of Tencent",
        frame: frame(&["<tool_calls:opensource>"], &["</tool_calls:opensource>"]),
        call: named(
            &["<tool_call:opensource>"],
            Name::Until(&["<tool_sep:opensource>"]),
            Body::Tags,
            &["</tool_call:opensource>"],
        ),
        example: r"<tool_calls:opensource>
<tool_call:opensource>get_weather<tool_sep:opensource>
<arg_key:opensource>city</arg_key:opensource>
<arg_value:opensource>Lima</arg_value:opensource>
<arg_key:opensource>days</arg_key:opensource>
<arg_value:opensource>2</arg_value:opensource>
</tool_call:opensource>
</tool_calls:opensource>",
    },
    Dialect {
        id: "dsml_v32",
        title: "DSML of DeepSeek V3.2",
        models: &["DeepSeek V3.2"],
        source: "encoding guide of DeepSeek V3.2",
        frame: frame(&["<｜DSML｜function_calls>"], &["</｜DSML｜function_calls>"]),
        call: named(&["<｜DSML｜invoke"], Name::InTag, Body::Tags, &["</｜DSML｜invoke>"]),
        example: r#"<｜DSML｜function_calls>
<｜DSML｜invoke name="get_weather">
<｜DSML｜parameter name="city" string="true">Lima</｜DSML｜parameter>
<｜DSML｜parameter name="days" string="false">2</｜DSML｜parameter>
</｜DSML｜invoke>
</｜DSML｜function_calls>"#,
    },
    Dialect {
        id: "dsml_v4",
        title: "DSML of DeepSeek V4",
        models: &["DeepSeek V4"],
        source: "encoding guide of DeepSeek V4",
        frame: frame(
            &["<｜DSML｜tool_calls>", "<｜DSML｜tool_use>"],
            &["</｜DSML｜tool_calls>", "</｜DSML｜tool_use>"],
        ),
        call: named(&["<｜DSML｜invoke"], Name::InTag, Body::Tags, &["</｜DSML｜invoke>"]),
        example: r#"<｜DSML｜tool_calls>
<｜DSML｜invoke name="get_weather">
<｜DSML｜parameter name="city" string="true">Lima</｜DSML｜parameter>
<｜DSML｜parameter name="days" string="false">2</｜DSML｜parameter>
</｜DSML｜invoke>
</｜DSML｜tool_calls>"#,
    },
    Dialect {
        id: "dsml_v41",
        title: "DSML of DeepSeek V4.1",
        models: &["DeepSeek V4.1"],
        source: "conformance suite of ai-dynamo",
        frame: frame(&["<｜DSML｜ calls>"], &["</｜DSML｜ calls>"]),
        call: named(&["<｜DSML｜ invoke"], Name::InTag, Body::Tags, &["</｜DSML｜ invoke>"]),
        example: r#"<｜DSML｜ calls><｜DSML｜ invoke name="get_weather"><｜DSML｜ parameter name="city" string="true">Lima</｜DSML｜ parameter><｜DSML｜ parameter name="days" string="false">2</｜DSML｜ parameter></｜DSML｜ invoke></｜DSML｜ calls>"#,
    },
    Dialect {
        id: "kimi_k3",
        title: "Kimi K3",
        models: &["Kimi K3"],
        source: "chat template of Kimi K3",
        frame: frame(
            &["<|open|>tools<|sep|>", "<|open|>toolscall"],
            &["<|close|>tools<|sep|>", "<|close|>toolsmessage<|sep|>"],
        ),
        call: named(
            &["<|open|>call", "<|open|>toolscall"],
            Name::InTag,
            Body::Tags,
            &["<|close|>call<|sep|>"],
        ),
        example: r#"<|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|><|open|>argument key="city" type="string"<|sep|>Lima<|close|>argument<|sep|><|open|>argument key="days" type="number"<|sep|>2<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>"#,
    },
    Dialect {
        id: "minimax_m2",
        title: "MiniMax M2",
        models: &["MiniMax M2 to M2.7"],
        source: "chat template of MiniMax M2",
        frame: frame(&["<minimax:tool_call>"], &["</minimax:tool_call>"]),
        call: named(&["<invoke"], Name::InTag, Body::Tags, &["</invoke>"]),
        example: r#"<minimax:tool_call>
<invoke name="get_weather">
<parameter name="city">Lima</parameter>
<parameter name="days">2</parameter>
</invoke>
</minimax:tool_call>"#,
    },
    Dialect {
        id: "minimax_m3",
        title: "MiniMax M3",
        models: &["MiniMax M3"],
        source: "chat template of MiniMax M3",
        frame: frame(&["]<]minimax[>[<tool_call>"], &["]<]minimax[>[</tool_call>"]),
        call: named(
            &["]<]minimax[>[<invoke"],
            Name::InTag,
            Body::Tags,
            &["]<]minimax[>[</invoke>"],
        ),
        example: r#"]<]minimax[>[<tool_call>
]<]minimax[>[<invoke name="get_weather">]<]minimax[>[<city>Lima]<]minimax[>[</city>]<]minimax[>[<days>2]<]minimax[>[</days>]<]minimax[>[</invoke>
]<]minimax[>[</tool_call>"#,
    },
    Dialect {
        id: "dots",
        title: "dots",
        models: &["dots"],
        source: "parser of SGLang",
        frame: frame(&["<dots_function_call>"], &["</dots_function_call>"]),
        call: named(&["<invoke"], Name::InTag, Body::Tags, &["</invoke>"]),
        example: r#"<dots_function_call>
<invoke name="get_weather">
<parameter name="city">Lima</parameter>
<parameter name="days">2</parameter>
</invoke>
</dots_function_call>"#,
    },
    Dialect {
        id: "anthropic_invoke",
        title: "Invoke blocks",
        models: &["Claude", "models that imitate it"],
        source: "prompts that show it",
        frame: frame(&["<function_calls>"], &["</function_calls>", "</function_results>"]),
        call: named(&["<invoke"], Name::InTag, Body::Tags, &["</invoke>"]),
        example: r#"<function_calls>
<invoke name="get_weather">
<parameter name="city">Lima</parameter>
<parameter name="days">2</parameter>
</invoke>
</function_calls>"#,
    },
    Dialect {
        id: "anthropic_legacy",
        title: "Invoke blocks of 2023",
        models: &["Claude 2.1, 3"],
        source: "tool use guide of Anthropic, 2023",
        frame: frame(&["<function_calls>"], &["</function_calls>"]),
        call: named(&["<invoke>"], Name::InChild, Body::Tags, &["</invoke>"]),
        example: r"<function_calls>
<invoke>
<tool_name>get_weather</tool_name>
<parameters>
<city>Lima</city>
<days>2</days>
</parameters>
</invoke>
</function_calls>",
    },
    Dialect {
        id: "xai",
        title: "Grok",
        models: &["Grok 3, 4, Code"],
        source: "text leaked into public repositories",
        frame: NO_FRAME,
        call: named(&["<xai:function_call"], Name::InTag, Body::Tags, &["</xai:function_call>"]),
        example: r#"<xai:function_call name="get_weather">
<parameter name="city">Lima</parameter>
<parameter name="days">2</parameter>
</xai:function_call>"#,
    },
    Dialect {
        id: "step3",
        title: "Step-3",
        models: &["Step-3"],
        source: "chat template of StepFun",
        frame: frame(&["<｜tool_calls_begin｜>"], &["<｜tool_calls_end｜>"]),
        call: named(&["<steptml:invoke"], Name::InTag, Body::Tags, &["</steptml:invoke>"]),
        example: r#"<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="get_weather"><steptml:parameter name="city">Lima</steptml:parameter><steptml:parameter name="days">2</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>"#,
    },
    Dialect {
        id: "muse_glimmer",
        title: "ATEM",
        models: &["Muse Glimmer", "muse-spark"],
        source: "chat template of Muse Glimmer",
        frame: frame(&["<atem:function_calls>"], &["</atem:function_calls>"]),
        call: named(&["<atem:invoke"], Name::InTag, Body::Tags, &["</atem:invoke>"]),
        example: r#" to=get_weather<|message|><atem:function_calls>
<atem:invoke name="get_weather">
<atem:parameter name="city">Lima</atem:parameter>
<atem:parameter name="days">2</atem:parameter>
</atem:invoke>
</atem:function_calls><|eot|>"#,
    },
];

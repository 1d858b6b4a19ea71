//! What each rival calls a dialect.

/// A dialect that at least one of them reads.
pub(crate) struct Format {
    pub(crate) dialect: &'static str,
    pub(crate) smg: Option<&'static str>,
    pub(crate) dynamo: Option<&'static str>,
    pub(crate) dynamo_v2: Option<&'static str>,
}

/// An empty name says that the rival does not read the dialect.
const fn format(
    dialect: &'static str,
    smg: &'static str,
    dynamo: &'static str,
    dynamo_v2: &'static str,
) -> Format {
    Format { dialect, smg: some(smg), dynamo: some(dynamo), dynamo_v2: some(dynamo_v2) }
}

const fn some(name: &'static str) -> Option<&'static str> {
    if name.is_empty() { None } else { Some(name) }
}

pub(crate) const FORMATS: &[Format] = &[
    format("hermes_json", "qwen", "hermes", ""),
    format("jamba", "", "jamba", ""),
    format("nemotron_json", "", "nemotron_deci", ""),
    format("phi4_functools", "", "phi4", ""),
    format("cohere_action", "cohere", "", ""),
    format("sarashina", "sarashina", "", ""),
    format("inkling", "inkling", "inkling", ""),
    format("deepseek_v3", "deepseek", "deepseek_v3", ""),
    format("deepseek_v31", "deepseek31", "deepseek_v3_1", ""),
    format("kimi_k2", "kimik2", "kimi_k2", "kimi_k2"),
    format("harmony", "", "harmony", "harmony"),
    format("mistral_v3", "mistral", "mistral", ""),
    format("llama3_json", "llama", "llama3_json", ""),
    format("gemma4", "gemma4", "gemma4", "gemma4"),
    format("qwen_xml", "qwen_xml", "qwen3_coder", "qwen3_coder"),
    format("glm45", "glm45_moe", "glm47", "glm47"),
    format("glm47", "glm47_moe", "glm47", "glm47"),
    format("dsml_v32", "deepseek32", "deepseek_v3_2", ""),
    format("dsml_v4", "deepseek_v4", "deepseek_v4", "deepseek_v4"),
    format("dsml_v41", "deepseek_v41", "", "deepseek_v4"),
    format("kimi_k3", "kimi_k3", "kimi_k3", "kimi_k3"),
    format("minimax_m2", "minimax_m2", "minimax_m2", "minimax_m2"),
    format("minimax_m3", "minimax_m3", "minimax_m3", "minimax_m3"),
    format("step3", "step3", "", ""),
    format("muse_glimmer", "", "", "muse_glimmer"),
    format("pythonic", "pythonic", "pythonic", ""),
    format("xlam", "json", "default", ""),
];

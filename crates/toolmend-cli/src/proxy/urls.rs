//! What to set so that an agent talks to the proxy.

use std::fmt::Write as _;
use std::net::SocketAddr;

use crate::console::{BOLD, DIM};

/// What an agent reads its base URL from: variables, and what stands behind the address.
pub(super) const VARIABLES: [(&str, &str); 5] = [
    ("OPENAI_BASE_URL", "/v1"),
    ("OPENAI_API_BASE", "/v1"),
    ("ANTHROPIC_BASE_URL", ""),
    ("OLLAMA_HOST", ""),
    ("LM_STUDIO_BASE_URL", "/v1"),
];

/// How each client is told, with `{}` for the address.
const CLIENTS: [(&str, &str); 6] = [
    ("Claude Code", "ANTHROPIC_BASE_URL={} claude"),
    (
        "Codex",
        "codex -c model_provider=toolmend -c 'model_providers.toolmend={name=\"toolmend\", base_url=\"{}/v1\", wire_api=\"responses\"}'",
    ),
    ("Cline, Roo", "API provider \"OpenAI Compatible\", base URL {}/v1"),
    (
        "opencode",
        "\"provider\": {\"toolmend\": {\"npm\": \"@ai-sdk/openai-compatible\", \"options\": {\"baseURL\": \"{}/v1\"}, \"models\": {\"MODEL\": {\"name\": \"MODEL\"}}}}",
    ),
    ("OpenAI SDK", "OPENAI_BASE_URL={}/v1"),
    ("Anthropic SDK", "ANTHROPIC_BASE_URL={}"),
];

/// The page that a person sees when the proxy has started.
pub(super) fn page(address: SocketAddr, admin: &str) -> String {
    let base = super::reachable(address);
    let mut page = format!("toolmend listens on {BOLD}{base}{BOLD:#}. Point a client at it:\n\n");
    let width = CLIENTS.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, how) in CLIENTS {
        let _ = writeln!(page, "  {name:<width$}  {}", how.replace("{}", &base));
    }
    let _ = writeln!(
        page,
        "\n{DIM}Or start an agent through it: toolmend run -- claude\n\
         See what is mended: {DIM:#}{BOLD}{admin}{BOLD:#}{DIM} (counters: /metrics). Stop with Ctrl-C.{DIM:#}"
    );
    page
}

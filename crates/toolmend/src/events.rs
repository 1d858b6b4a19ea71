//! What was done, as events: names and fields that logs and dashboards can rely on. Values stay out
//! of them.

use tracing::{info, warn};

use crate::history::Status;
use crate::mended::{Call, Mended, Origin, Outcome};
use crate::recovery::{Kind, Label};
use crate::refusal::Reason;

impl Mended {
    /// Tells what was done to this turn. `RUST_LOG=tool_repair=info,tool_input_invalid=info` shows
    /// repairs and what could not be repaired.
    pub fn emit(&self, model: &str) {
        for (at, call) in self.calls.iter().enumerate() {
            self.emit_call(at, call, model);
        }
        for refused in self.refused.iter().filter(|refused| !refused.origin.is_text()) {
            // What a model wrote as a name may be anything: only tools that were offered are told.
            let tool = refused.tool.as_deref().unwrap_or_default();
            let reason = refused.reason.id();
            if refused.reason == Reason::Storm {
                warn!(target: "tool_call_storm", event = "tool_call_storm", tool, model);
            } else {
                warn!(target: "tool_input_invalid", event = "tool_input_invalid", tool, model, reason);
            }
        }
    }

    fn emit_call(&self, at: usize, call: &Call, model: &str) {
        let tool = call.name.as_str();
        if let Origin::Found { channel, dialect } = call.origin {
            let channel = channel.as_str();
            info!(
                target: "tool_repair",
                event = "tool_call_scavenged", tool, model, channel, dialect
            );
        }
        let repairs = self.report.repairs.iter().filter(|change| change.call == at);
        for change in repairs.clone() {
            // Its path stays in the report: a key that no schema names is data.
            let (repair_kind, trust) = (change.rule, change.trust.as_str());
            info!(
                target: "tool_repair",
                event = "tool_input_repaired", tool, model, repair_kind, trust
            );
        }
        if call.outcome == Outcome::Mended {
            let rules: Vec<&str> = repairs.map(|change| change.rule).collect();
            let (call_id, rules) = (call.id.as_str(), rules.join(","));
            let outcome = Label::LocalSalvage.as_str();
            info!(
                target: "tool_repair",
                event = "tool.call_repaired", outcome, tool, model, call_id, rules
            );
        }
    }
}

/// Tells that the model is asked again: what for, and how often it was asked before.
pub fn emit_ask(model: &str, kind: Kind, attempt: u8) {
    let kind = kind.as_str();
    info!(target: "tool_repair", event = "tool_call_ask", model, kind, attempt);
}

/// Tells that a stream broke inside of a turn, and that it is fetched again.
pub fn emit_incomplete(connection: &str, status: Status, attempt: u8) {
    let (connection_id, tool_calls, tool_returns) = (connection, status.calls, status.results);
    warn!(
        target: "tool_chain",
        event = "tool_chain_incomplete_on_stream",
        connection_id, tool_calls, tool_returns, attempt
    );
}

/// Tells how the chain of calls and results stands after a turn.
pub fn emit_status(connection: &str, status: Status, attempt: u8, fallback_used: bool) {
    let (connection_id, tool_calls, tool_returns) = (connection, status.calls, status.results);
    let is_complete = status.is_complete();
    info!(
        target: "tool_chain",
        event = "tool_chain_status",
        connection_id, tool_calls, tool_returns, attempt, fallback_used, is_complete
    );
}

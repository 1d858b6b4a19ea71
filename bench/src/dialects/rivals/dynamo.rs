//! The crate `dynamo-parsers`, of NVIDIA Dynamo. It reads whole texts; what comes in pieces it holds
//! back in its jail until a call is whole.

use std::error::Error;

use dynamo_parsers::tool_calling::harmony::harmony_parser::get_harmony_encoding;
use dynamo_parsers::tool_calling::jail::{Annotated, JailedStream};
use dynamo_parsers::tool_calling::{ToolDefinition, try_tool_call_parse_aggregate_finalize};
use dynamo_protocols::types::{
    ChatChoiceStream, ChatCompletionMessageContent, ChatCompletionStreamResponseDelta,
    CreateChatCompletionStreamResponse, FinishReason, Role,
};
use futures::StreamExt;
use serde_json::Value;
use tokio::runtime::Runtime;

use super::{Reply, Rival, named};
use crate::dialects::formats::Format;

pub(super) const NAME: &str = "dynamo-parsers";

pub(super) struct Dynamo {
    runtime: Runtime,
    tools: Vec<ToolDefinition>,
}

impl Dynamo {
    pub(super) fn new(tools: &[Value]) -> Result<Self, Box<dyn Error>> {
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let tools = named(tools).map(|(name, parameters)| ToolDefinition {
            name: name.into(),
            parameters: Some(parameters.clone()),
            strict: None,
        });
        Ok(Self { runtime, tools: tools.collect() })
    }

    /// Why Harmony cannot be read: its tokens come from a file that is loaded on first use.
    pub(super) fn harmony_error(&self) -> Option<String> {
        let encoding = self.runtime.block_on(get_harmony_encoding());
        encoding.as_ref().err().map(ToString::to_string)
    }
}

impl Rival for Dynamo {
    fn name(&self) -> &'static str {
        NAME
    }

    fn format(&self, format: &Format) -> Option<&'static str> {
        format.dynamo
    }

    fn whole(&self, format: &str, text: &str) -> Result<Reply, Box<dyn Error>> {
        let parse = try_tool_call_parse_aggregate_finalize(text, Some(format), Some(&self.tools));
        let (calls, text) = self.runtime.block_on(parse)?;
        let calls = calls.into_iter().map(|call| (call.function.name, call.function.arguments));
        Ok(Reply { calls: calls.collect(), text: text.unwrap_or_default() })
    }

    fn pieces(&self, format: &str, pieces: &[&str]) -> Result<Reply, Box<dyn Error>> {
        let builder = JailedStream::builder().tool_call_parser(format);
        let jail = builder.tool_definitions(self.tools.clone()).build();
        let chunks = pieces.iter().map(|piece| chunk(Some(piece)));
        let chunks: Vec<_> = chunks.chain([chunk(None)]).collect();
        let told: Vec<_> =
            self.runtime.block_on(jail.apply(futures::stream::iter(chunks)).collect());
        let mut reply = Reply::default();
        let choices = told.into_iter().filter_map(|told| told.data).flat_map(|data| data.choices);
        for delta in choices.map(|choice| choice.delta) {
            if let Some(ChatCompletionMessageContent::Text(text)) = delta.content {
                reply.text.push_str(&text);
            }
            for part in delta.tool_calls.unwrap_or_default() {
                if let Some(function) = part.function {
                    let arguments = function.arguments.unwrap_or_default();
                    reply.add(part.index as usize, function.name.as_deref(), &arguments);
                }
            }
        }
        Ok(reply)
    }
}

/// A piece of a stream; the last one has no text.
fn chunk(text: Option<&str>) -> Annotated<CreateChatCompletionStreamResponse> {
    let delta = ChatCompletionStreamResponseDelta {
        role: Some(Role::Assistant),
        content: text.map(|text| ChatCompletionMessageContent::Text(text.into())),
        tool_calls: None,
        function_call: None,
        refusal: None,
        reasoning_content: None,
    };
    let finish_reason = if text.is_none() { Some(FinishReason::Stop) } else { None };
    let choice = ChatChoiceStream { index: 0, delta, finish_reason, logprobs: None };
    let response = CreateChatCompletionStreamResponse {
        id: String::new(),
        choices: vec![choice],
        created: 0,
        model: String::new(),
        system_fingerprint: None,
        object: String::new(),
        usage: None,
        service_tier: None,
    };
    Annotated { data: Some(response), id: None, event: None, comment: None, error: None }
}

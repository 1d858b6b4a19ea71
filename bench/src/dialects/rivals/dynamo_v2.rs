//! The crate `dynamo-parsers-v2`, of NVIDIA Dynamo: one path for whole texts and pieces.

use std::error::Error;

use dynamo_parsers_v2::{Tool, ToolParseResult, create_tool_parser_for_family};
use serde_json::Value;

use super::{Reply, Rival, named};
use crate::dialects::formats::Format;

pub(super) const NAME: &str = "dynamo-parsers-v2";

pub(super) struct DynamoV2 {
    tools: Vec<Tool>,
}

impl DynamoV2 {
    pub(super) fn new(tools: &[Value]) -> Self {
        let tools = named(tools).map(|(name, parameters)| Tool {
            name: name.into(),
            description: None,
            parameters: parameters.clone(),
            strict: None,
        });
        Self { tools: tools.collect() }
    }
}

impl Rival for DynamoV2 {
    fn name(&self) -> &'static str {
        NAME
    }

    fn format(&self, format: &Format) -> Option<&'static str> {
        format.dynamo_v2
    }

    fn whole(&self, format: &str, text: &str) -> Result<Reply, Box<dyn Error>> {
        let mut parser = create_tool_parser_for_family(format, &self.tools)?;
        Ok(reply(parser.parse_complete(text)?))
    }

    fn pieces(&self, format: &str, pieces: &[&str]) -> Result<Reply, Box<dyn Error>> {
        let mut parser = create_tool_parser_for_family(format, &self.tools)?;
        let mut result = ToolParseResult::default();
        for piece in pieces {
            result.append(parser.push(piece)?);
        }
        result.append(parser.finish()?);
        Ok(reply(result.coalesce_calls()))
    }
}

fn reply(result: ToolParseResult) -> Reply {
    let calls = result.calls.into_iter();
    let calls = calls.map(|call| (call.name.unwrap_or_default(), call.arguments));
    Reply { calls: calls.collect(), text: result.normal_text }
}

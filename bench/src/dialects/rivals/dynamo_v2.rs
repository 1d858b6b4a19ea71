//! The crate `dynamo-parsers-v2`, of NVIDIA Dynamo: one path for whole texts and pieces.

use std::error::Error;

use dynamo_parsers_v2::{Tool, ToolParseResult, create_tool_parser_for_family};

use super::formats::Format;
use super::{Call, Rival};
use crate::dialects::tools;

pub(super) struct DynamoV2 {
    tools: Vec<Tool>,
}

impl DynamoV2 {
    pub(super) fn new() -> Self {
        let tools = tools::schemas().map(|(name, parameters)| Tool {
            name: name.into(),
            description: None,
            parameters,
            strict: None,
        });
        Self { tools: tools.collect() }
    }
}

impl Rival for DynamoV2 {
    fn name(&self) -> &'static str {
        "dynamo-parsers-v2"
    }

    fn format(&self, format: &Format) -> Option<&'static str> {
        format.dynamo_v2
    }

    fn whole(&self, format: &str, text: &str) -> Result<Vec<Call>, Box<dyn Error>> {
        let mut parser = create_tool_parser_for_family(format, &self.tools)?;
        Ok(calls(parser.parse_complete(text)?))
    }

    fn pieces(&self, format: &str, pieces: &[&str]) -> Result<Vec<Call>, Box<dyn Error>> {
        let mut parser = create_tool_parser_for_family(format, &self.tools)?;
        let mut result = ToolParseResult::default();
        for piece in pieces {
            result.append(parser.push(piece)?);
        }
        result.append(parser.finish()?);
        Ok(calls(result.coalesce_calls()))
    }
}

fn calls(result: ToolParseResult) -> Vec<Call> {
    let calls = result.calls.into_iter();
    calls.map(|call| (call.name.unwrap_or_default(), call.arguments)).collect()
}

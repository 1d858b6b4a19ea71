//! The crate `tool-parser`, of SMG.

use std::error::Error;

use futures::executor::block_on;
use openai_protocol::common::Tool;
use tool_parser::{ParserFactory, ToolParser};

use super::formats::Format;
use super::{Call, Rival};
use crate::dialects::tools;

pub(super) struct Smg {
    factory: ParserFactory,
    tools: Vec<Tool>,
}

impl Smg {
    pub(super) fn new() -> Option<Self> {
        let tools = serde_json::from_value(tools::openai().into()).ok()?;
        Some(Self { factory: ParserFactory::new(), tools })
    }

    fn parser(&self, format: &str) -> Option<Box<dyn ToolParser>> {
        self.factory.registry().create_parser(format)
    }
}

impl Rival for Smg {
    fn name(&self) -> &'static str {
        "tool-parser"
    }

    fn format(&self, format: &Format) -> Option<&'static str> {
        format.smg
    }

    fn whole(&self, format: &str, text: &str) -> Result<Vec<Call>, Box<dyn Error>> {
        // Its server keeps one parser of each format for whole texts.
        let parser = self.factory.registry().get_pooled_parser(format).ok_or("no such format")?;
        let (_, calls) = block_on(async {
            let parser = parser.lock().await;
            parser.parse_complete_with_tools(text, &self.tools).await
        })?;
        Ok(calls.into_iter().map(|call| (call.function.name, call.function.arguments)).collect())
    }

    fn pieces(&self, format: &str, pieces: &[&str]) -> Result<Vec<Call>, Box<dyn Error>> {
        let mut parser = self.parser(format).ok_or("no such format")?;
        let mut calls: Vec<Call> = Vec::new();
        let mut take = |item: tool_parser::types::ToolCallItem| {
            if calls.len() <= item.tool_index {
                calls.resize_with(item.tool_index + 1, Default::default);
            }
            if let Some(call) = calls.get_mut(item.tool_index) {
                call.0.push_str(&item.name.unwrap_or_default());
                call.1.push_str(&item.parameters);
            }
        };
        block_on(async {
            for piece in pieces {
                let result = parser.parse_incremental(piece, &self.tools).await?;
                result.calls.into_iter().for_each(&mut take);
            }
            Ok::<(), Box<dyn Error>>(())
        })?;
        parser.get_unstreamed_tool_args().into_iter().flatten().for_each(&mut take);
        Ok(calls)
    }
}

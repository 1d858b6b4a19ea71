//! The crate `tool-parser`, of SMG.

use std::error::Error;

use futures::executor::block_on;
use openai_protocol::common::Tool;
use serde_json::Value;
use tool_parser::{ParserFactory, ToolParser};

use super::{Reply, Rival};
use crate::dialects::formats::Format;

pub(super) const NAME: &str = "tool-parser";

pub(super) struct Smg {
    factory: ParserFactory,
    tools: Vec<Tool>,
}

impl Smg {
    pub(super) fn new(tools: &[Value]) -> Result<Self, Box<dyn Error>> {
        let tools = serde_json::from_value(tools.into())?;
        Ok(Self { factory: ParserFactory::new(), tools })
    }

    fn parser(&self, format: &str) -> Option<Box<dyn ToolParser>> {
        self.factory.registry().create_parser(format)
    }
}

impl Rival for Smg {
    fn name(&self) -> &'static str {
        NAME
    }

    fn format(&self, format: &Format) -> Option<&'static str> {
        format.smg
    }

    fn whole(&self, format: &str, text: &str) -> Result<Reply, Box<dyn Error>> {
        // Its server keeps one parser of each format for whole texts.
        let parser = self.factory.registry().get_pooled_parser(format).ok_or("no such format")?;
        let (text, calls) = block_on(async {
            let parser = parser.lock().await;
            parser.parse_complete_with_tools(text, &self.tools).await
        })?;
        let calls = calls.into_iter().map(|call| (call.function.name, call.function.arguments));
        Ok(Reply { calls: calls.collect(), text })
    }

    fn pieces(&self, format: &str, pieces: &[&str]) -> Result<Reply, Box<dyn Error>> {
        let mut parser = self.parser(format).ok_or("no such format")?;
        let mut reply = Reply::default();
        block_on(async {
            for piece in pieces {
                let result = parser.parse_incremental(piece, &self.tools).await?;
                reply.text.push_str(&result.normal_text);
                for item in result.calls {
                    reply.add(item.tool_index, item.name.as_deref(), &item.parameters);
                }
            }
            Ok::<(), Box<dyn Error>>(())
        })?;
        for item in parser.get_unstreamed_tool_args().into_iter().flatten() {
            reply.add(item.tool_index, item.name.as_deref(), &item.parameters);
        }
        Ok(reply)
    }
}

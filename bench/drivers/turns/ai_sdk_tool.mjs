// Answers JSON lines with the calls that @ai-sdk-tool/parser finds in each text.
// The lines are those of baml.py, with the protocol as "format", and "chunk" characters a piece where it is not 0.

import { createInterface } from "node:readline";
import { hermesProtocol, morphXmlProtocol, qwen3CoderProtocol } from "@ai-sdk-tool/parser";

const protocols = {
  hermes: () => hermesProtocol(),
  morph_xml: () => morphXmlProtocol(),
  qwen3_coder: () => qwen3CoderProtocol(),
};

function offered(tools) {
  return tools.map(({ function: { name, description, parameters } }) => ({
    type: "function", name, description, inputSchema: parameters ?? { type: "object" },
  }));
}

async function streamed(protocol, text, tools, size) {
  const characters = [...text];
  const parts = [];
  const source = new ReadableStream({
    start(controller) {
      controller.enqueue({ type: "stream-start", warnings: [] });
      controller.enqueue({ type: "text-start", id: "1" });
      for (let at = 0; at < characters.length; at += size) {
        controller.enqueue({ type: "text-delta", id: "1", delta: characters.slice(at, at + size).join("") });
      }
      controller.enqueue({ type: "text-end", id: "1" });
      controller.enqueue({ type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage: {} });
      controller.close();
    },
  });
  for await (const part of source.pipeThrough(protocol.createStreamParser({ tools, options: {} }))) parts.push(part);
  return parts;
}

async function answer({ tools, content, format, chunk }) {
  const protocol = protocols[format]();
  const parts = chunk
    ? await streamed(protocol, content, offered(tools), chunk)
    : protocol.parseGeneratedText({ text: content, tools: offered(tools), options: {} });
  const calls = parts.filter((part) => part.type === "tool-call")
    .map((part) => ({ name: part.toolName, arguments: part.input }));
  const text = parts.map((part) => (part.type === "text" ? part.text : part.type === "text-delta" ? part.delta : ""));
  return { tool_calls: calls, text: text.join("") };
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const ask = JSON.parse(line);
  // Whatever goes wrong counts as no call.
  const out = await answer(ask).catch(() => ({ tool_calls: [], text: ask.content }));
  process.stdout.write(JSON.stringify(out) + "\n");
}

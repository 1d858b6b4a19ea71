// Plays cases to the Node clients: `drive.mjs URL CASE…`, and a line of JSON for each client and case.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { streamText, tool, jsonSchema } from 'ai';
import { Ollama } from 'ollama';
import OpenAI from 'openai';

const [url, ...models] = process.argv.slice(2);
const WAIT_MS = 10_000;
const schemas = {
  find_route: {
    type: 'object',
    properties: { to: { type: 'string' }, stops: { type: 'number' } },
  },
  read_sensor: { type: 'object', properties: { room: { type: 'string' } } },
};
const entries = Object.entries(schemas);
const chatTools = entries.map(([name, parameters]) => ({
  type: 'function',
  function: { name, parameters },
}));
const sdkTools = Object.fromEntries(
  entries.map(([name, schema]) => [name, tool({ inputSchema: jsonSchema(schema) })]),
);
const messages = [{ role: 'user', content: 'Go on.' }];
const finishes = {
  tool_calls: 'calls',
  'tool-calls': 'calls',
  tool_use: 'calls',
  end_turn: 'stop',
  max_tokens: 'length',
};

const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });
const anthropic = new Anthropic({ baseURL: url, apiKey: 'none', maxRetries: 0 });
const ollama = new Ollama({ host: url });

/** The API said that something went wrong, in an event and not as what a client throws. */
class Said extends Error {}

const read = (text) => (typeof text === 'string' ? JSON.parse(text) : text);
const call = (id, name, text) => ({ id, name, arguments: read(text) });
const heard = (finish, calls, text) => ({
  finish: finishes[finish] ?? finish,
  calls,
  text: text ?? '',
});

/** The loop that most people write. */
async function openaiRaw(model) {
  let finish = null;
  let text = '';
  const calls = {};
  const asked = { model, messages, tools: chatTools, stream: true };
  for await (const chunk of await openai.chat.completions.create(asked)) {
    for (const choice of chunk.choices.filter((one) => one.index === 0)) {
      finish = choice.finish_reason ?? finish;
      text += choice.delta.content ?? '';
      for (const part of choice.delta.tool_calls ?? []) {
        const own = (calls[part.index] ??= { id: '', name: '', text: '' });
        own.id += part.id ?? '';
        own.name += part.function?.name ?? '';
        own.text += part.function?.arguments ?? '';
      }
    }
  }
  return heard(finish, Object.values(calls).map((own) => call(own.id, own.name, own.text)), text);
}

async function openaiStream(model) {
  const stream = openai.chat.completions.stream({ model, messages, tools: chatTools });
  const choice = (await stream.finalChatCompletion()).choices[0];
  const calls = choice.message.tool_calls ?? [];
  return heard(
    choice.finish_reason,
    calls.map((one) => call(one.id, one.function.name, one.function.arguments)),
    choice.message.content,
  );
}

async function openaiResponses(model) {
  const tools = entries.map(([name, parameters]) => ({
    type: 'function',
    name,
    parameters,
    strict: false,
  }));
  const stream = openai.responses.stream({ model, input: 'Go on.', tools });
  let ended = null;
  for await (const event of stream) {
    if (event.type === 'response.failed' || event.type === 'error') throw new Said(event.type);
    if (event.type === 'response.completed' || event.type === 'response.incomplete') ended = event;
  }
  if (!ended) throw new TypeError('no end');
  const items = ended.response.output.filter((item) => item.type === 'function_call');
  const calls = items.map((item) => call(item.call_id, item.name, item.arguments));
  const text = ended.response.output
    .filter((item) => item.type === 'message')
    .flatMap((item) => item.content.map((part) => part.text ?? ''))
    .join('');
  const done = calls.length ? 'calls' : 'stop';
  return heard(ended.type === 'response.completed' ? done : 'length', calls, text);
}

async function anthropicStream(model) {
  const tools = entries.map(([name, input_schema]) => ({ name, input_schema }));
  const asked = { model, max_tokens: 99, messages, tools };
  const turn = await anthropic.messages.stream(asked).finalMessage();
  const used = turn.content.filter((block) => block.type === 'tool_use');
  const text = turn.content.filter((block) => block.type === 'text').map((block) => block.text);
  return heard(
    turn.stop_reason,
    used.map((block) => call(block.id, block.name, block.input)),
    text.join(''),
  );
}

async function ollamaChat(model) {
  let [text, last, calls] = ['', null, []];
  for await (const part of await ollama.chat({ model, messages, tools: chatTools, stream: true })) {
    text += part.message.content ?? '';
    for (const one of part.message.tool_calls ?? []) {
      calls.push(call(null, one.function.name, one.function.arguments));
    }
    last = part;
  }
  if (!last?.done) throw new TypeError('no end');
  const isCalls = last.done_reason === 'stop' && calls.length;
  return heard(isCalls ? 'calls' : last.done_reason, calls, text);
}

/** What the SDK of Vercel makes of a stream, whatever the provider. */
async function vercel(model) {
  const turn = streamText({ model, messages, tools: sdkTools, maxRetries: 0, onError() {} });
  const calls = [];
  let [finish, text, failed] = [null, '', null];
  for await (const part of turn.fullStream) {
    if (part.type === 'text-delta') text += part.text;
    if (part.type === 'error') failed = part.error;
    if (part.type === 'finish') finish = part.finishReason;
    if (part.type === 'tool-call') {
      if (part.invalid) throw new TypeError(`invalid call ${JSON.stringify(part.input)}`);
      calls.push(call(part.toolCallId, part.toolName, part.input));
    }
  }
  if (failed) {
    const name = failed?.name ?? '';
    // What the SDK could not read is no error of the API.
    if (/TypeValidation|JSONParse|InvalidResponse|NoOutput/.test(name)) throw failed;
    throw new Said(String(failed?.message ?? failed));
  }
  return heard(finish, calls, text);
}

const compatible = createOpenAICompatible({ name: 'any', baseURL: `${url}/v1`, apiKey: 'none' });
const sdkOpenai = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'none' });
const sdkAnthropic = createAnthropic({ baseURL: `${url}/v1`, apiKey: 'none' });
const clients = {
  chat: {
    'openai (Node)': openaiRaw,
    'openai .stream() (Node)': openaiStream,
    'ai openai-compatible': (model) => vercel(compatible(model)),
    'ai openai.chat': (model) => vercel(sdkOpenai.chat(model)),
  },
  responses: {
    'openai responses (Node)': openaiResponses,
    'ai openai.responses': (model) => vercel(sdkOpenai.responses(model)),
  },
  messages: {
    'anthropic (Node)': anthropicStream,
    'ai anthropic': (model) => vercel(sdkAnthropic(model)),
  },
  ollama: { 'ollama (Node)': ollamaChat },
};

/** Whether a client threw because the API said that something went wrong. */
function isOfApi(error) {
  if (error instanceof Said) return true;
  const isConnection = error?.constructor?.name === 'APIConnectionError';
  const isRaw = error instanceof OpenAI.APIError || error instanceof Anthropic.APIError;
  const isOllama = error?.name === 'ResponseError' || (error?.constructor === Error && error.message);
  return (isRaw && !isConnection) || Boolean(isOllama);
}

async function play(run, model) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new TypeError('it hangs')), WAIT_MS);
  });
  try {
    return await Promise.race([run(model), late]);
  } catch (error) {
    if (isOfApi(error)) return { finish: 'error' };
    return { finish: `crash ${error?.name}: ${String(error?.message ?? error).slice(0, 120)}` };
  } finally {
    clearTimeout(timer);
  }
}

globalThis.AI_SDK_LOG_WARNINGS = false;
process.on('unhandledRejection', () => {});
for (const model of models) {
  for (const [client, run] of Object.entries(clients[model.split('/')[0]])) {
    const told = { case: model, client, ...(await play(run, model)) };
    process.stdout.write(`${JSON.stringify(told)}\n`);
  }
}
process.exit(0);

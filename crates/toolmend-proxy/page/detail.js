// One call in full: what the model wrote, what was wrong, what was delivered, and why.

import { badge, clock, duration, el, replace } from "./dom.js";

const bytes = new TextEncoder();
const letters = new TextDecoder();

/** A text with places in it marked; places count bytes. */
function marked(text, faults) {
  const data = bytes.encode(text);
  const parts = [];
  let at = 0;
  for (const { code, start, end } of [...faults].sort((one, other) => one.start - other.start)) {
    if (start < at || end > data.length) continue;
    parts.push(letters.decode(data.slice(at, start)));
    // A place between two letters is shown by what follows it.
    const stop = Math.max(end, Math.min(start + 1, data.length));
    parts.push(el("mark", { title: code }, letters.decode(data.slice(start, stop)) || "␣"));
    at = stop;
  }
  parts.push(letters.decode(data.slice(at)));
  return parts;
}

const PIECES_MAX = 1500;
const pieces = (text) => text.match(/\w+|\s+|[^\w\s]/gu) ?? [];

/** What went and what came, piece by piece: the longest run of common pieces stays. */
function compared(before, after) {
  const [one, other] = [pieces(before), pieces(after)];
  if (one.length > PIECES_MAX || other.length > PIECES_MAX) return [el("del", {}, before), "\n", el("ins", {}, after)];
  const width = other.length + 1;
  const common = new Uint16Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      common[i * width + j] = one[i] === other[j]
        ? common[(i + 1) * width + j + 1] + 1
        : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const parts = [];
  const add = (kind, piece) => {
    const last = parts.at(-1);
    if (last?.kind === kind) last.text += piece;
    else parts.push({ kind, text: piece });
  };
  for (let i = 0, j = 0; i < one.length || j < other.length;) {
    if (i < one.length && j < other.length && one[i] === other[j]) { add("same", one[i]); i++; j++; }
    else if (j >= other.length || (i < one.length && common[(i + 1) * width + j] >= common[i * width + j + 1])) { add("del", one[i]); i++; }
    else { add("ins", other[j]); j++; }
  }
  return parts.map(({ kind, text }) => (kind === "same" ? text : el(kind, {}, text)));
}

function spaced(json) {
  try { return JSON.stringify(JSON.parse(json), null, 2); } catch { return json; }
}

/** The call among those that were delivered or refused. */
function own({ call, index, texts }) {
  const { tool_calls: calls, refused } = texts.out;
  return ["untouched", "mended"].includes(call.outcome) ? calls[index] : refused[index - calls.length];
}

/** What the model said where this call stood: first, or to the last of what it was asked. */
function said({ call, index, texts }) {
  const asks = texts.asks ?? [];
  const isFirst = ["untouched", "mended"].includes(call.outcome) && index < texts.out.kept;
  return isFirst ? texts.in : asks.findLast((ask) => ask.came)?.came ?? texts.in;
}

function written(detail, mine) {
  const { call, faults, texts } = detail;
  const from = said(detail);
  const who = from === texts.in ? "What the model wrote" : "What it wrote then";
  if (call.channel === "tool_calls") {
    const came = from.tool_calls?.[mine?.index ?? 0];
    const text = came?.arguments ?? mine?.raw ?? "";
    const change = mine?.arguments !== undefined && mine.arguments !== text
      ? [el("h3", {}, "What changed"), el("pre", {}, compared(text, mine.arguments))] : [];
    return [el("h3", {}, who), el("pre", {}, `${came?.name ?? call.tool ?? "?"} `, marked(text, faults)), ...change];
  }
  const text = from[call.channel] ?? "";
  const left = call.channel === "content" && from === texts.in ? texts.out.content ?? "" : text;
  const shown = text === left && mine?.raw && text.includes(mine.raw)
    ? [text.slice(0, text.indexOf(mine.raw)), el("mark", {}, mine.raw), text.slice(text.indexOf(mine.raw) + mine.raw.length)]
    : compared(text, left);
  return [el("h3", {}, `${who} in its ${call.channel}`), el("pre", {}, shown)];
}

/** A turn as it was said: thinking, text, calls. */
function turn({ reasoning, content, tool_calls: calls }) {
  const parts = [reasoning && `(thinking) ${reasoning}`, content, ...(calls ?? []).map(({ name, arguments: text }) => `${name} ${text}`)];
  return parts.filter(Boolean).join("\n") || "nothing";
}

const ASKS = {
  continue: "It was asked for the rest of the call", correct: "It was asked for a call that the tool accepts",
  reflect: "It was asked what it is after, as it repeats itself", refetch: "The same was asked once more, without streaming",
  proceed: "It was asked to go on where the turn broke off",
};

function message({ role, content, tool_calls: calls }) {
  return turn({ content: `${role}: ${content ?? ""}`, tool_calls: (calls ?? []).map((call) => call.function) });
}

/** What came first, what was asked, and what came of that. */
function story({ texts }) {
  const asks = texts.asks ?? [];
  if (!asks.length) return [];
  const steps = asks.map(({ kind, messages, prefix, tool, came }) => el("li", {},
    el("strong", {}, ASKS[kind] ?? kind), tool ? el("span", { class: "chip" }, tool) : null,
    prefix ? el("p", {}, "It went on from what it had written.") : null,
    messages?.length ? el("pre", {}, messages.map(message).join("\n")) : null,
    el("p", {}, came ? "It said:" : "Nothing came that helps."), came ? el("pre", {}, turn(came)) : null));
  return [el("h3", {}, "What happened"), el("ol", { class: "story" },
    el("li", {}, el("strong", {}, "The model said"), el("pre", {}, turn(texts.in))), steps)];
}

function delivered({ call }, mine) {
  if (mine?.arguments !== undefined) {
    return [el("h3", {}, "What was delivered"), el("pre", {}, `${mine.name}\n${spaced(mine.arguments)}`)];
  }
  if (!mine?.message) return [];
  const advice = call.outcome === "left" || !mine.advice ? [] : [el("h3", {}, "What the model would be told"), el("pre", {}, mine.advice)];
  return [el("h3", {}, "Why it was not delivered"), el("p", {}, mine.message), ...advice];
}

function reasons({ call, repairs, faults }, words) {
  const explain = (kind, id) => words[kind]?.[id]?.text ?? "";
  const items = [];
  if (call.dialect) items.push(el("li", {}, "Written as ", el("code", {}, call.dialect), el("p", {}, explain("dialects", call.dialect))));
  if (call.reason) items.push(el("li", {}, el("code", {}, call.reason), el("p", {}, explain("reasons", call.reason))));
  for (const { rule, path, trust } of repairs) {
    items.push(el("li", {}, el("code", {}, rule), ` at ${path || "/"} `, el("span", { class: "chip" }, trust), el("p", {}, explain("rules", rule))));
  }
  for (const code of new Set(faults.map((fault) => fault.code))) {
    items.push(el("li", {}, el("code", {}, code), el("p", {}, explain("faults", code))));
  }
  return items.length ? [el("h3", {}, "What was done, and why"), el("ul", { class: "why" }, items)] : [];
}

function actions({ call }) {
  const link = (word, values, strong) => el("a", {
    class: strong ? "button strong" : "button", href: `/api/calls/${call.id}/case?values=${values}`, onclick: save,
  }, word);
  return el("div", { class: "actions" }, link("Save as case", "masked", true), link("… with real values", "real"), el("span", { class: "facts", role: "status" },
    "or ", el("code", {}, `toolmend captures export --as-case ${call.id} --to cases/line`)));
}

/** Saves the case, or tells why there is none. */
async function save(event) {
  event.preventDefault();
  const told = event.target.parentElement.querySelector("[role=status]");
  const response = await fetch(event.target.href);
  if (!response.ok) return replace(told, `Not saved: ${(await response.json()).error}.`);
  const name = response.headers.get("content-disposition")?.match(/filename="([^"]+)"/)?.[1] ?? "case.md";
  const url = URL.createObjectURL(await response.blob());
  el("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
  replace(told, `Saved ${name}. Put it under cases/line/ and it is run.`);
}

const HOW = "Texts are not kept. To see what the model wrote, start the proxy with --keep failures, or set keep = \"failures\" under [store] in toolmend.toml. Keys are blanked before anything is written.";

/** Fills the sheet with a call. */
export function show(dialog, detail, words) {
  const { call, texts } = detail;
  const facts = [clock(call.at), call.model, `${call.api} API`, detail.finish && `finish: ${detail.finish}`,
    `reply took ${detail.took_ms ? duration(detail.took_ms * 1000) : "under 1 ms"}`, `toolmend worked ${duration(detail.spent_us)}`,
    detail.asks && `asked again ${detail.asks === 1 ? "once" : `${detail.asks} times`}`, detail.broken && "broke off", call.lossy && "something may be missing"];
  const mine = texts && own(detail);
  replace(dialog, el("div", { class: "sheet" },
    el("header", {}, badge(call.outcome), el("h2", { id: "detail-title" }, call.tool ?? "unknown tool"), el("p"),
      el("button", { type: "button", autofocus: true, onclick: () => dialog.close() }, "Close")),
    el("p", { class: "facts" }, facts.filter(Boolean).join(" · ")),
    texts ? actions(detail) : el("p", { class: "notice" }, HOW),
    texts ? [story(detail), written(detail, mine), delivered(detail, mine)] : [],
    reasons(detail, words)));
  if (!dialog.open) dialog.showModal();
}

// Bars over time, one stack for each slice, and shares by model.

import { count, drawn, el, OUTCOMES, outcomeWord, percent, replace } from "./dom.js";

const WIDTH_MIN = 280;
const HEIGHT = 180;
const LEFT = 44;
const BOTTOM = 22;

/** The stacks, by the start of their slice. */
function stacks(slices) {
  const found = new Map();
  for (const { at, outcome, count: number } of slices) {
    if (!found.has(at)) found.set(at, {});
    found.get(at)[outcome] = number;
  }
  return found;
}

const total = (stack) => OUTCOMES.reduce((sum, outcome) => sum + (stack[outcome] ?? 0), 0);

/** A round number that is no smaller. */
function ceiling(number) {
  const power = 10 ** Math.floor(Math.log10(Math.max(number, 1)));
  return [1, 2, 5, 10].map((step) => step * power).find((round) => round >= number) ?? number;
}

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const minute = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "short", timeStyle: "medium" });

function label(ms, span) {
  return (span > 2 * 86400000 ? day : minute).format(ms);
}

export function draw(target, slices, { since, until, slice }) {
  const found = stacks(slices);
  const width = Math.max(target.clientWidth, WIDTH_MIN);
  if (!found.size) return replace(target, el("p", { class: "empty" }, "Nothing happened in this time."));
  const start = Math.floor((since || Math.min(...found.keys())) / slice) * slice;
  const columns = Math.max(1, Math.ceil((until - start) / slice));
  const top = ceiling(Math.max(...[...found.values()].map(total)));
  const across = (width - LEFT) / columns;
  const high = HEIGHT - BOTTOM - 6;
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img" });
  for (const part of [0, 0.5, 1]) {
    const y = 6 + high * (1 - part);
    svg.append(drawn("line", { class: "grid", x1: LEFT, x2: width, y1: y, y2: y }));
    if (top * part === Math.round(top * part)) {
      svg.append(drawn("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, count(top * part)));
    }
  }
  for (let at = 0; at < columns; at += Math.ceil((columns * 90) / (width - LEFT))) {
    const x = LEFT + at * across;
    if (x > width - 40) break;
    svg.append(drawn("text", { x, y: HEIGHT - 6 }, label(start + at * slice, until - start)));
  }
  let sum = 0;
  for (const [at, stack] of found) {
    let y = 6 + high;
    const x = LEFT + ((at - start) / slice) * across;
    const told = OUTCOMES.filter((outcome) => stack[outcome]).map((outcome) => `${count(stack[outcome])} ${outcomeWord(outcome)}`);
    const group = drawn("g", {}, drawn("title", {}, `${moment.format(at)}: ${told.join(", ")}`));
    for (const outcome of OUTCOMES) {
      const tall = ((stack[outcome] ?? 0) / top) * high;
      if (!tall) continue;
      y -= tall;
      group.append(drawn("rect", { class: outcome, x: x + 0.5, y, width: Math.max(across - 1, 1), height: tall }));
    }
    sum += total(stack);
    svg.append(group);
  }
  svg.setAttribute("aria-label", `${count(sum)} calls in ${found.size} slices of time; the table by model below has the numbers.`);
  replace(target, svg);
}

export function legend(target) {
  replace(target, OUTCOMES.map((outcome) => el("li", {}, el("i", { class: outcome }), outcomeWord(outcome))));
}

/** One bar of shares. */
function bar(stack) {
  const whole = total(stack);
  const parts = OUTCOMES.filter((outcome) => stack[outcome]).map((outcome) => {
    const part = el("i", { class: outcome, title: `${outcomeWord(outcome)}: ${count(stack[outcome])}` });
    part.style.width = `${(100 * stack[outcome]) / whole}%`;
    return part;
  });
  return el("div", { class: "bar", "aria-hidden": "true" }, parts);
}

export function models(target, rows, choose) {
  const found = new Map();
  for (const { model, outcome, count: number } of rows) {
    if (!found.has(model)) found.set(model, {});
    found.get(model)[outcome] = number;
  }
  if (!found.size) return replace(target, el("p", { class: "empty" }, "No model was heard yet."));
  const called = (stack) => total(stack) - (stack.left ?? 0);
  const sorted = [...found].sort(([, one], [, other]) => called(other) - called(one));
  const head = ["Model", "", "Calls", "Untouched", "Mended", "Refused", "Held back"];
  const number = (text, at) => el("td", { class: "number", "data-word": head[at + 2] }, text);
  replace(target, el("table", {},
    el("thead", {}, el("tr", {}, head.map((word, at) => (word
      ? el("th", { scope: "col", class: at > 1 ? "number" : undefined }, word)
      : el("td", { "aria-hidden": "true" }))))),
    el("tbody", {}, sorted.map(([model, stack]) => el("tr", {},
      el("th", { scope: "row" }, el("button", { type: "button", "data-name": model, onclick: () => choose(model) }, model || "(no name)")),
      el("td", {}, bar(stack)),
      [count(called(stack)), ...["untouched", "mended", "refused", "suppressed"].map((outcome) => percent(stack[outcome] ?? 0, called(stack)))].map(number),
    )))));
}

/** A list of names with how often each was; one of them can be chosen. */
export function tally(target, rows, { explain, choose, empty }) {
  if (!rows.length) return replace(target, el("p", { class: "empty" }, empty));
  const most = Math.max(...rows.map((row) => row.count));
  replace(target, el("ul", { class: "tally" }, rows.map((row) => {
    const meter = el("i");
    meter.style.width = `${(100 * row.count) / most}%`;
    return el("li", {}, el("button", { type: "button", "data-name": row.name, title: explain(row.name), onclick: () => choose(row.name) },
      el("span", { class: "name" }, row.name), el("span", {}, count(row.count)),
      el("span", { class: "meter", "aria-hidden": "true" }, meter)));
  })));
}

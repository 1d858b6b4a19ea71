// The page: filters in the URL, numbers, and calls as they come.

import { ask, badge, clock, count, duration, el, find, percent, replace } from "./dom.js";
import { draw, legend, models, tally } from "./chart.js";
import { show } from "./detail.js";

const FILTERS = ["model", "tool", "outcome", "rule", "dialect", "reason"];
const COUNT = 50;
const ROWS_MAX = 400;
const form = find("filters");
let words = {};
let next = null;
let source = null;
let asked = 0;

/** The filters as the server wants them. */
function filter() {
  const wanted = {};
  for (const name of FILTERS) wanted[name] = form.elements[name].value;
  const span = Number(form.elements.span.value);
  wanted.since = span ? String(Date.now() - span) : "";
  return wanted;
}

function fromUrl() {
  const query = new URLSearchParams(location.search);
  for (const name of [...FILTERS, "span"]) {
    const select = form.elements[name];
    const value = query.get(name) ?? (name === "span" ? "86400000" : "");
    if (![...select.options].some((option) => option.value === value)) select.append(el("option", { value }, value));
    select.value = value;
  }
  paint();
}

function toUrl() {
  const query = new URLSearchParams();
  for (const name of FILTERS) if (form.elements[name].value) query.set(name, form.elements[name].value);
  if (form.elements.span.value !== "86400000") query.set("span", form.elements.span.value);
  const call = new URLSearchParams(location.search).get("call");
  if (call) query.set("call", call);
  history.replaceState(null, "", query.size ? `?${query}` : location.pathname);
  paint();
}

function paint() {
  for (const name of FILTERS) form.elements[name].classList.toggle("set", form.elements[name].value !== "");
  const query = new URLSearchParams(Object.entries(filter()).filter(([, value]) => value));
  find("export").href = `/api/export?${query}`;
}

function choose(name, value) {
  const select = form.elements[name];
  if (![...select.options].some((option) => option.value === value)) select.append(el("option", { value }, value));
  select.value = select.value === value ? "" : value;
  changed();
}

function options(name, values) {
  const select = form.elements[name];
  const chosen = select.value;
  const all = [...new Set([...values, chosen].filter(Boolean))].sort();
  // A list that is open would close.
  if (all.join("\n") === [...select.options].slice(1).map((option) => option.value).join("\n")) return;
  replace(select, el("option", { value: "" }, "all"), all.map((value) => el("option", { value }, value)));
  select.value = chosen;
}

function tile(word, value, note) {
  return el("div", { class: "tile" }, el("dt", {}, word), el("dd", {}, value), note ? el("dd", { class: "note" }, note) : null);
}

function tiles(overview) {
  const of = (outcome) => overview.models.filter((row) => row.outcome === outcome).reduce((sum, row) => sum + row.count, 0);
  const calls = of("untouched") + of("mended") + of("refused") + of("suppressed");
  replace(find("tiles"),
    tile("Calls", count(calls), `in ${count(overview.turns)} turns`),
    tile("Untouched", percent(of("untouched"), calls), count(of("untouched"))),
    tile("Mended", percent(of("mended"), calls), count(of("mended"))),
    tile("Refused", percent(of("refused"), calls), count(of("refused"))),
    tile("Storms held back", count(of("suppressed"))),
    tile("Replies cut off", count(overview.broken)),
    tile("Asked again", count(overview.asked), overview.asked ? `${percent(overview.helped, overview.asked)} helped` : "not needed"),
    tile("Added work", duration(overview.spent_us_half), `99 % below ${duration(overview.spent_us_most)}`));
}

/** Draws anew what the keyboard may be in, and leaves it where it was. */
function redraw(target, drawing) {
  const name = target.contains(document.activeElement) ? document.activeElement.dataset.name : undefined;
  drawing();
  if (name !== undefined) [...target.querySelectorAll("button")].find((button) => button.dataset.name === name)?.focus();
}

const explain = (kind) => (id) => words[kind]?.[id]?.text ?? "";

async function overview() {
  const wanted = filter();
  const span = Number(form.elements.span.value) || 30 * 86400000;
  const found = await ask("overview", { ...wanted, slice: Math.round(span / 60) });
  tiles(found);
  draw(find("chart"), found.slices, { since: Number(wanted.since), until: Date.now(), slice: found.slice });
  redraw(find("models"), () => models(find("models"), found.models, (model) => choose("model", model)));
  const lists = [["rules", "rule", "Nothing had to be repaired."], ["dialects", "dialect", "No call stood in text."], ["reasons", "reason", "Everything was delivered."]];
  for (const [list, name, empty] of lists) {
    redraw(find(list), () => tally(find(list), found[list], { explain: explain(list), choose: (value) => choose(name, value), empty }));
    options(name, found[list].map((row) => row.name));
  }
  options("tool", found.tools.map((row) => row.name));
  options("model", found.models.map((row) => row.model));
}

function done(call) {
  const chips = [];
  if (call.dialect) chips.push(el("span", { class: "chip" }, call.dialect));
  if (call.reason) chips.push(el("span", { class: "chip", title: explain("reasons")(call.reason) }, call.reason));
  for (const rule of new Set(call.rules)) chips.push(el("span", { class: "chip", title: explain("rules")(rule) }, rule));
  if (!chips.length && call.outcome === "mended") chips.push(el("span", { class: "chip" }, "its JSON was broken"));
  return chips;
}

function row(call, isNew) {
  const open = () => detail(call.id);
  return el("tr", { class: isNew ? "new" : undefined, onclick: open, "data-id": call.id },
    el("td", { class: "time" }, el("time", { datetime: new Date(call.at).toISOString() }, clock(call.at))),
    el("td", {}, badge(call.outcome)),
    el("td", {}, el("button", { class: "open", type: "button" }, call.tool ?? "unknown tool")),
    el("td", {}, call.model),
    el("td", {}, done(call)));
}

async function calls(before) {
  const turn = ++asked;
  const page = await ask("calls", { ...filter(), before: before ?? "", count: COUNT });
  if (turn !== asked) return;
  const made = page.rows.map((call) => row(call, false));
  if (before) find("rows").append(...made);
  else replace(find("rows"), made);
  next = page.next;
  find("more").hidden = next === null;
  find("none").hidden = find("rows").childElementCount > 0;
}

async function detail(id) {
  const query = new URLSearchParams(location.search);
  query.set("call", id);
  history.replaceState(null, "", `?${query}`);
  await attempt(async () => show(find("detail"), await ask(`calls/${id}`), words));
}

function closed() {
  const query = new URLSearchParams(location.search);
  query.delete("call");
  history.replaceState(null, "", query.size ? `?${query}` : location.pathname);
}

const notices = new Map();
function notice(text, key = text) {
  if (text) notices.set(key, text);
  else notices.delete(key);
  replace(find("notices"), [...notices.values()].map((words) => el("p", { class: "notice" }, words)));
}

const ALERTS = { "refused-share": "Many calls are being refused.", storms: "Models repeat themselves: calls are being held back.", "chain-breaks": "Replies keep breaking off." };

async function status() {
  const found = await ask("status");
  const told = `${found.told} ${found.store ? `Kept in ${found.store.place}: ${found.keep}.` : ""}`;
  replace(find("told"), told);
  find("told").title = told;
  for (const [alert, words] of Object.entries(ALERTS)) notice(found.alerts.includes(alert) ? words : "", alert);
  const lost = (found.store?.dropped ?? 0) + (found.store?.failed ?? 0);
  notice(lost ? `${count(lost)} turns could not be kept.` : "", "lost");
  replace(find("none-more"), found.store ? "Send a request through the proxy, and its calls show up here." : "");
  return found;
}

/** Does something, and says where it fails until it no longer does. */
async function attempt(work) {
  try {
    await work();
    notice("", "failed");
  } catch (error) {
    notice(`The proxy does not answer as it should: ${error.message}`, "failed");
  }
}

let waiting = null;
/** Numbers are asked for again at most every second. */
function soon() {
  waiting ??= setTimeout(() => { waiting = null; attempt(() => Promise.all([overview(), status()])); }, 1000);
}

const TELL_EVERY = 15000;
let untold = 0;
let toldAt = 0;
/** A screen reader hears of new calls now and then, not of each. */
function tellNews(number) {
  untold += number;
  if (Date.now() - toldAt < TELL_EVERY) return;
  replace(find("news"), `${count(untold)} new ${untold === 1 ? "call" : "calls"}`);
  [untold, toldAt] = [0, Date.now()];
}

function arrived(event) {
  const list = JSON.parse(event.data);
  for (const call of list) {
    if (find("rows").querySelector(`[data-id="${call.id}"]`)) continue;
    find("rows").prepend(row(call, true));
  }
  while (find("rows").childElementCount > ROWS_MAX) find("rows").lastElementChild.remove();
  find("none").hidden = true;
  tellNews(list.length);
  soon();
}

function listen() {
  source?.close();
  source = null;
  if (find("live").getAttribute("aria-pressed") !== "true") return;
  const { since, ...wanted } = filter();
  source = new EventSource(`/api/live?${new URLSearchParams(Object.entries(wanted).filter(([, value]) => value))}`);
  source.addEventListener("calls", arrived);
  // The browser connects again by itself; what came in between has to be asked for.
  let isLost = false;
  source.addEventListener("error", () => { isLost = true; replace(find("live-word"), "Waiting for the proxy"); });
  source.addEventListener("start", () => {
    replace(find("live-word"), "Live");
    if (isLost) attempt(load);
    isLost = false;
  });
}

function changed() {
  toUrl();
  attempt(load);
  listen();
}

async function load() {
  await Promise.all([overview(), calls()]);
}

function pause() {
  const isLive = find("live").getAttribute("aria-pressed") !== "true";
  find("live").setAttribute("aria-pressed", String(isLive));
  replace(find("live-word"), isLive ? "Live" : "Paused");
  listen();
  if (isLive) attempt(load);
}

/** Where nothing is said, no more time is shown than there are calls in, so that the first minutes fill the picture. */
async function fitSpan() {
  if (new URLSearchParams(location.search).has("span")) return;
  const day = 86400000;
  const { slices } = await ask("overview", { since: String(Date.now() - day), slice: 60000 });
  const age = Date.now() - Math.min(Date.now(), ...slices.map((slice) => slice.at));
  const fits = [...form.elements.span.options].map((option) => Number(option.value)).find((span) => span >= Math.min(age, day));
  if (slices.length && fits) form.elements.span.value = String(fits);
}

async function start() {
  legend(find("legend"));
  fromUrl();
  form.addEventListener("change", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  find("clear").addEventListener("click", () => { for (const name of FILTERS) form.elements[name].value = ""; changed(); });
  find("more").addEventListener("click", () => attempt(() => calls(next)));
  find("live").addEventListener("click", pause);
  addEventListener("resize", soon);
  find("detail").addEventListener("close", closed);
  find("detail").addEventListener("click", (event) => { if (event.target === find("detail")) find("detail").close(); });
  words = await ask("words");
  const { store, keep } = await status();
  if (!store || keep === "none") return notice("Nothing is kept, so there is nothing to show. Start the proxy with --store PATH, or without --store none.");
  await fitSpan();
  listen();
  await load();
  const call = new URLSearchParams(location.search).get("call");
  if (call) await detail(call);
}

attempt(start);

// The page: filters in the URL, numbers, and calls as they come.

import { ask, badge, clock, count, duration, el, find, percent, replace } from "./dom.js";
import { draw, legend, models, tally } from "./chart.js";
import { show } from "./detail.js";

const FILTERS = ["model", "tool", "outcome", "rule", "dialect", "reason"];
const COUNT = 50;
/** So many rows stay when new ones come, and more where someone reads them. */
const ROWS_MAX = 400;
const ROWS_READ_MAX = 2000;
/** A stream that the browser gave up is opened again after this long. */
const AGAIN_MS = 3000;
const form = find("filters");
let words = {};
let next = null;
let source = null;
/** How often each was asked for: an answer that is overtaken is not shown. */
const asked = { load: 0, overview: 0, calls: 0 };
/** Whether the proxy was away: what came in between has to be asked for. */
let isLost = false;
/** The latest call when the list was made: later ones are told. */
let latest = "";

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
    tile("Calls", count(calls), `in ${count(overview.turns)} ${overview.turns === 1 ? "turn" : "turns"}`),
    tile("Untouched", percent(of("untouched"), calls), count(of("untouched"))),
    tile("Mended", percent(of("mended"), calls), count(of("mended"))),
    tile("Refused", percent(of("refused"), calls), count(of("refused"))),
    tile("Held back", count(of("suppressed")), "calls that repeat"),
    tile("Cut off", count(overview.broken), "replies"),
    tile("Asked again", count(overview.asked), overview.asked ? `${percent(overview.helped, overview.asked)} helped` : "not needed"),
    tile("Added work", duration(overview.spent_us_half), `99 % < ${duration(overview.spent_us_most)}`));
}

/** Draws anew what the keyboard may be in, and leaves it where it was. */
function redraw(target, drawing) {
  const name = target.contains(document.activeElement) ? document.activeElement.dataset.name : undefined;
  drawing();
  if (name !== undefined) [...target.querySelectorAll("button")].find((button) => button.dataset.name === name)?.focus();
}

const explain = (kind) => (id) => words[kind]?.[id]?.text ?? "";

async function overview() {
  const turn = ++asked.overview;
  const wanted = filter();
  const span = Number(form.elements.span.value) || 30 * 86400000;
  const found = await ask("overview", { ...wanted, slice: Math.round(span / 60) });
  if (turn !== asked.overview) return;
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
  const cell = (...children) => el("td", { role: "cell" }, children);
  return el("tr", { class: isNew ? "new" : undefined, role: "row", onclick: open, "data-id": call.id },
    cell(el("time", { datetime: new Date(call.at).toISOString() }, clock(call.at))),
    cell(badge(call.outcome)),
    cell(el("button", { class: "open", type: "button", "data-name": call.id }, call.tool ?? "unknown tool")),
    cell(call.model),
    cell(done(call)));
}

async function calls(before) {
  const turn = ++asked.calls;
  const page = await ask("calls", { ...filter(), before: before ?? "", count: COUNT });
  // Where rows were let go of in between, these no longer follow the last one.
  if (turn !== asked.calls || (before && before !== next)) return;
  const made = page.rows.map((call) => row(call, false));
  if (before) find("rows").append(...made);
  else {
    redraw(find("rows"), () => replace(find("rows"), made));
    latest = String(page.latest);
  }
  goOnFrom(page.next);
  find("none").hidden = find("rows").childElementCount > 0;
}

/** Where the next page starts: calls before this one. */
function goOnFrom(id) {
  next = id;
  find("more").hidden = next === null;
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

const AWAY = { unreachable: "cannot be reached: is it running?", "broke-off": "hangs up before its answers are whole.", late: "does not answer in time." };
/** Nothing else comes while a server is away, so its return is asked for. */
const STATUS_EVERY = 5000;
let absent = [];

/** Says which servers do not answer. */
function servers(away) {
  for (const server of absent) notice("", `server ${server}`);
  for (const { server, kind } of away) notice(`The model server at ${server} ${AWAY[kind]}`, `server ${server}`);
  absent = away.map(({ server }) => server);
}

async function status() {
  const found = await ask("status");
  servers(found.away);
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

/** Lets go of the oldest rows, unless someone reads them; they can be shown again. */
function trim(rows) {
  const edge = rows.children[ROWS_MAX];
  if (!edge || (edge.getBoundingClientRect().top < innerHeight && rows.childElementCount <= ROWS_READ_MAX)) return;
  while (rows.childElementCount > ROWS_MAX) rows.lastElementChild.remove();
  goOnFrom(Number(rows.lastElementChild.dataset.id));
}

function arrived(event) {
  const list = JSON.parse(event.data);
  const rows = find("rows");
  const fresh = list.filter((call) => !rows.querySelector(`[data-id="${call.id}"]`));
  rows.prepend(...fresh.reverse().map((call) => row(call, true)));
  trim(rows);
  find("none").hidden = true;
  tellNews(list.length);
  soon();
}

/** Hears of new calls, from where the list ends. */
function listen() {
  source?.close();
  source = null;
  if (find("live").getAttribute("aria-pressed") !== "true") return away(false);
  const { since, ...wanted } = filter();
  const query = new URLSearchParams(Object.entries({ ...wanted, after: latest }).filter(([, value]) => value));
  const stream = new EventSource(`/api/live?${query}`);
  source = stream;
  stream.addEventListener("calls", arrived);
  stream.addEventListener("error", () => {
    away(true);
    // The browser connects again by itself, unless something else than the proxy answered.
    if (stream.readyState === EventSource.CLOSED) setTimeout(() => { if (source === stream) listen(); }, AGAIN_MS);
  });
  stream.addEventListener("start", () => {
    const wasLost = isLost;
    away(false);
    if (wasLost) attempt(() => Promise.all([load(), status()]));
  });
}

/** Says whether the proxy is away. */
function away(is) {
  isLost = is;
  const isLive = find("live").getAttribute("aria-pressed") === "true";
  replace(find("live-word"), is ? "Waiting for the proxy" : isLive ? "Live" : "Paused");
  find("live").classList.toggle("lost", is);
  notice(is ? "The proxy cannot be reached. What is shown here may be old; it goes on by itself." : "", "away");
}

function changed() {
  toUrl();
  attempt(load);
}

async function load() {
  const main = document.querySelector("main");
  main.setAttribute("aria-busy", "true");
  const turn = ++asked.load;
  try {
    source?.close();
    await Promise.all([overview(), calls().finally(() => { if (turn === asked.load) listen(); })]);
  } finally {
    if (turn === asked.load) main.removeAttribute("aria-busy");
  }
}

function pause() {
  const isLive = find("live").getAttribute("aria-pressed") !== "true";
  find("live").setAttribute("aria-pressed", String(isLive));
  if (isLive) attempt(load);
  else listen();
}

/** Where nothing is said, no more time is shown than there are calls in, so that the first minutes fill the picture. */
async function fitSpan() {
  if (new URLSearchParams(location.search).has("span")) return;
  const day = 86400000;
  // Where nothing is kept, there is nothing to fit, and the page says so.
  const { slices } = await ask("overview", { since: String(Date.now() - day), slice: 60000 }).catch(() => ({ slices: [] }));
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
  // Whether the proxy itself is away, the live stream tells.
  setInterval(() => { if (!document.hidden) status().catch(() => {}); }, STATUS_EVERY);
  find("detail").addEventListener("close", closed);
  find("detail").addEventListener("click", (event) => { if (event.target === find("detail")) find("detail").close(); });
  const [told, { store, keep }] = await Promise.all([ask("words"), status(), fitSpan()]);
  words = told;
  if (!store || keep === "none") return notice("Nothing is kept, so there is nothing to show. Start the proxy with --store PATH, or without --store none.");
  await load();
  const call = new URLSearchParams(location.search).get("call");
  if (call) await detail(call);
}

attempt(start);

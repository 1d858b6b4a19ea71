// Makes elements, and talks to the server.

/** An element with properties and children; text is always text, never markup. */
export function el(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "class") made.className = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

/** An element of a drawing. */
export function drawn(name, properties = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(properties)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export const find = (id) => document.getElementById(id);

export function replace(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter(Boolean));
}

/** What the server says, or an error with its words. */
export async function ask(path, parameters = {}) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ""));
  const response = await fetch(`/api/${path}?${query}`);
  const body = await response.json();
  if (!response.ok) throw new Error(body.error ?? response.statusText);
  return body;
}

export const OUTCOMES = ["untouched", "mended", "refused", "suppressed", "left"];
export const outcomeWord = (outcome) => (outcome === "left" ? "left as text" : outcome);

export function badge(outcome) {
  return el("span", { class: `badge is-${outcome}` }, outcomeWord(outcome));
}

const counted = new Intl.NumberFormat("en");
export const count = (number) => counted.format(number);
export function percent(part, whole) {
  if (!whole) return "–";
  const share = (100 * part) / whole;
  return `${share > 0 && share < 10 ? share.toFixed(1) : Math.round(share)} %`;
}

export function duration(us) {
  if (us < 1000) return `${us} µs`;
  return us < 1e6 ? `${(us / 1000).toFixed(us < 1e4 ? 1 : 0)} ms` : `${(us / 1e6).toFixed(1)} s`;
}

// Made once: to make one takes longer than to use it for a whole list.
const timed = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const dated = new Intl.DateTimeFormat("en-CA", { dateStyle: "short" });

export function clock(ms) {
  const [time, day] = [timed.format(ms), dated.format(ms)];
  return day === dated.format(Date.now()) ? time : `${day} ${time}`;
}

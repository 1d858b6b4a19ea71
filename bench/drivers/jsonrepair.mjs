// Answers JSON lines on standard input with what jsonrepair makes of each text.
// The lines are those of json_repair.py.

import { createInterface } from "node:readline";
import { jsonrepair } from "jsonrepair";

function mended(text) {
  try {
    return jsonrepair(text);
  } catch {
    return null; // Whatever goes wrong counts as refused.
  }
}

function leastNanos(text, budgetMs) {
  let least = Infinity;
  const end = performance.now() + budgetMs;
  do {
    const start = process.hrtime.bigint();
    if (mended(text) === null) return 0;
    least = Math.min(least, Number(process.hrtime.bigint() - start));
  } while (performance.now() < end);
  return least;
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const { text, budget_ms: budgetMs = 0 } = JSON.parse(line);
  const answer = { out: mended(text), nanos: budgetMs ? leastNanos(text, budgetMs) : 0 };
  process.stdout.write(JSON.stringify(answer) + "\n");
}

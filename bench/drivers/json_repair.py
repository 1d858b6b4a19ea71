"""Answers JSON lines on standard input with what json_repair makes of each text.

A line in: {"text": ..., "budget_ms": ...}. A line out: {"out": JSON text or null, "nanos": ...}, where
nanos is the least processor time of one call within the budget; it is zero where no budget was given.
"""

import json
import sys
import time

from json_repair import repair_json


def mended(text):
    try:
        value = repair_json(text, return_objects=True)
        # An empty string is its way to say that it found nothing.
        return None if value == "" else json.dumps(value, allow_nan=False)
    except Exception:  # Whatever goes wrong counts as refused.
        return None


def least_nanos(text, budget_ms):
    least = None
    end = time.perf_counter() + budget_ms / 1000
    while least is None or time.perf_counter() < end:
        start = time.process_time_ns()
        try:
            repair_json(text)
        except Exception:
            return 0
        spent = time.process_time_ns() - start
        least = spent if least is None else min(least, spent)
    return least


for line in sys.stdin:
    ask = json.loads(line)
    budget_ms = ask.get("budget_ms", 0)
    answer = {"out": mended(ask["text"]), "nanos": 0}
    if budget_ms:
        answer["nanos"] = least_nanos(ask["text"], budget_ms)
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()

#!/usr/bin/env python3
"""Sends commands in parallel under numbers of one sender, and again where an answer was lost.

    parallel.py http://127.0.0.1:8080 main LOGIN PASSWORD TERMINAL AMOUNT TIMES

puts AMOUNT on a terminal TIMES times. The host keeps the last 32 answers of each sender: no more than 32 commands are on
their way at once, and a command that got no answer is sent again under its own number until it has one. Then it has
happened exactly once. Only the standard library is used.
"""

import json
import sys
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

WINDOW = 32


class Numbers:
    """Numbers of one sender: microseconds since 1970, and always more than the last."""

    def __init__(self, first):
        self._last = first - 1
        self._lock = threading.Lock()

    def next(self):
        with self._lock:
            self._last = max(self._last + 1, time.time_ns() // 1000)
            return self._last


class Floor:
    def __init__(self, address, floor, login, password):
        self._base = f"{address}/api/v1/floors/{floor}"
        self._cookie = ""
        session, headers = self._ask("/session", {"login": login, "password": password}, {})
        self._cookie = headers["set-cookie"].split(";")[0]
        self._numbers = Numbers(session["next_number"])

    def _ask(self, path, body, headers):
        headers = {"content-type": "application/json", "x-croupier": "1", "cookie": self._cookie, **headers}
        request = urllib.request.Request(self._base + path, json.dumps(body).encode(), headers, method="POST")
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer), answer.headers

    def command(self, path, body):
        number = self._numbers.next()
        while True:
            try:
                answer, _ = self._ask(path, body, {"idempotency-key": str(number)})
                return answer["accepted"]
            except urllib.error.HTTPError as refused:
                error = json.load(refused)["error"]
                if error["code"] not in ("busy", "rate", "stopped"):
                    raise SystemExit(f"{error['code']} ({error['rule']}): {error['message']['en']}") from None
            except OSError:
                pass  # No answer: it may have happened, so the same number is used again.
            time.sleep(0.2)


def main():
    address, name, login, password, terminal, amount, times = sys.argv[1:]
    floor = Floor(address, name, login, password)
    path = f"/terminals/{terminal}/attendant-in"
    with ThreadPoolExecutor(WINDOW) as pool:
        records = list(pool.map(lambda _: floor.command(path, {"amount": amount}), range(int(times))))
    print(f"{len(set(records))} commands accepted, the last as record {max(records)}")


main()

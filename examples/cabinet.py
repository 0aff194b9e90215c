#!/usr/bin/env python3
"""A complete Player Terminal of another maker: it enrols a key, bets, shows the close, and pays out a ticket.

    cabinet.py http://127.0.0.1:8080 main TERMINAL KEYFILE [CODE]

Orders are read line by line from standard input and sent when the terminal can do them:

    bet SPOT=AMOUNT …    clear    repeat    ticket NUMBER    cash-out

It says on standard output what it shows. With CODE, which two people make in the administration, it makes an Ed25519 key
with openssl and enrols the public half. A lost link is opened again, and what got no answer is sent again under its own
number, so that it happens once. A ticket that was prepared before is printed first (D25). It ends after its last order.
"""

import base64
import json
import os
import queue
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request


def openssl(*words):
    return subprocess.run(["openssl", *words], check=True, capture_output=True).stdout


def enrol(base, file, code):
    # Kept first: an enrolled key that is lost would take another code.
    os.umask(0o077)
    openssl("genpkey", "-algorithm", "ed25519", "-out", file)
    public = openssl("pkey", "-in", file, "-pubout", "-outform", "DER")[-32:]
    body = {"code": code, "scheme": "ed25519", "public_key": base64.b64encode(public).decode()}
    request = urllib.request.Request(base + "/enrol", json.dumps(body).encode(), {"content-type": "application/json"})
    urllib.request.urlopen(request, timeout=10).close()


def sign(file, words):
    with tempfile.NamedTemporaryFile() as message:
        message.write(words.encode())
        message.flush()
        signature = openssl("pkeyutl", "-sign", "-inkey", file, "-rawin", "-in", message.name)
    return base64.b64encode(signature).decode()


class Link:
    """A WebSocket, as little of it as a terminal needs (RFC 6455)."""

    def __init__(self, address, path):
        url = urllib.parse.urlsplit(address)
        port = url.port or (443 if url.scheme == "https" else 80)
        self._socket = socket.create_connection((url.hostname, port), timeout=10)
        if url.scheme == "https":
            self._socket = ssl.create_default_context().wrap_socket(self._socket, server_hostname=url.hostname)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: {url.netloc}", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"]
        self._socket.sendall("\r\n".join(lines).encode())
        self._file = self._socket.makefile("rb")
        if b" 101 " not in self._file.readline():
            raise OSError("no feed")
        while self._file.readline().strip():
            pass

    def say(self, message, opcode=1):
        payload = message if isinstance(message, bytes) else json.dumps(message).encode()
        size, mask = len(payload), os.urandom(4)
        head = struct.pack("!BB", 0x80 | opcode, 0x80 | min(size, 126)) + struct.pack("!H", size)[: 2 * (size > 125)]
        self._socket.sendall(head + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload)))

    def _exactly(self, size):
        data = self._file.read(size)
        if data is None or len(data) < size:
            raise OSError("the link ended")
        return data

    def hear(self):
        while True:
            first, size = self._exactly(2)
            size &= 0x7F
            if size > 125:
                size = struct.unpack("!H" if size == 126 else "!Q", self._exactly(2 if size == 126 else 8))[0]
            payload = self._exactly(size)
            if first & 15 == 9:
                self.say(payload, opcode=10)
            elif first & 15 == 1:
                return json.loads(payload)


class Cabinet:
    def __init__(self, terminal, file):
        self.terminal, self.file = terminal, file
        self.orders, self.ended = queue.Queue(), False
        self.view, self.cursor, self.number, self.link = {}, None, 0, None
        self.unanswered, self.shown, self.asked = {}, None, None

    def read(self):
        for line in sys.stdin:
            self.orders.put(line.split())
        self.ended = True

    def send(self, type, **fields):
        message = {"type": type, "number": self.number, **fields}
        self.number += 1
        self.unanswered[message["number"]] = message
        self.link.say(message)

    def play(self, address, path):
        """One link, until it is lost; true when there is nothing left to do."""
        self.link = Link(address, path)
        while True:
            message = self.link.hear()
            getattr(self, "on_" + message["type"], lambda _: None)(message)
            if self.view and not self.unanswered and not self.doubt() and not self.next() and self.ended:
                return True

    def on_challenge(self, message):
        # The words say what for: a signature for one terminal is none for another.
        words = f"croupier:terminal:{self.terminal}:{message['nonce']}"
        self.link.say({"type": "hello", "proof": sign(self.file, words), "cursor": self.cursor})

    def on_snapshot(self, message):
        self.view, self.asked = {}, None
        self.number = max(self.number, message["next_number"])
        for old in sorted(self.unanswered):
            self.link.say(self.unanswered[old])
        self.on_update(message)

    def on_update(self, message):
        self.cursor = message["cursor"]
        self.view.update(message["view"])
        # The close takes effect when every terminal shows it, and says so (D12).
        for event in message["events"]:
            if event["kind"] == "bets_closed":
                print("no more bets", flush=True)
                self.send("acknowledge", round=event["round"])
        shown = "credit {credit}, bets {staked}".format(**self.view["own"])
        if shown != self.shown:
            print(shown, flush=True)
        self.shown = shown

    def on_answer(self, message):
        sent = self.unanswered.pop(message["number"], {"type": "?"})
        error, slip = message.get("error"), message.get("ticket")
        if error and sent["type"] != "acknowledge":
            print(f"{sent['type']} refused: {error['code']} ({error['rule']})", error["message"]["en"], flush=True)
        if slip:
            # A real cabinet says `printed` only when its printer has reported it, and `print_failed` otherwise.
            print(f"ticket {slip['number']} of {slip['amount']}", flush=True)
            self.send("printed", ticket=slip["id"])

    def on_bye(self, message):
        raise OSError(message["reason"])

    def doubt(self):
        """Asks once for the print job of a ticket that no printer has reported yet."""
        doubt = self.view["own"]["doubt"]
        if doubt and self.asked != doubt["ticket"]:
            self.asked = doubt["ticket"]
            self.send("print_job")
        return doubt

    def next(self):
        """Sends the next order, if there is one and the terminal can do it now."""
        if self.orders.empty() or not self.view["own"]["usable"]:
            return not self.orders.empty()
        what, *rest = self.orders.queue[0]
        if what in ("bet", "clear", "repeat") and (self.view["round"] or {}).get("phase") != "open":
            return True
        self.orders.get()
        if what == "bet":
            self.send("bet", changes=[dict(zip(("add", "amount"), one.split("="))) for one in rest])
        elif what == "ticket":
            self.send("ticket_in", ticket=rest[0])
        else:
            self.send(what.replace("-", "_"))
        return True


address, floor, terminal, file, *code = sys.argv[1:]
path = f"/api/v1/floors/{floor}"
if code:
    enrol(address + path, file, code[0])
cabinet = Cabinet(terminal, file)
threading.Thread(target=cabinet.read, daemon=True).start()
while True:
    try:
        if cabinet.play(address, f"{path}/feed/terminal/{terminal}"):
            break
    except OSError as lost:
        print(f"no link: {lost}", flush=True)
        time.sleep(0.5)

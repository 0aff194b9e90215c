#!/usr/bin/env node
// A terminal: enrols an Ed25519 key with a one-time code, proves it over the feed, and bets when bets are open.
//
//   terminal.mjs http://127.0.0.1:8080 main TERMINAL KEYFILE SPOT=AMOUNT [CODE]
//
// With CODE, which two people make in the administration, it makes a key, enrols the public half and keeps the other half
// in KEYFILE, readable by its owner alone. Afterwards it comes back with that file and no code. It waits until there is
// credit and bets are open, places one bet and ends when the bet is durable. Nothing but Node 20 is used.

import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { request as plain } from 'node:http';
import { request as secure } from 'node:https';

const [address, floor, terminal, file, bet, code] = process.argv.slice(2);
const base = `${address}/api/v1/floors/${floor}`;
const [spot, amount] = bet.split('=');

const key = code ? await enrol() : createPrivateKey(readFileSync(file));

async function enrol() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  // Kept first: an enrolled key that is lost would take another code.
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  const raw = publicKey.export({ format: 'jwk' }).x;
  const body = { code, scheme: 'ed25519', public_key: Buffer.from(raw, 'base64url').toString('base64') };
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${base}/enrol`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) fail((await answer.json()).error);
  return privateKey;
}

function fail(error) {
  console.error(`${error.code} (${error.rule}): ${error.message.en}`);
  process.exit(1);
}

// ---- the feed: a WebSocket, as little of it as a client needs

const open = address.startsWith('https') ? secure : plain;
const asked = open(`${base}/feed/terminal/${terminal}`, {
  headers: {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': 13,
    'sec-websocket-key': randomBytes(16).toString('base64'),
  },
});
asked.on('response', (answer) => {
  console.error(`no feed: ${answer.statusCode}`);
  process.exit(1);
});
asked.on('upgrade', (_, socket, first) => {
  const send = (opcode, payload) => socket.write(frame(opcode, payload));
  const say = (message) => send(1, Buffer.from(JSON.stringify(message)));
  const seat = new Seat(say);
  let inbox = first;
  const take = (bytes) => {
    inbox = Buffer.concat([inbox, bytes]);
    for (let whole = read(inbox); whole; whole = read(inbox)) {
      inbox = inbox.subarray(whole.length);
      if (whole.opcode === 1) seat.hear(JSON.parse(whole.payload.toString()));
      else if (whole.opcode === 9) send(10, whole.payload);
    }
  };
  socket.on('data', take);
  socket.on('close', () => process.exit(seat.done ? 0 : 1));
  take(Buffer.alloc(0));
});
asked.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
asked.end();

/** A frame of a client, which is masked (RFC 6455, 5.2). Messages here are short. */
function frame(opcode, payload) {
  const mask = randomBytes(4);
  const long = payload.length > 125;
  const head = Buffer.from([0x80 | opcode, 0x80 | (long ? 126 : payload.length), ...(long ? [payload.length >> 8, payload.length & 255] : [])]);
  return Buffer.concat([head, mask, payload.map((byte, at) => byte ^ mask[at % 4])]);
}

/** The first whole frame of the host. */
function read(bytes) {
  if (bytes.length < 2) return null;
  const short = bytes[1] & 0x7f;
  const start = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < start) return null;
  const size = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  if (bytes.length < start + size) return null;
  return { opcode: bytes[0] & 0x0f, payload: bytes.subarray(start, start + size), length: start + size };
}

// ---- the terminal

class Seat {
  view = {};
  number = 0;
  sent = 0;
  done = false;

  constructor(say) {
    this.say = say;
  }

  hear(message) {
    switch (message.type) {
      case 'challenge': {
        // The words say what for: a signature for one terminal is none for another.
        const words = `croupier:terminal:${terminal}:${message.nonce}`;
        this.say({ type: 'hello', proof: sign(null, Buffer.from(words), key).toString('base64') });
        return;
      }
      case 'snapshot':
        this.number = message.next_number;
        console.log(`connected, credit ${message.view.own.credit}`);
      // What has changed is put over the sections of the same name.
      // falls through
      case 'update':
        Object.assign(this.view, message.view);
        this.acknowledge(message.events);
        this.bet();
        return;
      case 'answer':
        this.answered(message);
        return;
      case 'bye':
        console.error(`the host ended the feed: ${message.reason}`);
        process.exit(1);
    }
  }

  /** The close takes effect when every terminal shows it, and says so (D12). */
  acknowledge(events) {
    for (const { kind, round } of events)
      if (kind === 'bets_closed') this.say({ type: 'acknowledge', number: this.number++, round });
  }

  bet() {
    const { round, own } = this.view;
    if (this.sent || round?.phase !== 'open' || Number(own?.credit ?? 0) < Number(amount)) return;
    this.sent = this.number++;
    this.say({ type: 'bet', number: this.sent, changes: [{ add: spot, amount }] });
  }

  answered({ number, accepted, error }) {
    if (number !== this.sent) return;
    if (error) fail(error);
    console.log(`${spot}=${amount} is accepted as record ${accepted}`);
    this.done = true;
    process.exit(0);
  }
}

// The key of a terminal. The browser makes the pair itself and keeps the secret half where no script can read it: a
// non-extractable WebCrypto key in IndexedDB. Only the public half is enrolled. Keys of an earlier version, text in
// localStorage, are used until the terminal is enrolled again.

import { fromBase64, prove, toBase64 } from './feed';

/** Signs words as the holder of a key, in base64. */
export type Sign = (words: string) => Promise<string>;

export type Scheme = 'ed25519' | 'p256';
/** What is sent to enrol a key. */
export type Public = { scheme: Scheme; public_key: string };

type Kept = { scheme: Scheme; secret: CryptoKey };

const database = 'croupier';
const store = 'keys';
const p256 = { name: 'ECDSA', namedCurve: 'P-256' };

/** Whether this page may make keys at all: over TLS or on this machine. */
export const canMakeKeys = (): boolean => globalThis.isSecureContext === true && 'subtle' in crypto;

/** A new pair; it is kept once the host has enrolled it. */
export async function makeKey(): Promise<{ enrol: Public; keep: (name: string) => Promise<Sign> }> {
  const { scheme, pair } = await generate();
  const raw = await crypto.subtle.exportKey('raw', pair.publicKey);
  const kept: Kept = { scheme, secret: pair.privateKey };
  return {
    enrol: { scheme, public_key: toBase64(new Uint8Array(raw)) },
    keep: async (name) => {
      await write(name, kept);
      localStorage.removeItem(name);
      return signer(kept);
    },
  };
}

/** The key under a name, if there is one. */
export async function findKey(name: string): Promise<Sign | null> {
  const kept = canMakeKeys() ? await read(name) : undefined;
  if (kept) return signer(kept);
  const old = localStorage.getItem(name);
  return old === null || !canMakeKeys() ? null : (words) => prove(fromBase64(old), words);
}

export async function forgetKey(name: string): Promise<void> {
  localStorage.removeItem(name);
  if (canMakeKeys()) await within('readwrite', (keys) => keys.delete(name));
}

/** Ed25519 where the browser has it, else P-256. */
async function generate(): Promise<{ scheme: Scheme; pair: CryptoKeyPair }> {
  try {
    const pair = await crypto.subtle.generateKey({ name: 'Ed25519' }, false, ['sign', 'verify']);
    return { scheme: 'ed25519', pair: pair as CryptoKeyPair };
  } catch {
    return { scheme: 'p256', pair: await crypto.subtle.generateKey(p256, false, ['sign', 'verify']) };
  }
}

function signer({ scheme, secret }: Kept): Sign {
  const how = scheme === 'ed25519' ? { name: 'Ed25519' } : { name: 'ECDSA', hash: 'SHA-256' };
  return async (words) =>
    toBase64(new Uint8Array(await crypto.subtle.sign(how, secret, new TextEncoder().encode(words))));
}

const read = (name: string) => within<Kept | undefined>('readonly', (keys) => keys.get(name));
const write = (name: string, kept: Kept) => within('readwrite', (keys) => keys.put(kept, name));

async function within<T>(mode: IDBTransactionMode, ask: (keys: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const open = indexedDB.open(database, 1);
  open.onupgradeneeded = () => open.result.createObjectStore(store);
  const opened = await answer(open);
  try {
    return await answer(ask(opened.transaction(store, mode).objectStore(store)));
  } finally {
    opened.close();
  }
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('IndexedDB failed'));
  });
}

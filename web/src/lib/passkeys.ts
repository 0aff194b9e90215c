// Passkeys of staff: what the browser's authenticator is asked for, and what is sent to the host.

import type { Api } from './api';
import type { Assertion, PasskeyChallenge, Registration } from './contract';

/** Passkeys belong to a name: browsers refuse them on a page whose address is a number. */
export const isNamed = (host: string): boolean => !/^[\d.]+$/.test(host) && !host.startsWith('[');

export const canUsePasskeys = (): boolean =>
  globalThis.isSecureContext === true &&
  typeof globalThis.PublicKeyCredential === 'function' &&
  isNamed(globalThis.location.hostname);

type Purpose = 'sign_in' | 'add';

const ask = (api: Api, purpose: Purpose) =>
  api.post<PasskeyChallenge>('/session/passkeys/challenge', { purpose });

/** Has a passkey sign in. */
export async function signsIn(api: Api): Promise<Assertion> {
  return answered(await ask(api, 'sign_in'));
}

/** A passkey's answer to a challenge. */
export async function answered({ challenge, domain }: PasskeyChallenge): Promise<Assertion> {
  const found = await navigator.credentials.get({
    publicKey: { challenge: decode(challenge), rpId: domain, userVerification: 'required', timeout: 110_000 },
  });
  const { id, response } = found as PublicKeyCredential & { response: AuthenticatorAssertionResponse };
  return {
    id,
    client_data: encode(response.clientDataJSON),
    authenticator_data: encode(response.authenticatorData),
    signature: encode(response.signature),
  };
}

/** Makes a passkey for the person who is signed in. */
export async function make(api: Api, name: string): Promise<Registration> {
  const { challenge, domain, known, user, login } = await ask(api, 'add');
  const made = await navigator.credentials.create({
    publicKey: {
      challenge: decode(challenge),
      rp: { id: domain, name: 'Croupier' },
      user: { id: decode(user ?? ''), name: login ?? name, displayName: name },
      // ES256 and Ed25519.
      pubKeyCredParams: [
        { type: 'public-key', alg: -7 },
        { type: 'public-key', alg: -8 },
      ],
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      excludeCredentials: known.map((id) => ({ type: 'public-key', id: decode(id) })),
      attestation: 'none',
      timeout: 110_000,
    },
  });
  const { response } = made as PublicKeyCredential & { response: AuthenticatorAttestationResponse };
  return { client_data: encode(response.clientDataJSON), attestation: encode(response.attestationObject) };
}

/** Base64 as in URLs. */
function encode(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

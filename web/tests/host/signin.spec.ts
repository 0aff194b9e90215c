// Signing in with a passkey, a passkey as the second person's signature, and a terminal's key that no script reads. The
// authenticator is Chromium's own virtual one.

import type { CDPSession, Page } from '@playwright/test';
import { expect, ports, sit, test } from './floor';
import { leave, sign } from './hands';

// A passkey belongs to a domain, and an address is none.
const at = (path: string) => `http://localhost:${ports}${path}`;

async function authenticator(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return session;
}

async function signIn(page: Page, login: string, path: string): Promise<void> {
  await page.goto(at(path));
  await page.getByLabel('Login').fill(login);
  await page.getByLabel('Password').fill('demonstration');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByLabel('Name of the passkey').fill(name);
  await page.getByLabel('Your password').fill('demonstration');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await expect(page.getByRole('dialog').getByText(name, { exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
}

test('a person adds a passkey and signs in with it, without login and password', async ({ browser }) => {
  const page = await (await browser.newContext()).newPage();
  await authenticator(page);
  await signIn(page, 'shift1', '/pit');
  await addPasskey(page, 'my phone');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();

  // A further passkey without one of the others, and without a second person, is refused.
  const session = await page.evaluate(async () => {
    const answer = await fetch('/api/v1/floors/demo/session/passkeys', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-croupier': '1' },
      body: JSON.stringify({
        name: 'stolen',
        password: 'demonstration',
        registration: { client_data: '', attestation: '' },
      }),
    });
    return (await answer.json()).error.code as string;
  });
  expect(session).toBe('second_person');
  await page.context().close();
});

test('a lost passkey is replaced and removed by two people', async ({ browser }) => {
  const page = await (await browser.newContext()).newPage();
  const old = await authenticator(page);
  await signIn(page, 'cashier2', '/cage');
  await addPasskey(page, 'the old phone');
  // The phone is gone, and with it what signs.
  await old.send('WebAuthn.disable');
  await authenticator(page);
  await page.getByRole('button', { name: 'Account' }).click();
  const account = page.getByRole('dialog');
  const named = (name: string) => account.getByText(name, { exact: true });
  const add = account.getByRole('button', { name: 'Add a passkey' });
  await account.getByLabel('Name of the passkey').fill('the new phone');
  await account.getByLabel('Your password').fill('demonstration');
  await account.getByRole('checkbox', { name: 'I have lost my passkey' }).check();
  // Neither alone nor with someone who may not confirm it.
  for (const login of [null, 'dealer1']) {
    if (login !== null) await sign(account, login);
    const refused = page.waitForResponse(
      (answer) => answer.url().endsWith('/session/passkeys') && !answer.ok(),
    );
    await add.click();
    await refused;
    await expect(add).toBeEnabled();
    await expect(named('the new phone')).toHaveCount(0);
  }
  await sign(account, 'manager2');
  await add.click();
  await expect(named('the new phone')).toBeVisible();
  // The old one is removed by two people too, and the person's sessions end with it. Whoever has just confirmed a passkey of the
  // person is no independent second person for them (D27).
  await account.getByRole('listitem').filter({ hasText: 'the old phone' }).getByRole('button').click();
  const form = account.locator('li.wide form');
  const removes = async (login: string) => {
    await sign(form, login);
    const answer = page.waitForResponse((answer) => answer.url().endsWith('/remove'));
    await form.getByRole('button', { name: 'Remove' }).click();
    return (await answer).status();
  };
  expect(await removes('manager2')).toBe(403);
  expect(await removes('manager1')).toBe(204);
  // From now on the new one signs in.
  await page.goto(at('/cage'));
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
  await page.getByRole('button', { name: 'Account' }).click();
  await expect(named('the new phone')).toBeVisible();
  await expect(named('the old phone')).toHaveCount(0);
  await page.context().close();
});

test('a passkey signs as the second person, once and for nothing else', async ({ browser }) => {
  const seat = await sit(browser, 17, { credit: 100 });
  const page = await (await browser.newContext()).newPage();
  await authenticator(page);
  await signIn(page, 'supervisor1', '/pit');
  await addPasskey(page, 'the key of the pit');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(page, 'manager1', '/pit');
  const answers = await page.evaluate(async () => {
    const post = async (path: string, body: unknown) => {
      const answer = await fetch(`/api/v1/floors/demo${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-croupier': '1',
          'idempotency-key': String(Date.now() * 1000),
        },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      return text === '' ? {} : JSON.parse(text);
    };
    const plain = (text: string) => atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = (text: string) => Uint8Array.from(plain(text), (letter) => letter.charCodeAt(0));
    const encode = (data: ArrayBuffer) =>
      btoa(String.fromCharCode(...new Uint8Array(data)))
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replace(/=+$/, '');
    // What the second person signs: this request, without the signature.
    const request = new TextEncoder().encode(
      'POST /api/v1/floors/demo/terminals/17/hand-pay\n{"amount":"40.00","witness":{"login":"supervisor1"}}',
    );
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', request));
    const about = [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    const sign = async (purpose: string) => {
      const asked = purpose === 'second' ? { purpose, about } : { purpose };
      const { challenge, domain } = await post('/session/passkeys/challenge', asked);
      const publicKey = {
        challenge: bytes(challenge),
        rpId: domain as string,
        userVerification: 'required' as const,
      };
      const made = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential & {
        response: AuthenticatorAssertionResponse;
      };
      return {
        id: made.id,
        client_data: encode(made.response.clientDataJSON),
        authenticator_data: encode(made.response.authenticatorData),
        signature: encode(made.response.signature),
      };
    };
    const pay = async (passkey: unknown, amount = '40.00') => {
      const witness = { login: 'supervisor1', passkey };
      const answer = await post('/terminals/17/hand-pay', { amount, witness });
      return (answer.error?.code ?? 'accepted') as string;
    };
    const second = await sign('second');
    const session = await post('/session', { passkey: second });
    return [
      session.error?.code,
      await pay(await sign('sign_in')),
      await pay(second, '50.00'),
      await pay(second),
      await pay(second),
    ];
  });
  // Signed as the second person, it opens no session; to sign in, it is no second person; and it is good once, for the request
  // that was signed.
  expect(answers).toEqual(['sign_in', 'sign_in', 'sign_in', 'accepted', 'sign_in']);
  await leave(page, seat);
});

test('a page that cannot keep a key says so and makes none', async ({ browser }) => {
  const page = await (await browser.newContext()).newPage();
  // As a page is that was loaded without TLS from another machine.
  await page.addInitScript(() => {
    Object.defineProperty(globalThis, 'isSecureContext', { value: false });
    Object.defineProperty(crypto, 'subtle', { value: undefined });
  });
  await page.goto(at('/terminal/17'));
  await expect(page.getByText('This page cannot keep a key.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Enrol this terminal' })).toBeDisabled();
  await page.context().close();
});

test('the key of a terminal can be used by its page and read by nothing', async ({ browser }) => {
  const page = await sit(browser, 17);
  const kept = await page.evaluate(async () => {
    const answer = <T>(request: IDBRequest<T>) =>
      new Promise<T>((done, failed) => {
        request.onsuccess = () => done(request.result);
        request.onerror = () => failed(request.error);
      });
    const opened = await answer(indexedDB.open('croupier', 1));
    const { scheme, secret } = await answer(
      opened.transaction('keys').objectStore('keys').get('croupier.key.demo.17'),
    );
    const exported = await crypto.subtle.exportKey('pkcs8', secret).then(
      () => 'exported',
      (error: Error) => error.name,
    );
    return { scheme, extractable: secret.extractable, exported, text: JSON.stringify(localStorage) };
  });
  expect(kept.scheme).toMatch(/^(ed25519|p256)$/);
  expect(kept.extractable).toBe(false);
  expect(kept.exported).toBe('InvalidAccessError');
  expect(kept.text).not.toContain('croupier.key');
  // A reload is not a second terminal.
  await page.reload();
  await page.waitForSelector('.page .layout');
  await page.context().close();
});

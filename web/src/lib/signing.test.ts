import { describe, expect, it } from 'vitest';
import { Api } from './api';
import { answers, standing, subject } from './signing';

type Fake = {
  tagName: string;
  type?: string;
  value?: string;
  checked?: boolean;
  signature?: boolean;
  pressed?: string;
};

/** A place with these controls. */
const place = (controls: Fake[]) => ({
  querySelectorAll: () =>
    controls.map((one) => ({
      ...one,
      closest: (selector: string) => (selector === '[data-signature]' && one.signature ? one : null),
      getAttribute: (name: string) => (name === 'aria-pressed' ? (one.pressed ?? null) : null),
    })),
});

const act: Fake[] = [
  { tagName: 'INPUT', type: 'text', value: '10.00' },
  { tagName: 'SELECT', value: '17' },
  { tagName: 'INPUT', type: 'radio', value: 'pay', checked: true },
  { tagName: 'BUTTON', pressed: 'false' },
  { tagName: 'INPUT', type: 'password', value: '', signature: true },
];
const other = (at: number, change: Partial<Fake>) =>
  act.map((one, index) => (index === at ? { ...one, ...change } : one));

describe('what a second person signs', () => {
  it('changes with the amount, the terminal, the act and what is chosen, and not with the signature', () => {
    const signed = standing(place(act));
    for (const [at, change] of [
      [0, { value: '20000.00' }],
      [1, { value: '18' }],
      [2, { checked: false }],
      [3, { pressed: 'true' }],
    ] as const) {
      expect(standing(place(other(at, change)))).not.toBe(signed);
    }
    expect(standing(place(act.slice(1)))).not.toBe(signed);
    expect(standing(place(other(4, { value: 'secret' })))).toBe(signed);
  });

  it('is one request, whatever the order of its keys, without the signature itself', async () => {
    const body = { amount: '40.00', witness: { login: 'lin', passkey: 'asked' } };
    const path = '/api/v1/floors/demo/terminals/17/hand-pay';
    const signed = await subject('POST', path, body);
    // The host works out the same: crates/host/tests/e2e/attacks/passkeys.rs.
    expect(signed).toBe('4517e90e14cd171aa3e531ec77b7cc65de38aef7a9949c9101b74cdca95d03f9');
    expect(await subject('POST', path, { witness: { password: 'x', login: 'lin' }, amount: '40.00' })).toBe(
      signed,
    );
    expect(await subject('POST', path, { ...body, amount: '40.01' })).not.toBe(signed);
    expect(await subject('POST', path.replace('17', '18'), body)).not.toBe(signed);
    expect(
      await subject('POST', path, { ...body, witness: { login: 'lin', half: 'of a password' } }),
    ).not.toBe(signed);
  });

  it('is over with each answer of the host, also a refusal', async () => {
    let told = 0;
    const listener = () => {
      told += 1;
    };
    answers.add(listener);
    const statuses = [200, 403, 200];
    const api = new Api('demo', async () => new Response('{}', { status: statuses.shift() ?? 200 }));
    await api.post('/cage/sell', { amount: '1.00', witness: { login: 'lin', password: 'x' } });
    expect(told).toBe(1);
    await api
      .post('/cage/sell', { amount: '2.00', witness: { login: 'lin', password: 'x' } })
      .catch(() => {});
    expect(told).toBe(2);
    await api.post('/cage/sell', { amount: '3.00' });
    expect(told).toBe(2);
    answers.delete(listener);
  });
});

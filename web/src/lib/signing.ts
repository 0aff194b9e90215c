// What a second person signs (D15, D27). The signature is for the act as it stands when it is given: whatever changes in the
// dialog or form afterwards, and every answer of the host, takes it back.

/** The second person's passkey is asked for when the act is sent, and signs exactly that. */
export const asked = 'asked';

type Control = {
  tagName: string;
  type?: string;
  value?: string;
  checked?: boolean;
  closest(selector: string): unknown;
  getAttribute(name: string): string | null;
};
type Place = { querySelectorAll(selector: string): Iterable<unknown> };

const states = ['aria-pressed', 'aria-checked', 'aria-selected', 'aria-current'] as const;
const controls = ['input', 'select', 'textarea', ...states.map((state) => `[${state}]`)].join(', ');

/** What is filled in and chosen at a place, but for signatures. */
export function standing(place: Place): string {
  const all = [...place.querySelectorAll(controls)] as Control[];
  const outside = all.filter((one) => !one.closest('[data-signature]'));
  return JSON.stringify(
    outside.map((one) => [
      one.tagName,
      one.type === 'checkbox' || one.type === 'radio' ? one.checked : one.value,
      ...states.map((state) => one.getAttribute(state)),
    ]),
  );
}

/** Told when the host has answered what a second person signed. */
export const answers = new Set<() => void>();

/** Whether a body carries the signature of a second person. */
export const carries = (body: unknown): boolean =>
  (body as { witness?: unknown } | undefined)?.witness != null;

/** What a passkey signs for: this request without its signature, with its keys in order and without blanks. */
export async function subject(method: string, path: string, body: unknown): Promise<string> {
  const { existing: _, ...plain } = JSON.parse(JSON.stringify(body ?? {})) as Record<string, unknown>;
  if (plain.witness) {
    const { password: _password, passkey: _passkey, ...rest } = plain.witness as Record<string, unknown>;
    plain.witness = rest;
  }
  const text = new TextEncoder().encode(`${method} ${path}\n${ordered(plain)}`);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  return [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function ordered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(ordered).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${ordered((value as Record<string, unknown>)[key])}`).join(',')}}`;
}

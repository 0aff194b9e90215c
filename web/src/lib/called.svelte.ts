// What a second person is called for, in the reader's language (D28), and what its number stands for by name.
import { host } from './host.svelte';
import { t } from './i18n/index.svelte';
import { formatMoney, typed } from './money';
import type { components } from './openapi';

type Call = components['schemas']['CallRow'];
/** Devices and people of the page, by number; terminals are known to every page. */
export type Names = {
  devices?: readonly { id: number; name: string }[];
  people?: readonly { id: number; name: string }[];
};
const SUBJECTS = [
  'round',
  'terminal',
  'position',
  'ticket',
  'payable',
  'drawer',
  'device',
  'person',
] as const;

/** What a seat, device or person is called; null where it has no name here. */
export function nameOf(kind: string, id: number, names: Names = {}): string | null {
  const lists: Record<string, readonly { id: number; name: string }[] | undefined> = {
    terminal: host.info?.terminals,
    device: names.devices,
    person: names.people,
  };
  return lists[kind]?.find((one) => one.id === id)?.name ?? null;
}

export function calledFor(call: Call, names: Names = {}): string {
  if (!call.act) return t('pit.calls.nothing');
  const kind = SUBJECTS.find((one) => one === call.subject_kind);
  const parts = [t(`joint.${call.act}`)];
  if (kind && call.subject != null)
    parts.push(nameOf(kind, call.subject, names) ?? `${t(`joint.subject.${kind}`)} ${call.subject}`);
  if (call.amount != null) {
    const most = typed(call.amount);
    parts.push(t('pit.calls.most', { amount: most === null ? call.amount : formatMoney(most) }));
  }
  return parts.join(', ');
}

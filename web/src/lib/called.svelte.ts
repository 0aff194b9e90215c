// What a second person is called for, in the reader's language (D28).
import { t } from './i18n/index.svelte';
import type { components } from './openapi';

type Call = components['schemas']['CallRow'];
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

export function calledFor(call: Call): string {
  if (!call.act) return t('pit.calls.nothing');
  const kind = SUBJECTS.find((one) => one === call.subject_kind);
  const parts = [t(`joint.${call.act}`)];
  if (kind && call.subject != null) parts.push(`${t(`joint.subject.${kind}`)} ${call.subject}`);
  if (call.amount != null) parts.push(t('pit.calls.most', { amount: call.amount }));
  return parts.join(', ');
}

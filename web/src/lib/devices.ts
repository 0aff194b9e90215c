// What the pages say of a tumbler or wheel: what it measures, and its service (D19).

import type { Device } from './contract';
import { type Key, words as spoken, t } from './i18n/index.svelte';
import { formatMoment } from './time';

/** What can be measured by each kind of device. */
export const measurable = (kind: Device['kind']): (keyof Device['measures'])[] =>
  kind === 'wheel' ? ['times', 'direction', 'reads'] : ['times', 'cover', 'flat', 'reads'];

export const measureName = (kind: Device['kind'], what: keyof Device['measures']): string =>
  t(
    what === 'times'
      ? kind === 'wheel'
        ? 'console.measures.revolutions'
        : 'console.measures.tumbles'
      : (`console.measures.${what}` as Key),
  );

/** In words; the dealer affirms the rest. */
export function measured(device: Device): string {
  const found = measurable(device.kind).filter((what) => device.measures[what]);
  return found.map((what) => measureName(device.kind, what)).join(', ') || t('console.measures.nothing');
}

/** Who changed the service of the device or of its reading, when and why. */
export function changes(device: Device): string[] {
  return ([device.service, device.reading] as const).flatMap((one, place) => {
    if (!one.since || !one.reason) return [];
    const who = [one.by?.name, one.witness?.name].filter(Boolean).join(' + ');
    const part = t(place === 0 ? 'console.measures.device' : 'console.measures.reading');
    const words = t(one.in_service ? 'console.service.since.back' : 'console.service.since.out', {
      what: part,
      when: formatMoment(one.since, spoken.language),
      who,
    });
    return [`${words} ${one.reason}`];
  });
}

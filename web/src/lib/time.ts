// Every screen shows Singapore time, whatever the machine is set to.

import type { Language } from './i18n/languages';

const zone = 'Asia/Singapore';
const clock = new Intl.DateTimeFormat('en-GB', {
  timeZone: zone,
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const day = new Intl.DateTimeFormat('en-GB', {
  timeZone: zone,
  day: '2-digit',
  month: 'short',
  year: 'numeric',
});
const dayZh = new Intl.DateTimeFormat('zh-CN', {
  timeZone: zone,
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});

export function formatClock(moment: number): string {
  return clock.format(moment);
}

export function formatDay(moment: number, language: Language = 'en'): string {
  return (language === 'en' ? day : dayZh).format(moment);
}

export function formatMoment(moment: number, language: Language = 'en'): string {
  return `${formatDay(moment, language)} ${formatClock(moment)}`;
}

/** Whole seconds still to go, never negative; the last second reads 1. */
export function secondsLeft(until: number | null, now: number): number {
  if (until === null) return 0;
  return Math.max(0, Math.ceil((until - now) / 1000));
}

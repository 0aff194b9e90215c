// What a player is told of the cabinet around the page. The rest is for staff, and on the technician's list.

import type { CabinetEvent } from './contract';
import { t } from './i18n/index.svelte';
import { cents, formatMoney } from './money';
import type { Toast } from './toasts.svelte';

export function cabinetWords({ kind, about }: CabinetEvent): Pick<Toast, 'tone' | 'words'> | null {
  const amount = formatMoney(cents(about));
  switch (kind) {
    case 'note_credited':
      return { tone: 'good', words: t('cabinet.credited', { amount }) };
    case 'returned':
      return { tone: 'note', words: t('cabinet.returned') };
    case 'ticket_taken':
      return { tone: 'good', words: t('cabinet.taken') };
    case 'note_held':
    case 'note_unaccounted':
    case 'note_unexplained':
      return { tone: 'bad', words: t('cabinet.note.staff') };
    case 'ticket_doubtful':
    case 'printer_jam':
    case 'printer_lost':
      return { tone: 'bad', words: t('cabinet.printer.staff') };
    case 'attendant':
      return { tone: 'note', words: t('cabinet.attendant') };
    default:
      return null;
  }
}

// The acts of two people for which a second person is called (D28), with what their number stands for and whether they move
// money. The round in progress needs no number.
import { typed, wire } from './money';
import type { components } from './openapi';

export type JointAct = components['schemas']['JointActName'];
export type Subject =
  | 'round'
  | 'terminal'
  | 'position'
  | 'ticket'
  | 'payable'
  | 'drawer'
  | 'device'
  | 'person';
export type JointActRow = {
  act: JointAct;
  subject: Subject | null;
  money: 'never' | 'perhaps' | 'always';
  /** Whether it is done at a table. */
  table: boolean;
};

export const JOINT_ACTS: readonly JointActRow[] = [
  { act: 'enter_result', subject: null, money: 'never', table: true },
  { act: 'confirm_result', subject: null, money: 'never', table: true },
  { act: 'declare_ground', subject: null, money: 'never', table: true },
  { act: 'dismiss_ground', subject: null, money: 'never', table: true },
  { act: 'attest', subject: null, money: 'never', table: true },
  { act: 'keep_first_outcome', subject: null, money: 'never', table: true },
  { act: 'take_chips', subject: null, money: 'never', table: true },
  { act: 'remove_chips', subject: null, money: 'never', table: true },
  { act: 'choose_outcome', subject: 'round', money: 'never', table: true },
  { act: 'void_by_decision', subject: 'round', money: 'perhaps', table: true },
  { act: 'void_rounds', subject: 'round', money: 'perhaps', table: true },
  { act: 'void_range', subject: 'round', money: 'perhaps', table: true },
  { act: 'correct_range', subject: 'round', money: 'perhaps', table: true },
  { act: 'correct_result', subject: 'round', money: 'perhaps', table: true },
  { act: 'correct_record', subject: 'round', money: 'perhaps', table: true },
  { act: 'pay_by_decision', subject: 'terminal', money: 'always', table: true },
  { act: 'take_back_by_decision', subject: 'terminal', money: 'always', table: true },
  { act: 'pay_chips_by_decision', subject: 'position', money: 'always', table: true },
  { act: 'claim_chips_by_decision', subject: 'position', money: 'always', table: true },
  { act: 'attendant_in', subject: 'terminal', money: 'always', table: true },
  { act: 'attendant_pay', subject: 'terminal', money: 'always', table: true },
  { act: 'pay_by_hand', subject: 'payable', money: 'always', table: true },
  { act: 'pay_correction', subject: 'payable', money: 'always', table: false },
  { act: 'record_recovered', subject: 'round', money: 'always', table: true },
  { act: 'resolve_ticket', subject: 'ticket', money: 'always', table: true },
  { act: 'reprint_ticket', subject: 'ticket', money: 'always', table: true },
  { act: 'sell_ticket', subject: null, money: 'always', table: false },
  { act: 'redeem_ticket', subject: null, money: 'always', table: false },
  { act: 'opener', subject: null, money: 'always', table: true },
  { act: 'fill', subject: null, money: 'always', table: true },
  { act: 'table_credit', subject: null, money: 'always', table: true },
  { act: 'closer', subject: null, money: 'always', table: true },
  { act: 'drop', subject: null, money: 'always', table: true },
  { act: 'sell_chips', subject: null, money: 'always', table: true },
  { act: 'exchange_chips', subject: null, money: 'always', table: true },
  { act: 'open_drawer', subject: null, money: 'perhaps', table: false },
  { act: 'count_drawer', subject: null, money: 'never', table: false },
  { act: 'close_drawer', subject: null, money: 'perhaps', table: false },
  { act: 'move_drawer', subject: null, money: 'always', table: false },
  { act: 'hand_over_drawer', subject: null, money: 'never', table: false },
  { act: 'serve_drawer', subject: 'drawer', money: 'perhaps', table: false },
  { act: 'take_out_of_service', subject: 'device', money: 'never', table: true },
  { act: 'put_back_in_service', subject: 'device', money: 'never', table: true },
  { act: 'describe_device', subject: 'device', money: 'never', table: true },
  { act: 'add_device', subject: null, money: 'never', table: false },
  { act: 'move_device', subject: 'device', money: 'never', table: true },
  { act: 'add_table', subject: null, money: 'never', table: false },
  { act: 'pin_rulebook', subject: null, money: 'never', table: true },
  { act: 'change_settings', subject: null, money: 'never', table: true },
  { act: 'install_rulebook', subject: null, money: 'never', table: false },
  { act: 'raise_power', subject: null, money: 'never', table: false },
  { act: 'set_thresholds', subject: null, money: 'never', table: false },
  { act: 'add_staff', subject: null, money: 'never', table: false },
  { act: 'change_staff', subject: 'person', money: 'never', table: false },
  { act: 'assign_acting', subject: 'person', money: 'never', table: false },
  { act: 'seal_codes', subject: null, money: 'never', table: false },
  { act: 'accept_loss', subject: null, money: 'never', table: false },
  { act: 'accept_clock', subject: null, money: 'never', table: false },
  { act: 'accept_program', subject: null, money: 'never', table: false },
  { act: 'approve_program', subject: null, money: 'never', table: false },
  { act: 'set_recording_period', subject: null, money: 'never', table: true },
  { act: 'pay_expired', subject: 'ticket', money: 'always', table: false },
];

/** What the host is told: the act, the number of what it is about and the most it may move. */
export function purpose(row: JointActRow, subject: string, amount: string) {
  const number = row.subject !== null && subject.trim() !== '' ? Number(subject) : undefined;
  const cents = row.money === 'never' ? null : typed(amount);
  const most = cents === null ? undefined : wire(cents);
  return {
    act: row.act,
    ...(number === undefined ? {} : { subject: number }),
    ...(most === undefined ? {} : { amount: most }),
  };
}

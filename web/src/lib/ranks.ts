// Ranks of the pit (D11). The host decides what a person may do; here it is only which buttons are of no use to them.

import type { Post, Session } from './contract';

const ranks: readonly Post[] = ['dealer', 'pit_supervisor', 'pit_manager', 'shift_manager', 'casino_manager'];

/** What a person serves as now. */
export const postOf = (session: Session): Post => session.acting ?? session.post;

/** Whether a person has at least this rank of the pit. An auditor, a cashier and an administrator have none. */
export function reaches(session: Session, rank: Post): boolean {
  const own = ranks.indexOf(postOf(session));
  return own >= 0 && own >= ranks.indexOf(rank);
}

/** Whether one rank of the pit is above another. */
export const higher = (one: string, other: string): boolean =>
  ranks.indexOf(one as Post) > ranks.indexOf(other as Post);

/** Whether a person only looks on. */
export const looksOn = (session: Session): boolean => postOf(session) === 'auditor';

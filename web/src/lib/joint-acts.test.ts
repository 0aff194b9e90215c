import { describe, expect, it } from 'vitest';
import { JOINT_ACTS, purpose } from './joint-acts';

describe('what a second person is called for (D28)', () => {
  const row = (act: string) => {
    const found = JOINT_ACTS.find((one) => one.act === act);
    if (!found) throw new Error(act);
    return found;
  };

  it('names the act, the number and the most it may move', () => {
    expect(purpose(row('attendant_in'), '3', '10')).toEqual({
      act: 'attendant_in',
      subject: 3,
      amount: '10.00',
    });
  });

  it('says nothing of what the act has not', () => {
    expect(purpose(row('attest'), '3', '10')).toEqual({ act: 'attest' });
    expect(purpose(row('void_by_decision'), '7', '')).toEqual({ act: 'void_by_decision', subject: 7 });
  });

  it('takes amounts strictly: what is no amount is none, never another one', () => {
    expect(purpose(row('attendant_in'), '3', '1,500.5')).toMatchObject({ amount: '1500.50' });
    for (const wrong of ['2,50', 'abc', '1e3', '-5'])
      expect(purpose(row('attendant_in'), '3', wrong)).toEqual({ act: 'attendant_in', subject: 3 });
  });

  it('has every act once', () => {
    expect(new Set(JOINT_ACTS.map((one) => one.act)).size).toBe(JOINT_ACTS.length);
  });
});

// A bet touched while the link is broken: it stays visibly unregistered, and is placed or dropped by the player; never later by
// itself (D14).
import {
  dealAt,
  expect,
  next,
  notice,
  Person,
  record,
  roundOf,
  sit,
  staked,
  tables,
  test,
  touch,
} from './floor';
import { cable, credit, leave, lost } from './hands';

test('a bet that did not reach the host is asked about on return, and placed or dropped', async ({
  browser,
  manager,
}) => {
  const console = await dealAt(browser, tables.sicbo);
  const player = await sit(browser, 28, { credit: 100 });
  const link = await cable(player);
  const ask = player.getByRole('alertdialog', { name: 'Bets not registered' });
  const registered = async () => {
    const floor = await manager.get<{ credit: string }>('/reports/terminal/28');
    return floor.credit;
  };
  const breaks = async (spot: string, away: () => void) => {
    away();
    await touch(player, spot);
    await expect(lost(player)).toBeVisible({ timeout: 10_000 });
  };
  const returns = async () => {
    link.there = link.back = true;
    await expect(lost(player)).toHaveCount(0, { timeout: 30_000 });
  };
  const gone = () => {
    link.there = link.back = false;
  };
  await next(console, 'Open bets');
  const round = await roundOf(console);
  await expect(notice(player)).toHaveText(/place your bets/i);

  // Nothing went there: the player is asked, and places it.
  await breaks('big', gone);
  expect(await registered()).toBe('100.00');
  await returns();
  await expect(ask).toContainText('Big 5');
  await staked(player, '0.00');
  expect(await registered()).toBe('100.00');
  await ask.getByRole('button', { name: 'Place them' }).click();
  await expect(ask).toHaveCount(0);
  await staked(player, '5.00');
  await expect.poll(registered).toBe('95.00');

  // The same, and the player drops it.
  await breaks('small', gone);
  await returns();
  await expect(ask).toContainText('Small 5');
  await ask.getByRole('button', { name: 'Drop them' }).click();
  await expect(ask).toHaveCount(0);
  await staked(player, '5.00');

  // It went there and only the answer was lost: it is registered, and nothing is asked.
  await breaks('odd', () => {
    link.back = false;
  });
  expect(link.heard).toBeGreaterThan(0);
  await returns();
  await expect(player.getByText(/Registered: .*Odd.* 5/)).toBeVisible();
  await expect(player.getByText(/Registered: .*Odd.* 5/)).toHaveCount(0, { timeout: 12_000 });
  await expect(ask).toHaveCount(0);
  await staked(player, '10.00');

  // Bets are closed meanwhile: it is dropped, and said so.
  await breaks('even', gone);
  const dealer = await Person.signIn('dealer3');
  await dealer.post(`/tables/${tables.sicbo}/close-bets`);
  await returns();
  await expect(player.getByText(/[Nn]ot registered.*Even/)).toBeVisible();
  await expect(ask).toHaveCount(0);
  await dealer.post(`/tables/${tables.sicbo}/void`, { ground: 'dice-damaged' });
  const whole = await record(manager, round, (found) => found.round.status === 'void');
  const own = whole.players.find((one) => one.terminal === 28)!;
  expect(own.bets.map((bet) => `${bet.spot}=${bet.stake}`).sort()).toEqual(['big=5.00', 'odd=5.00']);
  await expect(credit(player)).toHaveText('100.00');
  await dealer.http.dispose();
  await leave(console, player);
});

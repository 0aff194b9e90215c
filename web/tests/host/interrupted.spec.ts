// What the pit does about a table's round from its own page, without a step to the console: it reports an interruption and
// attests it, and it declares a ground of the document (D21, D22, D23).
import {
  deal,
  dealAt,
  expect,
  next,
  notice,
  record,
  roundOf,
  sit,
  staff,
  staked,
  tables,
  test,
  touch,
} from './floor';
import { about, credit, leave, sign } from './hands';

const name = 'Sic Bo (Open Cover)';

test('the pit reports an interruption and attests it, and declares a ground before and after the dice can be seen', async ({
  browser,
  manager,
}) => {
  const console = await dealAt(browser, tables.open);
  const player = await sit(browser, 53, { credit: 50 });
  const pit = await staff(browser, 'manager2', '/pit');
  const dialog = pit.getByRole('dialog');
  const bet = async () => {
    await next(console, 'Open bets');
    await expect(notice(player)).toHaveText(/place your bets/i);
    await touch(player, 'big');
    await staked(player, '5.00');
    return roundOf(console);
  };
  const report = async (what: string) => {
    await about(pit, name, 'Table');
    await dialog.getByRole('button', { name: 'Report an interruption' }).click();
    await dialog.getByRole('radio', { name: what }).click();
    await dialog.getByRole('button', { name: 'Report', exact: true }).click();
    await expect(dialog).toHaveCount(0);
  };
  const isVoid = async (round: number) => {
    const whole = await record(manager, round, (found) => found.round.status === 'void');
    expect(whole.round.returned).toBe(whole.round.staked);
    await expect(console.locator('.question')).toContainText('Last round: Void');
    await expect(credit(player)).toHaveText('50.00');
    return whole;
  };

  // Terminals alone never stop a round.
  const first = await bet();
  await report('Some terminals');
  await expect(console.getByText('Reported: Some terminals. The round continues.')).toBeVisible();
  await next(console, 'Close bets');
  await report('Power at the table');
  const panel = console.getByRole('heading', { name: 'Technical interruption' });
  await expect(panel).toBeVisible();
  // The card of the table says so, and leads to what the round waits for: the same findings as at the console.
  const card = pit.locator('article').filter({ has: pit.getByText(name, { exact: true }) });
  await card.getByRole('button', { name: 'Decide what the round waits for' }).click();
  const none = dialog.getByRole('listitem').filter({ hasText: 'no outcome established' });
  await expect(none).toContainText('5.1.2');
  await none.getByRole('button', { name: 'Attest' }).click();
  const go = dialog.last().getByRole('button', { name: 'Attest' });
  await expect(go).toBeDisabled();
  await sign(dialog.last(), 'supervisor1');
  await go.click();
  await expect(panel).toHaveCount(0);
  const interrupted = await isVoid(first);
  expect(interrupted.lines.some((line) => line.staff?.includes('manager 2'))).toBe(true);
  for (let left = await dialog.count(); left > 0; left = await dialog.count()) {
    await pit.keyboard.press('Escape');
    await expect(dialog).toHaveCount(left - 1);
  }

  // A ground, while nothing can be seen yet: one person of the pit.
  const second = await bet();
  await about(pit, name, 'Table');
  await dialog.getByRole('button', { name: 'Void this round' }).click();
  await dialog.getByRole('radio', { name: /5\.4/ }).click();
  await expect(dialog.getByRole('group', { name: 'Second person' })).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Void the round' }).click();
  await expect(dialog).toHaveCount(0);
  await isVoid(second);

  // Once the dice can be seen, with a second one.
  const third = await bet();
  await next(console, 'Close bets');
  await deal(console, 'Tumble', false);
  await about(pit, name, 'Table');
  await dialog.getByRole('button', { name: 'Void this round' }).click();
  await dialog.getByRole('radio', { name: /5\.4/ }).click();
  const end = dialog.getByRole('button', { name: 'Void the round' });
  await expect(end).toBeDisabled();
  await sign(dialog.last(), 'supervisor1');
  await end.click();
  await expect(dialog).toHaveCount(0);
  const ground = await isVoid(third);
  expect(ground.lines.some((line) => line.words.includes('5.4'))).toBe(true);
  await leave(console, player, pit);
});

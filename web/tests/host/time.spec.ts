// The clock of the floor is ahead from here on: what is due after half a minute, a quarter of an hour, an hour, a month. The file
// is the last one, as people who signed in before are signed out by then; its tests stand in the order of the time that passes.
import type { Locator, Page } from '@playwright/test';
import { violations } from '../axe';
import { deal, expect, meter, next, notice, settle, sit, staff, tables, test, touch } from './floor';
import {
  about,
  closeShift,
  credit,
  dealing,
  doubts,
  leave,
  openShift,
  prepare,
  printed,
  redeem,
  sign,
} from './hands';

test('a printer says nothing for half a minute: the pit is alerted, and the ticket stays in doubt until it reports', async ({
  browser,
  host,
  manager,
}) => {
  void manager;
  const player = await sit(browser, 41, { credit: 50 });
  await prepare(player);
  const pit = await staff(browser, 'supervisor1', '/pit');
  await expect(doubts(pit, 'Seat 42')).toContainText('50.00');
  const alert = pit.locator('.alert', { hasText: /Ticket \d+ of 50\.00: the printer has not reported/ });
  await expect(alert).toHaveCount(0);
  await host.pass(0.6);
  await expect(alert).toBeVisible();
  await expect(player.locator('.ticket')).toContainText('50.00');
  await player.getByRole('button', { name: 'It was not printed' }).click();
  await expect(player.getByRole('dialog')).toHaveCount(0);
  await expect(credit(player)).toHaveText('50.00');
  await expect(doubts(pit, 'Seat 42')).toHaveCount(0);
  await alert.getByRole('button', { name: 'Acknowledge' }).click();
  await expect(alert).toHaveCount(0);
  await leave(player, pit);
});

test('a free seat invites after a minute, and a touch there bets nothing and shows how to play', async ({
  browser,
  host,
  manager,
}) => {
  void manager;
  const player = await sit(browser, 35, { credit: 0 });
  const invites = player.getByRole('button', { name: 'Touch to play' });
  await expect(invites).toHaveCount(0);
  await host.pass(2);
  await expect(invites).toBeVisible();
  expect(await violations(player)).toEqual([]);
  await invites.click();
  const help = player.getByRole('dialog', { name: 'How to play' });
  await expect(help).toBeVisible();
  expect(await violations(player)).toEqual([]);
  await help.getByRole('button', { name: 'Start' }).click();
  await expect(invites).toHaveCount(0);
  await expect(meter(player, 'Total bet')).toHaveText('0.00');
  await leave(player);
});

test('nobody comes within 15 minutes: the Shift Manager acts alone, and another countersigns', async ({
  browser,
  host,
}) => {
  const why = 'It reports nothing';
  const take = async (pit: Page): Promise<Locator> => {
    const dialog = await about(pit, 'Sic Bo', 'Table');
    await pit.getByRole('button', { name: 'Take out of service' }).click();
    await dialog.last().getByLabel('Reason').fill(why);
    await dialog
      .last()
      .getByRole('checkbox', { name: /I decide alone/ })
      .check();
    await dialog.last().getByRole('button', { name: 'Confirm' }).click();
    return dialog;
  };
  let shift = await staff(browser, 'shift1', '/pit');
  await shift.getByRole('button', { name: 'Call a second person to the pit' }).click();
  const call = shift.getByRole('dialog');
  const go = call.getByRole('button', { name: 'Call a second person' });
  await call.getByLabel('What for').fill(why);
  await expect(go, 'a call is for one act').toBeDisabled();
  await call.getByLabel('For what act').selectOption('take_out_of_service');
  // The words of the acts are part of their own label, and some name a device.
  const device = call.locator('label', { has: shift.locator('span', { hasText: /^Device$/ }) });
  await device.locator('select').selectOption({ label: 'Tumbler 3' });
  await go.click();
  await expect(call).toHaveCount(0);
  await expect(shift.locator('.alert', { hasText: why })).toBeVisible();
  // The call alone is not enough: fifteen minutes have to pass.
  const early = await take(shift);
  await expect(early.last().locator('.toast.bad')).toBeVisible();
  await shift.context().close();

  await host.pass(16);
  shift = await staff(browser, 'shift1', '/pit');
  const dialog = await take(shift);
  // Recorded, and the dialog of the table lies there still.
  await expect(dialog).toHaveCount(1);
  await expect(dialog).toContainText('Out of service');
  await shift.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  const alone = (page: Page) => page.locator('.alert', { hasText: 'shift 1 acted without a second person' });
  await expect(alone(shift)).toBeVisible();
  // It stands until another of that rank has countersigned; who acted cannot, nor one below.
  await alone(shift).getByRole('button', { name: 'Countersign' }).click();
  await expect(shift.locator('.toast.bad')).toBeVisible();
  const below = await staff(browser, 'manager2', '/pit');
  await alone(below).getByRole('button', { name: 'Countersign' }).click();
  await expect(below.locator('.toast.bad')).toBeVisible();
  await expect(alone(shift)).toBeVisible();
  const other = await staff(browser, 'shift2', '/pit');
  await alone(other).getByRole('button', { name: 'Countersign' }).click();
  await expect(alone(other)).toHaveCount(0);
  await expect(alone(shift)).toHaveCount(0);
  await leave(shift, below, other);
});

test('a player’s limit of time only falls, and when it is reached no bet is taken', async ({
  browser,
  host,
  manager,
}) => {
  void manager;
  const player = await sit(browser, 53, { credit: 100 });
  const dialog = player.getByRole('dialog');
  await player.getByRole('button', { name: 'This visit', exact: true }).click();
  await dialog.getByRole('radio', { name: '60 min' }).last().click();
  await expect(dialog.getByRole('radio', { name: '120 min' })).toBeDisabled();
  await player.keyboard.press('Escape');
  await host.pass(61);
  const over = player.getByRole('dialog', { name: 'Time limit' });
  await expect(over).toContainText('no more bets');
  await over.getByRole('button', { name: 'Close' }).last().click();
  const { console } = await dealing(browser, tables.open);
  await expect(notice(player)).toHaveText(/place your bets/i);
  await touch(player, 'big');
  await expect(player.locator('.toast.bad')).toContainText('Your time limit is reached');
  await expect(meter(player, 'Total bet')).toHaveText('0.00');
  // What is there is still the player's.
  await expect(player.getByRole('button', { name: 'Cash out', exact: true })).toBeEnabled();
  await next(console, 'Close bets');
  await deal(console, 'Tumble', false);
  await settle(console);
  await leave(console, player);
});

test('an expired ticket is found by its id and paid by decision of the Shift Manager, with a second person', async ({
  browser,
  host,
}) => {
  await openShift('cashier1', '500.00');
  const cage = await staff(browser, 'cashier1', '/cage');
  await cage.getByLabel('Amount', { exact: true }).fill('75');
  await cage.getByRole('button', { name: 'Sell and print' }).click();
  const number = await printed(cage);
  const id = /Ticket no\. (\d+)/.exec((await cage.locator('.ticket').textContent()) ?? '')![1]!;
  await cage.getByRole('button', { name: 'It is printed' }).click();
  await expect(cage.getByRole('dialog')).toHaveCount(0);
  await cage.context().close();
  await closeShift('cashier1');

  await host.pass(31 * 24 * 60);
  await openShift('cashier2', '500.00');
  const counter = await staff(browser, 'cashier2', '/cage');
  await redeem(counter, number);
  await expect(counter.locator('.refused')).toContainText('expired');
  const section = (page: Page) =>
    page.locator('section').filter({ has: page.getByRole('heading', { name: 'Expired tickets' }) });
  // A Pit Supervisor is not offered it.
  const pit = await staff(browser, 'supervisor1', '/pit');
  await expect(pit.getByRole('heading', { name: 'Staff at tables' })).toBeVisible();
  await expect(section(pit)).toHaveCount(0);
  await pit.context().close();
  const shift = await staff(browser, 'shift1', '/pit');
  const dialog = shift.getByRole('dialog');
  const find = async () => {
    await section(shift).getByLabel('Ticket no.').fill(id);
    await section(shift).getByRole('button', { name: 'Search' }).click();
  };
  await find();
  const go = dialog.getByRole('button', { name: 'Pay the expired ticket' });
  await dialog.getByLabel('Reason').fill('The player was in hospital');
  await expect(go).toBeDisabled();
  // One person never supplies both signatures.
  await sign(dialog, 'shift1');
  await go.click();
  await expect(dialog.locator('.toast.bad')).toBeVisible();
  await sign(dialog, 'supervisor1');
  await go.click();
  await expect(shift.getByRole('alert').filter({ hasText: 'Pay S$ 75.00 to the player' })).toBeVisible();
  await expect(dialog).toHaveCount(0);
  // Once, and neither here nor at the cage again.
  await find();
  await expect(shift.locator('.toast.bad')).toBeVisible();
  await redeem(counter, number);
  await expect(counter.locator('.refused')).toBeVisible();
  await leave(shift, counter);
  await closeShift('cashier2');
});

// A floor that is no demonstration: empty, with the administrator it was made with; and another program on it.
import { appendFileSync, chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { violations } from '../axe';
import { choosePassword, chosen, expect, Host, ports, program, test } from './floor';

async function office(browser: Browser, host: Host, password: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${host.address}/admin`);
  await page.getByLabel('Login').fill('administrator');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
  return page;
}

test('a new floor is empty and says so; another program locks it until two people accept it', async ({
  browser,
}) => {
  const host = new Host('real', ports + 1);
  await host.start();
  try {
    await choosePassword(host, 'administrator');
    await choosePassword(host, 'administrator2');
    const [password, second] = [chosen, chosen];
    const landing = await (await browser.newContext()).newPage();
    await landing.goto(host.address);
    await expect(landing.getByText('No table yet')).toBeVisible();
    await expect(landing.getByText('Demonstration')).toHaveCount(0);
    expect(await violations(landing)).toEqual([]);
    await landing.context().close();

    const before = await office(browser, host, password);
    await before.getByRole('button', { name: 'Add a table' }).click();
    const form = before.getByRole('dialog');
    await form.getByLabel('Name').fill('Table 1');
    await form.getByLabel('Login').fill('administrator2');
    await form.getByLabel('Their password').fill(second);
    await form.getByRole('button', { name: 'Save' }).click();
    await expect(before.getByRole('cell', { name: 'Table 1', exact: true })).toBeVisible();
    await before.context().close();

    // A program that differs by one byte.
    await host.kill();
    const other = join(host.folder, 'croupier');
    copyFileSync(program, other);
    appendFileSync(other, '!');
    chmodSync(other, 0o755);
    await host.start(other);
    const after = await office(browser, host, password);
    await expect(after.getByRole('alert').filter({ hasText: 'locked' })).toBeVisible();
    await after.getByRole('button', { name: 'Add a table' }).click();
    const refused = after.getByRole('dialog');
    await refused.getByLabel('Name').fill('Table 2');
    await refused.getByLabel('Login').fill('administrator2');
    await refused.getByLabel('Their password').fill(second);
    await refused.getByRole('button', { name: 'Save' }).click();
    await expect(refused.locator('.toast.bad')).toContainText('two people must accept it');
    await after.keyboard.press('Escape');
    await after.getByRole('navigation').getByRole('button', { name: 'Health', exact: true }).click();
    await after.getByRole('button', { name: 'Accept the program' }).click();
    const accepting = after.getByRole('dialog');
    await accepting.getByLabel('Login').fill('administrator2');
    await accepting.getByLabel('Their password').fill(second);
    await accepting.getByRole('button', { name: 'Save' }).click();
    await expect(after.locator('.toast.good')).toBeVisible();
    await expect(after.getByRole('button', { name: 'Accept the program' })).toBeDisabled();
    await expect(after.getByRole('alert').filter({ hasText: 'locked' })).toHaveCount(0);
    // The next program is approved by two before it is started.
    await after.getByRole('button', { name: 'Approve a program before it is started' }).click();
    await accepting.getByRole('textbox').first().fill('ab'.repeat(32));
    await accepting.getByRole('button', { name: 'Save' }).click();
    await expect(accepting.locator('.toast.bad')).toContainText(/two people/i);
    await accepting.getByLabel('Login').fill('administrator2');
    await accepting.getByLabel('Their password').fill(second);
    await accepting.getByRole('button', { name: 'Save' }).click();
    await expect(accepting).toHaveCount(0);
    await after.context().close();
  } finally {
    await host.end();
  }
});

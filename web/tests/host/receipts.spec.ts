// A receipt from the bet to the proof: the code on the screen is scanned, the host is switched off, and the saved page still
// proves the bet, by the browser's own cryptography.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deal, expect, next, record, settle, staked, tables, test, touch } from './floor';
import { betting, leave } from './hands';

test('the code of a bet is scanned, the host is switched off, and the saved page still proves the bet', async ({
  browser,
  host,
  manager,
}) => {
  const { console, player, round } = await betting(browser, tables.sicbo, 28, 500);
  await touch(player, 'big');
  await staked(player, '5.00');
  await next(console, 'Close bets');
  await deal(console, 'Tumble', true);
  await settle(console);
  await record(manager, round, (found) => found.round.status === 'settled');

  await player.getByRole('button', { name: 'History', exact: true }).click();
  const history = player.getByRole('dialog');
  await history.getByRole('tab', { name: 'My last 10 rounds' }).click();
  await history.getByRole('button', { name: new RegExp(`Round ${round}\\b`) }).click();
  const code = history.getByRole('img', { name: 'The code of the receipt' });
  await expect(code).toBeVisible({ timeout: 20_000 });
  const picture = join(host.folder, 'code.png');
  await code.screenshot({ path: picture });
  const read = execFileSync('zbarimg', ['-q', '--raw', '-Sdisable', '-Sqrcode.enable', picture]);
  const address = read.toString().trim();
  expect(address).toMatch(new RegExp(`^${host.address}/verify#\\d{38,51}$`));

  const size = { viewport: { width: 390, height: 844 } };
  const phone = await (await browser.newContext({ ...size, acceptDownloads: true })).newPage();
  await phone.goto(address);
  const answer = phone.locator('#answer');
  await expect(answer).toContainText('Proved', { timeout: 20_000 });
  await expect(answer).toContainText(`Bet in round ${round}: 5.00 on big`);
  await expect(answer).toContainText(`Round ${round} was settled`);
  await expect(answer).toContainText('What is not proved');
  const saving = phone.waitForEvent('download');
  await phone.getByRole('button', { name: 'Save this page with the receipt' }).click();
  const file = join(host.folder, 'receipt.html');
  await (await saving).saveAs(file);

  await host.kill();
  const alone = await (await browser.newContext({ ...size, offline: true })).newPage();
  await alone.goto(pathToFileURL(file).href);
  await expect(alone.locator('#answer')).toContainText('Proved', { timeout: 20_000 });
  await expect(alone.locator('#answer')).toContainText(`Bet in round ${round}: 5.00 on big`);
  // Whatever is changed in the receipt proves nothing: its record, its path, its head, its signature.
  const saved = readFileSync(file, 'utf8');
  const proof = JSON.parse(
    /<script type="application\/json" id="kept">(.*?)<\/script>/s.exec(saved)?.[1] ?? '{}',
  ).proof as string;
  const lines = proof.split('\n');
  const places = lines.flatMap((line, place) => (line.length > 2 ? [place] : []));
  for (const place of places) {
    const line = lines[place];
    const middle = Math.floor(line.length / 2);
    const turned = `${line.slice(0, middle)}${line[middle] === 'B' ? 'C' : 'B'}${line.slice(middle + 1)}`;
    const changed = lines.with(place, turned).join('\n');
    await alone.locator('#text').fill(changed);
    await alone.getByRole('button', { name: 'Verify', exact: true }).click();
    await expect(alone.locator('#answer'), `line ${place}: ${line}`).toContainText('Not proved');
    await alone.locator('#text').fill(proof);
    await alone.getByRole('button', { name: 'Verify', exact: true }).click();
    await expect(alone.locator('#answer')).toContainText('Proved');
  }
  // A page that was saved with a changed receipt says so by itself.
  writeFileSync(file, saved.replace('index ', 'index 1'));
  await alone.reload();
  await expect(alone.locator('#answer')).toContainText('Not proved');
  await host.start();
  await leave(phone, alone, player, console);
});

// How smooth the dice and the ball are: npm run frames. Counts the frames Chromium made while the device moves, from its
// own trace, and fails below what is asked for.
import { openPage, startFloor } from './floor.mjs';

const least = Number(process.env.FRAMES ?? 50);
const floor = await startFloor();
try {
  for (const [name, path] of [
    ['dice', '/terminal/46'],
    ['wheel', '/terminal/16'],
  ]) {
    const page = await openPage(floor, path);
    await page.locator('.notice.open').waitFor({ timeout: 90_000 });
    await page.locator('.notice.closed').waitFor({ timeout: 90_000 });
    await floor.browser.startTracing(page);
    await page.waitForTimeout(2500);
    const { traceEvents: events } = JSON.parse((await floor.browser.stopTracing()).toString());
    const frames = events
      .filter((event) => event.name === 'DrawFrame')
      .map((event) => event.ts)
      .sort((a, b) => a - b);
    const dropped = events.filter((event) => event.name === 'DroppedFrame').length;
    const seconds = (frames.at(-1) - frames[0]) / 1e6;
    const rate = (frames.length - 1) / seconds;
    console.log(`${name}: ${rate.toFixed(1)} frames/s over ${seconds.toFixed(2)} s, ${dropped} dropped`);
    if (!(rate >= least)) process.exitCode = 1;
    await page.context().close();
  }
} finally {
  await floor.end();
}

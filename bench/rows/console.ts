// The console in a real browser: time until it reacts to input, and the longest stall while a long list scrolls.
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { openBrowser, withoutBrowser } from '../../test/browser/chromium.ts';
import { constant, type Row, type Run } from '../harness.ts';
import type { Service } from '../stage.ts';
import { fillContacts } from './lists.ts';
import { sizedTable, small } from './sized-tables.ts';

const watch_file = fileURLToPath(new URL('../page-watch.js', import.meta.url));
const patience_ms = 60_000;
const interactive_limit_ms = 1000;
const stall_limit_ms = 100;
/** More than a screen per step: slower scrolling is easier for the page. */
const wheel_px = 1200;
const row_px = 48;

export const consoleRows: Row[] = [
  {
    name: 'console-interactive',
    subject: 'the console, from the navigation to an overview that is drawn and reacts to a click',
    limit: 'allowed',
    unit: 'ms',
    target: { comparison: '<=', ratio: 1 },
    async prepare(run) {
      const service = await run.stage.startService({ data_dir: run.stage.makeFolder() });
      await sendEmails(service);
      const visit = await openConsole(run, service);
      return {
        limit: constant(interactive_limit_ms),
        subject: () =>
          visit('/', async (page) => ({ value: await page.evaluate<number>('pageWatch.interactiveMs()') })),
      };
    },
  },
  {
    name: 'console-scroll',
    subject: `longest stall while ${small.toLocaleString('en')} contacts are scrolled through by wheel`,
    limit: 'allowed',
    unit: 'ms',
    target: { comparison: '<=', ratio: 1 },
    async prepare(run) {
      const { service } = await sizedTable(run, 'contacts', small, fillContacts);
      const visit = await openConsole(run, service);
      return {
        limit: constant(stall_limit_ms),
        subject: () => visit('/contacts', async (page) => ({ value: await scrollThrough(page) })),
      };
    },
  },
];

/** Enough data for every part of the overview. */
async function sendEmails({ url, key }: Service): Promise<void> {
  for (const outcome of ['delivered', 'opened', 'clicked', 'bounced', 'complained', 'delayed']) {
    const answer = await fetch(`${url}/v1/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        to: [`${outcome}@sandbox.test`],
        subject: 'Your order',
        body_text: 'It left our house this morning.',
        recipient_consent: true,
      }),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }
}

/** A signed-in tab with an empty cache for every sample; the browser is already running. */
async function openConsole({ stage }: Run, { url, key }: Service) {
  if (withoutBrowser) throw new Error(withoutBrowser);
  const browser = await openBrowser();
  stage.atClose(() => browser.close());
  return async <T>(path: string, work: (page: Page) => Promise<T>): Promise<T> => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    context.setDefaultTimeout(patience_ms);
    try {
      await context.addInitScript({ path: watch_file });
      await context.addInitScript(`sessionStorage.setItem('parley.key', ${JSON.stringify(key)})`);
      const page = await context.newPage();
      await page.goto(url + path, { waitUntil: 'commit' });
      return await work(page);
    } finally {
      await context.close();
    }
  };
}

async function scrollThrough(page: Page): Promise<number> {
  const table = page.getByRole('table', { name: 'Contacts' });
  await table.getByText(`Contact ${small}`, { exact: true }).waitFor();
  await table.hover();
  await page.evaluate('void (globalThis.stalls = pageWatch.watchStalls())');
  // The heading is the first row. This is cheap for the page, because it runs at every step.
  const is_at_end = `document.querySelector('[aria-rowindex="${small + 1}"]') !== null`;
  const turns_at_most = (2 * small * row_px) / wheel_px;
  for (let turns = 0; !(await page.evaluate(is_at_end)); turns++) {
    if (turns > turns_at_most) throw new Error('the last row was not reached');
    await page.mouse.wheel(0, wheel_px);
  }
  const longest_ms = await page.evaluate<number>('stalls.stop()');
  await table.getByText('Contact 1', { exact: true }).waitFor();
  return longest_ms;
}

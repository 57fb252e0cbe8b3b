// The console in a real browser for tests: signed in, and watched for anything it should not do.
import assert from 'node:assert/strict';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core';

export type Visit = {
  page: Page;
  /** Opens a page of the console and waits until its heading stands there. */
  open(path: string, heading?: string | RegExp): Promise<void>;
  /** No request to another host, no break of the page's own policy, no error of its script. */
  assertClean(): void;
  close(): Promise<void>;
};

/** What browsers say of things that were meant to be blocked inside the frame of a mail. */
const expected =
  /mail-previews|Blocked script execution|status of 4\d\d|net::ERR_(INCOMPLETE|ABORTED|CONNECTION)/;

/** Axe puts a style of its own into the page, which the page refuses. */
const examined = new WeakSet<Page>();

export async function visitConsole(
  browser: Browser,
  options: {
    url: string;
    key?: string;
    context?: BrowserContextOptions;
    /** Let requests to other hosts go where they want; for tests that have such a host. */
    unguarded?: true;
  },
): Promise<Visit> {
  const { url, key } = options;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options.context });
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('console', (message) => {
    if (examined.has(page) && message.text().startsWith('Applying inline style')) return;
    if (message.type() === 'error' && !expected.test(message.text() + message.location().url))
      wrong.push(
        `${page.url()} ${message.location().url}:${message.location().lineNumber} ${message.text()}`,
      );
  });
  page.on('pageerror', (error) => wrong.push(`${error.message}\n${error.stack}`));
  const guard = (route: Route) => {
    const target = route.request().url();
    if (target.startsWith(`${url}/`) || target.startsWith('data:') || target.startsWith('blob:'))
      return route.continue();
    wrong.push(`asked for ${target}`);
    return route.abort();
  };
  if (!options.unguarded) await page.route('**/*', guard);
  if (key !== undefined)
    await page.addInitScript((given) => {
      // A frame without an origin has no storage to ask.
      if (window.origin !== 'null') sessionStorage.setItem('parley.key', given);
    }, key);
  return {
    page,
    async open(path, heading) {
      await page.goto(url + path);
      await page
        .getByRole('heading', { level: 1, ...(heading === undefined ? {} : { name: heading }) })
        .waitFor();
    },
    assertClean: () => assert.deepEqual(wrong, []),
    close: () => context.close(),
  };
}

/** What axe finds wrong, in words. The frame of a mail is left out: axe does not come back from one without an origin. */
export async function axeViolations(page: Page, rules: { only?: readonly string[] } = {}): Promise<string[]> {
  const axe = new AxeBuilder({ page }).setLegacyMode(true).exclude('iframe');
  // To describe all that is right takes longer than to find what is wrong.
  axe.options({ resultTypes: ['violations'] });
  if (rules.only) axe.withRules([...rules.only]);
  examined.add(page);
  const { violations } = await axe.analyze();
  examined.delete(page);
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`));
}

/** Waits until news arrive by themselves and nothing is being loaded. */
export async function settled(page: Page): Promise<void> {
  await page.getByText('Live', { exact: true }).first().waitFor({ state: 'attached' });
  await page.waitForFunction(() => !document.querySelector('[aria-label="Loading"]'));
}

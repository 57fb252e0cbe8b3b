// The console in a real browser for tests: signed in, and watched for forbidden requests and errors.
import assert from 'node:assert/strict';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core';

export type Visit = {
  page: Page;
  /** Opens a page of the console and waits for its heading. */
  open(path: string, heading?: string | RegExp): Promise<void>;
  /** Fails on a request to another host, a violation of the content security policy or a script error. */
  assertClean(): void;
  close(): Promise<void>;
};

/** Browser messages about content that was blocked inside the frame of a mail on purpose. */
const expected =
  /mail-previews|Blocked script execution|status of 4\d\d|net::ERR_(INCOMPLETE|ABORTED|CONNECTION)/;

/** Axe adds a style element to the page, which the policy blocks. */
const examined = new WeakSet<Page>();

export async function visitConsole(
  browser: Browser,
  options: {
    url: string;
    key?: string;
    context?: BrowserContextOptions;
    /** Allow requests to other hosts, for tests that have such a host. */
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
    wrong.push(`requested ${target}`);
    return route.abort();
  };
  if (!options.unguarded) await page.route('**/*', guard);
  if (key !== undefined)
    await page.addInitScript((given) => {
      // A frame without an origin has no storage.
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

/** The violations that axe finds. The frame of a mail is left out: axe hangs in a frame without an origin. */
export async function axeViolations(page: Page, rules: { only?: readonly string[] } = {}): Promise<string[]> {
  const axe = new AxeBuilder({ page }).setLegacyMode(true).exclude('iframe');
  // Only violations are reported: describing everything else takes longer.
  axe.options({ resultTypes: ['violations'] });
  if (rules.only) axe.withRules([...rules.only]);
  examined.add(page);
  const { violations } = await axe.analyze();
  examined.delete(page);
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`));
}

/** Waits until the event stream is open and nothing is loading. */
export async function settled(page: Page): Promise<void> {
  await page.getByText('Live', { exact: true }).first().waitFor({ state: 'attached' });
  await page.waitForFunction(() => !document.querySelector('[aria-label="Loading"]'));
}

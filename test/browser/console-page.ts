// The console in a real browser for tests: signed in, and watched for forbidden requests and errors.
import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

export type Visit = {
  page: Page;
  /** Opens a page of the console and waits for its heading. */
  open(path: string, heading?: string | RegExp): Promise<void>;
  /**
   * Goes to another page of the console without loading the document again, as a click on a link does; this takes a fraction of
   * the processor time. Waits for the heading, or until it is another one.
   */
  go(path: string, heading?: string): Promise<void>;
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
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    ...options.context,
  });
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
  page.on('request', (request) => {
    const target = request.url();
    if (!options.unguarded && !/^(data|blob):/.test(target) && !target.startsWith(`${url}/`))
      wrong.push(`requested ${target}`);
  });
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
    async go(path, name) {
      const before = await page.evaluate((target) => {
        const heading = document.querySelector('h1')?.textContent ?? '';
        history.pushState({}, '', target);
        return heading;
      }, path);
      await page.waitForFunction((old) => {
        const heading = document.querySelector('h1');
        return heading !== null && heading.textContent !== old;
      }, before);
      if (name !== undefined) await page.getByRole('heading', { level: 1, name }).waitFor();
    },
    assertClean: () => assert.deepEqual(wrong, []),
    close: () => context.close(),
  };
}

/**
 * The violations that axe finds. The frame of a mail is left out: axe hangs in a frame without an origin. `without_menu` leaves out
 * the menu too, which is a third of the elements of a page.
 */
export async function axeViolations(page: Page, { without_menu = false } = {}): Promise<string[]> {
  examined.add(page);
  // Loaded once per page: its source is large.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const exclude = without_menu ? ['iframe', '.frame > nav'] : ['iframe'];
  const violations = await page.evaluate(async (exclude) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    // Only violations are reported: describing everything else takes longer.
    const result = await axe.run({ exclude }, { iframes: false, resultTypes: ['violations'] });
    return result.violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`),
    );
  }, exclude);
  examined.delete(page);
  return violations;
}

/** Waits until no element changes its color or position. Animations without an end, such as a spinner, do not count. */
export async function animationsEnded(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every((each) => each.playState !== 'running' || each.effect?.getTiming().iterations === Infinity),
  );
}

/** Waits until the event stream is open and nothing is loading. */
export async function settled(page: Page): Promise<void> {
  await page.getByText('Live', { exact: true }).first().waitFor({ state: 'attached' });
  await page.waitForFunction(() => !document.querySelector('[aria-label="Loading"]'));
}

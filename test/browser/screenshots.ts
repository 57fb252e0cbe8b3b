// Takes a screenshot of every page of the console in light and dark, from a fresh server with example data.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeHome, requester } from '../journeys/process.ts';
import { openBrowser } from './chromium.ts';
import { consolePages, fillConsole } from './console-content.ts';
import { settled, visitConsole } from './console-page.ts';

const folder = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
const max_bytes = 60 * 1024;

const endings: (() => Promise<void>)[] = [];
const browser = await openBrowser();
try {
  await mkdir(folder, { recursive: true });
  const home = makeHome({ after: (end) => endings.push(end) });
  const service = await home.start({
    PARLEY_ROLES: 'api,worker',
    // Nothing listens there, but the screenshots show it.
    MCP_PORT: '8081',
  });
  const operator_key = (await readFile(join(home.data_dir, 'operator-key'), 'utf8')).trim();
  const operator = { request: requester(service.url, operator_key) };
  const pages = consolePages(await fillConsole(service, operator));
  for (const colors of ['light', 'dark'] as const) {
    const visit = await visitConsole(browser, {
      url: service.url,
      key: service.key,
      context: { colorScheme: colors, viewport: { width: 1280, height: 860 } },
    });
    for (const [name, path] of pages) {
      await visit.open(path);
      await settled(visit.page);
      await visit.page.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => {});
      let picture: Buffer;
      let quality = 75;
      // The quality is reduced until the file is small enough.
      do {
        picture = await visit.page.screenshot({ type: 'jpeg', quality });
        quality -= 10;
      } while (picture.length > max_bytes && quality > 20);
      await writeFile(join(folder, `${name}-${colors}.jpg`), picture);
    }
    await visit.close();
  }
  const signIn = await visitConsole(browser, {
    url: service.url,
    context: { viewport: { width: 1280, height: 860 } },
  });
  await signIn.open('/', 'Parley');
  await writeFile(
    join(folder, 'sign-in-light.jpg'),
    await signIn.page.screenshot({ type: 'jpeg', quality: 75 }),
  );
  await signIn.close();
  console.log(`${pages.length * 2 + 1} screenshots are in docs/screenshots.`);
} finally {
  await browser.close();
  for (const end of endings) await end();
}

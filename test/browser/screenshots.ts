// Takes a picture of every page of the console in light and dark, from a fresh server with something on every page.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeHome } from '../journeys/process.ts';
import { openBrowser } from './chromium.ts';
import { consolePages, fillConsole } from './console-content.ts';
import { settled, visitConsole } from './console-page.ts';

const folder = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
const max_bytes = 60 * 1024;

const endings: (() => Promise<void>)[] = [];
const browser = await openBrowser();
try {
  await mkdir(folder, { recursive: true });
  const service = await makeHome({ after: (end) => endings.push(end) }).start({
    PARLEY_ROLES: 'api,worker',
    // Nothing listens there, but the pictures name it.
    MCP_PORT: '8081',
  });
  const pages = consolePages(await fillConsole(service));
  for (const colours of ['light', 'dark'] as const) {
    const visit = await visitConsole(browser, {
      url: service.url,
      key: service.key,
      context: { colorScheme: colours, viewport: { width: 1280, height: 860 } },
    });
    for (const [name, path] of pages) {
      await visit.open(path);
      await settled(visit.page);
      await visit.page.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => {});
      let picture: Buffer;
      let quality = 75;
      // A picture may be as large as the page is busy; it is made poorer until it fits.
      do {
        picture = await visit.page.screenshot({ type: 'jpeg', quality });
        quality -= 10;
      } while (picture.length > max_bytes && quality > 20);
      await writeFile(join(folder, `${name}-${colours}.jpg`), picture);
    }
    await visit.close();
  }
  const door = await visitConsole(browser, {
    url: service.url,
    context: { viewport: { width: 1280, height: 860 } },
  });
  await door.open('/', 'Parley');
  await writeFile(join(folder, 'door-light.jpg'), await door.page.screenshot({ type: 'jpeg', quality: 75 }));
  await door.close();
  console.log(`${pages.length * 2 + 1} pictures are in docs/screenshots.`);
} finally {
  await browser.close();
  for (const end of endings) await end();
}

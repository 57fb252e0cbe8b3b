// A real browser for tests: Debian's chromium without a window, driven by playwright-core, on loopback only.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The build without a window needs a quarter less processor time. */
const executablePath = '/usr/bin/chromium-headless-shell';

/** Pass as `{ skip }` to tests that need a browser. */
export const withoutBrowser = existsSync(executablePath)
  ? false
  : 'chromium is not installed; scripts/install-debian-programs installs it';

export const openBrowser = (more_args: string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Only loopback can be reached, also by pages of mails.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
      ...more_args,
    ],
  });

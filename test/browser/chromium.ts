// A real browser for tests: Debian's chromium driven by playwright-core, on loopback only.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const executablePath = '/usr/bin/chromium';

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
      ...more_args,
    ],
  });

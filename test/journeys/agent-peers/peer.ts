// Starts one of the servers of the agent journey as a separate process, and reads the requests that it reports.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { waitFor } from '../../../packages/server/testing/wait-for.ts';

export type Peer = {
  url: string;
  /** What the server reported, oldest first. */
  seen: Record<string, unknown>[];
  /** The first report that matches, as soon as there is one. */
  saw<T = Record<string, unknown>>(
    matches: (report: Record<string, unknown>) => boolean,
    what: string,
  ): Promise<T>;
};

/** Ends with the test. `settings` are environment variables. */
export async function startPeer(
  t: TestContext,
  name: string,
  settings: Record<string, string> = {},
): Promise<Peer> {
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const seen: Record<string, unknown>[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const report = JSON.parse(line) as Record<string, unknown>;
      if (typeof report.listening === 'string') resolve(report.listening);
      else seen.push(report);
    });
    child.once('exit', (code) => reject(new Error(`${name} ended with code ${code}`)));
  });
  return {
    url,
    seen,
    async saw<T>(matches: (report: Record<string, unknown>) => boolean, what: string) {
      return (await waitFor(what, () => seen.find(matches) ?? null)) as T;
    },
  };
}

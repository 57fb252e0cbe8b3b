// Tells when sources change, for `--watch`.
import { watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** An editor writes several files, and some more than once. */
const settle_ms = 200;

const isSource = (path: string) =>
  /\.(ts|tsx|js|sql|json|txt|css|html)$/.test(path) && !/(^|\/)(node_modules|dist|build)\//.test(path);

export type Changes = {
  /** The paths that changed since the call before, or the next ones. Empty after the end. */
  next(): Promise<string[]>;
};

export function watchSources(folders: readonly string[], ended: AbortSignal): Changes {
  const changed = new Set<string>();
  let notify = () => {};
  for (const folder of folders)
    watch(folder, { recursive: true, signal: ended }, (_event, name) => {
      const path = name === null ? '' : join(folder, name).replaceAll('\\', '/');
      if (!isSource(path)) return;
      changed.add(path);
      notify();
    });
  ended.addEventListener('abort', () => notify());
  return {
    async next() {
      if (changed.size === 0 && !ended.aborted)
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      if (ended.aborted) return [];
      await wait(settle_ms);
      const paths = [...changed].sort();
      changed.clear();
      return paths;
    },
  };
}

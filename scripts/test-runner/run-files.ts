// Runs the test files that the runner sends, one after the other in this process. Every file is one outer test, so its hooks
// end with it.
import { resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { test_seed } from '../../packages/server/testing/random.ts';
import { type Order, report } from './messages.ts';
import { openHandles } from './open-handles.ts';

const process_events = [
  'SIGINT',
  'SIGTERM',
  'uncaughtException',
  'unhandledRejection',
  'warning',
  'exit',
] as const;

/** A file has no limit of its own, its tests have. node:test would replace Infinity by the value of --test-timeout. */
const no_timeout_ms = 2 ** 31 - 1;

/** Undoes what a file changed in the process, so that the next one starts like the first. */
function processState(): () => void {
  const environment = { ...process.env };
  const directory = process.cwd();
  const listeners = new Map(process_events.map((name) => [name, new Set(process.rawListeners(name))]));
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
    Object.assign(process.env, environment);
    process.chdir(directory);
    for (const [name, known] of listeners)
      for (const listener of process.rawListeners(name))
        if (!known.has(listener)) process.removeListener(name, listener as () => void);
  };
}

// Properties of fast-check use the seed of the run, unless they set their own.
fc.configureGlobal({ seed: test_seed });

const nextFile = () =>
  new Promise<string | null>((resolve) => {
    process.once('message', ({ file }: Order) => resolve(file));
    report({ type: 'ready' });
  });

const handles = openHandles();
for (let file = await nextFile(); file !== null; file = await nextFile()) {
  const path = resolve(file);
  const restore = processState();
  await test(file, { timeout: no_timeout_ms }, async () => {
    await import(pathToFileURL(path).href);
  });
  restore();
  handles.openedBy(file);
}

const patience_ms = 15_000;
setTimeout(() => report({ type: 'still_open', handles: handles.describe() }), patience_ms).unref();
// The reporter says this when nothing keeps the process alive. A test that leaves a process or a socket open is found this way.
report({ type: 'all_ended' });

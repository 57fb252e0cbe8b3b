// An unhandled rejection is logged and does not end the process; an uncaught exception ends it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const urlOf = (file: string) => new URL(file, import.meta.url).href;
const run = (error: string) =>
  spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { makeLog } from '${urlOf('../platform/log.ts')}';
       import { logUnhandledRejections } from '${urlOf('unhandled-rejections.ts')}';
       logUnhandledRejections(makeLog({ level: 'info', show_personal_data: false }));
       setTimeout(() => console.log('still running'), 10);
       ${error};`,
    ],
    { encoding: 'utf8' },
  );

test('an unhandled rejection is logged, and the process continues', () => {
  const { status, stdout, stderr } = run("Promise.reject(new Error('no connection'))");
  assert.equal(status, 0, stderr);
  assert.match(stdout, /still running/);
  assert.match(stdout + stderr, /unhandled rejection/);
  assert.match(stdout + stderr, /no connection/);
});

test('an uncaught exception ends the process', () => {
  const { status, stdout } = run("setTimeout(() => { throw new Error('broken'); }, 0)");
  assert.notEqual(status, 0);
  assert.doesNotMatch(stdout, /still running/);
});

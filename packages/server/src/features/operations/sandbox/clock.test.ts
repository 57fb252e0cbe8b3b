// The sandbox clock never moves back, in whatever order the responses of the database arrive.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { Log } from '../../../platform/log.ts';
import { sandboxClock } from './clock.ts';

test('a late response of the database does not set the clock back', async () => {
  const clock = systemClock();
  let offset_ms = 0;
  const late = Promise.withResolvers<void>();
  let readings = 0;
  const db = {
    async maybe({ strings }: Sql) {
      if (strings[0]!.trim().startsWith('update')) {
        offset_ms = 601_000;
        return { offset_ms };
      }
      const read = { offset_ms };
      if (++readings === 1) await late.promise;
      return read;
    },
  } as unknown as Database;
  const sandbox = sandboxClock({ db, clock, log: {} as Log, waiters: [] });

  const started = sandbox.start();
  await sandbox.advance(601);
  assert.equal(clock.offset_ms(), 601_000);
  late.resolve();
  await started;
  sandbox.stop();
  assert.equal(clock.offset_ms(), 601_000);
});

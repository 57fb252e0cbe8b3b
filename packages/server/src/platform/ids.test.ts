// Ids sort by creation and follow the clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uuidv7Ids } from './ids.ts';

const clockAt = (ms: () => number) => ({ ms, now: () => new Date(ms()) });

test('ids are UUIDv7 that contain the time', () => {
  const ids = uuidv7Ids(clockAt(() => 1_780_000_000_000));
  const id = ids.next();
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), 1_780_000_000_000);
});

test('ids of the same millisecond, or created while the clock moves back, still sort and never repeat', () => {
  let now = 1_780_000_000_000;
  const ids = uuidv7Ids(clockAt(() => now));
  const made: string[] = [];
  for (let i = 0; i < 20_000; i++) {
    if (i === 10_000) now -= 5000;
    made.push(ids.next());
  }
  assert.deepEqual(made, [...made].sort());
  assert.equal(new Set(made).size, made.length);
});

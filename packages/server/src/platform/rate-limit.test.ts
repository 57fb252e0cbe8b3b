// The request limit applies to all processes together, and refills evenly.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openTestDatabase } from '../../testing/database.ts';
import { sql } from './db/sql.ts';
import { rateLimiter } from './rate-limit.ts';

const { db, close } = await openTestDatabase();
after(close);

/** Simulates that this many seconds have passed for the caller. */
const letPass = (key: string, seconds: number) =>
  db.run(
    sql`update rate_buckets set full_at = full_at - ${seconds}::float8 * interval '1 second' where key = ${key}`,
  );

test('exactly the limit is allowed in a burst, and the headers count down to it', async () => {
  const limiter = rateLimiter({ db, limit_per_minute: 5 });
  const verdicts = [];
  for (let i = 0; i < 7; i++) verdicts.push(await limiter.take('a'));
  assert.deepEqual(
    verdicts.map((verdict) => [verdict.allowed, verdict.remaining]),
    [
      [true, 4],
      [true, 3],
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
      [false, 0],
    ],
  );
  assert.deepEqual(
    verdicts.slice(0, 5).map((verdict) => verdict.reset_seconds),
    [12, 24, 36, 48, 60],
  );
  assert.equal(verdicts[6]!.retry_after_seconds, 12);
});

test('several processes together allow no more than the limit', async () => {
  const processes = Array.from({ length: 4 }, () => rateLimiter({ db, limit_per_minute: 200 }));
  const verdicts = await Promise.all(Array.from({ length: 400 }, (_, i) => processes[i % 4]!.take('b')));
  const allowed = verdicts.filter((verdict) => verdict.allowed).length;
  // A second of refill may pass while this runs; unused leases may be left over.
  assert.ok(allowed <= 210, `${allowed} allowed`);
  assert.ok(allowed >= 160, `${allowed} allowed`);
});

test('a refused caller may continue after the returned time, at the refill rate', async () => {
  let now = 0;
  const limiter = rateLimiter({ db, limit_per_minute: 60, monotonic_ms: () => now });
  while ((await limiter.take('c')).allowed) {}
  const refused = await limiter.take('c');
  assert.equal(refused.retry_after_seconds, 1);
  now += 3000;
  await letPass('c', 3);
  const results = [];
  for (let i = 0; i < 5; i++) results.push((await limiter.take('c')).allowed);
  assert.deepEqual(results, [true, true, true, false, false]);
});

test('the requests of one caller do not count for another', async () => {
  const limiter = rateLimiter({ db, limit_per_minute: 2 });
  for (let i = 0; i < 3; i++) await limiter.take('d');
  assert.equal((await limiter.take('d')).allowed, false);
  assert.equal((await limiter.take('e')).allowed, true);
});

test('buckets of inactive callers are deleted', async () => {
  const limiter = rateLimiter({ db, limit_per_minute: 2 });
  await limiter.take('f');
  await letPass('f', 3600);
  await limiter.sweep();
  assert.equal(await db.maybe(sql`select 1 from rate_buckets where key = 'f'`), null);
});

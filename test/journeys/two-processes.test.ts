// Two processes share one database: they start together on an empty one and act as one service.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import pg from 'pg';
import { migrations_folder } from '../../packages/server/src/app/migrations-folder.ts';
import { createDatabase } from '../../packages/server/testing/database.ts';
import { makeHome } from './process.ts';

const limit = 40;

test('two processes on one database', async (t) => {
  const database = await createDatabase('empty');
  t.after(database.drop);
  const settings = {
    DATABASE_URL: database.url,
    PARLEY_SHARED_KEY: 'a-long-key-that-only-this-story-knows',
    PARLEY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    PARLEY_REQUESTS_PER_MINUTE: String(limit),
  };
  const services = await Promise.all([makeHome(t).start(settings), makeHome(t).start(settings)]);

  await t.test('both become ready, and each migration was applied once', async () => {
    for (const { url } of services) assert.equal((await fetch(`${url}/readyz`)).status, 200);
    const migrators = services.filter((service) => /database migrated/.test(service.output()));
    assert.equal(migrators.length, 1);
    const client = new pg.Client(database.url);
    await client.connect();
    const { rows } = await client.query<{ name: string }>('select name from migrations order by name');
    await client.end();
    assert.deepEqual(
      rows.map(({ name }) => name),
      readdirSync(migrations_folder).sort(),
    );
  });

  await t.test(
    'a burst over both gets the limit of one caller, and refused requests say when to retry',
    async () => {
      const begun = performance.now();
      const answers = await Promise.all(
        Array.from({ length: 3 * limit }, (_, index) => services[index % 2]!.request('GET', '/v1/whoami')),
      );
      const refilled = Math.floor(((performance.now() - begun) / 60_000) * limit);

      const granted = answers.filter(({ status }) => status === 200).length;
      assert.ok(granted <= limit + refilled, `${granted} were accepted`);
      // Each process may hold an unused part of its last block.
      assert.ok(granted >= limit - 2, `only ${granted} were accepted`);

      const refused = answers.filter(({ status }) => status !== 200);
      for (const { status, headers, body } of refused) {
        assert.equal(status, 429);
        assert.equal(body.code, 'rate_limited');
        assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
        assert.equal(headers.get('ratelimit-limit'), String(limit));
        assert.equal(headers.get('ratelimit-remaining'), '0');
        assert.match(headers.get('ratelimit-reset') ?? '', /^[1-9]\d*$/);
      }
    },
  );
});

// The oldest supported PostgreSQL: schema and requests work as on the newest.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../../packages/server/src/platform/db/database.ts';
import { dumpSchema } from '../../packages/server/src/platform/db/schema-dump.ts';
import { sql } from '../../packages/server/src/platform/db/sql.ts';
import { createDatabase } from '../../packages/server/testing/database.ts';
import {
  debian_postgres_missing,
  startDebianPostgres,
} from '../../packages/server/testing/debian-postgres.ts';
import { makeHome } from './process.ts';

const schema_file = fileURLToPath(new URL('../../packages/server/schema.sql', import.meta.url));

async function schemaOf(url: string): Promise<{ version: string; schema: string }> {
  const db = openDatabase({ url, max_connections: 1 });
  try {
    const row = await db.maybe<{ server_version: string }>(sql`show server_version`);
    return { version: row!.server_version, schema: await dumpSchema(db) };
  } finally {
    await db.close();
  }
}

test('the service on PostgreSQL 15', { skip: debian_postgres_missing }, async (t) => {
  // Reached through a socket in its own folder only: it needs no port.
  const { folder } = await startDebianPostgres(t);
  const url = `postgres:///postgres?host=${encodeURIComponent(folder)}&user=parley`;
  const service = await makeHome(t).start({
    DATABASE_URL: url,
    PARLEY_SHARED_KEY: 'a-long-key-that-only-this-story-knows',
    PARLEY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  });

  await t.test('a contact is created, read, changed and deleted', async () => {
    const contact = { name: 'Ana Sousa', email: 'Ana@Example.com', phone_e164: '+1 415 555 0123' };
    const key = { 'idempotency-key': 'ana' };
    const made = await service.request('POST', '/v1/contacts', contact, key);
    assert.equal(made.status, 201, made.text);
    const again = await service.request('POST', '/v1/contacts', contact, key);
    assert.deepEqual([again.status, again.body], [201, made.body]);
    assert.equal((await service.request('POST', '/v1/contacts', contact)).status, 409);

    const path = `/v1/contacts/${made.body.id}`;
    const patched = await service.request('PATCH', path, { role: 'Purchasing' });
    assert.deepEqual([patched.status, patched.body.role], [200, 'Purchasing']);
    assert.deepEqual((await service.request('GET', path)).body, patched.body);
    const list = await service.request('GET', '/v1/contacts?q=sousa');
    assert.deepEqual(list.body, { items: [patched.body], next_cursor: null });
    assert.equal((await service.request('DELETE', path)).status, 204);
    assert.equal((await service.request('GET', path)).status, 404);
  });

  await t.test('its schema is the same as on the newest PostgreSQL', async () => {
    const newest = await createDatabase();
    t.after(newest.drop);
    const [old_server, new_server] = await Promise.all([schemaOf(url), schemaOf(newest.url)]);
    assert.match(old_server.version, /^15\b/);
    assert.doesNotMatch(new_server.version, /^15\b/);
    assert.notEqual(old_server.schema, '');
    assert.equal(old_server.schema, new_server.schema);
  });

  const no_file = !existsSync(schema_file) && 'packages/server/schema.sql is not written yet';
  await t.test('and the same as the committed schema.sql', { skip: no_file }, async () => {
    // Comments at the top of the file are not part of the schema.
    const committed = readFileSync(schema_file, 'utf8').replace(/^(--.*\n|\n)+/, '');
    assert.equal(committed.trim(), (await schemaOf(url)).schema.trim());
  });
});

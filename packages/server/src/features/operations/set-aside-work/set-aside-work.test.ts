// Superadmins see work that was set aside, run it again once, or delete it; nobody else does.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { SetAsideWork } from '@parley/contract/operations/set-aside-work';
import { startTestApp } from '../../../../testing/app.ts';
import { readExposition } from '../../../../testing/exposition.ts';
import { managedOrganization } from '../../../../testing/managed.ts';
import { systemClock } from '../../../platform/clock.ts';
import { sql } from '../../../platform/db/sql.ts';
import { uuidv7Ids } from '../../../platform/ids.ts';
import { makeLog } from '../../../platform/log.ts';
import { setAside } from '../../../platform/set-aside.ts';

const managed = await startTestApp({ PARLEY_MANAGED: 'on', PARLEY_METRICS: 'public' });
const { app, db, client, anonymous } = managed;
const { client: tenant } = await managedOrganization(managed);

const path = '/v1/admin/set-aside-work';
type Page = { items: SetAsideWork[] };
const list = async (query = '') => (await client.request<Page>('GET', `${path}${query}`)).body.items;

async function addEntry(entry: Partial<Parameters<ReturnType<typeof setAside>['add']>[1][number]>) {
  const clock = systemClock();
  const log = makeLog({ level: 'silent', show_personal_data: false });
  const object_id = randomUUID();
  await db.transaction((tx) =>
    setAside({ clock, ids: uuidv7Ids(clock), log }).add(tx, [
      {
        queue: 'jobs',
        kind: 'send_system_mail',
        organization_id: null,
        object_id,
        reason: 'process_ended',
        lost_runs: 2,
        failed_runs: 0,
        queued_at: clock.now(),
        ...entry,
      },
    ]),
  );
  const items = await list();
  return items.find((item) => item.object_id === (entry.object_id ?? object_id))!;
}

describe('set-aside work', () => {
  test('F2: is listed by queue, kind, reason and organization, and its content is not shown', async () => {
    const entry = await addEntry({ payload: { system_mail_id: randomUUID(), secret: 'ana@example.com' } });
    const { organization_id } = tenant;
    const other = await addEntry({ queue: 'projections', kind: 'email', organization_id });
    const ids = async (query: string) => (await list(query)).map(({ id }) => id);
    assert.deepEqual(await ids('?queue=jobs&kind=send_system_mail&reason=process_ended'), [entry.id]);
    assert.deepEqual(await ids(`?organization_id=${organization_id}`), [other.id]);
    assert.deepEqual(await ids('?reason=failed'), []);
    const read = await client.request<SetAsideWork>('GET', `${path}/${entry.id}`);
    assert.deepEqual(read.body, entry);
    assert.doesNotMatch(read.text, /ana@example/);
    for (const caller of [tenant, anonymous])
      assert.ok([401, 404].includes((await caller.request('GET', path)).status));
    const exposition = readExposition((await anonymous.request('GET', '/metrics')).text);
    assert.equal(exposition.value('parley_set_aside_entries', { queue: 'jobs' }), 1);
  });

  test('F2: runs again once, also when two superadmins ask at the same time', async () => {
    const object_id = randomUUID();
    const entry = await addEntry({ object_id, kind: 'unused', payload: { a: 1 }, unique_key: 'unused:1' });
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => client.request('POST', `${path}/${entry.id}/run`)),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404, 404]);
    const jobs = await db.rows(sql`
      select id::text, payload, unique_key, attempts, starts from jobs where kind = 'unused'`);
    assert.deepEqual(jobs, [
      { id: object_id, payload: { a: 1 }, unique_key: 'unused:1', attempts: 0, starts: 0 },
    ]);
    const audit = await client.request<{ items: { object_id: string }[] }>(
      'GET',
      '/v1/admin/audit-log?action=set_aside_work.run_again',
    );
    assert.deepEqual(
      audit.body.items.map((item) => item.object_id),
      [object_id],
    );
  });

  test('F2: a record that runs again is found by search, and its entry is gone', async () => {
    const created = await tenant.request<{ id: string }>('POST', '/v1/emails', {
      recipient_consent: true,
      to: ['ana@example.org'],
      subject: 'Xenophilia',
    });
    assert.equal(created.status, 201, created.text);
    const entry = await addEntry({
      queue: 'projections',
      kind: 'email',
      organization_id: tenant.organization_id,
      object_id: created.body.id,
    });
    const finds = async () => {
      await app.projector.drain();
      const search = await tenant.request<{ items: unknown[] }>('GET', '/v1/search?q=Xenophilia');
      return search.body.items.length;
    };
    assert.equal((await client.request('POST', `${path}/${entry.id}/run`)).status, 204);
    assert.equal(await finds(), 1);
    assert.equal((await client.request('GET', `${path}/${entry.id}`)).status, 404);
  });

  test('F2: with a final state cannot run again and says what to do; it can be deleted', async () => {
    const entry = await addEntry({ queue: 'texts', kind: 'sms' });
    assert.equal(entry.can_run_again, false);
    const refused = await client.request('POST', `${path}/${entry.id}/run`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'cannot_run_again']);
    assert.equal((await client.request('DELETE', `${path}/${entry.id}`)).status, 204);
    assert.equal((await client.request('GET', `${path}/${entry.id}`)).status, 404);
  });

  test('F2: keeps the newest entries only', async () => {
    const old = await addEntry({ kind: 'old' });
    await db.run(
      sql`update set_aside_work set set_aside_at = now() - interval '31 days' where id = ${old.id}`,
    );
    await db.run(sql`update jobs set run_at = now() where kind = 'forget_set_aside_work'`);
    await app.jobs.drain();
    assert.equal((await client.request('GET', `${path}/${old.id}`)).status, 404);
    assert.ok((await list()).length > 0);
  });
});

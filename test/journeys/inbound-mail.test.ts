// Mail from real programs, also while the service is killed or its database is unreachable.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import { createDatabase } from '../../packages/server/testing/database.ts';
import { startDns } from '../../packages/server/testing/dns-server.ts';
import { startPostfix, whyNoPostfix } from '../../packages/server/testing/postfix.ts';
import { deliver, rawMessage, smtpSession } from '../../packages/server/testing/smtp-client.ts';
import { databaseProxy } from './database-proxy.ts';
import { makeHome, type Service, until } from './process.ts';

const run = promisify(execFile);
const installed = (path: string) =>
  existsSync(path) ? false : `${path} is not installed (scripts/install-debian-programs)`;

const dns = await startDns();
const settings = (database_url: string) => ({
  DATABASE_URL: database_url,
  PARLEY_SHARED_KEY: 'a-long-key-that-only-this-story-knows',
  PARLEY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  PARLEY_DATABASE_TIMEOUT_SECONDS: '2',
  PARLEY_DNS_SERVERS: dns.address,
  PARLEY_INBOUND_PEER_MESSAGES_PER_MINUTE: '1000000',
  PARLEY_INBOUND_EMAILS_PER_MINUTE: '1000000',
  PARLEY_ROLES: 'api,smtp',
  PARLEY_SANDBOX: 'on',
});

const portOf = async (service: Service) => Number((await service.prints(/SMTP +port (\d+)/))[1]);
const mailbox = async (service: Service) => {
  const { body } = await service.request<{ default_address: string }>('POST', '/v1/email-domains', {
    kind: 'service_mail',
    local_prefix_user: 'ana',
    local_prefix_org: 'acme',
  });
  return body.default_address;
};
type Item = { id: string; subject: string };
const inbound = async (service: Service): Promise<Item[]> =>
  (await service.request<{ items: Item[] }>('GET', '/v1/emails?direction=inbound&limit=200')).body.items;

/** Sends messages over one connection until it breaks; returns the ids of those with a 250 reply. */
async function flood(port: number, to: string, answered: Set<string>): Promise<void> {
  const session = await smtpSession(port);
  try {
    for (;;) {
      const raw = rawMessage({ to });
      await session.command('MAIL FROM:<bob@example.org>');
      await session.command(`RCPT TO:<${to}>`);
      await session.command('DATA');
      session.send(`${raw}.\r\n`);
      if (/^250/.test(await session.reply())) answered.add(/<[^>]+@example\.org>(?=\r\nDate)/.exec(raw)![0]);
    }
  } catch {
    // The service was killed: only the replies before that count.
  }
}

test('a service that is killed under load stored every message with a 250 reply completely and once', async (t) => {
  const database = await createDatabase();
  t.after(database.drop);
  const home = makeHome(t);
  const service = await home.start(settings(database.url));
  const to = await mailbox(service);
  const port = await portOf(service);
  const answered = new Set<string>();
  const floods = Array.from({ length: 10 }, () => flood(port, to, answered));
  await until(() => answered.size > 100);
  await service.kill();
  await Promise.all(floods);

  const again = await home.start(settings(database.url));
  const db = new pg.Client({ connectionString: database.url });
  await db.connect();
  const { rows } = await db.query<{ id: string; message_id: string }>(
    `select id, message_id from emails where direction = 'inbound'`,
  );
  const stored = new Set(rows.map((row) => row.message_id));
  assert.deepEqual(
    [...answered].filter((message_id) => !stored.has(message_id)),
    [],
  );
  assert.equal(stored.size, rows.length);
  for (const { id, message_id } of rows) {
    const link = await again.request('GET', `/v1/emails/${id}/raw`);
    const raw = await (await fetch(link.headers.get('location')!)).text();
    assert.ok(raw.includes(message_id) && raw.endsWith('Good morning.\r\n'), id);
  }
  const { rows: events } = await db.query(`select 1 from events where type = 'email.received'`);
  await db.end();
  assert.equal(events.length, rows.length);
});

test('a message that was stored but not committed when its process was killed is deleted; the repeated one is kept', async (t) => {
  const database = await createDatabase();
  t.after(database.drop);
  const home = makeHome(t);
  const roles = { ...settings(database.url), PARLEY_ROLES: 'api,worker,smtp' };
  const service = await home.start(roles);
  const to = await mailbox(service);
  const raw = rawMessage({ to, subject: 'Sent twice' });
  const objects = join(home.data_dir, 'objects');
  // The first sweep only marks the storage as owned. If the process were killed before, the next one would repeat it, and
  // nothing removed until an hour later.
  await until(() => existsSync(join(objects, 'sweep', 'owner')));
  const stored = () =>
    existsSync(join(objects, 'raw', 'in'))
      ? readdirSync(join(objects, 'raw', 'in'), { recursive: true, encoding: 'utf8' }).filter((path) =>
          /[0-9a-f-]{36}$/.test(path),
        )
      : [];

  // The table is locked: the message is in object storage and its commit waits.
  const db = new pg.Client({ connectionString: database.url });
  await db.connect();
  await db.query('begin; lock table emails in exclusive mode');
  const answer = deliver(await portOf(service), { to, raw }).catch(() => 'cut');
  await until(() => stored().length === 1);
  await service.kill();
  assert.equal(await answer, 'cut');
  await db.query('rollback');
  await db.end();

  const again = await home.start(roles);
  assert.deepEqual(await inbound(again), []);
  assert.match(await deliver(await portOf(again), { to, raw }), /^250/);
  assert.equal(stored().length, 2);
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  for (const path of stored()) utimesSync(join(objects, 'raw', 'in', path), yesterday, yesterday);
  await again.request('POST', '/v1/sandbox/clock', { advance_seconds: 3700 });
  await until(() => stored().length === 1);
  const [email, ...more] = await inbound(again);
  assert.deepEqual(more, []);
  const link = await again.request('GET', `/v1/emails/${email!.id}/raw`);
  assert.equal(await (await fetch(link.headers.get('location')!)).text(), raw);
});

test('while the database is unreachable mail gets a temporary error, and arrives once afterwards', async (t) => {
  const { line, service, to, port } = await startBehindProxy(t);

  await t.test('temporary error for the recipient', async () => {
    await line.cut();
    const session = await smtpSession(port);
    await session.command('MAIL FROM:<bob@example.org>');
    assert.match(await session.command(`RCPT TO:<${to}>`), /^451 4\.3\.0/);
    session.destroy();
    await line.restore();
  });

  await t.test('temporary error after the message', async () => {
    const raw = rawMessage({ to, subject: 'Deferred' });
    const session = await smtpSession(port);
    await session.command('MAIL FROM:<bob@example.org>');
    assert.match(await session.command(`RCPT TO:<${to}>`), /^250/);
    assert.match(await session.command('DATA'), /^354/);
    await line.cut();
    session.send(`${raw}.\r\n`);
    assert.match(await session.reply(), /^451 4\.3\.0/);
    await line.restore();
    assert.deepEqual(await inbound(service), []);
    assert.match(await deliver(port, { to, raw }), /^250/);
    assert.equal((await inbound(service)).length, 1);
  });

  await t.test('a commit whose response was lost is found by the next attempt', async () => {
    const raw = rawMessage({ to, subject: 'Response lost' });
    const session = await smtpSession(port);
    await session.command('MAIL FROM:<bob@example.org>');
    assert.match(await session.command(`RCPT TO:<${to}>`), /^250/);
    assert.match(await session.command('DATA'), /^354/);
    line.hold('answers');
    session.send(`${raw}.\r\n`);
    assert.match(await session.reply(), /^451/);
    await line.restore();
    assert.match(await deliver(port, { to, raw }), /^250/);
    const found = (await inbound(service)).filter(({ subject }) => subject === 'Response lost');
    assert.equal(found.length, 1);
    const link = await service.request('GET', `/v1/emails/${found[0]!.id}/raw`);
    assert.equal(await (await fetch(link.headers.get('location')!)).text(), raw);
  });

  await t.test('Postfix tries again', { skip: whyNoPostfix() ?? false }, async () => {
    const postfix = await startPostfix({ 'mail.localhost': port });
    t.after(postfix.stop);
    await line.cut();
    assert.match(await deliver(postfix.port, { to, raw: rawMessage({ to, subject: 'By Postfix' }) }), /^250/);
    await until(async () => (await postfix.log()).includes('status=deferred'));
    assert.match(await postfix.log(), /451 4\.3\.0/);
    await line.restore();
    // Broken connections are replaced one by one: until then a request may fail with a temporary error.
    const arrived = async () =>
      ((await inbound(service)) ?? []).filter(({ subject }) => subject === 'By Postfix').length;
    let count = 0;
    await until(async () => {
      // A queue run at the moment of the deferral defers the message for a minute or more.
      await postfix.flush();
      count = await arrived();
      return count > 0;
    });
    assert.equal(count, 1);
  });
});

async function startBehindProxy(t: TestContext) {
  const database = await createDatabase();
  t.after(database.drop);
  const line = await databaseProxy(t, database.url);
  const service = await makeHome(t).start(settings(line.url));
  return { line, service, to: await mailbox(service), port: await portOf(service) };
}

test('mail from real programs to one service', async (t) => {
  const { service, to, port, line } = await startBehindProxy(t);

  await t.test(
    'smtp-source delivers as many as it sends',
    {
      skip: installed('/usr/sbin/smtp-source'),
    },
    async () => {
      const args = ['-s', '10', '-m', '150', '-l', '5000', '-f', 'bob@example.org', '-t', to];
      await run('/usr/sbin/smtp-source', ['-d', ...args, `127.0.0.1:${port}`]);
      assert.equal((await inbound(service)).length, 150);
    },
  );

  await t.test(
    'swaks delivers with TLS and an attachment',
    {
      skip: installed('/usr/bin/swaks'),
    },
    async () => {
      const args = ['--server', `127.0.0.1:${port}`, '--to', to, '--from', 'bob@example.org'];
      await run('/usr/bin/swaks', [
        ...args,
        '--h-Subject',
        'From swaks',
        '--attach',
        '@/etc/hostname',
        '--tls',
      ]);
      const [email] = (await inbound(service)).filter(({ subject }) => subject === 'From swaks');
      const { body } = await service.request<{ attachments: { filename: string }[] }>(
        'GET',
        `/v1/emails/${email!.id}`,
      );
      assert.equal(body.attachments.length, 1);
      const refused = run('/usr/bin/swaks', [
        ...args.slice(0, 3),
        'nobody+x@mail.localhost',
        ...args.slice(4),
      ]);
      await assert.rejects(refused, ({ stdout }: { stdout: string }) => /550 5\.1\.1/.test(stdout));
    },
  );

  await t.test(
    'a mail port in use and a missing certificate are reported at the start of another',
    async () => {
      for (const [wrong, message] of [
        [{ SMTP_PORT: String(port) }, /cannot listen on port \d+ \(EADDRINUSE\).*SMTP_PORT/],
        [
          { PARLEY_INBOUND_TLS_CERT: '/nowhere/cert.pem', PARLEY_INBOUND_TLS_KEY: '/nowhere/key.pem' },
          /certificate of the mail server cannot be used.*PARLEY_INBOUND_TLS_CERT/,
        ],
      ] as const) {
        const launched = makeHome(t).launch({ ...settings(line.url), ...wrong });
        assert.equal((await launched.exited).code, 1);
        assert.match(launched.output(), message);
      }
    },
  );
});

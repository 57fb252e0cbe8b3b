// The service is stopped in every state: it ends gracefully, within the grace period, with code 0 (O2).
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import { openDatabase } from '../../packages/server/src/platform/db/database.ts';
import { sql } from '../../packages/server/src/platform/db/sql.ts';
import { people } from '../../packages/server/testing/calls.ts';
import { createDatabase } from '../../packages/server/testing/database.ts';
import { openEventSource } from '../../packages/server/testing/event-source.ts';
import { startReceiver } from '../../packages/server/testing/receiver.ts';
import { smtpSession } from '../../packages/server/testing/smtp-client.ts';
import { databaseProxy } from './database-proxy.ts';
import { makeHome, type Service, until, useRemoteSpeech } from './process.ts';

const in_order = { code: 0, signal: null };
const PARLEY_SHARED_KEY = 'a-long-key-that-only-this-story-knows';
const keys = { PARLEY_SHARED_KEY, PARLEY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') };

async function settingsWithDatabase(t: TestContext): Promise<Record<string, string>> {
  const database = await createDatabase();
  t.after(database.drop);
  return { ...keys, DATABASE_URL: database.url, PARLEY_SANDBOX: 'on', SMTP_PORT: '0' };
}

/** A request that the server has started to handle: Node sends 100 before it calls the handler. */
async function held(url: string, key: string, options: { method?: string; body?: string } = {}) {
  const asked = httpRequest(url, {
    method: options.method ?? 'GET',
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      expect: '100-continue',
      accept: 'application/json, text/event-stream',
      ...(options.body ? { 'content-type': 'application/json' } : {}),
    },
  });
  const answered = once(asked, 'response').then(async ([answer]: IncomingMessage[]) => ({
    status: answer!.statusCode,
    body: await text(answer!),
  }));
  asked.flushHeaders();
  await once(asked, 'continue');
  asked.end(options.body);
  return { answered };
}

/** A connection on which a request was sent and nothing is ever read. */
async function deafClient(t: TestContext, url: string, lines: string[]): Promise<Socket> {
  const { hostname, port, pathname, search } = new URL(url);
  const socket = connect(Number(port), hostname);
  t.after(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\n${lines.join('\r\n')}\r\n\r\n`);
  return socket;
}

const statusOf = async (service: Service, id: string) =>
  (await service.request<Call>('GET', `/v1/calls/${id}`)).body.status;

test('a call that is dialing, ringing or in progress ends as force_closed (O2)', async (t) => {
  const home = makeHome(t);
  const place = async (service: Service, to: string) =>
    (await service.request<Call>('POST', '/v1/calls', { to, recipient_consent: true })).body.id;
  let service = await home.start();
  // Right after a start the engines are loading, so the first call stays in `dialing` for a while.
  for (const calls of [
    [['dialing', people.converses]],
    [
      ['ringing', people.never_answers],
      ['in_progress', people.converses],
    ],
  ] as const) {
    await t.test(calls.map(([status]) => status).join(' and '), async () => {
      const ids: string[] = [];
      for (const [, to] of calls) ids.push(await place(service, to));
      await until(async () => {
        const statuses = await Promise.all(ids.map((id) => statusOf(service, id)));
        return calls.every(([status], index) => statuses[index] === status);
      });
      assert.deepEqual(await service.stop(), in_order, service.output());
      await home.noPostgresLeft();
      service = await home.start();
      for (const id of ids) {
        const { body } = await service.request<Call>('GET', `/v1/calls/${id}`);
        assert.deepEqual([body.status, body.end_reason], ['failed', 'force_closed']);
      }
    });
  }
});

test('waiting requests respond immediately with the current state, and streams end (O2)', async (t) => {
  const settings = await settingsWithDatabase(t);
  // No worker: the call stays queued. The grace period is longer than this test, so nothing is aborted.
  const service = await makeHome(t).start({
    ...settings,
    PARLEY_ROLES: 'api,mcp',
    PARLEY_STOP_GRACE_SECONDS: '3600',
  });
  const mcp_url = /^ {2}MCP +(\S+)$/m.exec(service.output())![1]!;
  const call = await service.request<Call>('POST', '/v1/calls', {
    to: people.converses,
    recipient_consent: true,
  });
  const stream = await openEventSource(`${service.url}/v1/events/stream`, {
    authorization: `Bearer ${service.key}`,
  });
  const by_tool = await held(mcp_url, service.key, {
    method: 'POST',
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'wait_for', arguments: { any_of: [{ kind: 'sms' }] } },
    }),
  });
  // The tool sends a request to the API; nothing else in this process reads texts yet.
  const db = openDatabase({ url: settings.DATABASE_URL!, max_connections: 1 });
  t.after(() => db.close());
  await until(
    async () =>
      (
        await db.rows(sql`
          select pid from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid() and query like '%from sms%'`)
      ).length > 0,
  );
  const hold = (path: string) => held(service.url + path, service.key);
  const waits = [
    await hold('/v1/emails/wait?timeout_seconds=55'),
    await hold('/v1/sms/wait?timeout_seconds=55'),
    await hold(`/v1/calls/${call.body.id}?wait_seconds=55`),
  ];
  const exit = service.stop();
  const answers = await Promise.all(waits.map(({ answered }) => answered));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
    JSON.stringify(answers),
  );
  assert.equal((JSON.parse(answers[2]!.body) as Call).status, 'queued');
  assert.equal((await by_tool.answered).status, 200);
  await stream.ended;
  assert.deepEqual(await exit, in_order, service.output());
});

describe('unfinished work is aborted when the grace period ends (O2)', () => {
  test('uploads, downloads and streams without a reader, mail sessions, webhook receivers', async (t) => {
    const settings = await settingsWithDatabase(t);
    const service = await makeHome(t).start({ ...settings, PARLEY_STOP_GRACE_SECONDS: '1' });
    const authorization = `Authorization: Bearer ${service.key}`;
    const smtp_port = Number(/^ {2}SMTP +port (\d+)$/m.exec(service.output())![1]);

    const receiver = await startReceiver();
    receiver.on('/never-answers', () => {});
    await service.request('POST', '/v1/webhooks', {
      target_url: `${receiver.url}/never-answers`,
      event_types: ['call.completed'],
    });
    await service.request('POST', '/v1/sandbox/events', { type: 'call.completed' });
    await receiver.arrived('/never-answers');

    const download = await deafClient(t, await linkToLargeFile(service), []);
    await until(() => download.readableLength > 0 || download.bytesRead > 0);
    await deafClient(t, `${service.url}/v1/events/stream`, [authorization]);
    const upload = connect(Number(new URL(service.url).port), '127.0.0.1');
    t.after(() => void upload.destroy());
    upload.on('error', () => {});
    upload.write(
      `POST /v1/email-attachments HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\nExpect: 100-continue\r\n` +
        'Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n',
    );
    await once(upload, 'data');
    upload.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf');

    const idle_mail = await smtpSession(smtp_port);
    const address = await service.request<{ default_address: string }>('POST', '/v1/email-domains', {
      kind: 'service_mail',
      local_prefix_user: 'ana',
      local_prefix_org: 'acme',
    });
    const half_mail = await smtpSession(smtp_port);
    await half_mail.command('MAIL FROM:<bob@example.org>');
    await half_mail.command(`RCPT TO:<${address.body.default_address}>`);
    assert.match(await half_mail.command('DATA'), /^354/);
    half_mail.send('Subject: half\r\n');
    t.after(() => {
      idle_mail.destroy();
      half_mail.destroy();
    });

    assert.deepEqual(await service.stop(), in_order, service.output());
  });

  test('a database that no longer responds', async (t) => {
    const { DATABASE_URL, ...settings } = await settingsWithDatabase(t);
    const line = await databaseProxy(t, DATABASE_URL!);
    const service = await makeHome(t).start({
      ...settings,
      DATABASE_URL: line.url,
      PARLEY_STOP_GRACE_SECONDS: '1',
    });
    line.hold();
    // Jobs and dispatchers of this process query the database all the time.
    await until(() => line.held() > 0);
    assert.deepEqual(await service.stop(), in_order, service.output());
  });

  test('a second signal ends the grace period, and the stop is still graceful', async (t) => {
    const home = makeHome(t);
    const service = await home.start({ PARLEY_STOP_GRACE_SECONDS: '3600', SMTP_PORT: '0' });
    const download = await deafClient(t, await linkToLargeFile(service), []);
    await until(() => download.readableLength > 0 || download.bytesRead > 0);
    const exit = service.stop('SIGTERM');
    // As a user does when the stop takes long.
    const impatience = setInterval(() => void service.stop('SIGTERM'), 100);
    t.after(() => clearInterval(impatience));
    assert.deepEqual(await exit, in_order, service.output());
    assert.match(service.output(), /SIGTERM again/);
    await home.noPostgresLeft();
  });
});

test('while calls are being ended, new requests are refused with shutting_down and /readyz is not ready (O9)', async (t) => {
  const { DATABASE_URL, ...settings } = await settingsWithDatabase(t);
  const line = await databaseProxy(t, DATABASE_URL!);
  const service = await makeHome(t).start({
    ...settings,
    DATABASE_URL: line.url,
    WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8',
  });
  await useRemoteSpeech(service);
  const id = await service.request<Call>('POST', '/v1/calls', {
    to: people.never_answers,
    recipient_consent: true,
  });
  await until(async () => (await statusOf(service, id.body.id)) === 'ringing');
  // The end of the call cannot be stored, so the stop stays in its first step.
  line.hold();
  const exit = service.stop();
  await service.prints(/SIGTERM: finishing/);
  assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
  const refused = await service.request('GET', '/v1/contacts');
  assert.deepEqual([refused.status, refused.body.code], [503, 'shutting_down']);
  assert.equal(refused.headers.get('retry-after'), '1');
  assert.equal(refused.headers.get('connection'), 'close');
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
  await line.restore();
  assert.deepEqual(await exit, in_order, service.output());
});

/** A file that is larger than the buffers of a connection. */
async function linkToLargeFile(service: Service): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([Buffer.alloc(20 * 1024 * 1024)]), 'large.bin');
  const uploaded = await fetch(`${service.url}/v1/email-attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}` },
    body: form,
  });
  const { id } = (await uploaded.json()) as { id: string };
  const sent = await service.request<{ attachments: { url: string }[] }>('POST', '/v1/emails', {
    recipient_consent: true,
    to: ['bob@example.org'],
    subject: 'With a large file',
    attachment_ids: [id],
  });
  assert.equal(sent.status, 201, sent.text);
  const { pathname } = new URL(sent.body.attachments[0]!.url);
  return (await service.request('GET', pathname)).headers.get('location')!;
}

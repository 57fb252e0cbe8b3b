// Journey: emails are sent through a real Postfix; one is delivered, one bounces, and the service records both.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, json } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { sql } from '../../packages/server/src/platform/db/sql.ts';
import { outgoing } from '../../packages/server/src/providers/mail/conformance.ts';
import { smtpTransport } from '../../packages/server/src/providers/mail/smtp/index.ts';
import { startTestApp, type TestApp } from '../../packages/server/testing/app.ts';
import { startPostfix, whyNoPostfix } from '../../packages/server/testing/postfix.ts';
import { waitFor } from '../../packages/server/testing/wait-for.ts';

type Email = { id: string; status: string; end_reason: string | null };
const reason = whyNoPostfix();

test('through Postfix to a sink and to a bouncing address', { skip: reason ?? false }, async () => {
  const arrived: { to: string[]; raw: string }[] = [];
  const sink = await smtpSink({
    refuse: (address) =>
      address.startsWith('gone@')
        ? '550 5.1.1 No such user here'
        : address.startsWith('full@')
          ? '552 5.2.2 Mailbox full'
          : null,
    take: async (to, raw) => void arrived.push({ to, raw: raw.toString() }),
  });
  let service: TestApp | undefined;
  const returned: string[] = [];
  const intake = await smtpSink({
    refuse: (address) =>
      service!.app.mail_reports.isReturnPath(address) ? null : '550 5.1.1 Not a return path',
    take: async (to, raw) => {
      returned.push(raw.toString());
      for (const recipient of to) await service!.app.mail_reports.recordFromReturnPath({ recipient, raw });
    },
  });
  const postfix = await startPostfix({ 'sink.test': sink.port, 'mail.parley.test': intake.port });
  after(() => postfix.stop());

  service = await startTestApp({
    PARLEY_SMTP_URL: `smtp://127.0.0.1:${postfix.port}`,
    PARLEY_SERVICE_MAIL_DOMAIN: 'mail.parley.test',
  });
  const { client, db } = service;
  const webhooks: { type: string; data: { id: string; detail: { hard?: boolean } } }[] = [];
  const receiver = createServer(async (request, response) => {
    webhooks.push((await json(request)) as (typeof webhooks)[number]);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  after(() => void receiver.close());
  const subscription = await client.request('POST', '/v1/webhooks', {
    target_url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    event_types: ['email.bounced'],
  });
  assert.equal(subscription.status, 201, subscription.text);
  await client.request('POST', '/v1/email-domains', {
    kind: 'service_mail',
    local_prefix_user: 'ana',
    local_prefix_org: 'acme',
  });
  const send = async (to: string[]) => {
    const answer = await client.request<Email>('POST', '/v1/emails', {
      recipient_consent: true,
      to,
      subject: 'Through a real relay',
      body_text: 'A line\n.\nand another after a dot',
      body_html: '<p>Grüße</p>',
    });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.body.status, 'sent');
    return answer.body.id;
  };
  const read = async (id: string) => (await client.request<Email>('GET', `/v1/emails/${id}`)).body;

  const happy = await send(['Reader <reader@sink.test>']);
  await until(() => arrived.length === 1, 'the message at the sink', postfix.log);
  assert.deepEqual(arrived[0]!.to, ['reader@sink.test']);
  assert.ok(arrived[0]!.raw.includes(`<${happy}@mail.parley.test>`));
  assert.equal((await read(happy)).status, 'sent');

  const gone = await send(['gone@sink.test']);
  await until(async () => (await read(gone)).status === 'bounced', 'the hard bounce', postfix.log);
  assert.equal((await read(gone)).end_reason, 'hard_bounce');

  await until(() => webhooks.length === 1, 'the webhook', postfix.log);
  assert.deepEqual(
    [webhooks[0]!.type, webhooks[0]!.data.id, webhooks[0]!.data.detail.hard],
    ['email.bounced', gone, true],
  );

  const full = await send(['full@sink.test']);
  await until(() => returned.length === 2, 'the soft bounce', postfix.log);
  await until(
    async () => (await kinds(full)).includes('bounced'),
    'the soft bounce in the timeline',
    postfix.log,
  );
  assert.equal((await read(full)).status, 'sent');

  async function kinds(id: string) {
    const page = await client.request<{ items: { kind: string }[] }>('GET', `/v1/emails/${id}/events`);
    return page.body.items.map((item) => item.kind);
  }
  const events = await db.rows<{ type: string; payload: string }>(
    sql`select type, payload from events where resource_id = ${gone} order by id`,
  );
  assert.deepEqual(
    events.map((event) => event.type),
    ['email.delivered', 'email.bounced'],
  );
  const { detail } = JSON.parse(events[1]!.payload).data;
  assert.equal(detail.hard, true);
  assert.deepEqual(detail.recipients, ['gone@sink.test']);
  assert.match(detail.diagnostic_code, /550 5\.1\.1 No such user here/);

  // The same bounce a second time creates no second event.
  const notice = Buffer.from(returned.find((raw) => raw.includes('gone@sink.test'))!);
  const recipient = /^To: <?([^>\s]+)/im.exec(notice.toString())![1]!;
  assert.equal(await service.app.mail_reports.recordFromReturnPath({ recipient, raw: notice }), 0);

  const stats = await client.request<{ totals: Record<string, number> }>('GET', '/v1/emails/stats');
  const { sent, delivered, bounced, bounced_hard } = stats.body.totals;
  assert.deepEqual(
    { sent, delivered, bounced, bounced_hard },
    { sent: 3, delivered: 3, bounced: 2, bounced_hard: 1 },
  );

  const list = await client.request<{ items: { recipient: string; reason: string }[] }>(
    'GET',
    '/v1/email-suppressions',
  );
  assert.deepEqual(
    list.body.items.map(({ recipient, reason }) => [recipient, reason]),
    [['gone@sink.test', 'hard_bounce']],
  );
  const refused = await client.request('POST', '/v1/emails', {
    recipient_consent: true,
    to: ['gone@sink.test'],
    subject: 'Again',
  });
  assert.equal(refused.body.code, 'recipient_suppressed');
});

test('Postfix accepts a message in the same packet as the commands before it', {
  skip: reason ?? false,
}, async () => {
  const sink = await smtpSink({ refuse: () => null, take: async () => {} });
  const postfix = await startPostfix({ 'sink.test': sink.port });
  after(() => postfix.stop());
  const transport = smtpTransport({
    url: `smtp://127.0.0.1:${postfix.port}`,
    max_connections: 1,
    tls: 'off',
    hostname: 'sender.test',
    timeout_ms: 10_000,
  });
  for (let each = 0; each < 3; each++) {
    const outcome = await transport.send(outgoing(['bob@sink.test']), new AbortController().signal);
    assert.ok(outcome.accepted, JSON.stringify(outcome));
  }
  await transport.close();
  await until(async () => / bdat=3 /.test(await postfix.log()), 'the end of the session', postfix.log);
});

async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  log: () => Promise<string>,
): Promise<void> {
  await waitFor(what, holds).catch(async (error: Error) => {
    assert.fail(`${error.message}\n${await log()}`);
  });
}

async function smtpSink(options: {
  refuse(address: string): string | null;
  take(to: string[], raw: Buffer): Promise<void>;
}): Promise<{ port: number }> {
  const server = new SMTPServer({
    closeTimeout: 100,
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo({ address }, _, done) {
      const reply = options.refuse(address);
      if (!reply) return done();
      done(Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) }));
    },
    onData(stream, session, done) {
      const to = session.envelope.rcptTo.map(({ address }) => address);
      buffer(stream)
        .then((raw) => options.take(to, raw))
        .then(() => done(), done);
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { port: (server.server.address() as AddressInfo).port };
}

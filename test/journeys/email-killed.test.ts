// Journey: the process is killed between hand-over of an email and the response; nothing is sent twice or stays unfinished.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { deliver } from '../../packages/server/testing/smtp-client.ts';
import { startMailSink } from './mail-sink.ts';
import { makeHome, sharedDatabase, until } from './process.ts';

type Email = { id: string; status: string; end_reason: string | null };

test('a kill between send and response ends in unconfirmed, a retry with the key sends nothing, and a delivery report settles it (M8)', async (t) => {
  const accepted: string[] = [];
  let return_path = '';
  let atData: () => void = () => {};
  const relay_url = await startMailSink(t, ({ raw, envelope, accept }) => {
    accepted.push(raw);
    return_path = envelope.mailFrom ? envelope.mailFrom.address : '';
    // A message to "stuck@" gets no reply: the service is killed while it waits.
    if (envelope.rcptTo.some(({ address }) => address.startsWith('stuck@'))) atData();
    else accept();
  });
  const settings = {
    ...(await sharedDatabase(t)),
    PARLEY_SMTP_URL: relay_url,
    PARLEY_EMAIL_TIMEOUT_SECONDS: '5',
    PARLEY_REQUESTS_PER_MINUTE: '1000000',
    PARLEY_SERVICE_MAIL_PREFIX_USER: 'agent',
    PARLEY_SERVICE_MAIL_PREFIX_ORG: 'house',
  };
  const home = makeHome(t);
  const first = await home.start(settings);
  assert.equal((await first.request('POST', '/v1/email-domains', { kind: 'service_mail' })).status, 201);
  const handed = new Promise<void>((resolve) => {
    atData = resolve;
  });
  const body = { recipient_consent: true, to: ['stuck@example.org'], subject: 'Lost?' };
  const key = { 'idempotency-key': randomUUID() };
  const asked = first.request('POST', '/v1/emails', body, key).catch(() => null);
  await handed;
  await first.kill();
  assert.equal(await asked, null);

  const second = await home.start(settings);
  const early = await second.request('POST', '/v1/emails', body, key);
  assert.ok([409, 502].includes(early.status), early.text);
  const listed = () => second.request<{ items: Email[] }>('GET', '/v1/emails');
  await until(async () => (await listed()).body.items[0]?.status === 'failed');
  const [email, ...more] = (await listed()).body.items;
  assert.deepEqual(more, []);
  assert.equal(email!.end_reason, 'unconfirmed');
  const again = await second.request('POST', '/v1/emails', body, key);
  assert.equal(again.status, 502);
  assert.deepEqual([again.body.code, again.body.detail], ['email_unconfirmed', 'email send failed']);
  assert.match(String(again.body.fix), /^Do not send it again/);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal(accepted.length, 1);
  const kinds = async () => {
    const path = `/v1/emails/${email!.id}/events`;
    return (await second.request<{ items: { kind: string }[] }>('GET', path)).body.items.map(
      ({ kind }) => kind,
    );
  };
  assert.deepEqual(await kinds(), ['send_failed']);

  // The relay accepted it and sends a delivery report to the return path.
  const port = Number((await second.prints(/SMTP +port (\d+)/))[1]);
  const raw = [
    'From: MAILER-DAEMON@relay.test',
    'Message-ID: <report@relay.test>',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    '',
    '--b\r\nContent-Type: message/delivery-status\r\n',
    'Reporting-MTA: dns; relay.test\r\n',
    'Final-Recipient: rfc822; stuck@example.org\r\nAction: delivered\r\nStatus: 2.0.0\r\n',
    '--b--\r\n',
  ].join('\r\n');
  assert.match(await deliver(port, { from: '', to: return_path, raw }), /^250 /);
  await until(async () => (await listed()).body.items[0]?.status === 'sent');
  assert.deepEqual(await kinds(), ['send_failed', 'sent', 'delivered']);
});

test('F14: after a kill the process that starts alone closes what was being sent, and a repeated request gets its outcome', async (t) => {
  let atData: () => void = () => {};
  const handed = new Promise<void>((resolve) => {
    atData = resolve;
  });
  // The message gets no reply: the service is killed while it waits.
  const relay_url = await startMailSink(t, () => atData());
  const settings = {
    PARLEY_SMTP_URL: relay_url,
    // Longer than this test waits: only the start of the process can end it earlier.
    PARLEY_EMAIL_TIMEOUT_SECONDS: '300',
    PARLEY_SERVICE_MAIL_PREFIX_USER: 'agent',
    PARLEY_SERVICE_MAIL_PREFIX_ORG: 'house',
  };
  const home = makeHome(t);
  const first = await home.start(settings);
  assert.equal((await first.request('POST', '/v1/email-domains', { kind: 'service_mail' })).status, 201);
  const body = { recipient_consent: true, to: ['stuck@example.org'], subject: 'Lost?' };
  const key = { 'idempotency-key': randomUUID() };
  const asked = first.request('POST', '/v1/emails', body, key).catch(() => null);
  await handed;
  await first.kill();
  assert.equal(await asked, null);

  const second = await home.start(settings);
  const repeat = () => second.request('POST', '/v1/emails', body, key);
  await until(async () => (await repeat()).status !== 409);
  const answer = await repeat();
  assert.deepEqual([answer.status, answer.body.code], [502, 'email_unconfirmed']);
});

test('a client that disconnects neither cancels nor repeats its email', async (t) => {
  const accepted: string[] = [];
  let answer: () => void = () => {};
  let arrived: () => void = () => {};
  const atData = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const relay_url = await startMailSink(t, ({ raw, accept }) => {
    accepted.push(raw);
    answer = accept;
    arrived();
  });
  const service = await makeHome(t).start({
    ...(await sharedDatabase(t)),
    PARLEY_SMTP_URL: relay_url,
    PARLEY_SERVICE_MAIL_PREFIX_USER: 'agent',
    PARLEY_SERVICE_MAIL_PREFIX_ORG: 'house',
  });
  await service.request('POST', '/v1/email-domains', { kind: 'service_mail' });
  const body = { recipient_consent: true, to: ['bob@example.org'], subject: 'Impatient' };
  const headers = {
    authorization: `Bearer ${service.key}`,
    'content-type': 'application/json',
    'idempotency-key': 'impatient',
  };
  const cut = new AbortController();
  const asked = fetch(`${service.url}/v1/emails`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    signal: cut.signal,
  }).catch(() => null);
  await atData;
  cut.abort();
  await asked;
  answer();
  const replayed = async () => {
    const { status } = await service.request('POST', '/v1/emails', body, { 'idempotency-key': 'impatient' });
    return status === 201;
  };
  await until(replayed);
  assert.equal(accepted.length, 1);
});

test('a forward whose process is killed repeatedly is sent at most twice, and reported as failed', async (t) => {
  const accepted: string[] = [];
  // The message gets no reply: the service is killed each time before it knows the outcome.
  const relay_url = await startMailSink(t, ({ raw }) => accepted.push(raw));
  const settings = {
    ...(await sharedDatabase(t)),
    PARLEY_SMTP_URL: relay_url,
    PARLEY_EMAIL_TIMEOUT_SECONDS: '60',
    PARLEY_SERVICE_MAIL_PREFIX_USER: 'agent',
    PARLEY_SERVICE_MAIL_PREFIX_ORG: 'house',
  };
  const home = makeHome(t);
  let service = await home.start(settings);
  // An address of the organization itself needs no confirmation.
  const other = await service.request<{ default_address: string }>('POST', '/v1/email-domains', {
    kind: 'service_mail',
    local_prefix_user: 'ana',
    local_prefix_org: 'house',
  });
  const domain = await service.request<{ id: string }>('POST', '/v1/email-domains', { kind: 'service_mail' });
  const forward_to = [other.body.default_address];
  await service.request('PATCH', `/v1/email-domains/${domain.body.id}`, { forward_to });
  const mail = { from: 'bob@example.org', subject: 'Once?', body_text: 'Hello' };
  const dropped = await service.request<{ id: string }>('POST', '/v1/sandbox/inbound-emails', mail);
  assert.equal(dropped.status, 201, dropped.text);

  /** Until the lease of the killed process has ended. */
  const later = () =>
    service.request('POST', '/v1/sandbox/clock', { advance_seconds: 200 }).catch(() => null);
  for (const copies of [1, 2]) {
    await until(() => accepted.length === copies);
    await service.kill();
    service = await home.start(settings);
    void later();
  }
  const kinds = async () =>
    (
      await service.request<{ items: { kind: string }[] }>('GET', `/v1/emails/${dropped.body.id}/events`)
    ).body.items.map(({ kind }) => kind);
  await until(async () => (await kinds()).length === 2);
  assert.deepEqual(await kinds(), ['received', 'forward_failed']);
  await later();
  assert.equal(accepted.length, 2);
  const [first, second] = accepted.map((raw) => /^Message-ID: .*$/im.exec(raw)?.[0]);
  assert.ok(first && first === second, 'both copies have the same Message-ID');
});

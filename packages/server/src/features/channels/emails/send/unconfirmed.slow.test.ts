// Emails that the relay may have accepted although its reply never came: closed as unconfirmed, settled by later reports (M8).
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { startAppBefore } from '../../../../../testing/relayed-app.ts';
import { relayOf } from '../../../../../testing/scripted-relay.ts';

type Problem = { code: string; detail: string; fix: string };

/** Accepts the content and closes the connection without a reply. */
const relay = await relayOf({ answers: { '.': null } });
const refusing = await relayOf({ answers: { '.': '554 5.6.0 Content refused' } });
const silent = await relayOf({ answers: { '.': () => {} } });

const { app, client } = await startAppBefore(relay);

const send = (to: string, key: string, by = client) =>
  by.request<Problem>(
    'POST',
    '/v1/emails',
    { recipient_consent: true, to: [to], subject: 'Hello', body_html: '<p>Hi</p>' },
    { 'idempotency-key': key },
  );
const newest = async (by = client) =>
  (await by.request<{ items: Email[] }>('GET', '/v1/emails')).body.items[0]!;
const read = async (id: string) => (await client.request<Email>('GET', `/v1/emails/${id}`)).body;
const timeline = async (id: string) =>
  (
    await client.request<{ items: { kind: string; detail: object }[] }>('GET', `/v1/emails/${id}/events`)
  ).body.items.map(({ kind }) => kind);
const events = async (id: string) =>
  (await client.request<{ items: { type: string }[] }>('GET', `/v1/events?resource_id=${id}`)).body.items
    .map(({ type }) => type)
    .sort();

/** An unconfirmed email, and the return path that its reports come to. */
const unconfirmed = async (to: string) => {
  const answer = await send(to, randomUUID());
  assert.equal(answer.body.code, 'email_unconfirmed', answer.text);
  const mail_from = relay.said().findLast((line) => line.startsWith('MAIL FROM'))!;
  return { email: await newest(), return_path: /<([^>]+)>/.exec(mail_from)![1]! };
};
const report = (recipient: string, action: string, status: string) =>
  Buffer.from(
    [
      'From: MAILER-DAEMON@relay.test',
      'Subject: Delivery report',
      `Message-ID: <${randomUUID()}@relay.test>`,
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      '',
      '--b\r\nContent-Type: message/delivery-status\r\n',
      'Reporting-MTA: dns; relay.test\r\n',
      `Final-Recipient: rfc822; ${recipient}\r\nAction: ${action}\r\nStatus: ${status}\r\n`,
      '--b--\r\n',
    ].join('\r\n'),
  );

describe('an email without a reply of the relay', () => {
  test('fails as unconfirmed, and the fix warns against sending again; a repeat gets the same response (M8)', async () => {
    const key = randomUUID();
    const answer = await send('bob@example.org', key);
    const email = await newest();
    assert.deepEqual([answer.status, answer.body.code], [502, 'email_unconfirmed']);
    assert.equal(answer.body.detail, 'email send failed');
    assert.match(answer.body.fix, /^Do not send it again/);
    assert.ok(answer.body.fix.includes(`GET /v1/emails/${email.id}`), answer.body.fix);
    assert.deepEqual([email.status, email.end_reason], ['failed', 'unconfirmed']);
    const contents = relay.contents.length;
    const again = await send('bob@example.org', key);
    assert.deepEqual([again.status, again.body], [502, answer.body]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(relay.contents.length, contents);
    assert.deepEqual(await events(email.id), ['email.send_failed']);
  });

  test('is also unconfirmed after a timeout (M8)', async () => {
    const { client: waiting } = await startAppBefore(silent, { PARLEY_EMAIL_TIMEOUT_SECONDS: '1' });
    const answer = await send('bob@example.org', randomUUID(), waiting);
    assert.deepEqual([answer.status, answer.body.code], [502, 'email_unconfirmed']);
    assert.equal((await newest(waiting)).end_reason, 'unconfirmed');
  });

  test('differs from one that the relay refused, which fails as rejected (M8)', async () => {
    const { client: refused } = await startAppBefore(refusing);
    const answer = await send('bob@example.org', randomUUID(), refused);
    assert.deepEqual([answer.status, answer.body.code], [502, 'email_send_failed']);
    assert.equal((await newest(refused)).end_reason, 'smtp_rejected');
  });
});

describe('a report about an unconfirmed email', () => {
  const cases = {
    delivered: { action: 'delivered', code: '2.0.0', status: 'sent', end_reason: null },
    delivery_delayed: { action: 'delayed', code: '4.4.1', status: 'sent', end_reason: null },
    bounced: { action: 'failed', code: '5.1.1', status: 'bounced', end_reason: 'hard_bounce' },
  };
  for (const [kind, { action, code, status, end_reason }] of Object.entries(cases)) {
    test(`that says ${kind} makes it ${status} (M8)`, async () => {
      const to = `${kind}@example.org`;
      const { email, return_path } = await unconfirmed(to);
      const raw = report(to, action, code);
      assert.equal(await app.mail_reports.recordFromReturnPath({ recipient: return_path, raw }), 1);
      assert.equal(await app.mail_reports.recordFromReturnPath({ recipient: return_path, raw }), 0);
      const settled = await read(email.id);
      assert.deepEqual([settled.status, settled.end_reason, settled.failed_at], [status, end_reason, null]);
      assert.ok(settled.sent_at);
      assert.deepEqual(await timeline(email.id), ['send_failed', 'sent', kind]);
      assert.deepEqual(await events(email.id), [`email.${kind}`, 'email.send_failed'].sort());
    });
  }

  test('that is only a visit does not confirm it, because relays follow links too (M8)', async () => {
    const { email } = await unconfirmed('visited@example.org');
    const picture = /https?:[^"\s]+\/t\/o\/[^"\s]+/.exec(relay.contents.at(-1)!.replaceAll('=\r\n', ''))?.[0];
    assert.ok(picture, relay.contents.at(-1));
    assert.equal((await fetch(picture)).status, 200);
    assert.equal((await read(email.id)).end_reason, 'unconfirmed');
  });

  test('counts it as sent (M8)', async () => {
    const totals = async () =>
      (await client.request<{ totals: Record<string, number> }>('GET', '/v1/emails/stats')).body.totals;
    const before = await totals();
    const { return_path } = await unconfirmed('counted@example.org');
    const raw = report('counted@example.org', 'delivered', '2.0.0');
    await app.mail_reports.recordFromReturnPath({ recipient: return_path, raw });
    const after = await totals();
    const raised = ['sent', 'delivered', 'rejected'].map((name) => after[name]! - before[name]!);
    assert.deepEqual(raised, [1, 1, 1]);
  });
});

// The outcome of a hand-over is recorded correctly, even if the database fails meanwhile.
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { disturbedDatabase } from '../../../../../testing/disturbed-database.ts';
import { startRelayedApp } from '../../../../../testing/relayed-app.ts';
import { DatabaseUnavailable } from '../../../../platform/db/database.ts';

const { db, next } = await disturbedDatabase();
const { app, client, later, relay } = await startRelayedApp({}, {}, { db });

const storing = /insert into emails/;
const closing = /update emails t set status/;
const send = (to = 'bob@example.org') =>
  client.request<Email>('POST', '/v1/emails', { recipient_consent: true, to: [to], subject: 'Hello' });
const newest = async () => (await client.request<{ items: Email[] }>('GET', '/v1/emails')).body.items[0]!;
const suppressed = async () =>
  (await client.request<{ items: { recipient: string }[] }>('GET', '/v1/email-suppressions')).body.items.map(
    ({ recipient }) => recipient,
  );
const notice = (recipient: string, about = '') =>
  Buffer.from(
    [
      'From: MAILER-DAEMON@relay.test',
      'Subject: Undelivered Mail Returned to Sender',
      `Message-ID: <${crypto.randomUUID()}@relay.test>`,
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      '',
      '--b\r\nContent-Type: message/delivery-status\r\n',
      'Reporting-MTA: dns; relay.test\r\n',
      `Final-Recipient: rfc822; ${recipient}\r\nAction: failed\r\nStatus: 5.1.1\r\n`,
      `--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: ${about}\r\n\r\n--b--\r\n`,
    ].join('\r\n'),
  );

beforeEach(() => relay.contents.splice(0));

describe('an email that the relay accepted', () => {
  test('is reported as sent even if the response to its commit was lost', async () => {
    next({
      statement: closing,
      async after() {
        throw new DatabaseUnavailable('Connection terminated unexpectedly');
      },
    });
    const answer = await send();
    assert.deepEqual([answer.status, answer.body.status], [201, 'sent'], answer.text);
    assert.equal((await newest()).status, 'sent');
    assert.equal(relay.contents.length, 1);
  });

  test('is recorded in the end, whatever error the database returned', async () => {
    next({
      statement: closing,
      async before() {
        throw Object.assign(new Error('cannot execute UPDATE in a read-only transaction'), { code: '25006' });
      },
    });
    assert.equal((await send()).status, 201);
    assert.equal((await newest()).status, 'sent');
    assert.equal(relay.contents.length, 1);
  });

  test('bounces even if the report was faster than its commit', async () => {
    let report: Promise<number> | undefined;
    next({
      statement: closing,
      async before() {
        const from = /^MAIL FROM:<([^>]+)>/.exec(relay.said().findLast((line) => /^MAIL/.test(line))!)![1]!;
        report = app.mail_reports.recordFromReturnPath({ recipient: from, raw: notice('gone@example.org') });
      },
    });
    const answer = await send('gone@example.org');
    assert.equal(answer.status, 201, answer.text);
    assert.equal(await report, 1);
    const email = await newest();
    assert.deepEqual([email.status, email.end_reason], ['bounced', 'hard_bounce']);
    assert.deepEqual(await suppressed(), ['gone@example.org']);
  });
});

test('an email that took too long to store is not handed over after it was closed as failed', async () => {
  let closed: Email | undefined;
  next({
    statement: storing,
    async after() {
      await later(60);
      closed = await newest();
    },
  });
  const answer = await send();
  assert.equal(closed!.status, 'failed');
  assert.equal(answer.status, 502);
  assert.deepEqual(relay.contents, []);
});

test('a report with only the Message-ID suppresses none of several recipients', async () => {
  const answer = await client.request<Email>('POST', '/v1/emails', {
    recipient_consent: true,
    to: ['eve@example.org', 'victim@example.org'],
    subject: 'Hello',
  });
  const raw = notice('victim@example.org', answer.body.message_id!);
  const { organization_id } = client;
  const about = await app.mail_reports.recordFromMailbox(organization_id, {
    recipient: 'agent@acme.example',
    raw,
  });
  assert.equal(about, answer.body.id);
  assert.equal((await newest()).status, 'sent');
  assert.ok(!(await suppressed()).includes('victim@example.org'));
  const steps = await client.request<{ items: { kind: string }[] }>('GET', `/v1/emails/${about}/events`);
  assert.deepEqual(
    steps.body.items.map(({ kind }) => kind),
    ['sent', 'delivered', 'bounced'],
  );
});

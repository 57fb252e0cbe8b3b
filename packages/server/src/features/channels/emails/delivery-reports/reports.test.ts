// Reports that arrive as mail: bounces of many kinds, delays, complaints, and mail that is no report.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { startTestApp } from '../../../../../testing/app.ts';
import { emailTimeline, sendWithReturnPath } from '../../../../../testing/sent-emails.ts';
import { readReport } from './reading/read-report.ts';

const { app, client, organization } = await startTestApp();

const lines = (...text: string[]) => text.join('\r\n');

/** A delivery status notification as relays write them. */
const notice = (options: {
  to: string;
  recipient: string;
  action?: string;
  status?: string;
  diagnostic?: string;
  id?: string;
  utf8?: boolean;
}) =>
  Buffer.from(
    lines(
      'From: Mail Delivery System <MAILER-DAEMON@relay.test>',
      `To: ${options.to}`,
      'Subject: Undelivered Mail Returned to Sender',
      `Message-ID: <${options.id ?? 'notice-1'}@relay.test>`,
      'Auto-Submitted: auto-replied',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'I am sorry to say that your message could not be delivered.',
      '--b',
      `Content-Type: message/${options.utf8 ? 'global-' : ''}delivery-status`,
      '',
      'Reporting-MTA: dns; relay.test',
      'Arrival-Date: Sun, 15 Nov 2026 10:00:00 +0000',
      '',
      `Final-Recipient: ${options.utf8 ? 'utf-8' : 'rfc822'}; ${options.recipient}`,
      `Action: ${options.action ?? 'failed'}`,
      `Status: ${options.status ?? '5.1.1'}`,
      'Remote-MTA: dns; mx.example.org',
      `Diagnostic-Code: smtp; ${options.diagnostic ?? '550 5.1.1 <x>: Recipient address rejected:\r\n    User unknown in virtual mailbox table'}`,
      '',
      '--b',
      'Content-Type: text/rfc822-headers',
      '',
      'Subject: Hello',
      '',
      '--b--',
      '',
    ),
  );

const sent = (to: string[], of = client) => sendWithReturnPath(of, to);
const entries = async (id: string, of = client) => (await emailTimeline(of, id)).slice(2);
const status = async (id: string, of = client) =>
  (await of.request<Email>('GET', `/v1/emails/${id}`)).body.status;

describe('a delivery status notification', () => {
  test('about an invalid address is one hard bounce', async () => {
    const own = organization();
    const { id, return_path } = await sent(['gone@example.org'], own);
    const raw = notice({ to: return_path, recipient: 'gone@example.org' });
    assert.equal(await app.mail_reports.recordFromReturnPath({ recipient: return_path, raw }), 1);
    assert.equal(await app.mail_reports.recordFromReturnPath({ recipient: return_path, raw }), 0);
    const [entry, ...more] = await entries(id, own);
    assert.deepEqual(more, []);
    assert.equal(entry!.detail.hard, true);
    assert.deepEqual(entry!.detail.recipients, ['gone@example.org']);
    assert.match(String(entry!.detail.diagnostic_code), /User unknown in virtual mailbox table/);
    assert.equal(await status(id, own), 'bounced');
  });

  test('distinguishes invalid addresses from other meanings of 5xx', async () => {
    const judged = async (code: string, diagnostic: string) => {
      const read = await readReport(
        notice({ to: 'x@y.test', recipient: 'a@b.test', status: code, diagnostic }),
      );
      return [read!.reports[0]!.hard, read!.reports[0]!.detail.bounce_sub_type];
    };
    assert.deepEqual(await judged('5.1.1', '550 5.1.1 no such user'), [true, 'NoEmail']);
    assert.deepEqual(await judged('5.0.0', '550 unknown user a@b.test'), [true, 'NoEmail']);
    assert.deepEqual(await judged('5.1.2', '550 Host or domain name not found'), [true, 'NoEmail']);
    assert.deepEqual(await judged('5.2.2', '552 5.2.2 Over quota'), [false, 'MailboxFull']);
    assert.deepEqual(await judged('5.7.1', '550 5.7.1 Blocked: listed by an RBL'), [
      false,
      'ContentRejected',
    ]);
    assert.deepEqual(await judged('5.7.26', '550-5.7.26 DMARC policy'), [false, 'ContentRejected']);
    assert.deepEqual(await judged('5.3.4', '552 5.3.4 Message size exceeds limit'), [
      false,
      'MessageTooLarge',
    ]);
    assert.deepEqual(await judged('4.4.1', 'connect to mx: Connection timed out'), [false, 'General']);
    assert.deepEqual(await judged('5.0.0', '554 no idea'), [false, 'Undetermined']);
    // About us, not about the recipient.
    for (const [code, words] of [
      ['5.1.8', '550 5.1.8 <a@b.test>: Sender address rejected: Domain not found'],
      ['5.1.8', '553 5.1.8 <a@b.test>... Domain of sender address a@b.test does not exist'],
      ['5.1.7', '550 5.1.7 <a@b.test>: Sender address rejected: undeliverable address'],
      ['5.1.0', '550 5.1.0 <a@b.test> sender rejected'],
      ['5.0.0', '550 Sender verify failed: unknown user'],
      ['5.0.0', '550 Reverse DNS lookup failed: host not found'],
      ['5.0.0', '554 IP address 192.0.2.1 rejected: address unknown'],
    ] as const)
      assert.deepEqual(await judged(code, words), [false, 'ContentRejected'], words);
  });

  test('about a delay leaves the email sent', async () => {
    const { id, return_path } = await sent(['slow@example.org']);
    const raw = notice({
      to: return_path,
      recipient: 'slow@example.org',
      action: 'delayed',
      status: '4.4.1',
    });
    assert.equal(await app.mail_reports.recordFromReturnPath({ recipient: return_path, raw }), 1);
    assert.deepEqual(
      (await entries(id)).map((entry) => entry.kind),
      ['delivery_delayed'],
    );
    assert.equal(await status(id), 'sent');
  });

  test('about an expired delay is a soft bounce', async () => {
    const { id, return_path } = await sent(['late@example.org']);
    const raw = notice({
      to: return_path,
      recipient: 'late@example.org',
      status: '4.4.7',
      diagnostic: 'expired',
    });
    await app.mail_reports.recordFromReturnPath({ recipient: return_path, raw });
    assert.deepEqual(
      (await entries(id)).map(({ kind, detail }) => [kind, detail.hard]),
      [['bounced', false]],
    );
    assert.equal(await status(id), 'sent');
  });

  test('in the international format is read', async () => {
    const read = await readReport(notice({ to: 'x@y.test', recipient: 'zoë@bücher.example', utf8: true }));
    assert.deepEqual(read!.reports[0]!.recipients, ['zoë@bücher.example']);
  });

  test('about several recipients is one event for each', async () => {
    const own = organization();
    const { id, return_path } = await sent(['a@example.org', 'b@example.org', 'c@example.org'], own);
    for (const who of ['a', 'b'])
      await app.mail_reports.recordFromReturnPath({
        recipient: return_path,
        raw: notice({ to: return_path, recipient: `${who}@example.org`, id: who }),
      });
    assert.deepEqual(
      (await entries(id, own)).map(({ detail }) => detail.recipients),
      [['a@example.org'], ['b@example.org']],
    );
    const { totals } = (await own.request<{ totals: Record<string, number> }>('GET', '/v1/emails/stats'))
      .body;
    assert.deepEqual([totals.bounced, totals.bounced_hard], [1, 1]);
  });

  test('cannot suppress addresses that are no recipients of the email', async () => {
    const own = organization();
    const { return_path } = await sent(['a@example.org', 'b@example.org'], own);
    await app.mail_reports.recordFromReturnPath({
      recipient: return_path,
      raw: notice({ to: return_path, recipient: 'victim@example.org' }),
    });
    const list = await own.request<{ items: unknown[] }>('GET', '/v1/email-suppressions');
    assert.deepEqual(list.body.items, []);
  });

  test('to a return path without a valid signature changes nothing', async () => {
    const { id, return_path } = await sent(['safe@example.org']);
    const forged = return_path.replace(/-(.)/, (_, letter) => `-${letter === 'a' ? 'b' : 'a'}`);
    const raw = notice({ to: forged, recipient: 'safe@example.org' });
    assert.equal(await app.mail_reports.recordFromReturnPath({ recipient: forged, raw }), 0);
    assert.equal(await status(id), 'sent');
  });
});

describe('a complaint', () => {
  const complaint = (return_path: string, recipient: string, feedback_type = 'abuse') =>
    Buffer.from(
      lines(
        'From: <fbl@isp.test>',
        'Subject: FW: Hello',
        'Message-ID: <fbl-1@isp.test>',
        'MIME-Version: 1.0',
        'Content-Type: multipart/report; report-type=feedback-report; boundary="b"',
        '',
        '--b',
        'Content-Type: text/plain',
        '',
        'This is an email abuse report.',
        '--b',
        'Content-Type: message/feedback-report',
        '',
        `Feedback-Type: ${feedback_type}`,
        'User-Agent: SomeGenerator/1.0',
        'Version: 1',
        `Original-Mail-From: <${return_path}>`,
        `Original-Rcpt-To: <${recipient}>`,
        '',
        '--b',
        'Content-Type: message/rfc822',
        '',
        'Subject: Hello',
        '',
        'Body',
        '--b--',
        '',
      ),
    );

  test('sets the email complained and suppresses the address, wherever the report arrives', async () => {
    const own = organization();
    const { id, return_path } = await sent(['angry@example.org'], own);
    const raw = complaint(return_path, 'angry@example.org');
    assert.equal(await app.mail_reports.recordFromReturnPath({ recipient: 'fbl@parley.test', raw }), 1);
    assert.equal(await app.mail_reports.recordFromReturnPath({ recipient: 'fbl@parley.test', raw }), 0);
    assert.equal(await status(id, own), 'complained');
    const list = await own.request<{ items: { recipient: string; reason: string }[] }>(
      'GET',
      '/v1/email-suppressions',
    );
    assert.deepEqual(
      list.body.items.map(({ recipient, reason }) => [recipient, reason]),
      [['angry@example.org', 'complaint']],
    );
  });

  test('that was withdrawn is ignored', async () => {
    const { id, return_path } = await sent(['calm@example.org']);
    await app.mail_reports.recordFromReturnPath({
      recipient: return_path,
      raw: complaint(return_path, 'calm@example.org', 'not-spam'),
    });
    assert.equal(await status(id), 'sent');
  });
});

describe('other mail to a return path', () => {
  test('that is an automatic reply or mail of a person changes nothing', async () => {
    const { id, return_path } = await sent(['away@example.org']);
    for (const head of [
      'Auto-Submitted: auto-replied\r\nSubject: Out of office',
      'Subject: Thanks',
      '',
      '\0\0',
    ]) {
      const raw = Buffer.from(`From: away@example.org\r\n${head}\r\n\r\nI am away. 550 5.1.1 user unknown`);
      assert.equal(await app.mail_reports.recordFromReturnPath({ recipient: return_path, raw }), 0);
    }
    assert.equal(
      await app.mail_reports.recordFromReturnPath({ recipient: return_path, raw: Buffer.alloc(0) }),
      0,
    );
    assert.equal(await status(id), 'sent');
  });

  test('that is a prose report of an old server is a bounce', async () => {
    const { id, return_path } = await sent(['old@example.org']);
    const raw = Buffer.from(
      lines(
        'From: MAILER-DAEMON@old.test',
        'Subject: failure notice',
        '',
        'Hi. This is the mail program at old.test.',
        '<old@example.org>:',
        'Sorry, no mailbox here by that name. (#5.1.1)',
        '',
      ),
    );
    assert.equal(await app.mail_reports.recordFromReturnPath({ recipient: return_path, raw }), 1);
    assert.equal(await status(id), 'bounced');
  });

  test('that is hostile to parsers does no harm', async () => {
    const deep = Array.from(
      { length: 200 },
      (_, i) => `--b${i}\r\nContent-Type: multipart/report; boundary=b${i + 1}\r\n`,
    );
    for (const raw of [
      Buffer.from(`Content-Type: multipart/report; boundary=b0\r\n\r\n${deep.join('\r\n')}`),
      Buffer.from(`Subject: ${'a'.repeat(100_000)}\r\n\r\n`),
      Buffer.from(`X-Failed-Recipients: ${'a@b,'.repeat(20_000)}\r\n\r\nuser unknown`),
    ])
      assert.equal(await app.mail_reports.recordFromReturnPath({ recipient: 'x@y.test', raw }), 0);
  });
});

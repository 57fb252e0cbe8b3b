// Messages to a signed return path: those that are not understood are stored and listed, others are not.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { limits } from '@parley/contract/limits';
import { startTestApp } from '../../../../../../testing/app.ts';
import { emailTimeline, sendWithReturnPath } from '../../../../../../testing/sent-emails.ts';

const { app, client, organization, later, url } = await startTestApp();

const sent = (to: string[], of = client) => sendWithReturnPath(of, to);
const entries = async (id: string, of = client) => (await emailTimeline(of, id)).slice(2);
const message = (...lines: string[]) => Buffer.from(lines.join('\r\n'));
const fetched = (id: string, attachment_id: unknown, of = client) =>
  fetch(`${url}/v1/emails/${id}/attachments/${attachment_id}`, {
    headers: { authorization: `Bearer ${of.key}` },
  });

describe('a message to a signed return path', () => {
  test('that is not understood is stored once, and is on the timeline (M5)', async () => {
    const { id, return_path } = await sent(['bob@example.org']);
    const raw = message(
      'From: Bob <bob@example.org>',
      `To: ${return_path}`,
      'Subject: Strange words',
      '',
      'Zorp glemph.',
      '',
    );
    assert.equal(await app.mail_reports.recordFromReturnPath({ recipient: return_path, raw }), 0);
    assert.equal(await app.mail_reports.recordFromReturnPath({ recipient: return_path, raw }), 0);
    const [entry, ...more] = await entries(id);
    assert.deepEqual(more, []);
    assert.equal(entry!.kind, 'unreadable_report');
    assert.equal(entry!.detail.from, 'bob@example.org');
    assert.equal(entry!.detail.subject, 'Strange words');
    const content = await fetched(id, entry!.detail.attachment_id);
    assert.equal(content.status, 200);
    assert.deepEqual(Buffer.from(await content.arrayBuffer()), raw);
    const email = (await client.request<Email>('GET', `/v1/emails/${id}`)).body;
    assert.equal(email.status, 'sent');
    assert.deepEqual(email.attachments, []);
  });

  test('that cannot be parsed is stored too, and other organizations cannot read it (M5)', async () => {
    const { id, return_path } = await sent(['odd@example.org']);
    const other = await sent(['other@example.org']);
    for (const raw of [message('\0\0'), Buffer.alloc(0)]) {
      await app.mail_reports.recordFromReturnPath({ recipient: return_path, raw });
    }
    const found = await entries(id);
    assert.deepEqual(
      found.map(({ kind }) => kind),
      ['unreadable_report', 'unreadable_report'],
    );
    const { attachment_id } = found[0]!.detail;
    assert.equal((await fetched(id, attachment_id)).status, 200);
    assert.equal((await fetched(other.id, attachment_id)).status, 404);
    assert.equal((await fetched(id, attachment_id, organization())).status, 404);
  });

  test('that is an automatic reply or a receipt adds no entry', async () => {
    const { id, return_path } = await sent(['away@example.org']);
    for (const raw of [
      message(
        'From: away@example.org',
        'Subject: Out of office',
        'Auto-Submitted: auto-replied',
        '',
        'Away.',
      ),
      message(
        'From: away@example.org',
        'Subject: Read: Hello',
        'Content-Type: multipart/report; report-type=disposition-notification; boundary=b',
        '',
        '--b',
        'Content-Type: message/disposition-notification',
        '',
        'Final-Recipient: rfc822;away@example.org',
        'Disposition: manual-action/MDN-sent-manually; displayed',
        '--b--',
      ),
    ]) {
      await app.mail_reports.recordFromReturnPath({ recipient: return_path, raw });
    }
    assert.deepEqual(await entries(id), []);
  });

  test('is stored only up to a maximum for each email', async () => {
    const { id, return_path } = await sent(['chatty@example.org']);
    for (let count = 0; count < limits.email_unreadable_reports + 3; count++) {
      const raw = message('From: chatty@example.org', `Subject: ${count}`, '', 'Hello?');
      await app.mail_reports.recordFromReturnPath({ recipient: return_path, raw });
    }
    assert.equal((await entries(id)).length, limits.email_unreadable_reports);
  });

  test('in prose affects only recipients of the email, whatever other addresses it has (M6)', async () => {
    const own = organization();
    const { id, return_path } = await sent(['a@example.org', 'b@example.org', 'c@example.org'], own);
    const raw = message(
      'From: MAILER-DAEMON <>',
      `To: ${return_path}`,
      'Subject: Delivery failure',
      '',
      'The mail router of helpdesk@example.net could not deliver your message.',
      'forwarded-to@example.net:',
      'The address b@example.org does not exist.',
    );
    assert.equal(await app.mail_reports.recordFromReturnPath({ recipient: return_path, raw }), 1);
    assert.deepEqual(
      (await entries(id, own)).map(({ kind, detail }) => [kind, detail.hard, detail.recipients]),
      [['bounced', true, ['b@example.org']]],
    );
    const list = await own.request<{ items: { recipient: string }[] }>('GET', '/v1/email-suppressions');
    assert.deepEqual(
      list.body.items.map(({ recipient }) => recipient),
      ['b@example.org'],
    );
  });

  // Last, because it moves the clock.
  test('expires like an unused upload (M5)', async () => {
    const { id, return_path } = await sent(['late@example.org']);
    const raw = message('From: late@example.org', 'Subject: ?', '', 'Hm.');
    await app.mail_reports.recordFromReturnPath({ recipient: return_path, raw });
    const [entry] = await entries(id);
    await later(31 * 86_400);
    await app.jobs.drain();
    assert.equal((await fetched(id, entry!.detail.attachment_id)).status, 404);
    assert.equal((await entries(id)).length, 1);
  });
});

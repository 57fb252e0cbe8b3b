// Received mail and delivery events from SES, from the signed SNS notification to the record.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { startTestApp } from '../../../../../testing/app.ts';
import { createMailbox, receivedEmails } from '../../../../../testing/mail-app.ts';
import { rawMessage } from '../../../../../testing/smtp-client.ts';
import { snsStandIn } from '../../../../../testing/sns.ts';

const topic_arn = 'arn:aws:sns:eu-west-1:123456789012:parley';
const { fetchText, notification } = snsStandIn(topic_arn);

/** A stand-in for SES and S3: accepts sends, and returns stored messages for signed requests. */
const bucket = new Map<string, string>();
const downloads: string[] = [];
/** Runs after SES received a message and before it responds; a test may replace it. */
let onSend: (email_id: string) => 'respond' | 'hang up' = () => 'respond';
const signed_at: number[] = [];
const amazon = createServer(async (request, response) => {
  if (request.method === 'POST') {
    const body = (await json(request)) as { EmailTags: { Value: string }[] };
    const date = String(request.headers['x-amz-date']);
    signed_at.push(Date.parse(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z')));
    const email_id = body.EmailTags[0]!.Value;
    if (onSend(email_id) === 'hang up') return response.destroy();
    return response.end(JSON.stringify({ MessageId: `0102-${email_id}` }));
  }
  downloads.push(request.url!);
  const found = bucket.get(request.url!);
  if (!/^AWS4-HMAC-SHA256 Credential=AKID\//.test(request.headers.authorization ?? ''))
    response.statusCode = 403;
  else if (found === undefined) response.statusCode = 404;
  response.end(response.statusCode === 200 ? found : 'no');
}).listen(0, '127.0.0.1');
await once(amazon, 'listening');
after(() => amazon.close());
const endpoint = `http://127.0.0.1:${(amazon.address() as AddressInfo).port}`;

const { client, url, later } = await startTestApp(
  {
    PARLEY_MAIL_TRANSPORT: 'ses',
    PARLEY_SES_REGION: 'eu-west-1',
    PARLEY_SES_ACCESS_KEY_ID: 'AKID',
    PARLEY_SES_SECRET_ACCESS_KEY: 'secret',
    PARLEY_SES_TOPIC_ARN: `arn:aws:sns:eu-west-1:123456789012:other, ${topic_arn}`,
    PARLEY_INBOUND_MAX_BYTES: String(64 * 1024),
    PARLEY_SES_ENDPOINT: endpoint,
    PARLEY_SES_S3_ENDPOINT: endpoint,
  },
  { mail_network: { fetchText } },
);
const { default_address: to } = await createMailbox(client);

const post = async (body: object) =>
  (await fetch(`${url}/intake/mail/ses`, { method: 'POST', body: JSON.stringify(body) })).status;
const inbound = () => receivedEmails(client);
const ses_verdicts = {
  spamVerdict: 'GRAY',
  virusVerdict: 'PASS',
  spfVerdict: 'PASS',
  dkimVerdict: 'FAIL',
  dmarcVerdict: 'odd',
};
const receivedNotification = (key: string, recipients = [to]) => ({
  notificationType: 'Received',
  mail: { messageId: key, source: 'bob@example.org', destination: recipients },
  receipt: {
    recipients,
    ...Object.fromEntries(Object.entries(ses_verdicts).map(([name, status]) => [name, { status }])),
    action: { type: 'S3', bucketName: 'mail', objectKey: `in/${key}` },
  },
});

test('a notification of received mail stores the message from the bucket, with the verdicts of SES', async () => {
  bucket.set('/mail/in/one', rawMessage({ to, subject: 'From the bucket' }).replaceAll('\r\n', '\n'));
  assert.equal(await post(notification(receivedNotification('one'))), 204);
  const [email] = await inbound();
  assert.equal(email!.subject, 'From the bucket');
  assert.equal(email!.provider_message_id, 'one');
  assert.deepEqual(
    [
      email!.spam_verdict,
      email!.virus_verdict,
      email!.spf_verdict,
      email!.dkim_verdict,
      email!.dmarc_verdict,
    ],
    ['GRAY', 'PASS', 'PASS', 'FAIL', 'DISABLED'],
  );
  assert.equal(await post(notification(receivedNotification('one'))), 204, 'the same notification again');
  assert.equal((await inbound()).length, 1);
});

test('a message that is not in the bucket yet is retried, and one without a known recipient is not downloaded', async () => {
  assert.equal(await post(notification(receivedNotification('late'))), 500);
  bucket.set('/mail/in/late', rawMessage({ to, subject: 'Late' }));
  assert.equal(await post(notification(receivedNotification('late'))), 204);
  assert.equal((await inbound())[0]!.subject, 'Late');
  const before = downloads.length;
  assert.equal(await post(notification(receivedNotification('other', ['x@elsewhere.test']))), 204);
  assert.equal(downloads.length, before);
});

test('a message that is larger than the limit of SMTP is stored, because SES has accepted it', async () => {
  const large = rawMessage({ to, subject: 'Large', body: `${'x'.repeat(70)}\r\n`.repeat(1500) });
  bucket.set('/mail/in/large', large);
  assert.equal(await post(notification(receivedNotification('large'))), 204);
  const [email] = await inbound();
  const link = await client.request('GET', `/v1/emails/${email!.id}/raw`);
  const raw = await (await fetch(link.headers.get('location')!)).text();
  assert.equal(raw.length, large.length);
});

test('a message may be part of the notification', async () => {
  const received = receivedNotification('inline');
  const content = Buffer.from(rawMessage({ to, subject: 'Inline' })).toString('base64');
  const action = { type: 'SNS', encoding: 'BASE64' };
  assert.equal(
    await post(notification({ ...received, content, receipt: { ...received.receipt, action } })),
    204,
  );
  assert.equal((await inbound())[0]!.subject, 'Inline');
});

test('a notification that Amazon did not sign is refused', async () => {
  const before = (await inbound()).length;
  const forged = {
    ...notification(receivedNotification('one')),
    Message: JSON.stringify(receivedNotification('late')),
  };
  assert.equal(await post(forged), 403);
  assert.equal(
    await post({ ...notification(receivedNotification('one')), TopicArn: 'arn:aws:sns:eu-west-1:1:mine' }),
    403,
  );
  assert.equal((await inbound()).length, before);
});

const send = (recipient: string) =>
  client.request<Email>('POST', '/v1/emails', {
    recipient_consent: true,
    to: [recipient],
    subject: 'Hello',
  });
const bounceOf = (recipient: string, mail: object) =>
  notification({
    eventType: 'Bounce',
    mail,
    bounce: {
      bounceType: 'Permanent',
      bounceSubType: 'NoEmail',
      bouncedRecipients: [{ emailAddress: recipient }],
    },
  });
const isSuppressed = async (recipient: string) =>
  (await client.request<{ items: { recipient: string }[] }>('GET', '/v1/email-suppressions')).body.items.some(
    (entry) => entry.recipient === recipient,
  );

test('a report that arrives before the response of SES waits for it', async () => {
  let reported: Promise<number> | undefined;
  onSend = (email_id) => {
    reported = post(
      bounceOf('fast@example.org', { messageId: '0102-fast', tags: { parley_email_id: [email_id] } }),
    );
    return 'respond';
  };
  const sent = await send('fast@example.org');
  assert.equal(sent.status, 201, sent.text);
  assert.equal(await reported, 204);
  const { body } = await client.request<Email>('GET', `/v1/emails/${sent.body.id}`);
  assert.equal(body.status, 'bounced');
});

test('a report about an email whose send response was lost suppresses the recipient and settles the email (M8)', async () => {
  let id = '';
  onSend = (email_id) => {
    id = email_id;
    return 'hang up';
  };
  const lost = await client.request<{ code: string }>('POST', '/v1/emails', {
    recipient_consent: true,
    to: ['lost@example.org'],
    subject: 'Hello',
  });
  assert.deepEqual([lost.status, lost.body.code], [502, 'email_unconfirmed']);
  onSend = () => 'respond';
  const mail = { messageId: '0102-unknown', tags: { parley_email_id: [id] } };
  assert.equal(await post(bounceOf('lost@example.org', mail)), 204);
  assert.ok(await isSuppressed('lost@example.org'));
  const { status, end_reason, provider_message_id } = (await client.request<Email>('GET', `/v1/emails/${id}`))
    .body;
  assert.deepEqual([status, end_reason, provider_message_id], ['bounced', 'hard_bounce', '0102-unknown']);
});

test('a report that matches no email is refused with 503, so that SNS sends it again', async () => {
  for (const tags of [{}, { parley_email_id: [crypto.randomUUID()] }, { parley_email_id: ['x'] }])
    assert.equal(await post(bounceOf('who@example.org', { messageId: '0102-who', tags })), 503);
});

test('requests to Amazon are signed with the real time, also after the sandbox clock was moved', async () => {
  await later(86_400);
  assert.equal((await send('dated@example.org')).status, 201);
  assert.ok(Math.abs(signed_at.at(-1)! - Date.now()) < 60_000);
});

test('a bounce from SES is recorded on its email', async () => {
  const sent = await client.request<Email>('POST', '/v1/emails', {
    recipient_consent: true,
    to: ['gone@example.org'],
    subject: 'Hello',
  });
  assert.equal(sent.status, 201, sent.text);
  const bounce = {
    eventType: 'Bounce',
    mail: { messageId: sent.body.provider_message_id },
    bounce: {
      bounceType: 'Permanent',
      bounceSubType: 'NoEmail',
      bouncedRecipients: [{ emailAddress: 'gone@example.org', diagnosticCode: 'smtp; 550 5.1.1' }],
      feedbackId: 'f-1',
    },
  };
  assert.equal(await post(notification(bounce)), 204);
  assert.equal(await post(notification(bounce)), 204);
  const { body } = await client.request<Email>('GET', `/v1/emails/${sent.body.id}`);
  assert.equal(body.status, 'bounced');
  const timeline = await client.request<{ items: { kind: string }[] }>(
    'GET',
    `/v1/emails/${sent.body.id}/events`,
  );
  assert.deepEqual(
    timeline.body.items.map(({ kind }) => kind),
    ['sent', 'bounced'],
  );
});

// Mail and delivery events of SES, from the signed notice to the record, through the whole service.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import type { Email } from '@parley/contract/email-records';
import { startTestApp } from '../../../testing/app.ts';
import { letter } from '../../../testing/smtp-client.ts';
import { snsStandIn } from '../../../testing/sns.ts';

const topic_arn = 'arn:aws:sns:eu-west-1:123456789012:parley';
const { fetchText, notice } = snsStandIn(topic_arn);

/** SES and S3 in one place: sends are taken, stored messages are handed out to whoever signs the request. */
const bucket = new Map<string, string>();
const asked: string[] = [];
const amazon = createServer((request, response) => {
  if (request.method === 'POST') return response.end(JSON.stringify({ MessageId: '0102-sent' }));
  asked.push(request.url!);
  const found = bucket.get(request.url!);
  if (!/^AWS4-HMAC-SHA256 Credential=AKID\//.test(request.headers.authorization ?? ''))
    response.statusCode = 403;
  else if (found === undefined) response.statusCode = 404;
  response.end(response.statusCode === 200 ? found : 'no');
}).listen(0, '127.0.0.1');
await once(amazon, 'listening');
after(() => amazon.close());
const endpoint = `http://127.0.0.1:${(amazon.address() as AddressInfo).port}`;

const { client, url } = await startTestApp(
  {
    PARLEY_MAIL_TRANSPORT: 'ses',
    PARLEY_SES_REGION: 'eu-west-1',
    PARLEY_SES_ACCESS_KEY_ID: 'AKID',
    PARLEY_SES_SECRET_ACCESS_KEY: 'secret',
    PARLEY_SES_TOPIC_ARN: `arn:aws:sns:eu-west-1:123456789012:other, ${topic_arn}`,
    PARLEY_SES_ENDPOINT: endpoint,
    PARLEY_SES_S3_ENDPOINT: endpoint,
  },
  { mail_network: { fetchText } },
);
const { body: domain } = await client.request<{ default_address: string }>('POST', '/v1/email-domains', {
  kind: 'service_mail',
  local_prefix_user: 'ana',
  local_prefix_org: 'acme',
});
const to = domain.default_address;

const post = async (body: object) =>
  (await fetch(`${url}/intake/mail/ses`, { method: 'POST', body: JSON.stringify(body) })).status;
const inbound = async () => {
  const list = await client.request<{ items: { id: string }[] }>('GET', '/v1/emails?direction=inbound');
  return Promise.all(
    list.body.items.map(async ({ id }) => (await client.request<Email>('GET', `/v1/emails/${id}`)).body),
  );
};
const judged = {
  spamVerdict: 'GRAY',
  virusVerdict: 'PASS',
  spfVerdict: 'PASS',
  dkimVerdict: 'FAIL',
  dmarcVerdict: 'odd',
};
const receivedNotice = (key: string, recipients = [to]) => ({
  notificationType: 'Received',
  mail: { messageId: key, source: 'bob@example.org', destination: recipients },
  receipt: {
    recipients,
    ...Object.fromEntries(Object.entries(judged).map(([name, status]) => [name, { status }])),
    action: { type: 'S3', bucketName: 'mail', objectKey: `in/${key}` },
  },
});

test('a notice of received mail brings the message in from the bucket, with the verdicts of SES', async () => {
  bucket.set('/mail/in/one', letter({ to, subject: 'From the bucket' }).replaceAll('\r\n', '\n'));
  assert.equal(await post(notice(receivedNotice('one'))), 204);
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
  assert.equal(await post(notice(receivedNotice('one'))), 204, 'told twice');
  assert.equal((await inbound()).length, 1);
});

test('a message that is not in the bucket yet is asked for again, and one for nobody is not', async () => {
  assert.equal(await post(notice(receivedNotice('late'))), 500);
  bucket.set('/mail/in/late', letter({ to, subject: 'Late' }));
  assert.equal(await post(notice(receivedNotice('late'))), 204);
  assert.equal((await inbound())[0]!.subject, 'Late');
  const before = asked.length;
  assert.equal(await post(notice(receivedNotice('foreign', ['x@elsewhere.test']))), 204);
  assert.equal(asked.length, before);
});

test('a message may stand in the notice itself', async () => {
  const said = receivedNotice('inline');
  const content = Buffer.from(letter({ to, subject: 'Inline' })).toString('base64');
  const action = { type: 'SNS', encoding: 'BASE64' };
  assert.equal(await post(notice({ ...said, content, receipt: { ...said.receipt, action } })), 204);
  assert.equal((await inbound())[0]!.subject, 'Inline');
});

test('a notice that Amazon did not sign brings nothing in', async () => {
  const before = (await inbound()).length;
  const forged = { ...notice(receivedNotice('one')), Message: JSON.stringify(receivedNotice('late')) };
  assert.equal(await post(forged), 403);
  assert.equal(
    await post({ ...notice(receivedNotice('one')), TopicArn: 'arn:aws:sns:eu-west-1:1:mine' }),
    403,
  );
  assert.equal((await inbound()).length, before);
});

test('a bounce that SES publishes reaches the email it is about', async () => {
  const sent = await client.request<Email>('POST', '/v1/emails', {
    recipient_consent: true,
    to: ['gone@example.org'],
    subject: 'Hello',
  });
  assert.equal(sent.status, 201, sent.text);
  const bounce = {
    eventType: 'Bounce',
    mail: { messageId: '0102-sent' },
    bounce: {
      bounceType: 'Permanent',
      bounceSubType: 'NoEmail',
      bouncedRecipients: [{ emailAddress: 'gone@example.org', diagnosticCode: 'smtp; 550 5.1.1' }],
      feedbackId: 'f-1',
    },
  };
  assert.equal(await post(notice(bounce)), 204);
  assert.equal(await post(notice(bounce)), 204);
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

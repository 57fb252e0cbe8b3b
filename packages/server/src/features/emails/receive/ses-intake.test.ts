// Mail and delivery events of SES, from the signed notice to the record, through the whole service.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after, test } from 'node:test';
import type { Email } from '@parley/contract/email-records';
import { startTestApp } from '../../../../testing/app.ts';
import { letter } from '../../../../testing/smtp-client.ts';
import { snsStandIn } from '../../../../testing/sns.ts';

const topic_arn = 'arn:aws:sns:eu-west-1:123456789012:parley';
const { fetchText, notice } = snsStandIn(topic_arn);

/** SES and S3 in one place: sends are taken, stored messages are handed out to whoever signs the request. */
const bucket = new Map<string, string>();
const asked: string[] = [];
/** What happens while SES has a message and has not answered. */
let taking: (email_id: string) => 'answer' | 'hang up' = () => 'answer';
const signed_at: number[] = [];
const amazon = createServer(async (request, response) => {
  if (request.method === 'POST') {
    const body = (await json(request)) as { EmailTags: { Value: string }[] };
    const date = String(request.headers['x-amz-date']);
    signed_at.push(Date.parse(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z')));
    const email_id = body.EmailTags[0]!.Value;
    if (taking(email_id) === 'hang up') return response.destroy();
    return response.end(JSON.stringify({ MessageId: `0102-${email_id}` }));
  }
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

const { client, url, later } = await startTestApp(
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

const send = (recipient: string) =>
  client.request<Email>('POST', '/v1/emails', {
    recipient_consent: true,
    to: [recipient],
    subject: 'Hello',
  });
const bounceOf = (recipient: string, mail: object) =>
  notice({
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

test('a report that is quicker than the answer of SES waits for it', async () => {
  let told: Promise<number> | undefined;
  taking = (email_id) => {
    told = post(
      bounceOf('fast@example.org', { messageId: '0102-fast', tags: { parley_email_id: [email_id] } }),
    );
    return 'answer';
  };
  const sent = await send('fast@example.org');
  assert.equal(sent.status, 201, sent.text);
  assert.equal(await told, 204);
  const { body } = await client.request<Email>('GET', `/v1/emails/${sent.body.id}`);
  assert.equal(body.status, 'bounced');
});

test('a report about a message whose answer was lost still finds its people, and settles it (M8)', async () => {
  let id = '';
  taking = (email_id) => {
    id = email_id;
    return 'hang up';
  };
  const lost = await client.request<{ code: string }>('POST', '/v1/emails', {
    recipient_consent: true,
    to: ['lost@example.org'],
    subject: 'Hello',
  });
  assert.deepEqual([lost.status, lost.body.code], [502, 'email_unconfirmed']);
  taking = () => 'answer';
  const mail = { messageId: '0102-unknown', tags: { parley_email_id: [id] } };
  assert.equal(await post(bounceOf('lost@example.org', mail)), 204);
  assert.ok(await isSuppressed('lost@example.org'));
  const { status, end_reason, provider_message_id } = (await client.request<Email>('GET', `/v1/emails/${id}`))
    .body;
  assert.deepEqual([status, end_reason, provider_message_id], ['bounced', 'hard_bounce', '0102-unknown']);
});

test('a report that fits no email is to be told again', async () => {
  for (const tags of [{}, { parley_email_id: [crypto.randomUUID()] }, { parley_email_id: ['x'] }])
    assert.equal(await post(bounceOf('who@example.org', { messageId: '0102-who', tags })), 503);
});

test('what Amazon is asked is dated by real time, wherever the sandbox has moved to', async () => {
  await later(86_400);
  assert.equal((await send('dated@example.org')).status, 201);
  assert.ok(Math.abs(signed_at.at(-1)! - Date.now()) < 60_000);
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
    mail: { messageId: sent.body.provider_message_id },
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

// The SES transport against a fake server of the published API, with notices signed by a test key.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcp, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { snsStandIn } from '../../../../testing/sns.ts';
import { systemClock } from '../../../platform/clock.ts';
import { outgoing, transportConformance } from '../conformance.ts';
import type { MailReport } from '../transport.ts';
import { sesTransport } from './index.ts';

type SendEmail = {
  Destination: { ToAddresses: string[] };
  Content: { Raw: { Data: string } };
  EmailTags: { Name: string; Value: string }[];
};
const requests: { body: SendEmail; raw: string; authorization: string }[] = [];
const api = createServer(async (request, response) => {
  if (request.url === '/v2/email/account') return response.writeHead(200).end('{}');
  const body = JSON.parse(await text(request)) as SendEmail;
  const answer = (status: number, said: object, type?: string) =>
    response
      .writeHead(status, {
        'content-type': 'application/json',
        ...(type ? { 'x-amzn-errortype': type } : {}),
      })
      .end(JSON.stringify(said));
  if (request.method !== 'POST' || request.url !== '/v2/email/outbound-emails')
    return answer(404, { message: 'no such path' });
  const [to] = body.Destination.ToAddresses;
  if (to?.startsWith('refused@'))
    return answer(400, { message: 'Email address is not verified.' }, 'MessageRejected:');
  if (to?.startsWith('slow@'))
    return answer(429, { message: 'Maximum sending rate exceeded.' }, 'TooManyRequestsException');
  if (to?.startsWith('odd@')) return response.writeHead(200).end('<html>');
  requests.push({
    body,
    raw: Buffer.from(body.Content.Raw.Data, 'base64').toString(),
    authorization: request.headers.authorization ?? '',
  });
  answer(200, { MessageId: `0102-${requests.length}` });
}).listen(0, '127.0.0.1');
await once(api, 'listening');
const sockets = new Set<Socket>();
const silent = createTcp((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
const closed = createTcp().listen(0, '127.0.0.1');
await Promise.all([once(silent, 'listening'), once(closed, 'listening')]);
const closed_port = (closed.address() as AddressInfo).port;
closed.close();
after(() => {
  for (const socket of sockets) socket.destroy();
  silent.close();
  api.close();
});

const topic_arn = 'arn:aws:sns:eu-west-1:123456789012:parley';
const { fetched, fetchText, notification } = snsStandIn(topic_arn);
const transport = (port: number) =>
  sesTransport({
    region: 'eu-west-1',
    access_key_id: 'AKIDEXAMPLE',
    secret_access_key: 'secret',
    configuration_set: 'parley',
    topic_arns: [topic_arn],
    s3_endpoint: null,
    endpoint: `http://127.0.0.1:${port}`,
    clock: systemClock(),
    timeout_ms: 5000,
    fetchText,
  });
const ses = transport((api.address() as AddressInfo).port);
const never = new AbortController().signal;

transportConformance('ses', () => ({
  transport: ses,
  recipients: { taken: 'bob@example.org', refused: 'refused@example.org' },
  received: async (email_id) => requests.filter(({ raw }) => raw.includes(email_id)).map(({ raw }) => raw),
  unreachable: transport(closed_port),
  silent: transport((silent.address() as AddressInfo).port),
}));

describe('a request', () => {
  // The rest of the request is compared with the official client in official-client.test.ts.
  test('has every recipient in its destination, and is signed for the service', async () => {
    await ses.send(outgoing(['bob@example.org', 'blind@example.org']), never);
    const { body, authorization } = requests.at(-1)!;
    assert.match(authorization, /Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/ses\/aws4_request/);
    assert.deepEqual(body.Destination.ToAddresses, ['bob@example.org', 'blind@example.org']);
  });

  test('returns the Message-ID that replies will refer to', async () => {
    const outcome = await ses.send(outgoing(['bob@example.org']), never);
    assert.ok(outcome.accepted);
    assert.equal(outcome.message_id, `<${outcome.provider_message_id}@eu-west-1.amazonses.com>`);
    assert.deepEqual(outcome.reports, []);
  });

  test('that is throttled can be retried; an unreadable response is no success', async () => {
    const slow = await ses.send(outgoing(['slow@example.org']), never);
    assert.ok(!slow.accepted && slow.retryable && /TooManyRequests/.test(String(slow.detail.response)));
    const odd = await ses.send(outgoing(['odd@example.org']), never);
    assert.ok(!odd.accepted && odd.reason === 'provider_error');
  });
});

describe('a notice', () => {
  const receive = (body: object | string) =>
    ses.intake!.receive({ headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) });
  const reportOf = async (message: object): Promise<MailReport> => {
    const result = await receive(notification(message));
    assert.ok(result.ok && result.reports.length === 1, JSON.stringify(result));
    assert.equal(result.reports[0]!.provider_message_id, '0102-1');
    return result.reports[0]!.report;
  };
  const mail = { messageId: '0102-1' };

  test('of each kind is translated to our terms', async () => {
    const bounce = await reportOf({
      eventType: 'Bounce',
      mail,
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        bouncedRecipients: [
          { emailAddress: 'Bob <bob@example.org>', diagnosticCode: 'smtp; 550 5.1.1 unknown' },
        ],
        timestamp: '2026-11-15T09:59:00.000Z',
        feedbackId: 'f-1',
      },
    });
    assert.deepEqual(bounce, {
      kind: 'bounced',
      recipients: ['bob@example.org'],
      hard: true,
      detail: {
        hard: true,
        bounce_type: 'Permanent',
        bounce_sub_type: 'General',
        diagnostic_code: 'smtp; 550 5.1.1 unknown',
      },
      occurred_at: '2026-11-15T09:59:00.000Z',
      report_id: 'f-1',
    });
    const soft = await reportOf({
      notificationType: 'Bounce',
      mail,
      bounce: { bounceType: 'Transient', bounceSubType: 'MailboxFull', bouncedRecipients: [] },
    });
    assert.equal(soft.hard, false);
    assert.equal(
      (await reportOf({ eventType: 'Delivery', mail, delivery: { recipients: ['a@b.test'] } })).kind,
      'delivered',
    );
    assert.equal(
      (
        await reportOf({
          eventType: 'Complaint',
          mail,
          complaint: { complainedRecipients: [{ emailAddress: 'a@b.test' }] },
        })
      ).kind,
      'complained',
    );
    assert.equal(
      (await reportOf({ eventType: 'DeliveryDelay', mail, deliveryDelay: { delayedRecipients: [] } })).kind,
      'delivery_delayed',
    );
    assert.equal(
      (await reportOf({ eventType: 'Click', mail, click: { link: 'https://x.test' } })).detail.link,
      'https://x.test',
    );
  });

  test('of a message that was accepted and then rejected is a soft bounce', async () => {
    const report = await reportOf({
      eventType: 'Reject',
      mail: { ...mail, destination: ['Bob <bob@example.org>'] },
      reject: { reason: 'Bad content' },
    });
    assert.deepEqual([report.kind, report.hard, report.recipients], ['bounced', false, ['bob@example.org']]);
    assert.equal(report.detail.diagnostic_code, 'Bad content');
  });

  test('of another kind is accepted and ignored', async () => {
    for (const message of [
      { eventType: 'Send', mail },
      { eventType: 'Complaint', mail, complaint: { complaintFeedbackType: 'not-spam' } },
      { eventType: 'Complaint', mail, complaint: { complaintFeedbackType: 'auth-failure' } },
      { eventType: 'constructor', mail },
      {},
      'Hello',
      '[1]',
      'null',
    ])
      assert.deepEqual(await receive(notification(message)), { ok: true, reports: [] });
  });

  test('without a signature of Amazon is refused, and no other host is contacted', async () => {
    const good = notification({ eventType: 'Delivery', mail });
    const before = fetched.length;
    for (const bad of [
      { ...good, TopicArn: 'arn:aws:sns:eu-west-1:999999999999:other' },
      { ...good, SigningCertURL: 'https://sns.eu-west-1.amazonaws.com.evil.test/a.pem' },
      { ...good, SigningCertURL: 'http://sns.eu-west-1.amazonaws.com/a.pem' },
      { ...good, SigningCertURL: 'https://evil.test/sns.eu-west-1.amazonaws.com/a.pem' },
      { ...good, SigningCertURL: 'https://sns.eu-west-1.amazonaws.com@evil.test/a.pem' },
      // Hosts of buckets, which anyone can create, and of a region that is not the topic's.
      { ...good, SigningCertURL: 'https://sns.s3.amazonaws.com/a.pem' },
      { ...good, SigningCertURL: 'https://sns.s3-eu-west-1.amazonaws.com/a.pem' },
      { ...good, SigningCertURL: 'https://sns.us-east-1.amazonaws.com/a.pem' },
      { ...good, SigningCertURL: 'https://sns.eu-west-1.amazonaws.com.cn/a.pem' },
      { ...good, SignatureVersion: '3' },
      { ...good, Signature: undefined },
    ])
      assert.equal((await receive(bad)).ok, false);
    assert.equal(fetched.length, before);
    assert.equal((await receive({ ...good, Message: '{}' })).ok, false);
    for (const junk of ['', 'x', 'null', '[]', '{}']) assert.equal((await receive(junk)).ok, false);
  });

  test('of a new subscription is confirmed only at Amazon', async () => {
    const url = 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=t';
    const confirm = { Type: 'SubscriptionConfirmation', Token: 't', SubscribeURL: url };
    assert.deepEqual(await receive(notification('You have chosen to subscribe', confirm)), {
      ok: true,
      reports: [],
    });
    assert.equal(fetched.at(-1), url);
    const evil = { ...confirm, SubscribeURL: 'https://evil.test/' };
    assert.equal((await receive(notification('x', evil))).ok, false);
    assert.equal(fetched.at(-1), url);
  });
});

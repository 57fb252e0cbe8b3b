// Compares our requests to SES with those of Amazon's official client: the same send must be the same request, and both must
// understand the same responses.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { loadVerifier, skipWithout } from '../../../../../../test/verifiers/load.ts';
import { isSigned } from '../../../../testing/sigv4.ts';
import { systemClock } from '../../../platform/clock.ts';
import { outgoing } from '../conformance.ts';
import type { OutgoingMail } from '../transport.ts';
import { sesTransport } from './index.ts';

const access = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
/** Every error that the published model names for a send, with the status it has there and whether a retry can help. */
const refusals = [
  ['AccountSuspendedException', 400, false],
  ['BadRequestException', 400, false],
  ['LimitExceededException', 400, false],
  ['MailFromDomainNotVerifiedException', 400, false],
  ['MessageRejected', 400, false],
  ['NotFoundException', 404, false],
  ['SendingPausedException', 400, false],
  ['TooManyRequestsException', 429, true],
] as const;

type Exception = Error & { $metadata: { httpStatusCode?: number } };
type ExceptionClass = abstract new (...values: never[]) => Exception;
type Command = { input: object };
/** The part of the official client that is used here. */
type Official = Record<(typeof refusals)[number][0] | 'SESv2ServiceException', ExceptionClass> & {
  SESv2Client: new (
    options: object,
  ) => {
    send(command: Command): Promise<{ MessageId?: string }>;
    destroy(): void;
  };
  SendEmailCommand: new (input: object) => Command;
};
const library = '@aws-sdk/client-sesv2';
const sdk = await loadVerifier<Official>(library);
const skip = skipWithout(library);

type Seen = { method: string; path: string; type: string; scope: string; is_signed: boolean; body: unknown };
type Said = { status: number; error?: string; body: object };

const seen: Seen[] = [];
let said: Said = { status: 200, body: { MessageId: '0102-a' } };
const api = createServer(async (request, response) => {
  const body = (await buffer(request)) as Buffer;
  const { method, headers } = request;
  const url = new URL(request.url!, `http://${headers.host}`);
  seen.push({
    method: method!,
    path: request.url!,
    type: headers['content-type']!,
    scope: /Credential=([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? '',
    is_signed: isSigned({ method: method!, url, headers, body }, access.secret, Date.now()),
    body: JSON.parse(body.toString()),
  });
  response
    .writeHead(said.status, {
      'content-type': 'application/json',
      ...(said.error ? { 'x-amzn-errortype': said.error } : {}),
    })
    .end(JSON.stringify(said.body));
}).listen(0, '127.0.0.1');
await once(api, 'listening');
after(() => void api.close());
const endpoint = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;

const official =
  sdk &&
  new sdk.SESv2Client({
    region: 'eu-west-1',
    endpoint,
    credentials: { accessKeyId: access.id, secretAccessKey: access.secret },
    maxAttempts: 1,
  });
after(() => official?.destroy());
const ours = (configuration_set: string | null) =>
  sesTransport({
    region: 'eu-west-1',
    access_key_id: access.id,
    secret_access_key: access.secret,
    configuration_set,
    topic_arns: [],
    s3_endpoint: null,
    endpoint,
    clock: systemClock(),
    timeout_ms: 5000,
  });

const sendBoth = async (mail: OutgoingMail, configuration_set: string | null = null) => {
  seen.length = 0;
  const outcome = await ours(configuration_set).send(mail, new AbortController().signal);
  const composed = mail.message!;
  const command = new sdk!.SendEmailCommand({
    Destination: { ToAddresses: mail.envelope.to },
    Content: { Raw: { Data: composed.content() as Buffer } },
    EmailTags: [{ Name: 'parley_email_id', Value: mail.email_id }],
    ...(configuration_set ? { ConfigurationSetName: configuration_set } : {}),
  });
  const answer = await official!.send(command).catch((error: Error) => error);
  const [own, theirs] = seen as [Seen, Seen];
  return { outcome, answer, own, theirs };
};

const awkward = Buffer.from('Subject: Gr\u00fc\u00dfe\r\n\r\n\u{1f4e8} "quoted" \\ \u0000\r\n', 'utf8');
const content = (bytes: Buffer) => ({
  message: { size_bytes: bytes.length, content: () => bytes, dispose: async () => {} },
});

describe('a send to SES and the same send by the official client', { skip }, () => {
  for (const [name, mail, configuration_set] of [
    ['to one person', outgoing(['bob@example.org']), null],
    ['with a configuration set', outgoing(['bob@example.org']), 'parley'],
    ['with blind copies', outgoing(['bob@example.org', 'blind@example.org']), 'parley'],
    ['to an address with letters of its own', outgoing(["o'hara+x@xn--bcher-kva.example"]), null],
    ['of awkward bytes', outgoing(['bob@example.org'], content(awkward)), null],
    [
      'of every byte there is',
      outgoing(['b@c.test'], content(Buffer.from(Uint8Array.from({ length: 1000 }, (_, at) => at)))),
      null,
    ],
  ] as const) {
    test(`are the same request: ${name}`, async () => {
      const { own, theirs } = await sendBoth(mail, configuration_set);
      assert.deepEqual(own, theirs);
      assert.ok(own.is_signed, 'the service would believe the signature');
    });
  }

  test('return the same id', async () => {
    const { outcome, answer } = await sendBoth(outgoing(['bob@example.org']));
    assert.ok(outcome.accepted && !(answer instanceof Error));
    assert.equal(outcome.provider_message_id, '0102-a');
    assert.equal(answer.MessageId, '0102-a');
  });

  for (const [name, status, retryable] of refusals) {
    test(`are refused in the same way: ${name}`, async (t) => {
      const usual = said;
      t.after(() => {
        said = usual;
      });
      said = { status, error: name, body: { message: 'The service refuses this.' } };
      const { outcome, answer } = await sendBoth(outgoing(['bob@example.org']));
      assert.ok(answer instanceof sdk![name] && answer instanceof sdk!.SESv2ServiceException, String(answer));
      assert.ok(!outcome.accepted);
      assert.equal(outcome.detail.response, `${answer.name}: ${answer.message}`);
      assert.equal(outcome.detail.status, answer.$metadata.httpStatusCode);
      assert.equal(outcome.retryable, retryable);
    });
  }
});

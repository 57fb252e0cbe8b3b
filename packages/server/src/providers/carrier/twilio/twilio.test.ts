// The Twilio vendor against a stand-in, and both against Twilio’s own library.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { loadVerifier, skipWithout } from '../../../../../../test/verifiers/load.ts';
import { startCallbackListener } from '../../../../testing/carriers/callback-listener.ts';
import { multipartParts } from '../../../../testing/carriers/multipart-parts.ts';
import {
  startTwilio,
  twilio_account,
  twilio_token,
  twilioSignature,
} from '../../../../testing/carriers/twilio.ts';
import { testVoice } from '../../../../testing/carriers/voice.ts';
import { type CarrierUnderTest, carrierConformance } from '../conformance.ts';
import { twilioApi } from './api.ts';
import { hostUrl } from './hosts.ts';
import { twilioCarrier } from './index.ts';
import { isSigned, signatureOf, signingKey } from './signature.ts';

const closing: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closing) await close();
});

async function open() {
  const standIn = await startTwilio();
  const listener = await startCallbackListener();
  closing.push(standIn.close, listener.close);
  const carrier = twilioCarrier({
    account_sid: twilio_account,
    auth_token: twilio_token,
    base_url: standIn.url,
    callbackUrl: () => listener.url,
    voice: testVoice(),
    compliance_email: 'compliance@parley.example',
    customer_profile_sid: null,
    timeout_ms: 1000,
  });
  listener.read(carrier);
  return { standIn, listener, carrier };
}

carrierConformance('twilio', async (): Promise<CarrierUnderTest> => {
  const { standIn, listener, carrier } = await open();
  standIn.opted_out.add('+14155550199');
  return {
    carrier,
    country_code: 'US',
    numbersHeld: () => standIn.numbers.length,
    texts: {
      good_recipient: '+14155550123',
      opted_out_recipient: '+14155550199',
      sentTo: (to) => standIn.messages.filter((message) => message.to === to).length,
      events: async () => listener.events,
      async confirmDelivery(id) {
        const message = standIn.messages.find((each) => each.sid === id)!;
        assert.equal(await standIn.report(message, 'delivered'), 200);
      },
    },
    failNext: (fault) => standIn.failNext(fault),
  };
});

type Form = Record<string, string | string[]>;
/** The part of Twilio’s library that is used here. */
type Twilio = {
  (
    account: string,
    token: string,
  ): {
    api: { baseUrl: string };
    messages: { create(message: Record<string, string>): Promise<unknown> };
  };
  validateRequest(token: string, signature: string, url: string, form: Form): boolean;
  getExpectedTwilioSignature(token: string, url: string, form: Form): string;
};
const twilio = (await loadVerifier<{ default: Twilio }>('twilio'))?.default;
const skip = skipWithout('twilio');

describe('the signature of a Twilio callback', () => {
  const url = 'https://parley.example/v1/carriers/twilio/callbacks?sms=1';
  const key = signingKey(twilio_token);
  const form = { MessageSid: 'SM1', Body: 'Grüße & + 😀', To: '+1415', From: '+1416', Empty: '' };

  test('from the stand-in is accepted by Twilio’s library and by us', { skip }, () => {
    const signature = twilioSignature(twilio_token, url, form);
    assert.ok(twilio!.validateRequest(twilio_token, signature, url, form));
    assert.ok(isSigned(key, url, new URLSearchParams(form), signature));
  });

  test('from Twilio’s library is accepted by us, also with a repeated field and a port', { skip }, () => {
    const repeated = { ...form, Media: ['b', 'a', 'b'] };
    const sent = new URLSearchParams(form);
    for (const value of repeated.Media) sent.append('Media', value);
    const signature = twilio!.getExpectedTwilioSignature(twilio_token, url, repeated);
    assert.equal(signatureOf(key, url, sent), signature);
    const withPort = url.replace('parley.example', 'parley.example:8443');
    assert.ok(isSigned(key, withPort, sent, signature));
  });

  test('is refused for another URL, field or token, and when it is missing', () => {
    const signature = twilioSignature(twilio_token, url, form);
    const sent = new URLSearchParams(form);
    assert.ok(!isSigned(key, url.replace('sms=1', 'sms=2'), sent, signature));
    assert.ok(!isSigned(key, url, new URLSearchParams({ ...form, Body: 'x' }), signature));
    assert.ok(!isSigned(signingKey('other'), url, sent, signature));
    for (const wrong of ['', signature.slice(1), `${signature}=`, `é${signature.slice(1)}`])
      assert.ok(!isSigned(key, url, sent, wrong));
  });
});

test('Twilio’s library and our vendor send the same request', { skip }, async () => {
  const { standIn, carrier, listener } = await open();
  await carrier.numbers.buy({ reference: 'r', e164: '+14155550101', verification: null });
  standIn.seen.length = 0;
  await carrier.sms.send({
    sms_id: 'ours',
    from: '+14155550101',
    to: '+14155550123',
    body: 'Grüße & + 😀',
    messaging_service_reference: null,
  });
  const client = twilio!(twilio_account, twilio_token);
  client.api.baseUrl = standIn.url;
  await client.messages.create({
    to: '+14155550123',
    from: '+14155550101',
    body: 'Grüße & + 😀',
    statusCallback: `${listener.url}?sms=ours`,
  });
  const [mine, theirs] = standIn.seen;
  assert.equal(mine!.path, theirs!.path);
  assert.equal(mine!.headers.authorization, theirs!.headers.authorization);
  const sorted = (body: string) => [...new URLSearchParams(body)].sort();
  assert.deepEqual(sorted(mine!.body), sorted(theirs!.body));
});

test('a text whose response was lost is distinguished from an older text with the same body', async () => {
  const { standIn, carrier } = await open();
  await carrier.numbers.buy({ reference: 'r', e164: '+14155550101', verification: null });
  const text = {
    sms_id: 'ours',
    from: '+14155550101',
    to: '+14155550123',
    body: 'Same text',
    messaging_service_reference: null,
  };
  await carrier.sms.send(text);
  standIn.messages[0]!.date_created = new Date(Date.now() - 3_600_000).toUTCString();
  const since = new Date();
  assert.deepEqual(await carrier.sms.find(text, since), { outcome: 'absent' });
  standIn.failNext('lost');
  await carrier.sms.send(text);
  const found = await carrier.sms.find(text, since);
  assert.ok(found.outcome === 'found');
  assert.deepEqual(
    found.candidates.map((candidate) => candidate.provider_message_id),
    [standIn.messages[1]!.sid],
  );
});

test('the other hosts of Twilio follow the base URL', () => {
  assert.equal(hostUrl('https://api.twilio.com', 'numbers-upload'), 'https://numbers-upload.twilio.com');
  assert.equal(
    hostUrl('https://api.dublin.ie1.twilio.com', 'trusthub'),
    'https://trusthub.dublin.ie1.twilio.com',
  );
  assert.equal(hostUrl('http://127.0.0.1:8080', 'messaging'), 'http://127.0.0.1:8080');
  assert.equal(hostUrl('https://proxy.example/api.x', 'numbers'), 'https://proxy.example/api.x');
});

test('a list is a repeated key, and an upload is a multipart form with the bytes of the file', async () => {
  const { standIn } = await open();
  const settings = { account_sid: twilio_account, auth_token: twilio_token, base_url: standIn.url };
  const host = twilioApi(settings).host('numbers-upload');
  await host.post('/v1/Lists', { MessageSamples: ['One, two', 'Three'], Empty: [], Text: 'ü&' });
  const content = Buffer.from([0x25, 0x50, 0x44, 0x46, 0x0d, 0x0a, 0xff, 0x00, 0x2d, 0x2d]);
  await host.upload(
    '/v2/Files',
    { FriendlyName: 'Grüße "x"' },
    { field: 'File', filename: 'a"b.pdf', content_type: 'application/pdf', content },
  );
  const [list, upload] = standIn.seen.slice(-2);
  assert.equal(list!.body, 'MessageSamples=One%2C+two&MessageSamples=Three&Text=%C3%BC%26');
  assert.deepEqual(
    multipartParts(upload!).map(({ name, text, filename, content_type }) => [
      name,
      filename ? '' : text,
      filename,
      content_type,
    ]),
    [
      ['FriendlyName', 'Grüße "x"', null, null],
      ['File', '', 'a%22b.pdf', 'application/pdf'],
    ],
  );
  assert.deepEqual(multipartParts(upload!)[1]!.content, content);
});

// Every request of our vendors is valid by the API description that the carrier publishes.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import {
  carrierContract,
  skip_without_contracts as skip,
  telnyx_contracts,
  twilio_contracts,
} from '../../../testing/carrier-contract.ts';
import type { SeenRequest } from '../../../testing/carriers/stand-in.ts';
import {
  startTelnyx,
  telnyx_connection,
  telnyx_key,
  telnyx_profile,
} from '../../../testing/carriers/telnyx.ts';
import { startTwilio, twilio_account, twilio_token } from '../../../testing/carriers/twilio.ts';
import { testVoice } from '../../../testing/carriers/voice.ts';
import type { Carrier } from './carrier.ts';
import { telnyxCarrier } from './telnyx/index.ts';
import { twilioCarrier } from './twilio/index.ts';

const closing: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closing) await close();
});

/** Calls every function of the port, so that every request is sent once. */
async function useEverything(carrier: Carrier, e164: string): Promise<void> {
  const { numbers, sms } = carrier;
  assert.deepEqual(await carrier.check!(), { outcome: 'done' });
  await numbers.search({
    country_code: 'US',
    number_type: 'local',
    capabilities: ['voice', 'sms'],
    limit: 5,
  });
  await numbers.search({ country_code: 'US', number_type: 'local', capabilities: ['sms'], limit: 5, e164 });
  await numbers.search({ country_code: 'US', number_type: 'mobile', capabilities: ['sms'], limit: 5 });
  await numbers.search({ country_code: 'US', number_type: 'toll_free', capabilities: ['sms'], limit: 5 });
  const order = { reference: '019a8c1e-2b3c-7d4e-8f50-6a7b8c9d0e1f', e164, verification: null };
  const purchase = await numbers.buy(order);
  assert.ok(purchase.outcome === 'bought');
  await numbers.findPurchase(order);
  await numbers.registerInbound({ provider_number_id: purchase.provider_number_id, e164 });
  for (const from of [e164, 'Example']) {
    const text = {
      sms_id: order.reference,
      from,
      to: '+14155550123',
      body: 'Grüße & + 😀',
      messaging_service_reference: null,
    };
    const sent = await sms.send(text);
    assert.ok(sent.outcome === 'accepted', JSON.stringify(sent));
    await sms.find(text, new Date());
    await sms.outcome(sent.provider_message_id);
  }
  const call_order = {
    call_id: order.reference,
    from: e164,
    to: '+14155550123',
    ring_timeout_seconds: 30,
    max_duration_seconds: 600,
  };
  const voice = carrier.voice!;
  const placed = await voice.place(call_order);
  assert.ok(placed.outcome === 'placed', JSON.stringify(placed));
  await voice.find(call_order, { since: new Date(), isKnown: async () => false });
  const { provider_call_id } = placed;
  await voice.accept({ provider_call_id, call_id: order.reference, max_duration_seconds: 600 });
  assert.deepEqual(await voice.hangUp(provider_call_id), { outcome: 'ended' });
  await voice.decline(provider_call_id);
  await carrier.callState(provider_call_id);
  await carrier.callState(carrier.name === 'twilio' ? `CA${'0'.repeat(32)}` : 'v3:call');
  await numbers.release({ provider_number_id: purchase.provider_number_id, e164 });
}

describe('our requests match the carriers’ published API descriptions', { skip }, () => {
  test('twilio', async () => {
    const standIn = await startTwilio();
    closing.push(standIn.close);
    const carrier = twilioCarrier({
      account_sid: twilio_account,
      auth_token: twilio_token,
      base_url: standIn.url,
      callbackUrl: () => 'https://parley.example/v1/carriers/twilio/callbacks',
      voice: testVoice(),
      compliance_email: 'compliance@parley.example',
      customer_profile_sid: null,
    });
    await useEverything(carrier, '+14155550101');
    const [reference, address_reference] = [`BU${'a1'.repeat(16)}`, `AD${'a1'.repeat(16)}`];
    const verified = {
      reference: '1',
      e164: '+442079460101',
      verification: { reference, address_reference },
    };
    assert.equal((await carrier.numbers.buy(verified)).outcome, 'refused');
    const { checkRequest } = carrierContract(...twilio_contracts);
    assert.ok(standIn.seen.length >= 15);
    for (const request of standIn.seen) checkRequest(request);
    // The check can fail: a misspelled field, a missing one, an unencoded plus, an unknown parameter.
    const sent = standIn.seen.find(
      ({ method, path }) => method === 'POST' && path.endsWith('/Messages.json'),
    )!;
    for (const body of [
      `${sent.body}&Bdoy=x`,
      sent.body.replace(/Body=[^&]*&/, ''),
      sent.body.replace('%2B', '+'),
    ]) {
      assert.throws(() => checkRequest({ ...sent, body }));
    }
    const listed = standIn.seen.find(
      ({ method, path }) => method === 'GET' && path.endsWith('/Messages.json'),
    )!;
    assert.throws(() => checkRequest({ ...listed, query: new URLSearchParams({ Too: 'x' }) }));
  });

  test('telnyx', async () => {
    const standIn = await startTelnyx();
    closing.push(standIn.close);
    const carrier = telnyxCarrier({
      api_key: telnyx_key,
      public_key: standIn.public_key,
      messaging_profile_id: telnyx_profile,
      connection_id: telnyx_connection,
      base_url: standIn.url,
      callbackUrl: () => 'https://parley.example/v1/carriers/telnyx/callbacks',
      voice: testVoice(),
      now_ms: Date.now,
    });
    await useEverything(carrier, '+13125550101');
    const { checkRequest } = carrierContract(...telnyx_contracts);
    assert.ok(standIn.seen.length >= 13);
    for (const request of standIn.seen) checkRequest(request);
    const sent = standIn.seen.find(({ path }) => path === '/v2/messages')!;
    const json = JSON.parse(sent.body);
    const { to: _, ...withoutTo } = json;
    for (const body of [{ ...json, txet: 'x' }, withoutTo, { ...json, type: 'FAX' }]) {
      assert.throws(() => checkRequest({ ...sent, body: JSON.stringify(body) }));
    }
    const listed = standIn.seen.find(({ path }) => path === '/v2/available_phone_numbers')!;
    assert.throws(() => checkRequest({ ...listed, query: new URLSearchParams({ 'filter[kountry]': 'US' }) }));
    assert.throws(() =>
      checkRequest({ ...listed, query: new URLSearchParams({ 'filter[phone_number_type]': 'x' }) }),
    );
  });

  test('the check reads lists, uploads, encoded paths and several descriptions of one carrier', () => {
    const twilio = carrierContract(...twilio_contracts);
    const telnyx = carrierContract(...telnyx_contracts);
    const form = 'application/x-www-form-urlencoded';
    const sid = (prefix: string) => prefix + 'a1'.repeat(16);
    const campaign = requestOf('POST', `/v1/Services/${sid('MG')}/Compliance/Usa2p`, form);
    const text = new URLSearchParams({
      BrandRegistrationSid: sid('BN'),
      Description: 'Reminders of appointments',
      MessageFlow: 'People agree on the website.',
      UsAppToPersonUsecase: 'ACCOUNT_NOTIFICATION',
      HasEmbeddedLinks: 'false',
      HasEmbeddedPhone: 'true',
    });
    for (const sample of ['Tomorrow, at nine.', 'Today, at ten.']) text.append('MessageSamples', sample);
    twilio.checkRequest(campaign(text.toString()));
    assert.throws(() => twilio.checkRequest(campaign(`${text}&Description=again`)), /Description/);
    assert.throws(() => twilio.checkRequest(campaign('')), /the body is missing/);

    const upload = requestOf(
      'POST',
      '/v2/RegulatoryCompliance/SupportingDocuments',
      'multipart/form-data; boundary=b',
    );
    const part = (name: string, more: string, content: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
    const named = part('FriendlyName', '', 'x') + part('Type', '', 'utility_bill');
    const file = part('File', '; filename="f.pdf"\r\nContent-Type: application/pdf', '%PDF');
    twilio.checkRequest(upload(`${named}${file}--b--\r\n`));
    assert.throws(() => twilio.checkRequest(upload(`${named}--b--\r\n`)), /File/);
    const document = requestOf('POST', '/v2/RegulatoryCompliance/SupportingDocuments', form);
    twilio.checkRequest(document('FriendlyName=x&Type=address&Attributes=%7B%7D'));

    const json = 'application/json';
    telnyx.checkRequest(requestOf('GET', '/v2/10dlc/phone_number_campaigns/%2B13125550101', '')(''));
    telnyx.checkRequest(requestOf('PUT', '/v2/10dlc/brand/019a8c1e/revet', '')(''));
    assert.throws(() => telnyx.checkRequest(requestOf('PUT', '/v2/10dlc/brand/019a8c1e', json)('{}')));
    telnyx.checkRequest(
      requestOf('GET', '/v2/messaging_profiles', '', { 'filter[name][eq]': 'parley 1' })(''),
    );
    assert.throws(() =>
      telnyx.checkRequest(requestOf('GET', '/v2/messaging_profiles', '', { 'filter[nmae][eq]': 'x' })('')),
    );
  });

  test('the check refuses a response that the carrier would not send', () => {
    const { checkResponse } = carrierContract('twilio-numbers');
    const sid = `BU${'a1'.repeat(16)}`;
    const request = requestOf('GET', `/v2/RegulatoryCompliance/Bundles/${sid}`, '')('');
    checkResponse(request, { status: 200, json: { sid, status: 'in-review', valid_until: null } });
    checkResponse(request, { status: 404, json: { code: 20404 } });
    for (const json of [{ sid, status: 'thinking' }, { sid: 'BU1' }, { sid, valid_until: 'soon' }])
      assert.throws(() => checkResponse(request, { status: 200, json }));
  });
});

const requestOf =
  (method: string, path: string, content_type: string, query: Record<string, string> = {}) =>
  (body: string): SeenRequest => ({
    method,
    path,
    query: new URLSearchParams(query),
    headers: content_type ? { 'content-type': content_type } : {},
    body,
    bytes: Buffer.from(body),
  });

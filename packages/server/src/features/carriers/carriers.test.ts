// The whole service against the carriers' stand-ins: callbacks, broken exchanges, and nothing done twice.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { PhoneNumber } from '@parley/contract/numbers';
import type { Sms } from '@parley/contract/sms';
import { type Client, startTestApp, type TestApp } from '../../../testing/app.ts';
import { startTelnyx, telnyx_key, telnyx_profile } from '../../../testing/carriers/telnyx.ts';
import {
  startTwilio,
  twilio_account,
  twilio_token,
  twilioSignature,
} from '../../../testing/carriers/twilio.ts';
import { sql } from '../../platform/db/sql.ts';

type Problem = { code: string };

const person = '+14155552671';

const twilio = await startTwilio();
const telnyx = await startTelnyx();
after(async () => {
  await twilio.close();
  await telnyx.close();
});
const onTwilio = await startTestApp({
  PARLEY_CARRIER: 'twilio',
  TWILIO_ACCOUNT_SID: twilio_account,
  TWILIO_AUTH_TOKEN: twilio_token,
  TWILIO_BASE_URL: twilio.url,
});
const onTelnyx = await startTestApp({
  PARLEY_CARRIER: 'telnyx',
  TELNYX_API_KEY: telnyx_key,
  TELNYX_PUBLIC_KEY: telnyx.public_key,
  TELNYX_MESSAGING_PROFILE_ID: telnyx_profile,
  TELNYX_BASE_URL: telnyx.url,
});
telnyx.profile.webhook_url = `${onTelnyx.url}/v1/carriers/telnyx/callbacks`;

const buy = async (of: Client, body = {}) => {
  const answer = await of.request<PhoneNumber & Problem>('POST', '/v1/numbers', {
    country_code: 'US',
    ...body,
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};
const send = async (of: Client, body: Record<string, unknown> = {}) => {
  const answer = await of.request<Sms & Problem>('POST', '/v1/sms', {
    to: person,
    body: 'Hello',
    recipient_consent: true,
    ...body,
  });
  return answer.body;
};
const read = async (of: Client, id: string) => (await of.request<Sms>('GET', `/v1/sms/${id}`)).body;
/** Moves the service's clock, lets what is due happen, and puts the clock back. */
const later = async ({ app }: TestApp, seconds: number) => {
  app.clock.moveTo(seconds * 1000);
  await app.jobs.drain();
  app.clock.moveTo(0);
};
const events = ({ db }: TestApp, id: string) =>
  db.rows<{ type: string }>(sql`select type from events where resource_id = ${id} order by id`);

describe('a number bought from a carrier', () => {
  test('is active, and the carrier knows where to send its texts', async () => {
    const number = await buy(onTwilio.client, { e164: '+14155550101' });
    assert.deepEqual(
      [number.provider, number.provisioning_state, number.inbound_registered],
      ['twilio', 'active', true],
    );
    assert.equal(twilio.numbers[0]!.sms_url, `${onTwilio.url}/v1/carriers/twilio/callbacks`);
    const other = await buy(onTelnyx.client, { e164: '+13125550101' });
    assert.deepEqual([other.provider, other.inbound_registered, other.monthly_cents], ['telnyx', true, 100]);
    assert.equal(telnyx.numbers[0]!.messaging_profile_id, telnyx_profile);
  });

  test('by an answer that was lost or broken is bought once', async () => {
    for (const fault of ['lost', 'broken_after'] as const) {
      const e164 = fault === 'lost' ? '+14155550102' : '+14155550103';
      twilio.failNext(
        fault,
        ({ method, path }) => method === 'POST' && path.endsWith('/IncomingPhoneNumbers.json'),
      );
      const number = await buy(onTwilio.organization(), { e164 });
      assert.equal(number.provisioning_state, 'active');
      assert.equal(twilio.numbers.filter((each) => each.phone_number === e164).length, 1);
    }
    telnyx.failNext('lost', ({ method, path }) => method === 'POST' && path.endsWith('/number_orders'));
    const number = await buy(onTelnyx.organization(), { e164: '+13125550102' });
    assert.equal(number.provisioning_state, 'active');
    assert.equal(
      telnyx.orders.filter((order) => order.phone_numbers[0]!.phone_number === '+13125550102').length,
      1,
    );
  });

  test('is pending while the carrier cannot be asked, and settles later', async () => {
    twilio.on_sale.add('+14155550104');
    const own = onTwilio.organization();
    const buying = ({ path }: { path: string }) => path.endsWith('/IncomingPhoneNumbers.json');
    twilio.failNext('broken', buying);
    twilio.failNext('broken', buying);
    const number = await buy(own, { e164: '+14155550104' });
    assert.equal(number.provisioning_state, 'pending');
    await later(onTwilio, 120);
    const settled = await own.request<PhoneNumber>('GET', `/v1/numbers/${number.id}`);
    assert.equal(settled.body.provisioning_state, 'active');
    assert.equal(twilio.numbers.filter((each) => each.phone_number === '+14155550104').length, 1);
  });

  test('whose registration failed is registered by the sweeper', async () => {
    twilio.on_sale.add('+14155550105');
    const own = onTwilio.organization();
    twilio.failNext(
      'broken',
      ({ method, path }) => method === 'POST' && /IncomingPhoneNumbers\/PN/.test(path),
    );
    const number = await buy(own, { e164: '+14155550105' });
    assert.deepEqual([number.provisioning_state, number.inbound_registered], ['active', false]);
    await onTwilio.app.jobs.start();
    await later(onTwilio, 0);
    const after = await own.request<PhoneNumber>('GET', `/v1/numbers/${number.id}`);
    assert.equal(after.body.inbound_registered, true);
  });

  test('is gone at the carrier when released, also when an answer was lost', async () => {
    telnyx.on_sale.add('+13125550109');
    const own = onTelnyx.organization();
    const number = await buy(own, { e164: '+13125550109' });
    telnyx.failNext('lost', ({ method }) => method === 'DELETE');
    const lost = await own.request<Problem>('DELETE', `/v1/numbers/${number.id}`);
    assert.deepEqual([lost.status, lost.body.code], [503, 'carrier_unavailable']);
    const again = await own.request<PhoneNumber>('DELETE', `/v1/numbers/${number.id}`);
    assert.deepEqual([again.status, again.body.provisioning_state], [200, 'released']);
    assert.ok(telnyx.numbers.every((each) => each.phone_number !== '+13125550109'));
  });

  test('needs its verification in the carrier’s own console where we cannot hand one in', async () => {
    const answer = await onTwilio.client.request<Problem>('POST', '/v1/verifications', {
      country_code: 'DE',
      number_type: 'local',
      subject_type: 'individual',
      subject_name: 'Ana',
    });
    assert.deepEqual([answer.status, answer.body.code], [422, 'verification_not_supported']);
  });
});

describe('a text handed to a carrier', () => {
  test('is reported once, in order, whatever order the callbacks come in', async () => {
    const sms = await send(onTwilio.client);
    await onTwilio.app.jobs.drain();
    const message = twilio.messages.at(-1)!;
    assert.equal((await read(onTwilio.client, sms.id)).status, 'sent');
    for (const status of ['delivered', 'sent', 'delivered', 'queued', 'undelivered']) {
      assert.equal(await twilio.report(message, status), 200);
    }
    const done = await read(onTwilio.client, sms.id);
    assert.deepEqual([done.status, done.provider_message_id], ['delivered', message.sid]);
    assert.deepEqual(await events(onTwilio, sms.id), [{ type: 'sms.delivered' }]);
  });

  test('that was not delivered says why in our words', async () => {
    for (const [status, code, expected] of [
      ['undelivered', '30003', ['undelivered', 'unreachable']],
      ['undelivered', '30007', ['undelivered', 'filtered']],
      ['failed', '99999', ['failed', 'rejected']],
    ] as const) {
      const sms = await send(onTwilio.client);
      await onTwilio.app.jobs.drain();
      await twilio.report(twilio.messages.at(-1)!, status, code);
      const done = await read(onTwilio.client, sms.id);
      assert.deepEqual([done.status, done.error_code], expected);
    }
    const sms = await send(onTelnyx.client);
    await onTelnyx.app.jobs.drain();
    await telnyx.report(telnyx.messages.at(-1)!, 'delivery_failed', '40008');
    const done = await read(onTelnyx.client, sms.id);
    assert.deepEqual([done.status, done.error_code], ['undelivered', 'unreachable']);
  });

  test('is not sent twice after a lost or broken answer at Twilio: the message is found', async () => {
    for (const fault of ['lost', 'broken_after'] as const) {
      const sms = await send(onTwilio.client, { to: '+14155550301', body: `After ${fault}` });
      twilio.failNext(fault, ({ method, path }) => method === 'POST' && path.endsWith('/Messages.json'));
      await onTwilio.app.jobs.drain();
      await later(onTwilio, 10);
      const done = await read(onTwilio.client, sms.id);
      assert.equal(done.status, 'sent', fault);
      const sent = twilio.messages.filter((message) => message.body === `After ${fault}`);
      assert.deepEqual(
        sent.map((message) => message.sid),
        [done.provider_message_id],
      );
    }
  });

  test('two of the same words with lost answers each keep their own message', async () => {
    const posting = ({ method, path }: { method: string; path: string }) =>
      method === 'POST' && path.endsWith('/Messages.json');
    const body = 'Twice the same';
    twilio.failNext('lost', posting);
    const first = await send(onTwilio.client, { to: '+14155550302', body });
    await onTwilio.app.jobs.drain();
    twilio.failNext('lost', posting);
    const second = await send(onTwilio.client, { to: '+14155550302', body });
    await onTwilio.app.jobs.drain();
    await later(onTwilio, 10);
    await later(onTwilio, 60);
    const kept = [await read(onTwilio.client, first.id), await read(onTwilio.client, second.id)];
    const sids = twilio.messages.filter((message) => message.body === body).map((message) => message.sid);
    assert.deepEqual(kept.map((sms) => sms.provider_message_id).sort(), sids.sort());
    assert.equal(sids.length, 2);
  });

  test('is sent after the carrier did nothing: told to wait, or broken and proved absent', async () => {
    const posting = ({ method, path }: { method: string; path: string }) =>
      method === 'POST' && path.endsWith('/Messages.json');
    for (const fault of ['too_many', 'broken'] as const) {
      const body = `Again after ${fault}`;
      twilio.failNext(fault, posting);
      const sms = await send(onTwilio.client, { to: '+14155550303', body });
      await onTwilio.app.jobs.drain();
      assert.equal((await read(onTwilio.client, sms.id)).status, 'queued');
      // Broken: the list is given time to show the message before it counts as absent.
      for (const seconds of [10, 40, 80]) await later(onTwilio, seconds);
      assert.equal((await read(onTwilio.client, sms.id)).status, 'sent', fault);
      assert.equal(twilio.messages.filter((message) => message.body === body).length, 1);
    }
  });

  test('is not sent twice after a lost answer at Telnyx: its callback tells', async () => {
    telnyx.failNext('lost', ({ method, path }) => method === 'POST' && path.endsWith('/messages'));
    const sms = await send(onTelnyx.client, { body: 'Lost at Telnyx' });
    await onTelnyx.app.jobs.drain();
    await later(onTelnyx, 120);
    assert.equal((await read(onTelnyx.client, sms.id)).status, 'queued');
    const sent = telnyx.messages.filter((message) => message.text === 'Lost at Telnyx');
    assert.equal(sent.length, 1);
    await telnyx.report(sent[0]!, 'delivered');
    const done = await read(onTelnyx.client, sms.id);
    assert.deepEqual([done.status, done.provider_message_id], ['delivered', sent[0]!.id]);
  });

  test('of which nobody can say whether it went out is given up, not sent again', async () => {
    telnyx.failNext('broken', ({ method, path }) => method === 'POST' && path.endsWith('/messages'));
    const sms = await send(onTelnyx.client, { body: 'Unknown at Telnyx' });
    await onTelnyx.app.jobs.drain();
    await later(onTelnyx, 60);
    await later(onTelnyx, 700);
    const done = await read(onTelnyx.client, sms.id);
    assert.deepEqual([done.status, done.error_code], ['failed', 'unconfirmed']);
    assert.equal(telnyx.messages.filter((message) => message.text === 'Unknown at Telnyx').length, 0);
    assert.deepEqual(await events(onTelnyx, sms.id), [{ type: 'sms.failed' }]);
  });

  test('whose receipt got lost is asked about', async () => {
    const sms = await send(onTwilio.client, { body: 'No receipt' });
    await onTwilio.app.jobs.drain();
    twilio.messages.at(-1)!.status = 'delivered';
    await later(onTwilio, 700);
    assert.equal((await read(onTwilio.client, sms.id)).status, 'delivered');
  });

  test('waits while the carrier refuses our credentials, and fails in the end', async () => {
    const bad = await startTestApp({
      PARLEY_CARRIER: 'twilio',
      TWILIO_ACCOUNT_SID: twilio_account,
      TWILIO_AUTH_TOKEN: 'wrong',
      TWILIO_BASE_URL: twilio.url,
      PARLEY_SMS_DEFAULT_SENDER: '+14155550101',
    });
    const sms = await send(bad.client);
    await bad.app.jobs.drain();
    assert.equal((await read(bad.client, sms.id)).status, 'queued');
    await later(bad, 16 * 60);
    const done = await read(bad.client, sms.id);
    assert.deepEqual([done.status, done.error_code], ['failed', 'carrier_unavailable']);
  });

  test('to a recipient who opted out at the carrier becomes a suppression', async () => {
    for (const [test, standIn] of [
      [onTwilio, twilio],
      [onTelnyx, telnyx],
    ] as const) {
      standIn.opted_out.add('+14155550399');
      const sms = await send(test.client, { to: '+14155550399' });
      await test.app.jobs.drain();
      const done = await read(test.client, sms.id);
      assert.deepEqual([done.status, done.error_code], ['failed', 'recipient_opted_out']);
      assert.equal((await send(test.client, { to: '+14155550399' })).code, 'recipient_suppressed');
    }
  });
});

describe('a callback', () => {
  test('brings a text in once, however often it is repeated', async () => {
    const text = { from: person, to: '+14155550101', body: 'Grüße 😀', message_sid: `SM${'0'.repeat(32)}` };
    for (let i = 0; i < 3; i++) {
      const answer = await twilio.textIn(text);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'text/xml');
      assert.match(await answer.text(), /<Response\/>/);
    }
    await Promise.all(Array.from({ length: 5 }, () => twilio.textIn(text)));
    const listed = await onTwilio.client.request<{ items: Sms[] }>('GET', '/v1/sms?direction=inbound');
    const found = listed.body.items.filter((sms) => sms.provider_message_id === text.message_sid);
    assert.deepEqual(
      found.map((sms) => sms.body),
      ['Grüße 😀'],
    );
    assert.deepEqual(await events(onTwilio, found[0]!.id), [{ type: 'sms.received' }]);
  });

  test('of STOP suppresses; the carrier’s own confirmation is the only one', async () => {
    assert.equal(
      (await telnyx.textIn({ from: '+14155550388', to: '+13125550101', body: 'Stop' })).status,
      200,
    );
    await onTelnyx.app.jobs.drain();
    assert.equal((await send(onTelnyx.client, { to: '+14155550388' })).code, 'recipient_suppressed');
    assert.equal(
      telnyx.messages.filter((message) => message.to[0]!.phone_number === '+14155550388').length,
      0,
    );
    await telnyx.textIn({ from: '+14155550388', to: '+13125550101', body: 'START' });
    assert.equal((await send(onTelnyx.client, { to: '+14155550388' })).status, 'queued');
  });

  test('with a missing, wrong or old signature is refused and changes nothing', async () => {
    const url = `${onTwilio.url}/v1/carriers/twilio/callbacks`;
    const form = {
      MessageSid: 'SM1',
      From: person,
      To: '+14155550101',
      Body: 'forged',
      SmsStatus: 'received',
    };
    const post = (signature: string | null, sent: Record<string, string> = form) =>
      fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          ...(signature === null ? {} : { 'x-twilio-signature': signature }),
        },
        body: new URLSearchParams(sent),
      });
    const good = twilioSignature(twilio_token, url, form);
    for (const answer of [
      await post(null),
      await post(''),
      await post(twilioSignature('wrong', url, form)),
      await post(good, { ...form, Body: 'changed' }),
    ]) {
      assert.equal(answer.status, 403);
      assert.equal(((await answer.json()) as Problem).code, 'callback_not_authentic');
    }
    const old = new Date(Date.now() - 301_000);
    const event = { data: { event_type: 'message.received', payload: { id: 'old', text: 'x' } } };
    assert.equal((await telnyx.callback(telnyx.profile.webhook_url, event, old)).status, 403);
    const rows = await onTwilio.db.rows(sql`select id from sms_messages where body in ('forged', 'changed')`);
    assert.deepEqual(rows, []);
  });

  test('nobody understands, or about nothing we know, is answered with 2xx and changes nothing', async () => {
    const url = `${onTwilio.url}/v1/carriers/twilio/callbacks`;
    for (const form of [
      { Something: 'else' },
      { MessageSid: `SM${'9'.repeat(32)}`, MessageStatus: 'delivered' },
      { MessageSid: `SM${'8'.repeat(32)}`, From: person, To: '+14155559999', Body: 'for nobody' },
    ] as Record<string, string>[]) {
      const answer = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'x-twilio-signature': twilioSignature(twilio_token, url, form),
        },
        body: new URLSearchParams(form),
      });
      assert.equal(answer.status, 200);
    }
    for (const event of [{}, [], 'text', null, { data: { event_type: 'call.hangup', payload: {} } }]) {
      assert.equal((await telnyx.callback(telnyx.profile.webhook_url, event)).status, 200);
    }
  });

  test('cannot be turned to another text by changing its address', async () => {
    const victim = await send(onTelnyx.client, { body: 'victim' });
    const own = await send(onTelnyx.client, { body: 'own' });
    await onTelnyx.app.jobs.drain();
    const message = telnyx.messages.find((each) => each.text === 'own')!;
    await telnyx.report(
      { ...message, webhook_url: message.webhook_url.replace(own.id, victim.id) },
      'delivered',
    );
    assert.equal((await read(onTelnyx.client, victim.id)).status, 'sent');
    assert.equal((await read(onTelnyx.client, own.id)).status, 'delivered');
  });

  test('has limits: unknown carriers, the sandbox and huge bodies', async () => {
    const post = (carrier: string, body: string) =>
      fetch(`${onTwilio.url}/v1/carriers/${carrier}/callbacks`, { method: 'POST', body });
    assert.equal((await post('nobody', '')).status, 404);
    assert.equal((await post('sandbox', '')).status, 404);
    assert.equal((await post('telnyx', '')).status, 404);
    assert.equal((await post('twilio', 'x'.repeat(300_000))).status, 413);
    assert.equal((await post('twilio', '\u0000')).status, 403);
  });
});

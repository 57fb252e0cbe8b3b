// Callbacks of carriers need a valid signature, and have no effect when repeated, reordered or unknown.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Client } from '../../../testing/app.ts';
import {
  buyNumber,
  eventTypes,
  person,
  readText,
  sendText,
} from '../../../testing/carriers/numbers-and-texts.ts';
import { startOnTelnyx, startOnTwilio } from '../../../testing/carriers/service.ts';
import { twilio_token, twilioSignature } from '../../../testing/carriers/twilio.ts';
import { sql } from '../../platform/db/sql.ts';

type Problem = { code: string };

const onTwilio = await startOnTwilio();
const onTelnyx = await startOnTelnyx();
const { twilio } = onTwilio;
const { telnyx } = onTelnyx;

await buyNumber(onTwilio.client, { e164: '+14155550101' });
await buyNumber(onTelnyx.client, { e164: '+13125550101' });
describe('a callback', () => {
  test('stores a received text once, however often it is repeated', async () => {
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
    assert.deepEqual(await eventTypes(onTwilio, found[0]!.id), [{ type: 'sms.received' }]);
  });

  test('F9: a received text whose one-time code Twilio removed says so in its record, its event and its explanation', async () => {
    const cases = [
      { body: 'Your code is', more: { SmsStatus: 'failed', ErrorCode: '30038' } },
      { body: '', more: { SmsStatus: 'failed', MessageStatus: 'failed', ErrorCode: '30038' } },
      { body: '', more: {} },
    ];
    for (const [index, { body, more }] of cases.entries()) {
      const message_sid = `SM${String(index).padStart(32, '9')}`;
      assert.equal(
        (await twilio.textIn({ from: person, to: '+14155550101', body, message_sid, more })).status,
        200,
      );
      const { items } = (await onTwilio.client.request<{ items: Sms[] }>('GET', '/v1/sms?direction=inbound'))
        .body;
      const text = items.find((sms) => sms.provider_message_id === message_sid)!;
      assert.deepEqual([text.status, text.error_code, text.body], ['received', 'code_withheld', body]);
      const events = await onTwilio.client.request<{ items: { data: object }[] }>(
        'GET',
        `/v1/events?type=sms.received&resource_id=${text.id}`,
      );
      assert.deepEqual(
        events.body.items.map(({ data }) => data),
        [{ id: text.id, from: person, to: '+14155550101', body, error_code: 'code_withheld' }],
      );
      const explained = await onTwilio.client.request<{ verdict: { code: string } }>(
        'GET',
        `/v1/explain/${text.id}`,
      );
      assert.equal(explained.body.verdict.code, 'code_withheld', explained.text);
    }
    // A picture without words is a whole message.
    const message_sid = `SM${'8'.repeat(32)}`;
    await twilio.textIn({ from: person, to: '+14155550101', body: '', message_sid, more: { NumMedia: '1' } });
    const { items } = (await onTwilio.client.request<{ items: Sms[] }>('GET', '/v1/sms?direction=inbound'))
      .body;
    assert.equal(items.find((sms) => sms.provider_message_id === message_sid)!.error_code, null);
  });

  test('F9: a word that Twilio does not know is confirmed by us', async () => {
    const from = '+14155550377';
    await twilio.textIn({ from, to: '+14155550101', body: 'ABMELDEN' });
    await onTwilio.app.jobs.drain();
    assert.deepEqual(
      twilio.messages.filter((message) => message.to === from).map((message) => message.body),
      ['Sie erhalten keine SMS mehr von dieser Nummer. Antworten Sie START, um wieder welche zu erhalten.'],
    );
  });

  test('goes to the current owner of the number, also right after the number changed owners', async () => {
    const [former, present] = [onTwilio.organization(), onTwilio.organization()];
    const to = '+14155550102';
    const bodies = async (of: Client) =>
      (await of.request<{ items: Sms[] }>('GET', '/v1/sms')).body.items.map((sms) => sms.body);
    const { id } = await buyNumber(former, { e164: to });
    await twilio.textIn({ from: person, to, body: 'To the first' });
    await twilio.textIn({ from: person, to, body: 'To the first again' });
    assert.equal((await former.request('DELETE', `/v1/numbers/${id}`)).status, 200);
    await buyNumber(present, { e164: to });
    await twilio.textIn({ from: person, to, body: 'To the second' });
    assert.deepEqual(await bodies(former), ['To the first again', 'To the first']);
    assert.deepEqual(await bodies(present), ['To the second']);
  });

  test('in a batch with known texts stores each new text once', async () => {
    const text = (n: number) => ({
      from: person,
      to: '+14155550101',
      body: `Among many, ${n}`,
      message_sid: `SM${String(n).padStart(32, '1')}`,
    });
    await twilio.textIn(text(0));
    const answers = await Promise.all([0, 1, 2, 3, 2, 1, 0].map((n) => twilio.textIn(text(n))));
    assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [200]);
    const { items } = (await onTwilio.client.request<{ items: Sms[] }>('GET', '/v1/sms?direction=inbound'))
      .body;
    const found = items.filter((sms) => sms.body.startsWith('Among many'));
    assert.deepEqual(
      found.map((sms) => sms.body).sort(),
      [0, 1, 2, 3].map((n) => text(n).body),
    );
    for (const { id } of found) assert.deepEqual(await eventTypes(onTwilio, id), [{ type: 'sms.received' }]);
  });

  test('with STOP suppresses the recipient, and only the carrier confirms it', async () => {
    assert.equal(
      (await telnyx.textIn({ from: '+14155550388', to: '+13125550101', body: 'Stop' })).status,
      200,
    );
    await onTelnyx.app.jobs.drain();
    assert.equal((await sendText(onTelnyx.client, { to: '+14155550388' })).code, 'recipient_suppressed');
    assert.equal(
      telnyx.messages.filter((message) => message.to[0]!.phone_number === '+14155550388').length,
      0,
    );
    await telnyx.textIn({ from: '+14155550388', to: '+13125550101', body: 'START' });
    assert.equal((await sendText(onTelnyx.client, { to: '+14155550388' })).status, 'queued');
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

  test('that is unknown or about an unknown message gets 2xx and changes nothing', async () => {
    const url = `${onTwilio.url}/v1/carriers/twilio/callbacks`;
    for (const form of [
      { Something: 'else' },
      { MessageSid: `SM${'9'.repeat(32)}`, MessageStatus: 'delivered' },
      { MessageSid: `SM${'8'.repeat(32)}`, From: person, To: '+14155559999', Body: 'unknown number' },
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

  test('cannot change another text by a changed URL', async () => {
    const victim = await sendText(onTelnyx.client, { body: 'victim' });
    const own = await sendText(onTelnyx.client, { body: 'own' });
    await onTelnyx.app.jobs.drain();
    const message = telnyx.messages.find((each) => each.text === 'own')!;
    await telnyx.report(
      { ...message, webhook_url: message.webhook_url.replace(own.id, victim.id) },
      'delivered',
    );
    assert.equal((await readText(onTelnyx.client, victim.id)).status, 'sent');
    assert.equal((await readText(onTelnyx.client, own.id)).status, 'delivered');
  });

  test('is refused for unknown carriers, for the sandbox and with a huge body', async () => {
    const post = (carrier: string, body: string) =>
      fetch(`${onTwilio.url}/v1/carriers/${carrier}/callbacks`, { method: 'POST', body });
    assert.equal((await post('nobody', '')).status, 404);
    assert.equal((await post('sandbox', '')).status, 404);
    assert.equal((await post('telnyx', '')).status, 404);
    assert.equal((await post('twilio', 'x'.repeat(300_000))).status, 413);
    assert.equal((await post('twilio', '\u0000')).status, 403);
  });
});

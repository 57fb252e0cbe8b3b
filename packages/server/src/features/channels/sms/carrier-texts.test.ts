// Texts over unreliable carrier connections: none is sent twice, and each outcome is reported once.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buyNumber, eventTypes, readText, sendText } from '../../../../testing/carriers/numbers-and-texts.ts';
import { startOnTelnyx, startOnTwilio } from '../../../../testing/carriers/service.ts';
import type { Database } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

const onTwilio = await startOnTwilio();
const onTelnyx = await startOnTelnyx();
const { twilio } = onTwilio;
const { telnyx } = onTelnyx;

/** The decision of the rules that explains the hand-over. */
async function decisionOf(db: Database, id: string): Promise<string | null> {
  const row = await db.maybe<{ outcome: string | null }>(
    sql`select admission::json ->> 'outcome' as outcome from sms_messages where id = ${id}`,
  );
  return row!.outcome;
}

await buyNumber(onTwilio.client, { e164: '+14155550101' });
await buyNumber(onTelnyx.client, { e164: '+13125550101' });
describe('a text handed to a carrier', () => {
  test('is reported once, in order, in any order of the callbacks', async () => {
    const sms = await sendText(onTwilio.client);
    await onTwilio.app.jobs.drain();
    const message = twilio.messages.at(-1)!;
    assert.equal((await readText(onTwilio.client, sms.id)).status, 'sent');
    for (const status of ['delivered', 'sent', 'delivered', 'queued', 'undelivered']) {
      assert.equal(await twilio.report(message, status), 200);
    }
    const done = await readText(onTwilio.client, sms.id);
    assert.deepEqual([done.status, done.provider_message_id], ['delivered', message.sid]);
    assert.deepEqual(await eventTypes(onTwilio, sms.id), [{ type: 'sms.delivered' }]);
  });

  test('that was not delivered has an error code of ours', async () => {
    for (const [status, code, expected] of [
      ['undelivered', '30003', ['undelivered', 'unreachable']],
      ['undelivered', '30007', ['undelivered', 'filtered']],
      ['failed', '99999', ['failed', 'rejected']],
    ] as const) {
      const sms = await sendText(onTwilio.client);
      await onTwilio.app.jobs.drain();
      await twilio.report(twilio.messages.at(-1)!, status, code);
      const done = await readText(onTwilio.client, sms.id);
      assert.deepEqual([done.status, done.error_code], expected);
    }
    const sms = await sendText(onTelnyx.client);
    await onTelnyx.app.jobs.drain();
    await telnyx.report(telnyx.messages.at(-1)!, 'delivery_failed', '40008');
    const done = await readText(onTelnyx.client, sms.id);
    assert.deepEqual([done.status, done.error_code], ['undelivered', 'unreachable']);
  });

  test('is not sent twice after a lost or broken response of Twilio: the message is found', async () => {
    for (const fault of ['lost', 'broken_after'] as const) {
      const sms = await sendText(onTwilio.client, { to: '+14155550301', body: `After ${fault}` });
      twilio.failNext(fault, ({ method, path }) => method === 'POST' && path.endsWith('/Messages.json'));
      await onTwilio.app.jobs.drain();
      await onTwilio.later(10);
      const done = await readText(onTwilio.client, sms.id);
      assert.equal(done.status, 'sent', fault);
      const sent = twilio.messages.filter((message) => message.body === `After ${fault}`);
      assert.deepEqual(
        sent.map((message) => message.sid),
        [done.provider_message_id],
      );
    }
  });

  test('two equal texts with lost responses are matched to two messages', async () => {
    const posting = ({ method, path }: { method: string; path: string }) =>
      method === 'POST' && path.endsWith('/Messages.json');
    const body = 'Twice the same';
    twilio.failNext('lost', posting);
    const first = await sendText(onTwilio.client, { to: '+14155550302', body });
    await onTwilio.app.jobs.drain();
    twilio.failNext('lost', posting);
    const second = await sendText(onTwilio.client, { to: '+14155550302', body });
    await onTwilio.app.jobs.drain();
    await onTwilio.later(10);
    await onTwilio.later(60);
    const stored = [await readText(onTwilio.client, first.id), await readText(onTwilio.client, second.id)];
    const sids = twilio.messages.filter((message) => message.body === body).map((message) => message.sid);
    assert.deepEqual(stored.map((sms) => sms.provider_message_id).sort(), sids.sort());
    assert.equal(sids.length, 2);
    for (const { id } of [first, second]) assert.equal(await decisionOf(onTwilio.db, id), 'allow');
  });

  test('is sent again if the carrier did not accept it: rate limited, or failed and not found', async () => {
    const posting = ({ method, path }: { method: string; path: string }) =>
      method === 'POST' && path.endsWith('/Messages.json');
    for (const fault of ['too_many', 'broken'] as const) {
      const body = `Again after ${fault}`;
      twilio.failNext(fault, posting);
      const sms = await sendText(onTwilio.client, { to: '+14155550303', body });
      await onTwilio.app.jobs.drain();
      assert.equal((await readText(onTwilio.client, sms.id)).status, 'queued');
      // After an error the message may appear in the list with a delay, so the service waits before it counts as not found.
      await onTwilio.later(80);
      assert.equal((await readText(onTwilio.client, sms.id)).status, 'sent', fault);
      assert.equal(twilio.messages.filter((message) => message.body === body).length, 1);
    }
  });

  test('is not sent twice after a lost response of Telnyx: its callback identifies it', async () => {
    telnyx.failNext('lost', ({ method, path }) => method === 'POST' && path.endsWith('/messages'));
    const sms = await sendText(onTelnyx.client, { body: 'Lost at Telnyx' });
    await onTelnyx.app.jobs.drain();
    await onTelnyx.later(120);
    assert.equal((await readText(onTelnyx.client, sms.id)).status, 'queued');
    const sent = telnyx.messages.filter((message) => message.text === 'Lost at Telnyx');
    assert.equal(sent.length, 1);
    await telnyx.report(sent[0]!, 'delivered');
    const done = await readText(onTelnyx.client, sms.id);
    assert.deepEqual([done.status, done.provider_message_id], ['delivered', sent[0]!.id]);
    assert.equal(
      await decisionOf(onTelnyx.db, sms.id),
      'allow',
      'also when the report comes before the response',
    );
  });

  test('with an unknown outcome fails and is not sent again', async () => {
    telnyx.failNext('broken', ({ method, path }) => method === 'POST' && path.endsWith('/messages'));
    const sms = await sendText(onTelnyx.client, { body: 'Unknown at Telnyx' });
    await onTelnyx.app.jobs.drain();
    await onTelnyx.later(60);
    await onTelnyx.later(700);
    const done = await readText(onTelnyx.client, sms.id);
    assert.deepEqual([done.status, done.error_code], ['failed', 'unconfirmed']);
    assert.equal(telnyx.messages.filter((message) => message.text === 'Unknown at Telnyx').length, 0);
    assert.deepEqual(await eventTypes(onTelnyx, sms.id), [{ type: 'sms.failed' }]);
  });

  test('whose delivery report was lost is looked up at the carrier', async () => {
    const sms = await sendText(onTwilio.client, { body: 'No receipt' });
    await onTwilio.app.jobs.drain();
    twilio.messages.at(-1)!.status = 'delivered';
    await onTwilio.later(700);
    assert.equal((await readText(onTwilio.client, sms.id)).status, 'delivered');
  });

  test('whose delivery report about an opt-out was lost becomes a suppression', async () => {
    const to = '+14155550398';
    await sendText(onTwilio.client, { to });
    await onTwilio.app.jobs.drain();
    Object.assign(twilio.messages.at(-1)!, { status: 'failed', error_code: 21610 });
    await onTwilio.later(700);
    assert.equal((await sendText(onTwilio.client, { to })).code, 'recipient_suppressed');
  });

  test('waits while the carrier refuses our credentials, and fails finally', async () => {
    const bad = await startOnTwilio({
      TWILIO_AUTH_TOKEN: 'wrong',
      PARLEY_SMS_DEFAULT_SENDER: '+14155550101',
    });
    const sms = await sendText(bad.client);
    await bad.app.jobs.drain();
    assert.equal((await readText(bad.client, sms.id)).status, 'queued');
    await bad.later(16 * 60);
    const done = await readText(bad.client, sms.id);
    assert.deepEqual([done.status, done.error_code], ['failed', 'carrier_unavailable']);
  });

  test('to a recipient who opted out at the carrier becomes a suppression', async () => {
    for (const [test, standIn] of [
      [onTwilio, twilio],
      [onTelnyx, telnyx],
    ] as const) {
      standIn.opted_out.add('+14155550399');
      const sms = await sendText(test.client, { to: '+14155550399' });
      await test.app.jobs.drain();
      const done = await readText(test.client, sms.id);
      assert.deepEqual([done.status, done.error_code], ['failed', 'recipient_opted_out']);
      assert.equal((await sendText(test.client, { to: '+14155550399' })).code, 'recipient_suppressed');
    }
  });
});

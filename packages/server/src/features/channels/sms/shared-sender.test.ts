// Replies to the sender that all organizations share belong to the organization whose text the person got.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sms } from '@parley/contract/channels/sms/sms';
import { buyNumber, person, readText, sendText } from '../../../../testing/carriers/numbers-and-texts.ts';
import { startOnTwilio } from '../../../../testing/carriers/service.ts';

const shared_sender = '+14155550100';
const { app, twilio, organization, later } = await startOnTwilio({
  PARLEY_SMS_DEFAULT_SENDER: shared_sender,
});

// The operator's number at the carrier, with the same callback as those that organizations buy.
await buyNumber(organization(), { e164: '+14155550101' });
twilio.numbers.push({ ...twilio.numbers[0]!, phone_number: shared_sender });

test('a text that failed does not move the replies of a person to another organization', async () => {
  const [own, other] = [organization(), organization()];
  await sendText(own, { body: 'Your table is booked.' });
  await app.jobs.drain();
  await twilio.report(twilio.messages.at(-1)!, 'delivered');

  const failed = await sendText(other);
  await app.jobs.drain();
  await twilio.report(twilio.messages.at(-1)!, 'failed', '99999');
  assert.equal((await readText(other, failed.id)).status, 'failed');

  await twilio.textIn({ from: person, to: shared_sender, body: 'Thanks' });
  await later(1);
  const received = async (of: typeof own) =>
    (await of.request<{ items: Sms[] }>('GET', '/v1/sms?direction=inbound')).body.items.map(
      ({ body }) => body,
    );
  assert.deepEqual([await received(own), await received(other)], [['Thanks'], []]);
});

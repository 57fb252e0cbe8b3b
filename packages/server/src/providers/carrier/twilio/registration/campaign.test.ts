// US campaigns of Twilio: use cases, edits, replacements and adoption.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  known,
  openTwilioTexts,
  requestFor,
  runThrough,
  type TwilioTexts,
} from '../../../../../testing/carriers/twilio-text-registrations.ts';

describe('a US campaign', () => {
  test('offers the use cases of the carrier', async () => {
    const opened = await openTwilioTexts();
    const { requirements } = await requestFor(opened, 'us_campaign');
    const item = requirements.find(({ key }) => key === 'use_case')!;
    assert.deepEqual([item.input, item.required], ['choice', true]);
    assert.ok(item.choices!.some(({ value }) => value === 'CUSTOMER_CARE'));
  });

  const failWith = (standIn: TwilioTexts['standIn'], field: string) => () => {
    for (const campaign of standIn.messaging.campaigns)
      Object.assign(campaign, {
        campaign_status: 'FAILED',
        errors: [{ error_code: 30886, description: 'Not clear.', fields: [field], url: null }],
      });
  };

  test('that the networks refused is edited, or replaced where that is not possible', async () => {
    for (const [edits, field, key, replaced] of [
      [true, 'MESSAGE_FLOW', 'message_flow', false],
      [false, 'MESSAGE_FLOW', 'message_flow', true],
      [true, 'USE_CASE', 'use_case', true],
    ] as const) {
      const opened = await openTwilioTexts();
      const { registration, standIn } = opened;
      standIn.messaging.edits_campaigns = edits;
      const request = await requestFor(opened, 'us_campaign');
      const failed = await runThrough(opened, request, {}, failWith(standIn, field));
      const { problems } = await known(registration, failed.progress, 'us_campaign');
      assert.deepEqual(problems, [{ key, code: '30886', message: 'Not clear.' }]);
      const before = standIn.messaging.campaigns[0]!.sid;
      const message_flow = `${String(request.answers.message_flow)} They can stop with STOP.`;
      const again = { ...request, attempt: 2, problems, answers: { ...request.answers, message_flow } };
      assert.equal((await runThrough(opened, again, failed.progress)).state, 'approved');
      const [campaign, ...more] = standIn.messaging.campaigns;
      assert.deepEqual([more.length, campaign!.sid !== before], [0, replaced]);
      assert.equal(campaign!.message_flow, message_flow);
      assert.deepEqual(standIn.violations, []);
    }
  });

  test('with too few samples is not sent, and a canceled one is deleted with its service', async () => {
    const opened = await openTwilioTexts();
    const { registration, standIn } = opened;
    const request = await requestFor(opened, 'us_campaign');
    const few = { ...request, answers: { ...request.answers, message_samples: ['Too short'] } };
    const refused = await registration.advance(few, {}, { may_be_done: false });
    assert.ok(refused.outcome === 'incomplete' && refused.problems[0]!.key === 'message_samples');
    const services = standIn.messaging.services.length;
    const { progress } = await runThrough(opened, request, {}, () => {});
    assert.deepEqual(await registration.cancel(progress, 'us_campaign'), { outcome: 'done' });
    assert.deepEqual(await registration.cancel(progress, 'us_campaign'), { outcome: 'done' });
    assert.deepEqual([standIn.messaging.campaigns.length, standIn.messaging.services.length], [0, services]);
  });

  test('from the console is adopted by its id or by the id of its service', async () => {
    const opened = await openTwilioTexts();
    const { registration, standIn } = opened;
    await runThrough(opened, await requestFor(opened, 'us_campaign'));
    const [campaign] = standIn.messaging.campaigns;
    for (const provider_verification_id of [campaign!.sid, campaign!.service]) {
      const adopted = await registration.adopt({ kind: 'us_campaign', provider_verification_id });
      assert.ok(adopted.outcome === 'found', adopted.outcome);
      assert.equal(adopted.service_reference, campaign!.service);
      assert.equal((await known(registration, adopted.progress, 'us_campaign')).state, 'approved');
    }
  });
});

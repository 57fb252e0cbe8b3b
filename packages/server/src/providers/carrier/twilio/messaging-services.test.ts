// Which messaging service a number of Twilio is in, and whether it is registered for texts to the US.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { decideAll } from '../../../../testing/carriers/twilio-decisions.ts';
import {
  openTwilioTexts,
  requestFor,
  runThrough,
} from '../../../../testing/carriers/twilio-text-registrations.ts';
import type { Progress } from '../registration.ts';

describe('a number', () => {
  const us = { country_code: 'US', number_type: 'local' as const };

  test('is registered when its messaging service has a verified campaign', async () => {
    const opened = await openTwilioTexts();
    const { messaging, standIn, buy } = opened;
    const number = { ...(await buy('+14155550101')), ...us };
    const stateOf = async (campaign: Progress | null, messaging_service_reference: string | null) => {
      const report = await messaging.registration({ ...number, messaging_service_reference }, campaign);
      assert.ok(report.outcome === 'known', report.outcome);
      return report.state;
    };
    assert.equal(await stateOf(null, null), 'missing');
    const own = await messaging.ensureService(randomUUID());
    assert.ok(own.outcome === 'done');
    await messaging.attach(number, own.service_reference);
    assert.equal(await stateOf(null, own.service_reference), 'missing');
    const service = standIn.messaging.services.find(({ sid }) => sid === own.service_reference)!;
    assert.equal(service.use_inbound_webhook_on_number, true);
    const request = await requestFor(opened, 'us_campaign');
    const { progress } = await runThrough(opened, request, {}, () => {});
    assert.equal(await stateOf(progress, own.service_reference), 'missing', 'it has not joined');
    for (const _ of [1, 2])
      assert.deepEqual(await messaging.attachCampaign(number, progress), {
        outcome: 'done',
        service_reference: progress.service_sid,
      });
    assert.equal(await stateOf(progress, null), 'pending');
    decideAll(standIn, 'approved');
    assert.equal(await stateOf(progress, null), 'registered');
    decideAll(standIn, 'rejected');
    assert.equal(await stateOf(progress, null), 'failed');
    const left = await messaging.attachCampaign(number, null);
    assert.deepEqual(left, { outcome: 'done', service_reference: null });
    assert.equal(await stateOf(null, own.service_reference), 'missing');
    assert.deepEqual(standIn.violations, []);
  });

  test('that the operator registered in the console stays in its service', async () => {
    const { messaging, standIn, buy } = await openTwilioTexts();
    standIn.messaging.registers_numbers = true;
    const number = { ...(await buy('+14155550101')), ...us };
    const own = await messaging.ensureService(randomUUID());
    assert.ok(own.outcome === 'done');
    const joined = await messaging.attach(number, own.service_reference);
    const [made_in_console] = standIn.messaging.services;
    assert.deepEqual(joined, { outcome: 'done', service_reference: made_in_console!.sid });
    // The second reference is out of date: somebody moved the number in the console since.
    for (const messaging_service_reference of [made_in_console!.sid, own.service_reference])
      assert.deepEqual(await messaging.registration({ ...number, messaging_service_reference }, null), {
        outcome: 'known',
        state: 'registered',
        reason: null,
      });
  });

  test('that is toll-free follows its verification, also one from the console', async () => {
    const opened = await openTwilioTexts();
    const { messaging, standIn } = opened;
    const request = await requestFor(opened, 'toll_free');
    const number = { ...request.number!, country_code: 'US', number_type: 'toll_free' as const };
    const stateOf = async () => {
      const report = await messaging.registration(number, null);
      return report.outcome === 'known' ? report.state : report.outcome;
    };
    assert.equal(await stateOf(), 'missing');
    await runThrough(opened, request, {}, () => {});
    assert.equal(await stateOf(), 'pending');
    decideAll(standIn, 'approved');
    assert.equal(await stateOf(), 'registered');
    decideAll(standIn, 'rejected');
    assert.equal(await stateOf(), 'failed');
  });

  test('of another country needs no registration', async () => {
    const { messaging } = await openTwilioTexts();
    const number = { e164: '+447400000000', provider_number_id: `PN${'0'.repeat(32)}` };
    const report = await messaging.registration(
      { ...number, country_code: 'GB', number_type: 'mobile' },
      null,
    );
    assert.deepEqual(report, { outcome: 'known', state: 'not_required', reason: null });
  });
});

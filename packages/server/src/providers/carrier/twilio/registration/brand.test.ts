// US brands of Twilio against a stand-in that is as strict as Twilio's description.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decideAll } from '../../../../../testing/carriers/twilio-decisions.ts';
import {
  approvedBrand,
  known,
  openTwilioTexts,
  requestFor,
  runThrough,
} from '../../../../../testing/carriers/twilio-text-registrations.ts';
import type { Progress } from '../../registration.ts';

describe('a US brand', () => {
  test('needs the operator’s approved primary profile, and says what to set', async () => {
    const query = {
      kind: 'us_brand',
      country_code: 'US',
      number_type: 'local',
      subject_type: 'business',
    } as const;
    const asked = { ...query, use_case: null, e164: null, brand: null };
    for (const [settings, name] of [
      [{ profile: null }, 'TWILIO_CUSTOMER_PROFILE_SID'],
      [{ email: null }, 'PARLEY_COMPLIANCE_EMAIL'],
      [{ profile: `BU${'0'.repeat(32)}` }, 'TWILIO_CUSTOMER_PROFILE_SID'],
    ] as const) {
      const { registration } = await openTwilioTexts(settings);
      const answer = await registration.requirements(asked);
      assert.ok(answer.outcome === 'not_supported', answer.outcome);
      assert.match(answer.detail, new RegExp(name));
    }
  });

  test('is checked by Twilio before each submission, and problems name the item of the form', async () => {
    const opened = await openTwilioTexts();
    const { registration, standIn } = opened;
    const request = await requestFor(opened, 'us_brand');
    const { website_url: _, ...answers } = request.answers;
    let progress: Progress = {};
    let result = await registration.advance({ ...request, answers }, progress, { may_be_done: false });
    while (result.outcome === 'step') {
      progress = result.progress;
      result = await registration.advance({ ...request, answers }, progress, { may_be_done: false });
    }
    assert.ok(result.outcome === 'incomplete', result.outcome);
    assert.deepEqual(
      result.problems.map(({ key }) => key),
      ['website_url'],
    );
    // The same attempt with the missing answer continues with the objects that exist.
    const { state } = await runThrough(opened, request, result.progress);
    assert.equal(state, 'approved');
    assert.deepEqual([standIn.hub.profiles.length, standIn.messaging.brands.length], [2, 1]);
  });

  test('that the registry refused is corrected and submitted again', async () => {
    const opened = await openTwilioTexts();
    const { registration, standIn } = opened;
    const request = await requestFor(opened, 'us_brand');
    const failed = await runThrough(opened, request, {}, () => {
      decideAll(standIn, 'approved');
      for (const brand of standIn.messaging.brands)
        Object.assign(brand, {
          status: 'FAILED',
          errors: [{ error_code: 30701, description: 'Invalid state.', fields: ['region'], url: null }],
        });
    });
    const { problems } = await known(registration, failed.progress, 'us_brand');
    assert.deepEqual(problems, [{ key: 'address', code: '30701', message: 'Invalid state.' }]);
    const address = { ...request.address!, region: 'NV' };
    const again = { ...request, attempt: 2, problems, address };
    assert.equal((await runThrough(opened, again, failed.progress)).state, 'approved');
    assert.equal(standIn.messaging.brands.length, 1);
    const addresses = [...standIn.compliance.addresses.values()];
    assert.deepEqual(
      addresses.map(({ form }) => form.Region),
      ['NV'],
    );
  });

  test('with an address that Twilio does not know is not submitted', async () => {
    const opened = await openTwilioTexts();
    const request = await requestFor(opened, 'us_brand');
    const unknown = { ...request, address: { ...request.address!, street: 'No such street' } };
    const refused = await opened.registration.advance(unknown, {}, { may_be_done: false });
    assert.ok(refused.outcome === 'incomplete', refused.outcome);
    assert.deepEqual([refused.problems[0]!.key, refused.problems[0]!.code], ['address', '21628']);
  });

  test('whose profile or product Twilio rejected goes on with the same objects', async () => {
    const opened = await openTwilioTexts();
    const { standIn } = opened;
    const request = await requestFor(opened, 'us_brand');
    const first = await runThrough(opened, request, {}, () => decideAll(standIn, 'rejected'));
    assert.equal(first.state, 'rejected');
    let parts = 0;
    const second = await runThrough(opened, { ...request, attempt: 2 }, first.progress, () =>
      decideAll(standIn, ++parts === 1 ? 'approved' : 'rejected'),
    );
    assert.equal(second.state, 'rejected');
    const third = await runThrough(opened, { ...request, attempt: 3 }, second.progress);
    assert.equal(third.state, 'approved');
    const { hub, messaging, violations } = standIn;
    assert.deepEqual([hub.profiles.length, hub.products.length, messaging.brands.length], [2, 1, 1]);
    assert.deepEqual(violations, []);
  });

  test('is told in each state, and one from the console is adopted', async () => {
    const opened = await openTwilioTexts();
    const { registration, standIn } = opened;
    const progress = await approvedBrand(opened);
    const [brand] = standIn.messaging.brands;
    const told = async (status: string, identity_status = 'VERIFIED') => {
      Object.assign(brand!, { status, identity_status });
      const { state, waiting_for } = await known(registration, progress, 'us_brand');
      return [state, waiting_for];
    };
    assert.deepEqual(await told('IN_REVIEW'), ['in_review', null]);
    assert.deepEqual(await told('APPROVED', 'UNVERIFIED'), ['in_review', 'contact']);
    assert.deepEqual(await told('APPROVED', 'VETTED_VERIFIED'), ['approved', null]);
    assert.deepEqual(await told('SUSPENDED'), ['rejected', null]);
    brand!.status = 'NEW_WORD';
    // The stand-in refuses a word that the description does not have, so it is only known that nothing is known.
    assert.notEqual((await registration.state(progress, 'us_brand')).outcome, 'known');
    brand!.status = 'APPROVED';
    const adopted = await registration.adopt({ kind: 'us_brand', provider_verification_id: brand!.sid });
    assert.ok(adopted.outcome === 'found', adopted.outcome);
    assert.equal((await known(registration, adopted.progress, 'us_brand')).state, 'approved');
  });
});

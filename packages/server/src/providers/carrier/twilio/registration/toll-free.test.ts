// Toll-free verifications of Twilio: corrections, replacements and registration numbers.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  known,
  openTwilioTexts,
  requestFor,
  runThrough,
  type TwilioTexts,
} from '../../../../../testing/carriers/twilio-text-registrations.ts';

describe('a toll-free verification', () => {
  const reject = (standIn: TwilioTexts['standIn'], edit_allowed: boolean) => () => {
    for (const each of standIn.messaging.toll_free)
      Object.assign(each, {
        status: 'TWILIO_REJECTED',
        edit_allowed,
        edit_expiration: '2026-12-01T00:00:00Z',
        rejection_reasons: [{ code: 30475, reason: 'The opt-in is not shown.' }],
      });
  };

  test('says until when it can be corrected, and is edited or replaced', async () => {
    for (const edit_allowed of [true, false]) {
      const opened = await openTwilioTexts();
      const { registration, standIn } = opened;
      const request = await requestFor(opened, 'toll_free');
      const failed = await runThrough(opened, request, {}, reject(standIn, edit_allowed));
      const { problems, editable_until } = await known(registration, failed.progress, 'toll_free');
      assert.deepEqual(problems, [{ key: null, code: '30475', message: 'The opt-in is not shown.' }]);
      assert.equal(editable_until?.toISOString(), edit_allowed ? '2026-12-01T00:00:00.000Z' : undefined);
      const again = { ...request, attempt: 2, problems, subject_name: 'Corrected Inc' };
      assert.equal((await runThrough(opened, again, failed.progress)).state, 'approved');
      const held = standIn.messaging.toll_free;
      assert.equal(held.length, edit_allowed ? 1 : 2);
      assert.equal(held.at(-1)!.business_name, 'Corrected Inc');
      assert.deepEqual(standIn.violations, []);
    }
  });

  test('needs a registration number, except for a sole proprietor', async () => {
    const opened = await openTwilioTexts();
    const request = { ...(await requestFor(opened, 'toll_free')), registration_number: null };
    const refused = await opened.registration.advance(request, {}, { may_be_done: false });
    assert.ok(refused.outcome === 'incomplete' && refused.problems[0]!.key === 'registration_number');
    const answers = { ...request.answers, business_type: 'SOLE_PROPRIETOR' };
    assert.equal((await runThrough(opened, { ...request, answers })).state, 'approved');
  });
});

// Registration with Telnyx against a stand-in that checks every request: conformance, rejections and lost answers.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { VerificationProblem } from '@parley/contract/channels/numbers/verification-records';
import {
  closeTelnyx,
  decideBy,
  heldBy,
  loserOf,
  openTelnyx as open,
  requestFor,
  samplesFor,
  stateOf,
  submitted,
} from '../../../../../testing/carriers/telnyx-registrations.ts';
import type { Progress } from '../../registration.ts';
import { registrationConformance } from '../../registration-conformance.ts';

after(closeTelnyx);

registrationConformance('telnyx', async () => {
  const all = await open();
  const { standIn, carrier, port } = all;
  return {
    registration: port,
    messaging: carrier.messaging!,
    samples: samplesFor(all),
    held: heldBy(standIn),
    decide: decideBy(standIn),
    loseNext: loserOf(standIn),
    number: { e164: '+13125550199', provider_number_id: '1' },
  };
});

describe('a rejection by Telnyx names its reasons, and a correction changes the same object', () => {
  for (const kind of ['number', 'us_brand', 'us_campaign', 'toll_free'] as const) {
    test(`for ${kind}, also when every answer gets lost once`, async () => {
      const all = await open();
      const { standIn, port } = all;
      const [held, decide, loseNext] = [heldBy(standIn), decideBy(standIn), loserOf(standIn)];
      const before = held(kind);
      const request = await requestFor(all, kind);
      const first = await submitted(port, request);
      assert.equal((await stateOf(port, kind, first.progress)).problems.length, 0);
      decide(kind, 'rejected');
      const rejected = await stateOf(port, kind, first.progress);
      assert.equal(rejected.state, 'rejected');
      assert.ok(rejected.problems.length > 0 && rejected.problems.every(({ message }) => message.length > 3));
      const problems: VerificationProblem[] = rejected.problems;
      const again = { ...request, attempt: 2, documents: [], problems };
      let progress: Progress = first.progress;
      for (let steps = 0, done = false; !done; steps++) {
        assert.ok(steps < 20);
        loseNext();
        const lost = await port.advance(again, progress, { may_be_done: false });
        const result =
          lost.outcome === 'lost' ? await port.advance(again, progress, { may_be_done: true }) : lost;
        assert.ok(result.outcome === 'step' || result.outcome === 'handed_over', JSON.stringify(result));
        progress = result.progress;
        done = result.outcome === 'handed_over';
      }
      assert.equal(held(kind), before + 1, 'nothing was registered twice');
      assert.ok(['submitted', 'in_review'].includes((await stateOf(port, kind, progress)).state));
      decide(kind, 'approved');
      assert.equal((await stateOf(port, kind, progress)).state, 'approved');
    });
  }
});

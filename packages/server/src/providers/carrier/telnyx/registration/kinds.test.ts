// What is particular about each kind of registration with Telnyx: reasons, documents, fees, cancellations and unknown words.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import {
  clock,
  closeTelnyx,
  heldBy,
  loserOf,
  openTelnyx as open,
  requestFor,
  stateOf,
  submitted,
} from '../../../../../testing/carriers/telnyx-registrations.ts';
import type { Progress } from '../../registration.ts';
import { handOver } from '../../registration-conformance.ts';

after(closeTelnyx);

describe('numbers', () => {
  test('only the reviewers’ new comments are reasons, at the declined requirement', async () => {
    const all = await open();
    const { standIn, port, items } = all;
    const request = await requestFor(all, 'number');
    const first = await submitted(port, request);
    const proof = items[3]!.id;
    standIn.decide.groups({ status: 'declined', declined: [proof], comment: 'The bill is too old.' });
    const { problems } = await stateOf(port, 'number', first.progress);
    assert.deepEqual(problems, [{ key: proof, code: 'declined', message: 'The bill is too old.' }]);
    const [document] = request.documents;
    const again = { ...request, attempt: 2, documents: [{ ...document!, id: randomUUID() }], problems };
    const second = await submitted(port, again, first.progress);
    standIn.decide.groups({ status: 'declined', declined: [proof], comment: 'The bill is cut off.' });
    const later = await stateOf(port, 'number', second.progress);
    assert.deepEqual(
      later.problems.map(({ message }) => message),
      ['The bill is cut off.'],
    );
    assert.equal(standIn.groups.length, 1);
  });

  test('an approval ends with its first requirement, and is rejected after that', async () => {
    const all = await open();
    const { progress } = await submitted(all.port, await requestFor(all, 'number'));
    const expires_at = '2031-01-01T00:00:00.000Z';
    all.standIn.decide.groups({ status: 'approved', expires_at });
    assert.equal((await stateOf(all.port, 'number', progress)).expires_at?.toISOString(), expires_at);
    all.standIn.decide.groups({ status: 'expired' });
    const ended = await stateOf(all.port, 'number', progress);
    assert.equal(ended.state, 'rejected');
    assert.match(ended.problems[0]!.message, /expired/);
  });

  test('documents that Telnyx has deleted because they were not linked in time are uploaded again', async () => {
    const all = await open();
    const { port, standIn } = all;
    const request = await requestFor(all, 'number');
    let progress: Progress = {};
    while (progress.uploaded_at === undefined) {
      const result = await port.advance(request, progress, { may_be_done: false });
      assert.ok(result.outcome === 'step', JSON.stringify(result));
      progress = result.progress;
    }
    standIn.decide.expireDocuments();
    clock.now += 31 * 60_000;
    await submitted(port, request, progress);
    assert.deepEqual(
      standIn.documents.map(({ linked, content }) => [linked, content.toString()]),
      [[true, '%PDF-1.4 bill']],
    );
  });

  test('what Telnyx’s own check refuses is reported at its requirement and sent again after a correction', async () => {
    const all = await open();
    const request = await requestFor(all, 'number');
    const date = all.items[1]!.id;
    const wrong = { ...request, answers: { ...request.answers, [date]: 'yesterday' } };
    const { result } = await handOver(all.port, wrong);
    assert.ok(result.outcome === 'incomplete', JSON.stringify(result));
    assert.equal(result.problems[0]!.key, date);
    await submitted(all.port, request, result.progress);
    assert.equal(all.standIn.groups.length, 1);
  });

  test('a country that Telnyx does not know is not supported', async () => {
    const { port, standIn } = await open();
    const query = {
      kind: 'number',
      country_code: 'AQ',
      number_type: 'local',
      subject_type: 'business',
    } as const;
    const found = await port.requirements({ ...query, use_case: null, e164: null, brand: null });
    assert.equal(found.outcome, 'not_supported');
    assert.ok(standIn.seen.length > 0);
  });

  test('a cancellation deletes the group, documents and addresses, also those of a lost answer', async () => {
    const all = await open();
    const { standIn, port } = all;
    const { progress } = await submitted(port, await requestFor(all, 'number'));
    const { group: _, ...without } = progress;
    for (const known of [progress, without]) {
      assert.deepEqual(await port.cancel(known, 'number'), { outcome: 'done' });
      assert.deepEqual([standIn.groups, standIn.documents, standIn.addresses], [[], [], []]);
    }
  });
});

describe('brands and campaigns', () => {
  test('a brand that needs a confirmation waits for its contact', async () => {
    const all = await open();
    const { progress } = await submitted(all.port, await requestFor(all, 'us_brand'));
    all.standIn.decide.brands('contact');
    const { state, waiting_for } = await stateOf(all.port, 'us_brand', progress);
    assert.deepEqual([state, waiting_for], ['in_review', 'contact']);
  });

  test('a refused tax number is reported at its field, and nothing was created', async () => {
    const all = await open();
    const request = { ...(await requestFor(all, 'us_brand')), registration_number: '1' };
    const { result } = await handOver(all.port, request);
    assert.ok(result.outcome === 'incomplete', JSON.stringify(result));
    assert.equal(result.problems[0]!.key, 'registration_number');
    assert.equal(all.standIn.brands.length, 1);
  });

  test('a campaign that cannot be corrected is ended before a new one is made', async () => {
    const all = await open();
    const { standIn, port } = all;
    const request = await requestFor(all, 'us_campaign');
    const first = await submitted(port, request);
    standIn.decide.campaigns({ campaignStatus: 'TCR_FAILED', failureReasons: 'The use case is wrong.' });
    const { problems } = await stateOf(port, 'us_campaign', first.progress);
    assert.deepEqual(problems, [{ key: null, code: 'tcr_failed', message: 'The use case is wrong.' }]);
    const second = await submitted(port, { ...request, attempt: 2, problems }, first.progress);
    assert.notEqual(second.provider_verification_id, first.provider_verification_id);
    assert.equal(standIn.campaigns.length, 1);
  });

  test('a corrected description needs a new campaign, because Telnyx cannot change it', async () => {
    const all = await open();
    const { standIn, port } = all;
    const request = await requestFor(all, 'us_campaign');
    const first = await submitted(port, request);
    standIn.decide.campaigns({ campaignStatus: 'TELNYX_FAILED', failureReasons: 'Describe it better.' });
    const description = 'Reminders of appointments, sent one day before, to customers who asked for them.';
    const answers = { ...request.answers, description };
    await submitted(port, { ...request, attempt: 2, answers }, first.progress);
    assert.deepEqual(
      standIn.campaigns.map((each) => [each.description, each.referenceId]),
      [[description, `${request.reference}-2`]],
    );
  });

  test('a use case that the brand does not qualify for is refused before anything is paid', async () => {
    const all = await open();
    const request = { ...(await requestFor(all, 'us_campaign')), use_case: 'POLITICAL' };
    const { result } = await handOver(all.port, request);
    assert.ok(result.outcome === 'incomplete', JSON.stringify(result));
    assert.equal(result.problems[0]!.key, 'use_case');
    assert.equal(all.standIn.campaigns.length, 0);
  });

  test('a brand or campaign that a lost answer left is deleted with the cancellation', async () => {
    const all = await open();
    const { standIn, port } = all;
    for (const kind of ['us_brand', 'us_campaign'] as const) {
      const before = heldBy(standIn)(kind);
      const request = await requestFor(all, kind);
      let progress: Progress = {};
      const loseNext = loserOf(standIn);
      for (let lost = false; !lost; ) {
        if (kind !== 'us_campaign' || progress.profile) loseNext();
        const result = await port.advance(request, progress, { may_be_done: false });
        if (result.outcome === 'step') progress = result.progress;
        lost = result.outcome === 'lost';
      }
      assert.equal(heldBy(standIn)(kind), before + 1);
      assert.deepEqual(await port.cancel(progress, kind), { outcome: 'done' });
      assert.equal(heldBy(standIn)(kind), before);
    }
  });
});

test('a word that is not known is unclear, and what Telnyx does not have is absent', async () => {
  const all = await open();
  const { port, standIn } = all;
  for (const kind of port.kinds)
    assert.equal((await port.state({ id: randomUUID() }, kind)).outcome, 'absent', kind);
  const { progress } = await submitted(port, await requestFor(all, 'us_campaign'));
  standIn.new_words.on = true;
  standIn.decide.campaigns({ campaignStatus: 'PONDERING' });
  assert.deepEqual(await port.state(progress, 'us_campaign'), { outcome: 'unclear', word: 'PONDERING' });
});

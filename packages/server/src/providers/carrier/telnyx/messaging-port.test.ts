// Messaging profiles and campaigns of numbers at Telnyx: joined once, followed, changed and left.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { closeTelnyx, openTelnyx } from '../../../../testing/carriers/telnyx-registrations.ts';

after(closeTelnyx);

const number = {
  e164: '+13125550199',
  provider_number_id: '1',
  country_code: 'US',
  number_type: 'local',
} as const;
const toll_free = {
  ...number,
  e164: '+18005550199',
  provider_number_id: '2',
  number_type: 'toll_free',
} as const;

/** A number in its profile, and two campaigns that the networks have accepted. */
async function open() {
  const { standIn, carrier } = await openTelnyx();
  const messaging = carrier.messaging!;
  const made = await messaging.ensureService('019a8c1e-2b3c-7d4e-8f50-6a7b8c9d0e1f');
  assert.ok(made.outcome === 'done');
  await messaging.attach(number, made.service_reference);
  for (const campaignId of ['campaign-1', 'campaign-2'])
    standIn.campaigns.push({
      campaignId,
      brandId: 'brand-1',
      referenceId: campaignId,
      campaignStatus: 'MNO_PROVISIONED',
    });
  const report = async (of: typeof number | typeof toll_free = number) => {
    const known = await messaging.registration(of, null);
    assert.ok(known.outcome === 'known', JSON.stringify(known));
    return [known.state, known.reason];
  };
  const changes = () => standIn.seen.filter(({ method }) => method !== 'GET').length;
  return { standIn, messaging, profile: made.service_reference, report, changes };
}

test('a number joins a campaign once, moves to another one and leaves it', async () => {
  const { standIn, messaging, profile, report, changes } = await open();
  assert.deepEqual(await report(), ['missing', 'The number is in no campaign.']);
  const campaign = { campaign: 'campaign-1', profile };
  const joined = { outcome: 'done', service_reference: profile };
  const before = changes();
  for (const _ of [1, 2]) assert.deepEqual(await messaging.attachCampaign(number, campaign), joined);
  assert.equal(changes(), before + 1);
  assert.deepEqual(await report(), ['registered', null]);
  await messaging.attachCampaign(number, { campaign: 'campaign-2', profile });
  assert.deepEqual(
    standIn.assignments.map(({ campaignId }) => campaignId),
    ['campaign-2'],
  );
  const in_service = { ...number, messaging_service_reference: profile };
  for (const _ of [1, 2]) assert.deepEqual(await messaging.attachCampaign(in_service, null), joined);
  assert.equal((await report())[0], 'missing');
});

test('a lost answer does not assign a number twice', async () => {
  const { standIn, messaging, profile } = await open();
  standIn.failNext('lost', ({ method }) => method === 'POST');
  const campaign = { campaign: 'campaign-1', profile };
  assert.equal((await messaging.attachCampaign(number, campaign)).outcome, 'lost');
  assert.equal((await messaging.attachCampaign(number, campaign)).outcome, 'done');
  assert.equal(standIn.assignments.length, 1);
});

test('an assignment that failed keeps its reason and is not repeated by itself', async () => {
  const { standIn, messaging, profile, report, changes } = await open();
  const campaign = { campaign: 'campaign-1', profile };
  await messaging.attachCampaign(number, campaign);
  const [assignment] = standIn.assignments;
  const before = changes();
  for (const [assignmentStatus, expected] of [
    ['PENDING_ASSIGNMENT', ['pending', null]],
    ['FAILED_ASSIGNMENT', ['failed', 'The network refused the number.']],
    ['FAILED_UNASSIGNMENT', ['registered', null]],
  ] as const) {
    Object.assign(assignment!, { assignmentStatus, failureReasons: 'The network refused the number.' });
    await messaging.attachCampaign(number, campaign);
    assert.deepEqual(await report(), expected);
  }
  assert.equal(changes(), before);
});

test('a toll-free verification from the console counts, and other countries need none', async () => {
  const { standIn, messaging, report } = await open();
  assert.equal((await report(toll_free))[0], 'missing');
  const request = {
    id: '8b3f1c2d-0000-4000-8000-000000000002',
    phoneNumbers: [{ phoneNumber: toll_free.e164 }],
  };
  standIn.new_words.on = true;
  standIn.toll_free.push({ ...request, verificationStatus: 'In Progress' });
  assert.equal((await report(toll_free))[0], 'pending');
  standIn.decide.tollFree('Verified');
  assert.deepEqual(await report(toll_free), ['registered', null]);
  const french = await messaging.registration({ ...number, e164: '+33199001234', country_code: 'FR' }, null);
  assert.deepEqual(french, { outcome: 'known', state: 'not_required', reason: null });
});

test('the webhook of a profile follows our URL', async () => {
  const { standIn, messaging, profile } = await open();
  const known = standIn.profiles.find(({ id }) => id === profile)!;
  known.webhook_url = 'https://old.example/callbacks';
  const again = await messaging.ensureService('019a8c1e-2b3c-7d4e-8f50-6a7b8c9d0e1f');
  assert.deepEqual(again, { outcome: 'done', service_reference: profile });
  assert.equal(known.webhook_url, 'https://parley.example/v1/carriers/telnyx/callbacks');
});

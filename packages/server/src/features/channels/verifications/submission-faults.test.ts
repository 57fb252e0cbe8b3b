// Submissions over an unreliable carrier: nothing is done twice, nothing is forgotten, and what has changed is noticed.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Verification } from '@parley/contract/channels/numbers/verification-records';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import type { Carrier } from '../../../providers/carrier/carrier.ts';
import type { AdvanceResult, Progress, RegistrationPort } from '../../../providers/carrier/registration.ts';

type Problem = { code: string; errors?: { path: string }[] };
type Answer = AdvanceResult | 'crash';

type Report = Awaited<ReturnType<RegistrationPort['state']>>;
const quiet = {
  problems: [],
  waiting_for: null,
  editable_until: null,
  expires_at: null,
  ready_to_advance: false,
};
const in_review = { outcome: 'known', state: 'in_review', ...quiet } as const;

/** What the carrier answers to an organization, and what it was asked. */
type Script = { answers: Answer[]; calls: { progress: Progress; may_be_done: boolean }[]; state: Report };
const scripts = new Map<string, Script>();
let asks_more = false;

const faulty = (carrier: Carrier): Carrier => ({
  ...carrier,
  registration: carrier.registration && {
    ...carrier.registration,
    async requirements(query) {
      const found = await carrier.registration!.requirements(query);
      if (!asks_more || found.outcome !== 'found') return found;
      const [first] = found.set.requirements;
      const added = { ...first!, key: 'tax_number', label: 'Tax number' };
      return { ...found, set: { ...found.set, requirements: [...found.set.requirements, added] } };
    },
    async advance({ organization_id }, progress, { may_be_done }) {
      const script = scripts.get(organization_id);
      script?.calls.push({ progress, may_be_done });
      const answer = script?.answers.shift() ?? { outcome: 'busy', retry_after_seconds: 1, detail: 'away' };
      if (answer === 'crash') throw new Error('the process ended here');
      return answer;
    },
    async state({ owner, made }) {
      const { state } = scripts.get(String(owner))!;
      // Only the first part is followed by another one.
      return state.outcome === 'known' && made !== 'BU1' ? { ...state, ready_to_advance: false } : state;
    },
  },
});

const { app, client, organization, later } = await startTestApp(
  {},
  { replace_providers: { carrier: faulty, transport: (transport) => transport } },
);

const handedOver = (owner: string, made = 'BU1'): AdvanceResult => ({
  outcome: 'handed_over',
  progress: { made, owner },
  provider_verification_id: made,
  address_reference: null,
  service_reference: null,
});
const scripted = (...answers: Answer[]) => {
  const own = organization();
  const script: Script = { answers, calls: [], state: in_review };
  scripts.set(own.organization_id, script);
  return { own, script, handed_over: handedOver(own.organization_id) };
};
const body = { country_code: 'DE', number_type: 'local', subject_name: 'Example GmbH' };
const create = async (of: Client) => (await of.request<Verification>('POST', '/v1/verifications', body)).body;
const read = async (of: Client, { id }: { id: string }) =>
  (await of.request<Verification>('GET', `/v1/verifications/${id}`)).body;

describe('a submission', () => {
  test('looks before it repeats a step whose answer was lost, or that a crash interrupted', async () => {
    const { own, script, handed_over } = scripted({ outcome: 'step', progress: { made: 'BU1' } });
    script.answers.push({ outcome: 'lost', detail: 'time-out' }, 'crash');
    script.answers.push({ outcome: 'busy', retry_after_seconds: 1, detail: '429' }, handed_over);
    const made = await create(own);
    for (const _ of [1, 2, 3]) await later(600);
    assert.equal((await read(own, made)).state, 'in_review');
    assert.deepEqual(
      script.calls.map(({ progress, may_be_done }) => [progress.made ?? null, may_be_done]),
      [
        [null, false],
        ['BU1', false],
        ['BU1', true],
        ['BU1', true],
        ['BU1', true],
      ],
    );
  });

  test('survives a carrier that is away for a day', async () => {
    const { own, script, handed_over } = scripted();
    const made = await create(own);
    for (let part = 0; part < 5; part++) await later(6 * 3600);
    const waiting = await read(own, made);
    assert.deepEqual([waiting.state, waiting.waiting_for], ['draft', 'carrier']);
    assert.ok(script.calls.length > 3 && script.calls.every(({ may_be_done }) => !may_be_done));
    script.answers.push(handed_over);
    await later(3600);
    assert.equal((await read(own, made)).state, 'in_review');
  });

  test('that was canceled meanwhile stops', async () => {
    const { own, script, handed_over } = scripted();
    const made = await create(own);
    await app.jobs.drain();
    await own.request('POST', `/v1/verifications/${made.id}/cancel`);
    script.answers.push(handed_over);
    await later(3600);
    assert.equal((await read(own, made)).state, 'canceled');
    assert.equal(script.answers.length, 1, 'the carrier was not asked');
  });

  test('of several parts continues when the carrier is ready for the next one', async () => {
    const { own, script, handed_over } = scripted();
    script.answers.push(handed_over, handedOver(own.organization_id, 'BN1'));
    const made = await create(own);
    await app.jobs.drain();
    script.state = { ...in_review, ready_to_advance: true };
    await later(1000);
    script.state = { ...in_review, state: 'approved' };
    await later(1000);
    const { provider_verification_id, state } = await read(own, made);
    assert.deepEqual([provider_verification_id, state], ['BN1', 'approved']);
  });
});

test('requirements that changed between look and submission are asked for before it', async (context) => {
  context.after(() => {
    asks_more = false;
  });
  const draft = await client.request<Verification>('POST', '/v1/verifications', { ...body, submit: false });
  asks_more = true;
  const path = `/v1/verifications/${draft.body.id}`;
  const refused = await client.request<Problem>('POST', `${path}/submit`);
  assert.equal(refused.body.code, 'verification_incomplete');
  assert.deepEqual(
    refused.body.errors!.map(({ path: at }) => at),
    ['requirements.tax_number'],
  );
  assert.ok((await read(client, draft.body)).requirements.some(({ key }) => key === 'tax_number'));
  await client.request('PATCH', path, { answers: { tax_number: 'DE1' } });
  assert.equal((await client.request('POST', `${path}/submit`)).status, 200);
});

test('a state that the adapter does not know changes nothing', async () => {
  const { own, script, handed_over } = scripted();
  script.answers.push(handed_over);
  script.state = { outcome: 'unclear', word: 'marinating' };
  const made = await create(own);
  await later(3600);
  assert.equal((await read(own, made)).state, 'submitted');
});

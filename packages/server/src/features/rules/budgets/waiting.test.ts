// What budgets count of records that a rule sends back to wait: each once, when it is sent, and nothing that is canceled.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, test } from 'node:test';
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { Budget } from '@parley/contract/rules/spending/budgets';
import { startTestApp } from '../../../../testing/app.ts';
import { codedSpeech, ended, eventually, people } from '../../../../testing/calls.ts';
import { sql } from '../../../platform/db/sql.ts';

type Channel = Budget['channel'];
type Held = { id: string; status: string; hold: Hold | null; detail?: string };

/** The next request to the carrier does this, and gets the response that the carrier is busy. */
let onRequest: (() => Promise<unknown>) | null = null;
async function isBusy(): Promise<boolean> {
  const act = onRequest;
  onRequest = null;
  await act?.();
  return act !== null;
}
const busy = { outcome: 'busy', retry_after_seconds: 1, detail: 'test' } as const;

const service = await startTestApp(
  {},
  {
    speech: () => codedSpeech(),
    replace_providers: {
      transport: (real) => real,
      carrier: (real) => ({
        ...real,
        sms: { ...real.sms, send: async (text) => ((await isBusy()) ? busy : real.sms.send(text)) },
        voice: real.voice && {
          ...real.voice,
          place: async (order) => ((await isBusy()) ? busy : real.voice!.place(order)),
        },
      }),
    },
  },
);
const { client, operator, db, later } = service;
const turn = (body: object) => operator.request('PATCH', '/v1/admin/kill-switch', body);
afterEach(() => turn({ calls: false, emails: false, sms: false }));

async function budgeted(channel: Channel) {
  const organization_id = randomUUID();
  const person = service.organization({ organization_id, credential_kind: 'session' });
  const program = service.organization({ organization_id });
  const subject = { kind: 'organization', id: null };
  const created = await person.request<Budget>('POST', '/v1/budgets', {
    subject,
    channel,
    window: 'month',
    max_count: 5,
  });
  assert.equal(created.status, 201, created.text);
  const path = channel === 'calls' ? '/v1/calls' : channel === 'sms' ? '/v1/sms' : '/v1/emails';
  return {
    program,
    used: async () => (await person.request<Budget>('GET', `/v1/budgets/${created.body.id}`)).body.used_count,
    async create(body: object): Promise<Held> {
      const answer = await program.request<Held>('POST', path, { recipient_consent: true, ...body });
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    },
    /** Right after a change of the kill switch it is tried again, and then it cannot be canceled for a moment. */
    cancel: ({ id }: Held) =>
      eventually(
        'canceled',
        async () => (await program.request('POST', `${path}/${id}/cancel`)).status === 200,
      ),
    isHeld: async ({ id }: Held) =>
      (await program.request<Held>('GET', `${path}/${id}`)).body.hold?.kind === 'kill_switch',
  };
}
const inAMinute = async () => {
  const { now } = (await client.request<{ now: string }>('GET', '/v1/sandbox/clock')).body;
  return new Date(Date.parse(now) + 60_000).toISOString();
};
const call = { to: people.busy };
const text = { to: '+14155552671', body: 'Hi' };

test('a call that waited counts once, also when the kill switch stops it after the carrier was busy', async () => {
  const { create, used, isHeld, program } = await budgeted('calls');
  const waiting = await create({ ...call, scheduled_at: await inAMinute() });
  onRequest = () => turn({ calls: true });
  await later(61);
  await eventually('it waits again', () => isHeld(waiting));
  assert.equal(await used(), 0);
  await turn({ calls: false });
  await ended(program, waiting.id);
  assert.equal(await used(), 1);
});

test('a call or text that is canceled while the kill switch holds it back is not counted', async () => {
  for (const [channel, body] of [
    ['calls', call],
    ['sms', text],
  ] as const) {
    const { create, used, isHeld, cancel } = await budgeted(channel);
    onRequest = () => turn({ [channel]: true });
    const queued = await create(body);
    assert.equal(queued.hold, null);
    assert.equal(await used(), 1);
    await eventually('it waits', async () => {
      await later(6);
      return isHeld(queued);
    });
    await cancel(queued);
    assert.equal(await used(), 0, channel);
    await turn({ [channel]: false });
  }
});

test('a text that waited for its time, and is canceled after the carrier was busy, is not counted', async () => {
  const { create, used, isHeld, cancel } = await budgeted('sms');
  const waiting = await create({ ...text, scheduled_at: await inAMinute() });
  onRequest = () => turn({ sms: true });
  await later(61);
  await later(6);
  await eventually('it waits again', () => isHeld(waiting));
  await cancel(waiting);
  assert.equal(await used(), 0);
});

test('an email that is held back right after its request counts when it is sent, and a canceled one never', async () => {
  const { used, cancel, create } = await budgeted('emails');
  /** Storing the email waits for this transaction, and the operator is faster. */
  async function heldBack(): Promise<Held> {
    let sending: Promise<Held> | undefined;
    await db.transaction(async (tx) => {
      await tx.run(sql`lock table emails in share row exclusive mode`);
      sending = create({ to: ['bob@example.org'], subject: 'Hi' });
      await eventually('the insert waits', async () => {
        const [row] = await db.rows<{ count: number }>(sql`
          select count(*)::int as count from pg_locks where not granted and relation = 'emails'::regclass`);
        return row!.count > 0;
      });
      await turn({ emails: true });
    });
    const email = await sending!;
    assert.equal(email.hold?.kind, 'kill_switch');
    await turn({ emails: false });
    return email;
  }
  await cancel(await heldBack());
  assert.equal(await used(), 0);
  await heldBack();
  await later(31);
  assert.equal(await used(), 1);
});

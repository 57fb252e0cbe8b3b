// Inbound calls that are offered at the same moment do not exceed the number of calls that a process takes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '@parley/contract/call-records';
import { startTestApp } from '../../../../testing/app.ts';
import { ended } from '../../../../testing/calls.ts';
import { waitFor } from '../../../../testing/wait-for.ts';

const { client } = await startTestApp({ PARLEY_CALLS_AT_ONCE: '1' });

test('of three calls at once a process with one place answers one, and the next one after it has ended', async () => {
  const agent = await client.request<{ id: string }>('POST', '/v1/agents', { name: 'Desk' });
  const number = await client.request<{ id: string; e164: string }>('POST', '/v1/numbers', {
    country_code: 'US',
  });
  await client.request('PATCH', `/v1/numbers/${number.body.id}`, { voice_agent_id: agent.body.id });
  const callIn = async () =>
    (
      await client.request<{ is_answered: boolean; call: Call }>('POST', '/v1/sandbox/inbound-calls', {
        from: '+14155550123',
        to: number.body.e164,
      })
    ).body;
  const hangUp = async ({ call }: { call: Call }) => {
    await client.request('POST', `/v1/calls/${call.id}/cancel`);
    await ended(client, call.id);
  };
  const calls = await Promise.all([callIn(), callIn(), callIn()]);
  const answered = calls.filter(({ is_answered }) => is_answered);
  assert.equal(answered.length, 1);
  await hangUp(answered[0]!);
  await hangUp(
    await waitFor('another call is answered', async () => {
      const next = await callIn();
      return next.is_answered ? next : null;
    }),
  );
});

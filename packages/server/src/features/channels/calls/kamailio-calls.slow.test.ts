// Kamailio in front of two SIP workers: one is stopped while people call, and no call is lost.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import { startTestApp } from '../../../../testing/app.ts';
import { callWorkers } from '../../../../testing/call-workers.ts';
import { ended, eventually, place } from '../../../../testing/calls.ts';
import { freePort } from '../../../../testing/free-port.ts';
import { sql } from '../../../platform/db/sql.ts';
import { kamailio_is_missing, startKamailio } from '../../../providers/carrier/sip/testing/kamailio.ts';
import { sipp_is_missing, startSipp, step } from '../../../providers/carrier/sip/testing/sipp.ts';

const number = '+14155550100';
const skip = kamailio_is_missing || sipp_is_missing;

async function startAll() {
  const [first_port, second_port, provider_port] = [await freePort(), await freePort(), await freePort()];
  const kamailio = await startKamailio({ workers: [first_port, second_port], provider_port });
  const trunk = {
    PARLEY_CARRIER: 'sip',
    PARLEY_SIP_TRUNK_HOST: '127.0.0.1',
    PARLEY_SIP_TRUNK_PORT: String(kamailio.port),
    PARLEY_SIP_LISTEN_HOST: '127.0.0.1',
    PARLEY_SIP_NUMBERS: number,
    PARLEY_SIP_KEEP_ALIVE_SECONDS: '0',
    PARLEY_OFFLINE_LLM_ON_REAL_CALLS: 'on',
  };
  // Queues calls; runs none.
  const service = await startTestApp({ ...trunk, PARLEY_SIP_LISTEN_PORT: '0', PARLEY_CALLS_AT_ONCE: '0' });
  const { client } = service;
  const agent = await client.request<{ id: string }>('POST', '/v1/agents', {
    name: 'Reception',
    system_prompt: 'Be kind.',
    first_message: 'How can I help you?',
  });
  const bought = await client.request<{ id: string }>('POST', '/v1/numbers', {
    country_code: 'US',
    capabilities: ['voice'],
  });
  assert.equal(bought.status, 201, bought.text);
  await client.request('PATCH', `/v1/numbers/${bought.body.id}`, { voice_agent_id: agent.body.id });
  const workers = callWorkers(service, { ...trunk, PARLEY_STOP_CALLS_SECONDS: '60' });
  const [first, second] = await Promise.all([
    workers.start({ PARLEY_SIP_LISTEN_PORT: String(first_port) }),
    workers.start({ PARLEY_SIP_LISTEN_PORT: String(second_port) }),
  ]);
  return { ...service, workers, first, second, kamailio, provider_port };
}

/** People who call, speak for a while and hang up. The exit code is 0 when every one of them was answered. */
const callers = (port: number, calls: number, talk_ms: number) =>
  startSipp({
    transport: 'udp',
    remote: { port, number },
    calls,
    more: ['-r', '5', '-l', '100'],
    steps: [
      step.call(),
      step.expect(100, { optional: true }),
      step.expect(180, { optional: true }),
      step.expect(200),
      step.request('ACK', '1 ACK', { routes: true }),
      step.pause(talk_ms),
      step.request('BYE', '2 BYE', { retrans: true, routes: true }),
      step.expect(200),
    ],
  });

const all = skip ? null! : await startAll();

describe('two workers behind Kamailio', { skip }, () => {
  const leaders = () =>
    all.db.rows<{ leader_id: string; calls: number; open: number }>(sql`
      select leader_id, count(*)::int as calls, count(*) filter (where ended_at is null)::int as open
        from calls where direction = 'inbound' group by 1`);

  test('one worker is stopped while people call: its calls go on, new ones go to the other, none is lost', async () => {
    const { db, kamailio } = all;
    const people = await callers(kamailio.port, 16, 3000);
    await eventually('both workers have calls', async () => {
      const rows = await leaders();
      return rows.length === 2 && rows.every(({ open }) => open > 0);
    });
    const stopped = once(all.first, 'exit');
    all.first.kill('SIGTERM');
    const { code, errors } = await people.done;
    assert.equal(code, 0, errors + kamailio.output());
    assert.deepEqual(await stopped, [0, null]);
    const noneOpen = async () => (await leaders()).every(({ open }) => open === 0);
    await eventually('every call is over', noneOpen);
    const endings = await db.rows(sql`
      select status, end_reason, count(*)::int as calls from calls where direction = 'inbound' group by 1, 2`);
    assert.deepEqual(endings, [{ status: 'completed', end_reason: 'callee_hangup', calls: 16 }]);
    const before = await leaders();
    const more = await callers(kamailio.port, 4, 500);
    const result = await more.done;
    assert.equal(result.code, 0, result.errors);
    await eventually('the new calls are over', noneOpen);
    const grown = (await leaders()).filter(
      ({ leader_id, calls }) => calls > before.find((each) => each.leader_id === leader_id)!.calls,
    );
    assert.deepEqual(
      grown.map(({ calls }) => calls > 4),
      [true],
      'only one worker took the new calls',
    );
  });

  test('requests of both sides follow the recorded route of a call that goes out through Kamailio', async () => {
    const { client, provider_port } = all;
    // The far side hangs up first, then our side.
    const hangs_up = await startSipp({
      transport: 'udp',
      port: provider_port,
      steps: [
        step.receive('INVITE'),
        step.answer(),
        step.receive('ACK', { save: 'parties' }),
        step.pause(300),
        step.hangUp({ routes: true }),
        step.expect(200),
      ],
    });
    const first = await place(client, '+14155550123', { from: number });
    const far = await hangs_up.done;
    assert.equal(far.code, 0, far.errors);
    assert.deepEqual(reason(await ended(client, first.id)), ['completed', 'callee_hangup']);

    const listens = await startSipp({
      transport: 'udp',
      port: provider_port,
      steps: [
        step.receive('INVITE'),
        step.answer(),
        step.receive('ACK'),
        step.receive('BYE'),
        step.replyInCall(),
      ],
    });
    const second = await place(client, '+14155550123', { from: number });
    await eventually('it is answered', async () => {
      const { body } = await client.request<Call>('GET', `/v1/calls/${second.id}`);
      return body.status === 'in_progress';
    });
    assert.equal((await client.request('POST', `/v1/calls/${second.id}/cancel`)).status, 200);
    const { code, errors } = await listens.done;
    assert.equal(code, 0, errors);
    assert.deepEqual(reason(await ended(client, second.id)), ['completed', 'api_hangup']);
  });

  const reason = ({ status, end_reason }: Call) => [status, end_reason];
});

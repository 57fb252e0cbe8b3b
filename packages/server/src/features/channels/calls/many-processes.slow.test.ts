// Sixty calls at once on three workers, behind one address of two API processes: one worker is killed, one and an API
// process are drained.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import { nil_uuid } from '@parley/contract/limits';
import { type Client, clientWith } from '../../../../testing/app.ts';
import { callWorkers } from '../../../../testing/call-workers.ts';
import { said, timeline, transcript } from '../../../../testing/calls.ts';
import type { CarrierStream } from '../../../../testing/carriers/media-stream.ts';
import {
  startTelnyx,
  telnyx_connection,
  telnyx_key,
  telnyx_profile,
} from '../../../../testing/carriers/telnyx.ts';
import { startTwilio, twilio_account, twilio_token } from '../../../../testing/carriers/twilio.ts';
import { sayCoded } from '../../../../testing/coded-speech.ts';
import { openTestDatabase } from '../../../../testing/database.ts';
import { freePort } from '../../../../testing/free-port.ts';
import { waitFor } from '../../../../testing/wait-for.ts';
import { sql } from '../../../platform/db/sql.ts';
import { realTimeClock } from '../../../providers/media/media-clock.ts';

const outbound_of_each = 27;
const inbound = 6;
const all_calls = 2 * outbound_of_each + inbound;
const patience = { timeout_ms: 240_000, interval_ms: 200 };
const clock = realTimeClock();
const words = 'Thank you.';

const [twilio, telnyx] = await Promise.all([startTwilio(), startTelnyx()]);
const { db, url: database_url, close } = await openTestDatabase();
const data_dir = await mkdtemp(join(tmpdir(), 'parley-many-'));
after(async () => {
  await Promise.all([twilio.close(), telnyx.close()]);
  await close();
  await rm(data_dir, { recursive: true, force: true });
});

/** The public address: connections go to the API processes in turn. */
async function startProxy(ports: number[]) {
  let next = 0;
  const server = createServer((client) => {
    const upstream = connect(ports[next++ % ports.length]!, '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** New connections go to the others. */
    removeLast: () => void ports.pop(),
  };
}

type Worker = { process: ChildProcess; url: string };

async function startProcesses() {
  const ports = await Promise.all(Array.from({ length: 5 }, freePort));
  const proxy = await startProxy(ports.slice(0, 2));
  const public_url = proxy.url;
  const client = clientWith(public_url, 'a-long-key-that-only-this-test-knows', nil_uuid);
  const processes = callWorkers(
    { client, url: public_url, database_url, data_dir },
    {
      PARLEY_SANDBOX: 'off',
      PARLEY_CARRIER: 'twilio',
      TWILIO_ACCOUNT_SID: twilio_account,
      TWILIO_AUTH_TOKEN: twilio_token,
      TWILIO_BASE_URL: twilio.url,
      TELNYX_API_KEY: telnyx_key,
      TELNYX_PUBLIC_KEY: telnyx.public_key,
      TELNYX_MESSAGING_PROFILE_ID: telnyx_profile,
      TELNYX_CONNECTION_ID: telnyx_connection,
      TELNYX_BASE_URL: telnyx.url,
      PARLEY_OFFLINE_LLM_ON_REAL_CALLS: 'on',
      PARLEY_REQUESTS_PER_MINUTE: '100000',
      PARLEY_CALLS_AT_ONCE: '25',
      // Longer than a busy machine may delay a renewal: the test lets the leases of the killed worker run out.
      PARLEY_CALL_LEASE_SECONDS: '120',
      PARLEY_STOP_CALLS_SECONDS: '120',
      TEST_REAL_TIME: '1',
    },
  );
  // `PARLEY_MEDIA_URL` is set by default there: without it audio is relayed.
  const api = ports
    .slice(0, 2)
    .map((port) => ({ PARLEY_ROLES: 'api', PORT: String(port), PARLEY_MEDIA_URL: '' }));
  const workers = ports.slice(2).map((port) => ({
    PARLEY_ROLES: 'worker',
    PORT: String(port),
    PARLEY_MEDIA_URL: '',
    PARLEY_INTERNAL_URL: `http://127.0.0.1:${port}`,
    PARLEY_HEALTH_PORT: 'off',
  }));
  const started = await Promise.all([...api, ...workers].map(processes.start));
  return {
    client,
    proxy,
    second_api: started[1]!,
    workers: workers.map(({ PARLEY_INTERNAL_URL: url }, i) => ({ process: started[i + 2]!, url }) as Worker),
  };
}

/** A person on the phone, and how the carrier reports the end of the call. */
type Person = { id: string; far: CarrierStream; reportEnd(): Promise<unknown> };

async function answerAtTwilio(): Promise<Person> {
  const call = await twilio.phone.next();
  await call.report('ringing');
  const far = await call.answer(clock);
  await call.report('in-progress');
  return { id: call.sid, far, reportEnd: () => call.report('completed') };
}
async function answerAtTelnyx(): Promise<Person> {
  const call = await telnyx.phone.next();
  await call.report('call.initiated', { state: 'bridging' });
  await call.report('call.answered');
  const far = await call.stream(clock);
  return {
    id: call.id,
    far,
    reportEnd: () => call.report('call.hangup', { hangup_cause: 'normal_clearing' }),
  };
}
async function callAtTwilio(to: string, i: number): Promise<Person> {
  const voice_url = twilio.numbers.find(({ phone_number }) => phone_number === to)!.voice_url;
  const call = await twilio.phone.callIn(voice_url, `+1415555${3000 + i}`, to);
  const far = await call.answer(clock);
  return { id: call.sid, far, reportEnd: () => call.report('completed') };
}

const loud = (frame: Int16Array) => frame.some((sample) => sample > 500);
/** Waits until the agent has spoken and is silent again, for longer than a busy machine interrupts its speech. */
async function hears({ far }: Person, from: number): Promise<number> {
  await waitFor(
    'the agent has spoken',
    () => {
      const frames = far.frames();
      return frames.length > from + 50 && frames.slice(from).some(loud) && !frames.slice(-50).some(loud);
    },
    patience,
  );
  return far.frames().length;
}

async function talk(person: Person): Promise<void> {
  const heard = await hears(person, 0);
  person.far.say(sayCoded(words));
  await hears(person, heard);
  person.far.hangUp();
  await person.reportEnd();
}

async function addPoolNumbers({ request }: Client): Promise<void> {
  for (let i = 0; i < outbound_of_each; i++)
    for (const [provider, first] of [
      ['twilio', 2000],
      ['telnyx', 2500],
    ] as const) {
      const number = { e164: `+1415555${first + i}`, provider };
      assert.equal((await request('POST', '/v1/admin/pool-numbers', number)).status, 201);
    }
}

/** Bought after the outbound calls are placed: they would use it instead of the pool. */
async function buyNumber({ request }: Client): Promise<string> {
  const agent = await request<{ id: string }>('POST', '/v1/agents', { name: 'Desk', first_message: 'Hi.' });
  const number = await request<{ id: string; e164: string }>('POST', '/v1/numbers', { country_code: 'US' });
  assert.equal(number.status, 201, number.text);
  await request('PATCH', `/v1/numbers/${number.body.id}`, { voice_agent_id: agent.body.id });
  return number.body.e164;
}

const openCalls = () =>
  db.rows<{ id: string; provider_call_id: string; leader_id: string; status: string }>(
    sql`select id, provider_call_id, leader_id, status from calls where ended_at is null`,
  );

test('sixty calls are spoken, recorded and transcribed while one worker is killed and one is drained', async (t) => {
  const { client, workers, proxy, second_api } = await startProcesses();
  await addPoolNumbers(client);
  for (let i = 0; i < 2 * outbound_of_each; i++) {
    const body = { to: '+14155550123', recipient_consent: true, record: true, first_message: 'Hi.' };
    const created = await client.request<Call>('POST', '/v1/calls', body);
    assert.equal(created.status, 201, created.text);
  }
  const own_number = await buyNumber(client);
  const people = await Promise.all([
    ...Array.from({ length: outbound_of_each }, answerAtTwilio),
    ...Array.from({ length: outbound_of_each }, answerAtTelnyx),
    ...Array.from({ length: inbound }, (_, i) => callAtTwilio(own_number, i)),
  ]);
  const all_open = await waitFor(
    'all calls are in progress at once',
    async () => {
      const calls = await openCalls();
      const are_all = calls.length === all_calls && calls.every(({ status }) => status === 'in_progress');
      return are_all ? calls : null;
    },
    patience,
  );
  const processes = await db.rows<{ id: string; url: string }>(sql`select id, url from call_processes`);
  const ledBy = ({ url }: Worker) => {
    const { id } = processes.find((each) => each.url === url)!;
    return { id, calls: all_open.filter(({ leader_id }) => leader_id === id) };
  };
  const [killed, drained] = workers.map((worker) => ({ ...worker, ...ledBy(worker) }));
  for (const worker of workers) assert.ok(ledBy(worker).calls.length >= 5, 'every worker runs calls');

  const gone = [killed!.process, drained!.process, second_api].map((each) => once(each, 'exit'));
  killed!.process.kill('SIGKILL');
  drained!.process.kill('SIGTERM');
  proxy.removeLast();
  second_api.kill('SIGTERM');
  await gone[0];
  await db.run(
    sql`update calls set lease_until = now() - interval '1 second' where leader_id = ${killed!.id} and ended_at is null`,
  );
  const is_lost = new Set(killed!.calls.map(({ provider_call_id }) => provider_call_id));
  await Promise.all(people.map((person) => (is_lost.has(person.id) ? person.far.closed : talk(person))));
  await waitFor('no call hangs', async () => (await openCalls()).length === 0, patience);
  for (const exit of gone.slice(1))
    assert.deepEqual(await exit, [0, null], 'a drained process has finished its calls and ends by itself');

  const endings = await db.rows<{
    id: string;
    provider_call_id: string;
    direction: string;
    end_reason: string;
  }>(sql`select id, provider_call_id, direction, end_reason from calls`);
  t.diagnostic(`${is_lost.size} calls on the killed worker, ${drained!.calls.length} on the drained one`);
  for (const call of endings) {
    const expected = is_lost.has(call.provider_call_id) ? 'force_closed' : 'callee_hangup';
    assert.equal(call.end_reason, expected, JSON.stringify(call));
    if (expected === 'force_closed') continue;
    const turns = await transcript(client, call.id);
    // A pause in the audio of a busy machine ends a turn of the person in the middle of a word.
    assert.match(said(turns, 'person').replaceAll(' ', ''), /Thankyou/);
    assert.match(said(turns, 'agent'), /Hello/);
    if (call.direction === 'inbound') continue;
    const recorded = (await timeline(client, call.id)).find(({ kind }) => kind === 'recorded');
    assert.ok(Number(recorded?.detail.size_bytes) > 10_000, JSON.stringify(recorded));
  }
  assert.deepEqual(await db.rows(sql`select e164 from pool_numbers where bound_call_id is not null`), []);
  await waitFor(
    'no call is open at a carrier',
    () =>
      ![...twilio.calls.values()].includes('in-progress') &&
      [...telnyx.calls].every(([id, is_alive]) => !is_alive || !is_lost.has(id)),
  );
});

// A machine whose processors other programs take: calls, mail and texts go on, and what cannot be done in time says why.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { waitFor } from '../../packages/server/testing/wait-for.ts';
import { makeHome, type Service } from './process.ts';

type Call = { id: string; status: string; end_reason: string | null; answered_by: string | null };
type Turn = { speaker: string; text: string; started_ms: number; ended_ms: number };
type Entry = { kind: string; detail: Record<string, unknown> };

const first_message = 'Good morning, this is the repair shop.';
const outbound = {
  converses: ['+15005550201', '+15005550201', '+15005550201'],
  other: ['+15005550202', '+15005550205', '+15005550206', '+15005550208'],
};
/** Other programs have the processors for this long at most. */
const starved_ms = 60_000;
const patience_ms = 240_000;

/** Processes that only compute, two for each processor. Ended by their ids. */
function takeProcessors(t: { after(done: () => void): void }): () => void {
  const children: ChildProcess[] = Array.from({ length: 2 * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  const end = () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  };
  const limit = setTimeout(end, starved_ms);
  t.after(() => {
    clearTimeout(limit);
    end();
  });
  return end;
}

/** Every answer of the service; none may be a 503. */
function watched(service: Service) {
  const refused: string[] = [];
  const request: Service['request'] = async (method, path, body, headers) => {
    const answer = await service.request<never>(method, path, body, headers);
    if (answer.status >= 500) refused.push(`${method} ${path}: ${answer.text}`);
    return answer;
  };
  return { request, refused };
}

async function placeInbound(request: Service['request']): Promise<string[]> {
  const agent = await request<{ id: string }>('POST', '/v1/agents', { name: 'Desk', first_message });
  const number = await request<{ id: string; e164: string }>('POST', '/v1/numbers', { country_code: 'US' });
  await request('PATCH', `/v1/numbers/${number.body.id}`, { voice_agent_id: agent.body.id });
  const from = ['+14155550123', '+14155550124'];
  const calls = from.map((each) =>
    request<{ call: Call }>('POST', '/v1/sandbox/inbound-calls', { from: each, to: number.body.e164 }),
  );
  return (await Promise.all(calls)).map(({ body }) => body.call.id);
}

async function placeOutbound(request: Service['request']): Promise<string[]> {
  const placed = [...outbound.converses, ...outbound.other].map((to) =>
    request<Call>('POST', '/v1/calls', {
      to,
      recipient_consent: true,
      first_message,
      system_prompt: 'Ask whether they want to fetch their bicycle today. Then ask for their name.',
      max_duration_seconds: 90,
      summarize: false,
    }),
  );
  return (await Promise.all(placed)).map(({ status, body, text }) => {
    assert.equal(status, 201, text);
    return body.id;
  });
}

/** Ends that name what happened. `force_closed` would be a lost lease. */
const true_reasons = [
  ...['agent_hangup', 'callee_hangup', 'max_duration', 'silence_timeout', 'voicemail', 'busy'],
  ...['not_understood', 'media_failure', 'rejected'],
];

async function checkCall(request: Service['request'], id: string): Promise<string> {
  const call = (await request<Call>('GET', `/v1/calls/${id}`)).body;
  const turns = (await request<{ turns: Turn[] }>('GET', `/v1/calls/${id}/transcript`)).body.turns;
  const entries = (await request<{ items: Entry[] }>('GET', `/v1/calls/${id}/events?limit=200`)).body.items;
  const verdict = (await request<{ verdict: { code: string; fix: string } }>('GET', `/v1/explain/${id}`)).body
    .verdict;
  const words = turns.map(({ speaker, text }) => `${speaker}: ${text}`).join(' | ');
  const story = `${call.status} ${call.end_reason} ${verdict.code}: ${words}`;
  assert.ok(true_reasons.includes(call.end_reason!), story);
  if (call.answered_by !== 'machine' && call.end_reason !== 'busy' && call.end_reason !== 'media_failure') {
    const agent = turns.flatMap(({ speaker, text }) => (speaker === 'agent' ? [text] : [])).join(' ');
    assert.ok(agent.includes(first_message) || call.end_reason === 'callee_hangup', story);
  }
  const lost = entries.filter(({ kind }) => kind === 'not_understood');
  if (lost.length > 0) assert.doesNotMatch(verdict.fix, /Nothing is wrong/, story);
  // A conversation that stops after the greeting is not silent about it.
  const is_answered = entries.some(({ kind }) => kind === 'answered');
  const both_spoke = turns.filter(({ speaker }) => speaker === 'agent').length > 1;
  const is_noted = lost.length > 0 || entries.some(({ kind }) => kind === 'went_wrong');
  const says_why = ['silence_timeout', 'voicemail', 'not_understood', 'media_failure'];
  assert.ok(!is_answered || both_spoke || is_noted || says_why.includes(call.end_reason!), story);
  return story;
}

test('U1: nine calls, mail and texts while other programs take the processors: nothing dies silently, and no request gets 503 (U2, U13)', {
  timeout: 480_000,
}, async (t) => {
  const service = await makeHome(t).start({ PARLEY_SPEECH_PRELOAD: 'on', PARLEY_LOG_LEVEL: 'info' });
  await waitFor('the speech engines are loaded', () => service.output().includes('speech engines loaded'), {
    timeout_ms: patience_ms,
  });
  const { request, refused } = watched(service);
  const stop = takeProcessors(t);
  const [placed, inbound] = await Promise.all([placeOutbound(request), placeInbound(request)]);
  const ids = [...placed, ...inbound];
  const emails = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      request<{ id: string }>('POST', '/v1/emails', {
        to: ['delivered@sandbox.test'],
        subject: `Number ${n}`,
        body_text: 'It works.',
        recipient_consent: true,
      }),
    ),
  );
  const texts = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      request<{ id: string }>('POST', '/v1/sms', {
        to: '+15005550001',
        body: `Number ${n}`,
        recipient_consent: true,
      }),
    ),
  );
  for (const { status, text } of [...emails, ...texts]) assert.ok(status < 300, text);
  await waitFor(
    'all calls have ended',
    async () => {
      const calls = await Promise.all(
        ids.map((id) => request<{ ended_at: string }>('GET', `/v1/calls/${id}`)),
      );
      return calls.every(({ body }) => body.ended_at !== null);
    },
    { timeout_ms: patience_ms, interval_ms: 1000 },
  );
  stop();
  for (const id of ids) t.diagnostic(await checkCall(request, id));
  const ends = [
    ...emails.map(({ body }) => ({ path: `/v1/emails/${body.id}`, end: 'sent' })),
    ...texts.map(({ body }) => ({ path: `/v1/sms/${body.id}`, end: 'delivered' })),
  ];
  for (const { path, end } of ends)
    await waitFor(`${path} is ${end}`, async () => {
      const { status } = (await request<{ status: string }>('GET', path)).body;
      assert.notEqual(status, 'failed');
      return status === end || status === 'delivered';
    });
  assert.deepEqual(refused, []);
});

// Tools that a person must approve: in texts the answer waits and continues, on calls the person hears fillers for a minute.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Agent } from '@parley/contract/agents/agents';
import type { ToolCallRecord } from '@parley/contract/agents/tool-calls';
import type { Tool } from '@parley/contract/agents/tools';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import { startTestApp } from '../../../../../testing/app.ts';
import { codedSpeech, ended, eventually, people, place, transcript } from '../../../../../testing/calls.ts';
import { ok, type Page } from '../../../../../testing/conversations.ts';
import { fastClock } from '../../../../../testing/fast-clock.ts';
import { type ScriptStep, scriptedModel } from '../../../../../testing/scripted-model.ts';
import { jsonAnswer, toolServer } from '../../../../../testing/tool-server.ts';
import { sql } from '../../../../platform/db/sql.ts';

const { client, operator, db, later } = await startTestApp(
  { WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' },
  { speech: () => codedSpeech({ clock: fastClock(4) }) },
);
const server = await toolServer();
server.answer('/book', jsonAnswer({ result: { booked: true } }));

const model = await scriptedModel([]);
await ok(client, 'PUT', '/v1/providers/llm', {
  provider: 'openai-compatible',
  api_key: 'sk-model',
  params: { base_url: model.base_url, model: 'm' },
});
/** What the model says in one test. */
const useModel = (script: readonly ScriptStep[]) => void model.left.splice(0, model.left.length, ...script);

let tools = 0;
const addTool = (fields: object = {}) =>
  ok<Tool>(client, 'POST', '/v1/tools', {
    name: `book_${++tools}`,
    description: 'Books a slot.',
    parameters: {
      type: 'object',
      properties: { day: { type: 'string' }, card: { type: 'string' } },
      required: ['day'],
    },
    url: `${server.url}/book`,
    redact: ['card'],
    approval: 'required',
    ...fields,
  });

async function desk(...entries: (Tool | object)[]) {
  const number = await ok<{ id: string; e164: string }>(client, 'POST', '/v1/numbers', {
    country_code: 'US',
  });
  const list = entries.map((entry) =>
    'url' in entry ? { type: 'tool', tool_id: (entry as Tool).id } : entry,
  );
  const agent = await ok<Agent>(client, 'POST', '/v1/agents', {
    name: 'Desk',
    tools: [...list, 'end_call'],
    ai_disclosure: false,
  });
  await ok(client, 'PATCH', `/v1/numbers/${number.id}`, { sms_agent_id: agent.id });
  return { ...number, agent_id: agent.id };
}
type Desk = Awaited<ReturnType<typeof desk>>;

let persons = 0;
const stranger = () => `+1415555${String(3000 + ++persons)}`;
const say = async ({ e164 }: Desk, from: string, body: string) => {
  const { conversation_id } = await ok<Sms>(client, 'POST', '/v1/sandbox/inbound-sms', {
    from,
    to: e164,
    body,
  });
  await later(4);
  return conversation_id;
};
const replies = async ({ e164 }: Desk) =>
  (await ok<Page<Sms>>(client, 'GET', '/v1/sms?direction=outbound&limit=100')).items
    .filter(({ from }) => from === e164)
    .map(({ body }) => body)
    .reverse();
const toolCalls = async (query: string) =>
  (await ok<Page<ToolCallRecord>>(client, 'GET', `/v1/tool-calls?${query}`)).items.reverse();
const approvalOf = ({ approval_id }: ToolCallRecord) =>
  ok<Approval>(client, 'GET', `/v1/approvals/${approval_id}`);
const approve = ({ id, payload_sha256 }: Approval) =>
  operator.request<{ code: string }>('POST', `/v1/approvals/${id}/approve`, { payload_sha256 });
const bookings = () => server.requests.filter(({ path }) => path === '/book');

test('in texts a call waits for a person; approved, it runs once with the arguments that were asked for', async () => {
  const tool = await addTool();
  const at = await desk(tool);
  useModel([
    { when: /tomorrow/, calls: [{ name: tool.name, arguments: { day: '2026-11-19', card: '4111-1111' } }] },
    { when: /booked/, say: 'It is booked.' },
  ]);
  const conversation_id = await say(at, stranger(), 'Book me in for tomorrow');
  const [waiting] = await toolCalls(`conversation_id=${conversation_id}`);
  assert.deepEqual(
    [waiting!.status, waiting!.arguments],
    ['waiting_approval', { day: '2026-11-19', card: '[redacted]' }],
  );
  assert.deepEqual([bookings().length, await replies(at)], [0, []]);
  const approval = await approvalOf(waiting!);
  assert.deepEqual(
    [approval.object, approval.requested_by.agent_id, approval.shown.more.tool],
    [{ noun: 'tool_call', id: waiting!.id }, at.agent_id, tool.name],
  );
  assert.equal(Date.parse(approval.expires_at) - Date.parse(approval.requested_at), 72 * 3_600_000);
  const { items } = await ok<Page<{ data: object }>>(
    client,
    'GET',
    `/v1/events?type=tool.approval_requested&resource_id=${waiting!.id}`,
  );
  assert.deepEqual(items[0]!.data, {
    tool_call_id: waiting!.id,
    approval_id: approval.id,
    tool: tool.name,
    arguments: waiting!.arguments,
    conversation_id,
    call_id: null,
    agent_id: at.agent_id,
    expires_at: approval.expires_at,
  });
  // What was kept out of records is not in the database either, except sealed.
  const rows = await db.rows<{ row: string }>(sql`
    select t::text as row from tool_calls t union all select s::text from suspended_replies s
    union all select a::text from approvals a union all select e::text from events e`);
  assert.ok(rows.every(({ row }) => !row.includes('4111-1111')));

  assert.equal((await approve(approval)).status, 200);
  await later(5);
  assert.deepEqual(await replies(at), ['It is booked.']);
  assert.deepEqual(bookings().at(-1)!.body.arguments, { day: '2026-11-19', card: '4111-1111' });
  assert.equal(bookings().at(-1)!.headers['idempotency-key'], waiting!.id);
  assert.equal((await approve(approval)).body.code, 'approval_already_decided');
  await later(600);
  assert.equal(bookings().length, 1);
  assert.equal((await toolCalls(`conversation_id=${conversation_id}`))[0]!.status, 'done');
  assert.deepEqual(model.unexpected, []);
  assert.deepEqual(await db.rows(sql`select message_id from suspended_replies`), []);
});

test('a rejected or expired call is not made, and the agent learns it', async () => {
  const tool = await addTool();
  const at = await desk(tool);
  useModel([
    { when: /first/, calls: [{ name: tool.name, arguments: { day: 'a' } }] },
    { when: /decided against/, say: 'That is not possible.' },
    { when: /second/, calls: [{ name: tool.name, arguments: { day: 'b' } }] },
    { when: /decided in time/, say: 'I got no answer about it.' },
  ]);
  const before = bookings().length;
  const [one, other] = [stranger(), stranger()];
  const [first] = await toolCalls(`conversation_id=${await say(at, one, 'The first one')}`);
  await ok(operator, 'POST', `/v1/approvals/${first!.approval_id}/reject`, {});
  await later(5);
  assert.deepEqual(await replies(at), ['That is not possible.']);
  const conversation_id = await say(at, other, 'The second one');
  await later(73 * 3600);
  assert.deepEqual((await replies(at)).at(-1), 'I got no answer about it.');
  const [second] = await toolCalls(`conversation_id=${conversation_id}`);
  assert.deepEqual([second!.status, second!.error], ['failed', 'approval_denied']);
  assert.equal((await approvalOf(second!)).status, 'expired');
  assert.equal(bookings().length, before);
});

test('the calls of a turn run when the last of them is decided, in one continued answer', async () => {
  const [tool, free] = [await addTool(), await addTool({ approval: 'none', effect: 'read' })];
  const at = await desk(tool, free);
  useModel([
    {
      when: /both/,
      calls: [
        { name: tool.name, arguments: { day: 'a' } },
        { name: free.name, arguments: { day: 'look' } },
        { name: tool.name, arguments: { day: 'b' } },
      ],
    },
    { when: /booked/, say: 'Both are booked.' },
  ]);
  const before = bookings().length;
  const conversation_id = await say(at, stranger(), 'Book both');
  const [one, other] = (await toolCalls(`conversation_id=${conversation_id}`)).filter(
    ({ approval_id }) => approval_id,
  );
  // What needs no approval was done already.
  assert.equal(bookings().length, before + 1);
  await approve(await approvalOf(one!));
  await later(5);
  assert.equal(bookings().length, before + 1);
  await approve(await approvalOf(other!));
  await later(5);
  assert.deepEqual(await replies(at), ['Both are booked.']);
  assert.equal(bookings().length, before + 3);
});

test('a call that a process left running is not made again', async () => {
  const tool = await addTool({ url: `${server.url}/slow` });
  const at = await desk(tool);
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  server.answer('/slow', async (response) => {
    await answered;
    response.end();
  });
  useModel([
    { when: /Book/, calls: [{ name: tool.name, arguments: { day: 'a' } }] },
    { when: /not known whether/, say: 'I do not know whether it is booked.' },
  ]);
  const [waiting] = await toolCalls(`conversation_id=${await say(at, stranger(), 'Book me in')}`);
  assert.equal((await approve(await approvalOf(waiting!))).status, 200);
  await eventually('the request left', () => server.at('/slow').length === 1);
  // The process is gone, and its lease has ended: another run gets the job. Until then the first run renews its lease.
  await eventually('an answer', async () => {
    await db.run(sql`update jobs set run_at = '2000-01-01' where kind = 'resume_answer' and claims = 1`);
    return (await replies(at)).length === 1;
  });
  answer();
  assert.deepEqual(await replies(at), ['I do not know whether it is booked.']);
  const [lost] = await toolCalls(`conversation_id=${waiting!.conversation_id}`);
  assert.deepEqual([lost!.status, server.at('/slow').length], ['unknown', 1]);
});

test('a tool that was changed is not the one that was approved', async () => {
  const tool = await addTool();
  const at = await desk(tool);
  useModel([
    { when: /Book/, calls: [{ name: tool.name, arguments: { day: 'b' } }] },
    { when: /changed after/, say: 'It is not booked.' },
  ]);
  const before = server.requests.length;
  const [waiting] = await toolCalls(`conversation_id=${await say(at, stranger(), 'Book me in')}`);
  await ok(client, 'PATCH', `/v1/tools/${tool.id}`, { url: `${server.url}/elsewhere` });
  assert.equal((await approve(await approvalOf(waiting!))).status, 200);
  await later(5);
  assert.deepEqual(await replies(at), ['It is not booked.']);
  assert.equal(server.requests.length, before);
});

test('all_acts covers every act of agents, and people alone can set it', async () => {
  const policy = { rules: [], agent_approval: 'all_acts' };
  const set = await ok<{ agent_approval: string }>(operator, 'PUT', '/v1/approval-policy', policy);
  assert.equal(set.agent_approval, 'all_acts');
  const refused = await client.request<{ code: string }>('PUT', '/v1/approval-policy', {
    rules: [],
    agent_approval: 'by_tool',
  });
  assert.deepEqual([refused.status, refused.body.code], [403, 'person_required']);
  // Left out, it stays.
  const kept = await ok<{ agent_approval: string }>(operator, 'PUT', '/v1/approval-policy', { rules: [] });
  assert.equal(kept.agent_approval, 'all_acts');
  const [act, read] = [
    await addTool({ approval: 'none' }),
    await addTool({ approval: 'none', effect: 'read' }),
  ];
  const at = await desk(act, read);
  useModel([
    {
      when: /both/,
      calls: [
        { name: act.name, arguments: { day: 'a' } },
        { name: read.name, arguments: { day: 'b' } },
      ],
    },
  ]);
  await later(2);
  const conversation_id = await say(at, stranger(), 'Do both');
  assert.deepEqual(
    (await toolCalls(`conversation_id=${conversation_id}`)).map(({ name, status }) => [name, status]).sort(),
    [
      [act.name, 'waiting_approval'],
      [read.name, 'done'],
    ],
  );
  await ok(operator, 'PUT', '/v1/approval-policy', { rules: [], agent_approval: 'by_tool' });
  await later(2);
});

test('on a call the person hears fillers until a person decides, and the agent goes on with the result', async () => {
  const tool = await addTool({ speech: { start: 'I have to ask a colleague.' } });
  const at = await desk(tool);
  useModel([
    { when: /./, calls: [{ name: tool.name, arguments: { day: '2026-11-19' } }] },
    { when: /booked/, say: 'It is booked. Goodbye.', calls: [{ name: 'end_call' }] },
  ]);
  const { id } = await place(client, people.converses, { agent_id: at.agent_id });
  let waiting: ToolCallRecord | undefined;
  await eventually('a call waits', async () => {
    waiting = (await toolCalls(`call_id=${id}`)).find(({ status }) => status === 'waiting_approval');
    return waiting !== undefined;
  });
  await eventually('a filler is heard', async () =>
    (await transcript(client, id)).some(({ is_filler, text }) => is_filler && /colleague/.test(text)),
  );
  const approval = await approvalOf(waiting!);
  assert.equal(Date.parse(approval.expires_at) - Date.parse(approval.requested_at), 60_000);
  assert.equal(approval.shown.more.call_id, id);
  assert.equal((await approve(approval)).status, 200);
  await ended(client, id);
  assert.match((await transcript(client, id)).map(({ text }) => text).join(' '), /It is booked/);
  const [made] = await toolCalls(`call_id=${id}`);
  assert.deepEqual([made!.status, made!.approval_id], ['done', approval.id]);
});

test('on a call a decision that does not come within a minute counts as a denial', async () => {
  const tool = await addTool();
  const at = await desk(tool);
  const before = bookings().length;
  useModel([
    { when: /./, calls: [{ name: tool.name, arguments: { day: '2026-11-19' } }] },
    { when: /approval_denied/, say: 'That is not possible. Goodbye.', calls: [{ name: 'end_call' }] },
  ]);
  const { id } = await place(client, people.converses, { agent_id: at.agent_id });
  await ended(client, id);
  const [denied] = await toolCalls(`call_id=${id}`);
  assert.deepEqual([denied!.status, denied!.error], ['failed', 'approval_denied']);
  const late = await approve(await approvalOf(denied!));
  assert.deepEqual([late.status, late.body.code], [409, 'approval_already_decided']);
  assert.equal(bookings().length, before);
});

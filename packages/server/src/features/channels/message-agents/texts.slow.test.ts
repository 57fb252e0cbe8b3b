// Agents that answer texts: when, with what knowledge, and when not.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Agent } from '@parley/contract/agents/agents';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Conversation } from '@parley/contract/inbox/conversations';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { ok, type Page } from '../../../../testing/conversations.ts';
import { lastWords, type ModelAnswer, messageModel } from '../../../../testing/message-model.ts';
import { sql } from '../../../platform/db/sql.ts';

const { app, db, organization, later } = await startTestApp({ WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' });
const script: { answer: (words: string) => ModelAnswer | Promise<ModelAnswer> } = {
  answer: (words) => `About: ${words}`,
};
const model = await messageModel((request) => script.answer(lastWords(request)));
const person = '+14155552671';

async function desk(more: object = {}, of: Client = organization()) {
  await model.setFor(of);
  const { id, e164 } = await ok<{ id: string; e164: string }>(of, 'POST', '/v1/numbers', {
    country_code: 'US',
  });
  const agent = await ok<{ id: string }>(of, 'POST', '/v1/agents', { name: 'Desk', ...more });
  await ok(of, 'PATCH', `/v1/numbers/${id}`, { sms_agent_id: agent.id });
  return { of, e164, agent_id: agent.id };
}
type Desk = Awaited<ReturnType<typeof desk>>;

const receive = ({ of, e164 }: Desk, body: string, from = person) =>
  ok<Sms>(of, 'POST', '/v1/sandbox/inbound-sms', { from, to: e164, body });
/** Receives a text and lets the agent answer. */
const say = async (at: Desk, body: string, from = person) => {
  const sms = await receive(at, body, from);
  await later(4);
  return sms;
};
const answers = async ({ of }: Desk) =>
  (await ok<Page<Sms>>(of, 'GET', '/v1/sms?direction=outbound&limit=100')).items
    .reverse()
    .map(({ body }) => body);
const silences = async ({ of }: Desk) =>
  (
    await ok<Page<{ data: { reason: string } }>>(of, 'GET', '/v1/events?type=sms.not_answered&limit=100')
  ).items
    .reverse()
    .map(({ data }) => data.reason);
const conversation = async ({ of }: Desk) => {
  await app.projector.drain();
  return (await ok<Page<Conversation>>(of, 'GET', '/v1/conversations')).items[0]!;
};

describe('an agent that answers texts', () => {
  test('waits for the delay after the last text, and answers a burst once', async () => {
    // The clock also moves with real time: a delay of minutes leaves room for a slow machine.
    const at = await desk({ ai_disclosure: false, messaging: { reply_delay_seconds: 300 } });
    await receive(at, 'Hello.');
    await later(200);
    await receive(at, 'Do you have a table');
    await later(200);
    assert.deepEqual(await answers(at), []);
    await receive(at, 'for two?');
    await later(301);
    assert.deepEqual(await answers(at), ['About: for two?']);
    assert.match(model.lastSeen(), /Hello\.\n.*Do you have a table\n.*for two\?/s);
  });

  test('says that an AI writes in the first answer of 30 days', async () => {
    const at = await desk();
    await say(at, 'One');
    await say(at, 'Two');
    assert.deepEqual(await answers(at), ['This is an AI assistant. About: One', 'About: Two']);
  });

  test('knows the summaries of earlier calls with the person, as data and not as instructions', async () => {
    const at = await desk();
    const busy = '+15005550203';
    const { id } = await ok<{ id: string }>(at.of, 'POST', '/v1/calls', {
      to: busy,
      recipient_consent: true,
    });
    await later(60);
    await db.run(sql`update calls set summary = 'Wants to come on Friday.' where id = ${id}`);
    await say(at, 'When was it?', busy);
    assert.match(model.lastSeen(), /Wants to come on Friday\./);
    const instructions = model.requests.at(-1)!.messages.filter(({ role }) => role !== 'user');
    // The instructions name the day of the week, too.
    assert.doesNotMatch(JSON.stringify(instructions), /Wants to come/);
  });

  test('sends nothing when a newer text, a STOP or a person comes while the model thinks', async () => {
    const at = await desk({ ai_disclosure: false });
    const takeOver = async () =>
      ok(at.of, 'POST', `/v1/conversations/${(await conversation(at)).id}/takeover`, {});
    const steps = [
      (from: string) => receive(at, 'Wait, another question', from),
      (from: string) => receive(at, 'STOP', from),
      takeOver,
    ];
    for (const [index, during] of steps.entries()) {
      const from = `+1415555100${index}`;
      let interrupted = false;
      script.answer = async (words) => {
        if (words === 'First') await during(from);
        interrupted ||= words === 'First';
        return `About: ${words}`;
      };
      await say(at, 'First', from);
      await later(5);
      assert.ok(interrupted);
    }
    script.answer = (words) => `About: ${words}`;
    assert.deepEqual(
      (await answers(at)).filter((body) => body.startsWith('About')),
      ['About: Wait, another question'],
    );
  });

  test('sends the fallback message when the model fails four times, and publishes it', async () => {
    const at = await desk({
      ai_disclosure: false,
      messaging: { fallback_message: 'We will get back to you.' },
    });
    script.answer = () => ({ fail: 503 });
    await say(at, 'Hello');
    await later(60);
    script.answer = (words) => `About: ${words}`;
    assert.deepEqual(await answers(at), ['We will get back to you.']);
    const failed = await ok<Page<{ data: object }>>(
      at.of,
      'GET',
      '/v1/events?type=conversation.agent_failed',
    );
    assert.equal(failed.items.length, 1);
  });

  test('gives the conversation to a person with hand_to_human, and is silent until it is released', async () => {
    const at = await desk({ tools: ['hand_to_human', 'finish'], ai_disclosure: false });
    script.answer = () => ({ call: 'hand_to_human', arguments: { reason: 'Wants a refund' } });
    await say(at, 'I want my money back');
    script.answer = (words) => `About: ${words}`;
    assert.deepEqual([await answers(at), (await conversation(at)).agent_state], [[], 'human']);
    await say(at, 'Hello?');
    assert.deepEqual(await silences(at), ['with_human']);
    await ok(at.of, 'POST', `/v1/conversations/${(await conversation(at)).id}/release`);
    await say(at, 'Still there?');
    assert.deepEqual(await answers(at), ['About: Still there?']);
  });

  test('is paused when a person answers by hand, but not by a text that begins the conversation', async () => {
    const at = await desk({ ai_disclosure: false });
    const send = () =>
      ok(at.of, 'POST', '/v1/sms', { to: person, from: at.e164, body: 'By hand', recipient_consent: true });
    await send();
    await say(at, 'Thanks');
    assert.equal((await answers(at)).at(-1), 'About: Thanks');
    await send();
    assert.equal((await conversation(at)).agent_state, 'paused');
    await say(at, 'And now?');
    assert.deepEqual(await silences(at), ['paused']);
    await later(3600);
    await say(at, 'One hour later');
    assert.equal((await answers(at)).at(-1), 'About: One hour later');
  });

  test('is the one that the conversation is assigned to', async () => {
    const at = await desk({ ai_disclosure: false });
    await say(at, 'One');
    const other = await ok<{ id: string }>(at.of, 'POST', '/v1/agents', {
      name: 'Other',
      ai_disclosure: false,
    });
    const { id } = await conversation(at);
    await ok(at.of, 'PATCH', `/v1/conversations/${id}`, { assignee: { kind: 'agent', id: other.id } });
    await say(at, 'Two');
    const sent = await ok<Page<Sms>>(at.of, 'GET', '/v1/sms?direction=outbound');
    assert.deepEqual(sent.items[0]!.metadata, { agent_id: other.id });
  });
});

describe('an agent does not answer', () => {
  test('short codes, sender names and texts with a verification code', async () => {
    const at = await desk();
    for (const from of ['72345', 'SHOP']) {
      const { id } = await receive(at, `Win a prize, says ${from}`);
      await db.run(sql`update sms_messages set "from" = ${from} where id = ${id}`);
      await later(4);
    }
    await say(at, 'Your code is 482913');
    assert.deepEqual([await answers(at), await silences(at)], [[], Array(3).fill('automatic_message')]);
  });

  test('the same text twice within ten minutes, nor with the same words as before', async () => {
    const at = await desk();
    await say(at, 'Hello');
    await say(at, 'Hello');
    script.answer = () => 'About: Hello';
    await say(at, 'Something else');
    script.answer = (words) => `About: ${words}`;
    assert.deepEqual(
      [(await answers(at)).length, await silences(at)],
      [1, ['repeated_message', 'repeated_message']],
    );
  });

  test('more often than the limits of the conversation allow', async () => {
    const at = await desk({ messaging: { replies_per_hour: 2, replies_per_day: 3 } });
    for (const text of ['1', '2', '3']) await say(at, text);
    await later(3600);
    for (const text of ['4', '5']) await say(at, text);
    assert.equal((await answers(at)).length, 3);
    assert.deepEqual(await silences(at), ['reply_limit', 'reply_limit']);
  });

  test('another agent of this server for ever: each of two stops at six', async () => {
    const [one, other] = [await desk(), await desk()];
    let count = 0;
    script.answer = () => `Text ${++count}`;
    const passed = { one: 0, other: 0 };
    await receive(one, 'Hello', other.e164);
    for (let round = 0; round < 20; round++) {
      await later(4);
      const [from_one, from_other] = [await answers(one), await answers(other)];
      for (const body of from_one.slice(passed.one)) await receive(other, body, one.e164);
      for (const body of from_other.slice(passed.other)) await receive(one, body, other.e164);
      if (from_one.length === passed.one && from_other.length === passed.other) break;
      Object.assign(passed, { one: from_one.length, other: from_other.length });
    }
    script.answer = (words) => `About: ${words}`;
    assert.deepEqual(passed, { one: 6, other: 6 });
    assert.deepEqual(await silences(one), ['own_agent']);
  });

  test('more than 120 times an hour: the agent is paused for an hour', async () => {
    const at = await desk({ ai_disclosure: false });
    await db.run(sql`
      insert into agent_replies (organization_id, message_id, reply_id, agent_id, channel, thread_id, person, body_hash, written_at)
      select ${at.of.organization_id}, gen_random_uuid(), gen_random_uuid(), ${at.agent_id}, 'sms', gen_random_uuid(), 'x', 'x',
             (select written_at from agent_replies order by written_at desc limit 1) from generate_series(1, 120)`);
    await say(at, 'One more');
    await say(at, 'And another');
    assert.deepEqual([await answers(at), await silences(at)], [[], ['agent_paused', 'agent_paused']]);
    const paused = await ok<Page<{ data: { id: string; paused_until: string } }>>(
      at.of,
      'GET',
      '/v1/events?type=agent.paused',
    );
    assert.deepEqual(
      paused.items.map(({ data }) => data.id),
      [at.agent_id],
    );
    const agent = () => ok<Agent>(at.of, 'GET', `/v1/agents/${at.agent_id}`);
    const { paused_until, paused_reason } = await agent();
    assert.equal(paused_until, paused.items[0]!.data.paused_until);
    assert.match(paused_reason!, /120 answers within an hour/);
    await later(3700);
    assert.deepEqual([(await agent()).paused_until, (await agent()).paused_reason], [null, null]);
    await say(at, 'An hour later');
    assert.deepEqual(await answers(at), ['About: An hour later']);
  });

  test('outside its hours, and does then', async () => {
    const at = await desk({ ai_disclosure: false });
    const now = Date.parse((await receive(at, 'First')).requested_at);
    await later(4);
    const time = (minutes: number) => new Date(now + minutes * 60_000).toISOString().slice(11, 16);
    await ok(at.of, 'PATCH', `/v1/agents/${at.agent_id}`, {
      messaging: { quiet_hours: { from: time(120), to: time(180), applies_to: 'all' } },
    });
    await say(at, 'Second');
    assert.equal((await answers(at)).length, 1);
    await later(2 * 3600);
    assert.deepEqual((await answers(at)).at(-1), 'About: Second');
  });
});

// What people and programs change in conversations, and how they answer.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Conversation } from '@parley/contract/inbox/conversations';
import { startTestApp } from '../../../../../testing/app.ts';
import {
  type Created,
  conversationReads,
  ok,
  type Page,
  passed,
  receiveEmail,
  receiveText,
  sendEmail,
  sendText,
} from '../../../../../testing/conversations.ts';
import { type Sql, sql } from '../../../../platform/db/sql.ts';
import { fillJob } from '../../projector/fill-job.ts';
import { fillStep } from '../../projector/fill-store.ts';
import { fillProgress, requestFills } from '../../projector/index.ts';

const test_app = await startTestApp();
const { organization, later } = test_app;
const { list, itemsOf, get } = conversationReads(test_app);

describe('what people change', () => {
  test('status, labels, title and metadata; a received message opens it again', async () => {
    const of = organization();
    await receiveText(of, '+14155550124', 'First');
    const [{ id }] = (await list(of)) as [Conversation];
    const closed = await ok<Conversation>(of, 'PATCH', `/v1/conversations/${id}`, {
      status: 'closed',
      labels: { add: ['billing', 'vip'], remove: ['none'] },
      title: 'Invoice',
      metadata: { order: 7 },
    });
    assert.deepEqual(
      [closed.status, closed.labels, closed.title, closed.metadata],
      ['closed', ['billing', 'vip'], 'Invoice', { order: 7 }],
    );
    assert.deepEqual(
      (await list(of, '?label=vip&status=closed')).map((each) => each.id),
      [id],
    );
    await later(1);
    await receiveText(of, '+14155550124', 'Second');
    const opened = await get(of, id);
    assert.deepEqual(
      [opened.status, opened.labels, opened.last_item!.preview],
      ['open', ['billing', 'vip'], 'Second'],
    );
    const events = await ok<Page<{ type: string; data: { changed?: string[] } }>>(
      of,
      'GET',
      `/v1/events?resource_id=${id}`,
    );
    assert.deepEqual(
      events.items.map(({ type, data }) => [type, data.changed]),
      [
        ['conversation.updated', ['status']],
        ['conversation.updated', ['status', 'labels', 'title', 'metadata']],
        ['conversation.created', []],
      ],
    );
  });

  test('a person takes it over from its agent and gives it back, and may pause the agent', async () => {
    const of = organization();
    await receiveText(of, '+14155550131', 'First');
    const [{ id, agent_state }] = (await list(of)) as [Conversation];
    assert.equal(agent_state, 'agent');
    const path = `/v1/conversations/${id}`;
    const taken = await ok<Conversation>(of, 'POST', `${path}/takeover`, { reason: 'Angry' });
    assert.deepEqual([taken.agent_state, taken.assignee], ['human', null]);
    assert.equal((await ok<Conversation>(of, 'POST', `${path}/release`)).agent_state, 'agent');
    const agent_paused_until = new Date(Date.now() + 3_600_000).toISOString();
    const paused = await ok<Conversation>(of, 'PATCH', path, { agent_paused_until });
    assert.deepEqual([paused.agent_state, paused.agent_paused_until], ['paused', agent_paused_until]);
    const released = await ok<Conversation>(of, 'POST', `${path}/release`);
    assert.deepEqual([released.agent_state, released.agent_paused_until], ['agent', null]);
    const events = await ok<Page<{ type: string; data: { reason?: string } }>>(
      of,
      'GET',
      `/v1/events?resource_id=${id}&limit=50`,
    );
    assert.deepEqual(
      events.items
        .filter(({ type }) => type !== 'conversation.updated')
        .map(({ type, data }) => [type, data.reason]),
      [
        ['conversation.released', undefined],
        ['conversation.released', undefined],
        ['conversation.handed_over', 'Angry'],
        ['conversation.created', undefined],
      ],
    );
  });

  test('a snoozed conversation opens at its time', async () => {
    const of = organization();
    await sendText(of, '+14155550125');
    const [{ id }] = (await list(of)) as [Conversation];
    const snoozed_until = new Date(Date.parse((await get(of, id)).updated_at) + 3_600_000).toISOString();
    const past = await of.request('PATCH', `/v1/conversations/${id}`, {
      status: 'snoozed',
      snoozed_until: '2020-01-01T00:00:00Z',
    });
    assert.deepEqual([past.status, past.body.code], [422, 'snooze_in_past']);
    const missing = await of.request('PATCH', `/v1/conversations/${id}`, { status: 'snoozed' });
    assert.equal(missing.body.code, 'snooze_in_past');
    const snoozed = await ok<Conversation>(of, 'PATCH', `/v1/conversations/${id}`, {
      status: 'snoozed',
      snoozed_until,
    });
    assert.deepEqual([snoozed.status, snoozed.snoozed_until], ['snoozed', snoozed_until]);
    await later(3700);
    const opened = await get(of, id);
    assert.deepEqual([opened.status, opened.snoozed_until], ['open', null]);
  });

  test('an assignee must exist; labels have a form and a limit', async () => {
    const of = organization();
    await sendText(of, '+14155550126');
    const [{ id }] = (await list(of)) as [Conversation];
    const patch = async (body: object) =>
      (await of.request('PATCH', `/v1/conversations/${id}`, body)).body.code;
    assert.equal(await patch({ assignee: { kind: 'agent', id: randomUUID() } }), 'assignee_not_found');
    assert.equal(await patch({ labels: { add: ['Not Valid'] } }), 'invalid_label');
    const many = (prefix: string) => Array.from({ length: 20 }, (_, index) => `${prefix}${index}`);
    assert.equal(await patch({ labels: { add: many('a') } }), undefined);
    assert.equal(await patch({ labels: { add: many('b') } }), 'too_many_labels');
    const agent = await ok<{ id: string }>(of, 'POST', '/v1/agents', {
      name: 'Desk',
      system_prompt: 'Help.',
    });
    const assigned = await ok<Conversation>(of, 'PATCH', `/v1/conversations/${id}`, {
      assignee: { kind: 'agent', id: agent.id },
    });
    assert.deepEqual(assigned.assignee, { kind: 'agent', id: agent.id });
    assert.equal((await list(of, `?assignee_id=${agent.id}`)).length, 1);
  });

  test('the read mark counts what came after it', async () => {
    const of = organization();
    const first = await receiveText(of, '+14155550127', 'One');
    await receiveText(of, '+14155550127', 'Two');
    const [{ id, unread_count }] = (await list(of, '?unread=true')) as [Conversation];
    assert.equal(unread_count, 2);
    const part = await ok<Conversation>(of, 'POST', `/v1/conversations/${id}/read`, { up_to: first.id });
    assert.equal(part.unread_count, 1);
    assert.equal((await ok<Conversation>(of, 'POST', `/v1/conversations/${id}/read`, {})).unread_count, 0);
    assert.deepEqual(await list(of, '?unread=true'), []);
    // Marked as unread, the last received item counts again, also when it is marked twice.
    await sendText(of, '+14155550127', 'Three');
    await get(of, id);
    for (const unread of [false, true, true]) {
      const marked = await ok<Conversation>(of, 'POST', `/v1/conversations/${id}/read`, { unread });
      assert.equal(marked.unread_count, unread ? 1 : 0);
    }
    const { items } = await itemsOf(of, id, '?order=asc');
    assert.deepEqual(
      items.filter(({ direction }) => direction === 'inbound').map(({ is_read }) => is_read),
      [true, false],
    );
    const foreign = await of.request('POST', `/v1/conversations/${id}/read`, { up_to: randomUUID() });
    assert.equal(foreign.status, 404);
  });

  test('two conversations are merged on request; a person and a group are not', async () => {
    const of = organization();
    await receiveText(of, '+14155550128', 'From my phone');
    await receiveEmail(of, { from: 'ana@example.com', subject: 'Mail', text: 'From my mail', ...passed });
    await sendEmail(of, ['x@example.com', 'y@example.com'], { subject: 'Group' });
    const [group, mail, text] = (await list(of)) as [Conversation, Conversation, Conversation];
    const merged = await ok<Conversation>(of, 'POST', `/v1/conversations/${mail.id}/merge`, {
      into: text.id,
    });
    assert.deepEqual(
      [merged.id, merged.item_count, merged.unread_count, merged.merged_ids],
      [text.id, 3, 2, [mail.id]],
    );
    await later(1);
    assert.equal((await itemsOf(of, mail.id)).items.length, 3, 'by the old id');
    const wrong = await of.request('POST', `/v1/conversations/${group.id}/merge`, { into: text.id });
    assert.deepEqual([wrong.status, wrong.body.code], [409, 'conversation_not_mergeable']);
    await sendEmail(of, ['ana@example.com'], { subject: 'After' });
    assert.equal((await get(of, text.id)).item_count, 4, 'later items go to the merged one');
  });
});

describe('answers', () => {
  test('go to the sender of the last received message, on its channel, once per idempotency key', async () => {
    const of = organization();
    await receiveText(of, '+14155550129', 'Can you come?');
    const [{ id }] = (await list(of)) as [Conversation];
    const body = { body_text: 'Yes, on Friday.', recipient_consent: true };
    const key = { 'idempotency-key': randomUUID() };
    const first = await of.request<{ noun: string; id: string }>(
      'POST',
      `/v1/conversations/${id}/reply`,
      body,
      key,
    );
    assert.deepEqual([first.status, first.body.noun], [201, 'sms'], first.text);
    const again = await of.request('POST', `/v1/conversations/${id}/reply`, body, key);
    assert.equal(again.text, first.text);
    const sent = await ok<{ to: string; body: string }>(of, 'GET', `/v1/sms/${first.body.id}`);
    assert.deepEqual([sent.to, sent.body], ['+14155550129', 'Yes, on Friday.']);
    const none = await of.request('POST', `/v1/conversations/${id}/reply`, { ...body, channel: 'email' });
    assert.deepEqual([none.status, none.body.code], [409, 'nothing_to_answer']);
  });

  test('by email continue the thread', async () => {
    const of = organization();
    const received = await receiveEmail(of, {
      from: 'ana@example.com',
      subject: 'Order',
      text: 'When?',
      ...passed,
    });
    const [{ id }] = (await list(of)) as [Conversation];
    const body = { body_text: 'Friday.', recipient_consent: true };
    const key = { 'idempotency-key': randomUUID() };
    const reply = await of.request<{ noun: string; id: string; status: string }>(
      'POST',
      `/v1/conversations/${id}/reply`,
      body,
      key,
    );
    assert.deepEqual([reply.status, reply.body.noun, reply.body.status], [201, 'email', 'sent'], reply.text);
    assert.equal((await of.request('POST', `/v1/conversations/${id}/reply`, body, key)).text, reply.text);
    const sent = await ok<Created & { subject: string }>(of, 'GET', `/v1/emails/${reply.body.id}`);
    assert.deepEqual(
      [sent.subject, sent.conversation_id, sent.to_addresses],
      ['Re: Order', received.conversation_id, ['ana@example.com']],
    );
  });
});

describe('a rebuild', () => {
  const { app, db } = test_app;
  const rows = () => db.rows(sql`select * from conversations order by organization_id, id`);
  const items = () => db.rows(sql`select * from conversation_items order by organization_id, id`);

  async function loseCountersAndItems(lost: Sql) {
    await app.projector.drain();
    const before = [await rows(), await items()];
    assert.ok(before[0]!.length > 5 && before[1]!.length > 10);
    await db.run(sql`
      update conversations set item_count = 99, unread_count = 7, last_outbound_id = null, channels = '{}',
             last_item = 'null', waiting_since = null`);
    await db.run(sql`delete from conversation_items where ${lost}`);
    await requestFills(db, null);
    return before;
  }

  /** The job of the service may have the fill at the same moment: then it does the step. */
  async function rebuildBy(step: () => Promise<unknown>): Promise<void> {
    do {
      await step();
      await app.projector.drain();
    } while ((await fillProgress(db, null)).some(({ is_done }) => !is_done));
    await app.projector.drain();
  }

  test('gives the same conversations, also after counters and items were lost', async () => {
    const before = await loseCountersAndItems(sql`left(md5(id::text), 1) < '8'`);
    const job = { id: '', kind: '', payload: {}, attempts: 0, claims: 1 };
    await rebuildBy(() => fillJob({ db, wake() {} }).run(job, new AbortController().signal));
    assert.deepEqual([await rows(), await items()], before);
  });

  test('gives the same conversations when every record is read alone, the newest first', async () => {
    const before = await loseCountersAndItems(sql`true`);
    await rebuildBy(() => fillStep(db, 1));
    assert.deepEqual([await rows(), await items()], before);
  });
});

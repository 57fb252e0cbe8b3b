// Conversations over the API: what is joined, what is kept apart, and what people change.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Conversation, ConversationItem } from '@parley/contract/conversations';
import { type Client, startTestApp } from '../../../testing/app.ts';

const { app, client, organization, later } = await startTestApp();

type Page<T> = { items: T[]; next_cursor: string | null };
type Created = { id: string; conversation_id: string; to_addresses?: string[]; message_id?: string };

async function ok<T>(of: Client, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await of.request<T>(method, path, body);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  return answer.body;
}
const settled = () => app.projector.drain();
const list = async (of: Client, query = '') => {
  await settled();
  return (await ok<Page<Conversation>>(of, 'GET', `/v1/conversations${query}`)).items;
};
const itemsOf = async (of: Client, id: string, query = '') => {
  await settled();
  return ok<Page<ConversationItem>>(of, 'GET', `/v1/conversations/${id}/items${query}`);
};
const get = async (of: Client, id: string) => {
  await settled();
  return ok<Conversation>(of, 'GET', `/v1/conversations/${id}`);
};
const sendEmail = (of: Client, to: string[], more: object = {}) =>
  ok<Created>(of, 'POST', '/v1/emails', {
    to,
    subject: 'Order',
    body_text: 'Hello',
    recipient_consent: true,
    ...more,
  });
const receiveEmail = (of: Client, body: object) =>
  ok<Created>(of, 'POST', '/v1/sandbox/inbound-emails', body);
const sendText = (of: Client, to: string, body = 'Hello') =>
  ok<Created & { from: string }>(of, 'POST', '/v1/sms', { to, body, recipient_consent: true });
const receiveText = async (of: Client, from: string, body: string) => {
  const { from: ours } = await sendText(of, from, 'Before');
  return ok<Created>(of, 'POST', '/v1/sandbox/inbound-sms', { from, to: ours, body });
};
const passed = { verdicts: { dmarc: 'PASS' } };
const failed = { verdicts: { dmarc: 'FAIL' } };

describe('one person', () => {
  test('emails in both directions and all threads are one conversation', async () => {
    const of = organization();
    await sendEmail(of, ['ana@example.com']);
    await receiveEmail(of, {
      from: 'Ana Sousa <ana@example.com>',
      subject: 'Something else',
      text: 'When?',
      ...passed,
    });
    const [conversation, ...others] = await list(of);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [conversation!.kind, conversation!.item_count, conversation!.unread_count, conversation!.channels],
      ['person', 2, 1, ['email']],
    );
    assert.equal(conversation!.last_item!.preview, 'When?');
    assert.notEqual(conversation!.waiting_since, null);
    const { items } = await itemsOf(of, conversation!.id);
    assert.deepEqual(
      items.map(({ direction, text, authenticity, is_read }) => [direction, text, authenticity, is_read]),
      [
        ['inbound', 'When?', 'verified', false],
        ['outbound', 'Hello', 'own', true],
      ],
    );
  });

  test('texts and calls with a number are one conversation', async () => {
    const of = organization();
    await receiveText(of, '+14155550123', 'Are you there?');
    const call = await ok<Created>(of, 'POST', '/v1/calls', {
      to: '+14155550123',
      system_prompt: 'Say hello.',
      recipient_consent: true,
      scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
    });
    const [conversation] = await list(of);
    assert.deepEqual([conversation!.item_count, conversation!.channels.toSorted()], [3, ['call', 'sms']]);
    assert.equal((await get(of, call.conversation_id)).id, conversation!.id, 'found by the id of a thread');
    const { items } = await itemsOf(of, conversation!.id, '?channel=call');
    assert.deepEqual(
      [items[0]!.status, items[0]!.hold?.kind, items[0]!.call?.turns],
      ['queued', 'schedule', 0],
    );
  });

  test('an answer ends the waiting; an automatic reply does not start it', async () => {
    const of = organization();
    const email = await receiveEmail(of, {
      from: 'ana@example.com',
      subject: 'Hi',
      text: 'Hello?',
      ...passed,
    });
    const [before] = await list(of, '?waiting=true');
    assert.ok(before);
    await ok(of, 'POST', `/v1/emails/${email.id}/reply`, { body_text: 'Yes?', recipient_consent: true });
    assert.deepEqual(await list(of, '?waiting=true'), []);
    await receiveEmail(of, {
      from: 'ana@example.com',
      subject: 'Out of office',
      text: 'I am away.',
      headers: { 'Auto-Submitted': 'auto-replied' },
      ...passed,
    });
    assert.deepEqual(await list(of, '?waiting=true'), []);
    const after = await get(of, before.id);
    assert.deepEqual([after.item_count, after.unread_count], [3, 1]);
  });
});

describe('several people', () => {
  test('an email to two people is a group, and does not join the conversations of either', async () => {
    const of = organization();
    await sendEmail(of, ['ana@example.com']);
    const group = await sendEmail(of, ['ana@example.com', 'bob@example.org'], { subject: 'Both' });
    const all = await list(of);
    assert.deepEqual(
      all.map(({ kind, title }) => [kind, title]),
      [
        ['group', 'Both'],
        ['person', 'ana@example.com'],
      ],
    );
    assert.equal(all[0]!.id, group.conversation_id);
    assert.deepEqual(
      all[0]!.participants.filter(({ role }) => role === 'external').map(({ address }) => address),
      ['ana@example.com', 'bob@example.org'],
    );
  });

  test('somebody who is copied later is a participant, and the thread stays where it is', async () => {
    const of = organization();
    const sent = await sendEmail(of, ['ana@example.com']);
    const { message_id } = await ok<Created>(of, 'GET', `/v1/emails/${sent.id}`);
    await receiveEmail(of, {
      from: 'ana@example.com',
      cc: ['carl@example.net'],
      subject: 'Re: Order',
      in_reply_to: message_id,
      text: 'Carl knows.',
      ...passed,
    });
    const [conversation, ...others] = await list(of);
    assert.deepEqual(others, []);
    assert.deepEqual(
      conversation!.participants
        .filter(({ role }) => role !== 'own')
        .map(({ role, address }) => [role, address]),
      [
        ['external', 'ana@example.com'],
        ['copied', 'carl@example.net'],
      ],
    );
  });
});

describe('forged senders', () => {
  test('an email that fails DMARC never joins the conversation of the person', async () => {
    const of = organization();
    await receiveEmail(of, { from: 'ana@example.com', subject: 'Order', text: 'Real.', ...passed });
    await receiveEmail(of, { from: 'ana@example.com', subject: 'Order', text: 'Forged.', ...failed });
    const all = await list(of);
    assert.deepEqual(
      all.map(({ item_count }) => item_count),
      [1, 1],
    );
    const [forged] = (await itemsOf(of, all[0]!.id)).items;
    assert.deepEqual([forged!.text, forged!.authenticity], ['Forged.', 'failed']);
  });

  test('an email that answers one of ours joins, and is marked', async () => {
    const of = organization();
    const sent = await sendEmail(of, ['ana@example.com']);
    const { message_id } = await ok<Created>(of, 'GET', `/v1/emails/${sent.id}`);
    await receiveEmail(of, {
      from: 'ana@example.com',
      subject: 'Re: Order',
      in_reply_to: message_id,
      text: 'Yes',
      ...failed,
    });
    const [conversation, ...others] = await list(of);
    assert.deepEqual(others, []);
    assert.equal((await itemsOf(of, conversation!.id)).items[0]!.authenticity, 'failed');
  });
});

describe('contacts', () => {
  test('a contact with a number and an address merges both conversations into the older one', async () => {
    const of = organization();
    await sendText(of, '+14155550177');
    await sendEmail(of, ['ana@example.com']);
    const [newer, older] = await list(of);
    const contact = await ok<{ id: string }>(of, 'POST', '/v1/contacts', {
      name: 'Ana Sousa',
      phone_e164: '+14155550177',
      email: 'ana@example.com',
    });
    const [merged, ...others] = await list(of);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [merged!.id, merged!.title, merged!.contact_id, merged!.item_count, merged!.merged_ids],
      [older!.id, 'Ana Sousa', contact.id, 2, [newer!.id]],
    );
    assert.equal((await get(of, newer!.id)).id, older!.id, 'the old id stays valid');
    await later(1);
    assert.equal((await itemsOf(of, older!.id)).items.length, 2);

    await ok(of, 'DELETE', `/v1/contacts/${contact.id}`);
    await sendEmail(of, ['ana@example.com'], { subject: 'Later' });
    assert.equal((await list(of)).length, 1, 'deleting the contact does not split it');
  });

  test('the first email to a contact joins the conversation of its number', async () => {
    const of = organization();
    await ok(of, 'POST', '/v1/contacts', {
      name: 'Ana',
      phone_e164: '+14155550178',
      email: 'ana@example.com',
    });
    await sendText(of, '+14155550178');
    await sendEmail(of, ['ana@example.com']);
    const [conversation, ...others] = await list(of);
    assert.deepEqual(others, []);
    assert.deepEqual([conversation!.title, conversation!.channels.toSorted()], ['Ana', ['email', 'sms']]);
  });
});

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

describe('pages', () => {
  test('conversations and items are paged in both directions', async () => {
    const of = organization();
    for (const digit of [1, 2, 3]) await sendText(of, `+1415555013${digit}`);
    await settled();
    const first = await ok<Page<Conversation>>(of, 'GET', '/v1/conversations?limit=2');
    const second = await ok<Page<Conversation>>(
      of,
      'GET',
      `/v1/conversations?limit=2&cursor=${first.next_cursor}`,
    );
    assert.deepEqual(
      [...first.items, ...second.items].map(({ title }) => title),
      ['+14155550133', '+14155550132', '+14155550131'],
    );
    assert.equal(second.next_cursor, null);
    const { id } = first.items[0]!;
    await sendText(of, '+14155550133', 'Two');
    const oldest = await itemsOf(of, id, '?order=asc&limit=1');
    assert.equal(oldest.items[0]!.text, 'Hello');
    const next = await itemsOf(of, id, `?order=asc&limit=1&cursor=${oldest.next_cursor}`);
    assert.deepEqual([next.items[0]!.text, next.next_cursor], ['Two', null]);
  });

  test('another organization sees nothing of it', async () => {
    const [of, other] = [organization(), organization()];
    await sendText(of, '+14155550140');
    await sendText(other, '+14155550140');
    const [mine] = (await list(of)) as [Conversation];
    assert.equal((await other.request('GET', `/v1/conversations/${mine.id}`)).status, 404);
    assert.equal((await other.request('GET', `/v1/conversations/${mine.id}/items`)).status, 404);
    assert.notEqual((await list(other))[0]!.id, mine.id);
  });

  test('a call in a thread that another record began stays in its conversation', async () => {
    const email = await sendEmail(client, ['dora@example.com']);
    await settled();
    const call = await ok<Created>(client, 'POST', '/v1/calls', {
      to: '+14155550199',
      system_prompt: 'Say hello.',
      recipient_consent: true,
      conversation_id: email.conversation_id,
      scheduled_at: new Date(Date.now() + 7_200_000).toISOString(),
    });
    const conversation = await get(client, call.conversation_id);
    assert.deepEqual([conversation.channels.toSorted(), conversation.item_count], [['call', 'email'], 2]);
  });
});

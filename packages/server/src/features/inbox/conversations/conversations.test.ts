// Which emails, texts and calls are one conversation, and which are kept apart.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Conversation } from '@parley/contract/inbox/conversations';
import { startTestApp } from '../../../../testing/app.ts';
import {
  type Created,
  conversationReads,
  failed,
  ok,
  type Page,
  passed,
  receiveEmail,
  receiveText,
  sendEmail,
  sendText,
} from '../../../../testing/conversations.ts';
import { randomNumbers, test_seed } from '../../../../testing/random.ts';

const test_app = await startTestApp();
const { client, organization, later } = test_app;
const { settled, list, itemsOf, get } = conversationReads(test_app);

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

  test('organizations with the same people and words never see each other', async () => {
    const random = randomNumbers(test_seed);
    const both = [organization(), organization()] as const;
    const people = ['ana@example.com', 'bob@example.com', '+14155550123', '+14155550124'];
    const words = ['apple', 'pear', 'plum'];
    const own = new Map<string, Set<string>>(both.map((of) => [of.organization_id, new Set()]));
    for (let round = 0; round < 24; round++) {
      const of = random.pick([...both]);
      const [person, text] = [random.pick(people), random.pick(words)];
      const subject = random.pick(words);
      const { id } = person.startsWith('+')
        ? await sendText(of, person, text)
        : random.below(2) === 0
          ? await sendEmail(of, [person], { subject, body_text: text })
          : await receiveEmail(of, { from: person, subject, text });
      own.get(of.organization_id)!.add(id);
    }
    for (const [of, other] of [both, [both[1], both[0]]] as const) {
      const mine = own.get(of.organization_id)!;
      let count = 0;
      for (const conversation of await list(of)) {
        assert.equal(conversation.organization_id, of.organization_id);
        const { items } = await itemsOf(of, conversation.id);
        for (const { id } of items) assert.ok(mine.has(id));
        count += items.length;
        const { id } = conversation;
        for (const path of [`/v1/conversations/${id}`, `/v1/conversations/${id}/items`])
          assert.equal((await other.request('GET', path)).status, 404);
        const found = await ok<Page<{ id: string }>>(other, 'GET', `/v1/search?conversation_id=${id}`);
        assert.deepEqual(found.items, []);
      }
      assert.equal(count, mine.size);
    }
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

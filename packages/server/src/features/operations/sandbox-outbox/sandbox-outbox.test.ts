// The sandbox outbox: all messages of an organization, on every channel, in one list.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SandboxMessage } from '@parley/contract/operations/sandbox/sandbox-outbox';
import { startTestApp } from '../../../../testing/app.ts';
import { waitFor } from '../../../../testing/wait-for.ts';

const { organization } = await startTestApp();
const own = organization();

type Page = { items: SandboxMessage[]; next_cursor: string | null };
const outbox = async (query = '', of = own) =>
  (await of.request<Page>('GET', `/v1/sandbox/outbox${query}`)).body;

const make = async (path: string, body: object) => {
  const answer = await own.request<{ id: string }>('POST', path, { recipient_consent: true, ...body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
};

test('lists emails, texts and calls together, newest first, and each channel alone', async () => {
  const email = await make('/v1/emails', {
    to: ['bob@example.org'],
    subject: 'Your order',
    body_html: '<p>It left <a href="https://example.org/track">our house</a>.</p>',
  });
  const sms = await make('/v1/sms', { to: '+15005550001', body: 'It left our house.' });
  const call = await make('/v1/calls', { to: '+15005550002' });
  await waitFor('three items', async () => (await outbox()).items.length === 3);

  const { items } = await outbox();
  assert.deepEqual(
    items.map(({ channel, resource_id, to }) => [channel, resource_id, to]),
    [
      ['call', call, ['+15005550002']],
      ['sms', sms, ['+15005550001']],
      ['email', email, ['bob@example.org']],
    ],
  );
  assert.equal(items[1]!.message.body, 'It left our house.');
  const { subject, html } = items[2]!.message as { subject: string; html: string };
  assert.equal(subject, 'Your order');
  assert.match(html, /\/t\/c\//, 'links are rewritten as for a reader');

  for (const [index, channel] of ['call', 'sms', 'email'].entries()) {
    assert.deepEqual((await outbox(`?channel=${channel}`)).items, [items[index]]);
  }
  assert.deepEqual((await outbox('', organization())).items, []);
});

test('is paged across the channels', async () => {
  const all = (await outbox()).items;
  const read: SandboxMessage[] = [];
  let query = '?limit=1';
  for (;;) {
    const page = await outbox(query);
    read.push(...page.items);
    if (page.next_cursor === null) break;
    query = `?limit=1&cursor=${page.next_cursor}`;
  }
  assert.deepEqual(read, all);
});

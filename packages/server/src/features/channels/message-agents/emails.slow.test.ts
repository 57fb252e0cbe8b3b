// Agents that answer emails: to whom, with which header fields, and never a program.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { automatic_mails, rawMail } from '../../../../testing/automatic-mails.ts';
import { ok, type Page } from '../../../../testing/conversations.ts';
import { lastWords, messageModel } from '../../../../testing/message-model.ts';
import { sql } from '../../../platform/db/sql.ts';

const { db, organization, later } = await startTestApp({ WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' });
const script: { answer: (words: string) => string } = { answer: () => 'It is on its way.' };
const model = await messageModel((request) => script.answer(lastWords(request)));
const ana = 'ana@example.org';

async function desk(more: object = {}, of: Client = organization()) {
  await model.setFor(of);
  const domain = await ok<{ id: string; default_address: string }>(of, 'POST', '/v1/email-domains', {
    kind: 'service_mail',
    local_prefix_user: 'desk',
    local_prefix_org: randomUUID().slice(0, 13),
  });
  const agent = await ok<{ id: string }>(of, 'POST', '/v1/agents', { name: 'Desk', ...more });
  await ok(of, 'PATCH', `/v1/email-domains/${domain.id}`, { email_agent_id: agent.id });
  return { of, own: domain.default_address, agent_id: agent.id };
}
type Desk = Awaited<ReturnType<typeof desk>>;

const receive = ({ of, own }: Desk, more: object = {}) =>
  ok<Email>(of, 'POST', '/v1/sandbox/inbound-emails', {
    from: ana,
    to: [own],
    subject: 'My order',
    text: 'When does it arrive?',
    verdicts: { dmarc: 'PASS' },
    ...more,
  });
const say = async (at: Desk, more: object = {}) => {
  const email = await receive(at, more);
  await later(31);
  return email;
};
const answers = async ({ of }: Desk) =>
  (await ok<Page<Email>>(of, 'GET', '/v1/emails?direction=outbound&limit=100')).items.reverse();
const silences = async ({ of }: Desk) =>
  (
    await ok<Page<{ data: { reason: string } }>>(of, 'GET', '/v1/events?type=email.not_answered&limit=100')
  ).items
    .reverse()
    .map(({ data }) => data.reason);

describe('an agent that answers emails', () => {
  test('writes to the sender only, after the delay, as an automatic reply of an AI', async () => {
    const at = await desk();
    const got = await receive(at, {
      cc: ['boss@example.org'],
      headers: { 'Reply-To': 'victim@example.net' },
    });
    await later(20);
    assert.deepEqual(await answers(at), []);
    await later(11);
    const [answer, ...more] = await answers(at);
    assert.deepEqual(more, []);
    const { id, to_addresses, cc_addresses, from_address, subject, conversation_id, status } = answer!;
    assert.deepEqual([to_addresses, cc_addresses, from_address], [[ana], [], at.own]);
    assert.deepEqual([subject, conversation_id, status], ['Re: My order', got.conversation_id, 'sent']);
    const sent = await ok<Email>(at.of, 'GET', `/v1/emails/${id}`);
    assert.equal(sent.body_text, 'It is on its way.\n\n-- \nThis message was written by an AI assistant.');
    assert.equal(sent.in_reply_to, got.message_id);
    const row = await db.maybe<{ composition: { headers: object } }>(
      sql`select composition from emails where id = ${id}`,
    );
    assert.deepEqual(row!.composition.headers, {
      'Auto-Submitted': 'auto-replied',
      'X-Parley-Agent': at.agent_id,
    });
    assert.match(model.lastSeen(), /Subject: My order[\s\S]*When does it arrive\?/);
  });

  test('sees the thread without quotations and the names of attachments', async () => {
    const at = await desk();
    const first = await say(at);
    const [answer] = await answers(at);
    script.answer = () => 'On Friday.';
    await say(at, {
      subject: 'Re: My order',
      in_reply_to: answer!.id && (await ok<Email>(at.of, 'GET', `/v1/emails/${answer!.id}`)).message_id,
      text: 'And when exactly?\n\nOn Wed, Nov 18, 2026, Desk wrote:\n> It is on its way.\n',
      attachments: [{ filename: 'photo.txt', content_base64: 'aGk=', content_type: 'text/plain' }],
    });
    script.answer = () => 'It is on its way.';
    assert.equal((await answers(at)).length, 2);
    const seen = model.requests.at(-1)!.messages.map(({ content }) => content);
    assert.match(seen.at(-1)!, /photo\.txt \(text\/plain, 2 bytes\)\n\nAnd when exactly\?$/);
    assert.ok(
      seen.some((content) => content.includes('When does it arrive?')),
      first.id,
    );
  });

  test('answers another address of the domain when that has its own agent', async () => {
    const at = await desk();
    const { items } = await ok<Page<{ id: string }>>(at.of, 'GET', '/v1/email-domains');
    await db.run(sql`update email_domains set kind = 'custom', domain = ${`${randomUUID()}.example.net`},
      default_address = 'x@y', agent_addresses = ${JSON.stringify([])} where id = ${items[0]!.id}`);
    const domain = await db.maybe<{ domain: string }>(
      sql`select domain from email_domains where id = ${items[0]!.id}`,
    );
    const billing = await ok<{ id: string }>(at.of, 'POST', '/v1/agents', { name: 'Billing' });
    await ok(at.of, 'PATCH', `/v1/email-domains/${items[0]!.id}`, {
      agent_addresses: [{ local_part: 'billing', agent_id: billing.id }],
    });
    await say(at, { to: [`billing+x@${domain!.domain}`] });
    const [answer] = await answers(at);
    assert.deepEqual(answer!.metadata, { agent_id: billing.id });
  });
});

describe('an agent never answers', () => {
  test('a mail of a program', async () => {
    const at = await desk();
    for (const mail of automatic_mails.filter(({ mail_from }) => mail_from !== '')) {
      const raw = rawMail(mail, { to: at.own, id: randomUUID() });
      await at.of.request('POST', '/v1/sandbox/inbound-emails', { raw, verdicts: { dmarc: 'PASS' } });
    }
    await later(31);
    assert.deepEqual(await answers(at), []);
    assert.deepEqual([...new Set(await silences(at))], ['automatic_message']);
  });

  test('spam, mail of its own server, mail that only copies it, and the same mail again', async () => {
    const at = await desk();
    await say(at, { verdicts: { dmarc: 'PASS', spam: 'FAIL' }, subject: 'One' });
    await say(at, { from: at.own, subject: 'Two' });
    await say(at, {
      subject: 'Three',
      to: ['bob@example.org'],
      cc: [at.own],
    });
    assert.deepEqual(await answers(at), []);
    // Spam is in quarantine, so that no agent gets it.
    assert.deepEqual(await silences(at), ['own_agent', 'only_copied']);
    await say(at, { subject: 'Four' });
    await say(at, { subject: 'Four' });
    assert.deepEqual([(await answers(at)).length, (await silences(at)).at(-1)], [1, 'repeated_message']);
  });

  test('more than ten times a day in one thread', async () => {
    const at = await desk({ messaging: { replies_per_hour: 60, replies_per_day: 200 } });
    let count = 0;
    script.answer = () => `Answer ${++count}`;
    for (let index = 0; index < 11; index++) await say(at, { text: `Question ${index}` });
    script.answer = () => 'It is on its way.';
    assert.deepEqual([(await answers(at)).length, await silences(at)], [10, ['reply_limit']]);
  });
});

// Search finds what an organization wrote and received, newest first, and never anything of another organization.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SearchPage } from '@parley/contract/inbox/search/search';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { randomNumbers, test_seed } from '../../../../testing/random.ts';
import { sql } from '../../../platform/db/sql.ts';
import { uuidv7Ids } from '../../../platform/ids.ts';
import { fillJob } from '../projector/fill-job.ts';
import { requestFills } from '../projector/index.ts';
import { searchService } from './service.ts';

const { app, db, organization } = await startTestApp();

type Problem = { code: string; detail: string };

const search = async (client: Client, parameters: Record<string, string>): Promise<SearchPage> => {
  await app.projector.drain();
  const answer = await client.request<SearchPage>('GET', `/v1/search?${new URLSearchParams(parameters)}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const found = async (client: Client, q: string) => (await search(client, { q })).items.map(({ id }) => id);

const create = async (client: Client, path: string, body: object): Promise<string> => {
  const answer = await client.request<{ id: string }>('POST', path, body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
};
const email = (client: Client, body: object) =>
  create(client, '/v1/emails', {
    to: ['bob@example.org'],
    subject: 'Hello',
    recipient_consent: true,
    ...body,
  });
const sms = (client: Client, body: string, more: object = {}) =>
  create(client, '/v1/sms', { to: '+15005550001', body, recipient_consent: true, ...more });
const contact = (client: Client, name: string, address: string) =>
  create(client, '/v1/contacts', { name, email: address });

describe('search', () => {
  test('finds words of subjects, texts, people and numbers, newest first', async () => {
    const own = organization();
    const first = await email(own, { subject: 'Invoice 7', body_text: 'The blue bicycle is ready.' });
    const second = await sms(own, 'Your bicycle waits at the shop');
    assert.deepEqual(await found(own, 'bicycle'), [second, first]);
    assert.deepEqual(await found(own, 'blue bicycle'), [first]);
    assert.deepEqual(await found(own, 'BICYCLE -blue'), [second]);
    assert.deepEqual(await found(own, '"bicycle is ready"'), [first]);
    assert.deepEqual(await found(own, '"ready bicycle"'), []);
    assert.deepEqual(await found(own, 'bicy*'), [second, first]);
    assert.deepEqual(await found(own, 'subject:invoice'), [first]);
    assert.deepEqual(await found(own, 'subject:bicycle'), []);
    assert.deepEqual(await found(own, 'bob@example.org'), [first]);
    assert.deepEqual(await found(own, '5550001'), [second]);
    assert.deepEqual(await found(own, 'in:sms'), [second]);
    assert.deepEqual(await found(own, '-in:sms'), [first]);
  });

  test('filters by sender, recipient, time, metadata and conversation', async () => {
    const own = organization();
    const first = await email(own, { subject: 'One', metadata: { order: '7', paid: true } });
    const second = await sms(own, 'Two', { metadata: { order: '8' } });
    const ids = async (parameters: Record<string, string>) =>
      (await search(own, parameters)).items.map(({ id }) => id);
    assert.deepEqual(await ids({ to: 'bob@example.org' }), [first]);
    assert.deepEqual(await ids({ to: '@example.org' }), [first]);
    assert.deepEqual(await ids({ to: '+15005550001' }), [second]);
    assert.deepEqual(await ids({ from: '@sandbox.test' }), [first]);
    assert.deepEqual(await ids({ from: 'eve@sandbox.test' }), []);
    assert.deepEqual(await ids({ 'metadata[order]': '7', 'metadata[paid]': 'true' }), [first]);
    assert.deepEqual(await ids({ 'metadata[order]': '9' }), []);
    assert.deepEqual(await ids({ in: 'email' }), [first]);
    assert.deepEqual(await ids({ q: 'is:inbound' }), []);
    const { body } = await own.request<{ conversation_id: string }>('GET', `/v1/sms/${second}`);
    assert.deepEqual(await ids({ conversation_id: body.conversation_id }), [second]);
    const [item] = (await search(own, { q: 'in:sms' })).items;
    assert.notEqual(item!.conversation_id, null);
    assert.deepEqual(await ids({ conversation_id: item!.conversation_id! }), [second]);
    assert.deepEqual(await ids({ until: '2020-01-01T00:00:00Z' }), []);
    assert.deepEqual(await ids({ since: '2020-01-01T00:00:00Z' }), [second, first]);
    assert.deepEqual(await ids({ q: 'before:2020-01-01' }), []);
  });

  test('shows where it matched', async () => {
    const own = organization();
    await email(own, {
      subject: 'About the Übergabe',
      body_text: `${'Words before it. '.repeat(30)}The ubergabe is on Monday.`,
    });
    const [item] = (await search(own, { q: 'Übergabe' })).items;
    assert.deepEqual(item!.matched, ['subject', 'text']);
    assert.equal(item!.title, 'About the Übergabe');
    assert.deepEqual(item!.parties, ['bob@example.org']);
    assert.equal(item!.authenticity, 'own');
    assert.equal(item!.highlights.length, 1);
    const [start, end] = item!.highlights[0] as [number, number];
    assert.equal(item!.snippet.slice(start, end), 'ubergabe');
  });

  test('finds a received email by what its sender wrote, and not by what it quotes', async () => {
    const own = organization();
    const received = await create(own, '/v1/sandbox/inbound-emails', {
      from: 'Ana Sousa <ana@example.com>',
      subject: 'Re: Order',
      body_text:
        'Please send a giraffe.\n\nOn Monday, Desk <desk@example.org> wrote:\n> We have an elephant.\n',
    });
    assert.deepEqual(await found(own, 'giraffe'), [received]);
    assert.deepEqual(await found(own, 'elephant'), []);
    assert.deepEqual(await found(own, 'from:sousa is:inbound'), [received]);
    assert.deepEqual(await found(own, 'from:@example.com'), [received]);
  });

  test('follows changes: a contact that is renamed or deleted', async () => {
    const own = organization();
    const id = await contact(own, 'Ana Sousa', 'ana@example.com');
    const names = async (q: string) => (await search(own, { q })).contacts.map(({ name }) => name);
    assert.deepEqual(await names('sousa'), ['Ana Sousa']);
    await own.request('PATCH', `/v1/contacts/${id}`, { name: 'Ana Reis' });
    assert.deepEqual(await names('sousa'), []);
    assert.deepEqual(await names('reis'), ['Ana Reis']);
    await own.request('DELETE', `/v1/contacts/${id}`);
    assert.deepEqual(await names('reis'), []);
  });

  test('has pages without gaps and without repetition', async () => {
    const own = organization();
    const sent: string[] = [];
    for (let count = 0; count < 7; count++) sent.unshift(await sms(own, `Page ${count}`));
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: SearchPage = await search(own, { q: 'page', limit: '3', ...(cursor && { cursor }) });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    assert.deepEqual(seen, sent);
  });

  test('finds only what the scopes of the credential allow it to read', async () => {
    const own = organization();
    await email(own, { subject: 'Secret plan' });
    await sms(own, 'Secret text');
    await contact(own, 'Secret person', 'secret@example.com');
    const { organization_id } = own;
    const reader = organization({ organization_id, scopes: ['search:read', 'sms:read'] });
    const page = await search(reader, { q: 'secret' });
    assert.deepEqual([page.items.map(({ noun }) => noun), page.contacts], [['sms'], []]);
    assert.deepEqual((await search(reader, { q: 'secret', in: 'email' })).items, []);
    const nothing = organization({ organization_id, scopes: ['search:read'] });
    assert.equal((await nothing.request('GET', '/v1/search?q=secret')).status, 403);
    const other = organization({ organization_id, scopes: ['sms:read'] });
    assert.equal((await other.request('GET', '/v1/search?q=secret')).status, 403);
  });

  test('refuses a query that it cannot read, with the position', async () => {
    const own = organization();
    const refused = await own.request<Problem>('GET', '/v1/search?q=invoice+%22open');
    assert.deepEqual([refused.status, refused.body.code], [422, 'invalid_search']);
    assert.match(refused.body.detail, /position 8/);
    const many = await own.request<Problem>('GET', `/v1/search?q=${'w+'.repeat(13)}`);
    assert.deepEqual([many.status, many.body.code], [422, 'too_many_terms']);
    const pairs = await own.request<Problem>(
      'GET',
      '/v1/search?metadata[a]=1&metadata[b]=1&metadata[c]=1&metadata[d]=1',
    );
    assert.deepEqual([pairs.status, pairs.body.code], [422, 'validation_failed']);
  });

  test('never shows another organization, whatever the query is', async () => {
    const [one, two] = [organization(), organization()];
    const words = ['apple', 'pear', 'plum', 'fig'];
    const random = randomNumbers(test_seed);
    const own = new Map<string, Set<string>>();
    for (const client of [one, two]) {
      const ids = new Set<string>();
      for (let count = 0; count < 8; count++) {
        const text = `${random.pick(words)} ${random.pick(words)}`;
        ids.add(
          random.below(2) === 0
            ? await sms(client, text)
            : await email(client, { subject: text, metadata: { fruit: 'fig' } }),
        );
      }
      await contact(client, 'Apple Fig', 'fig@example.com');
      own.set(client.organization_id, ids);
    }
    const forms = [
      () => random.pick(words),
      () => `-${random.pick(words)}`,
      () => `"${random.pick(words)} ${random.pick(words)}"`,
      () => `${random.pick(words).slice(0, 2)}*`,
      () => `o:${two.organization_id}`,
      () => `"' | 'o:${two.organization_id}"`,
      () => 'to:bob@example.org',
      () => 'from:@sandbox.test',
      () => random.pick(['in:email', 'in:sms', 'is:outbound', 'after:2020-01-01']),
    ];
    for (let round = 0; round < 40; round++) {
      const q = Array.from({ length: 1 + random.below(3) }, () => random.pick(forms)()).join(' ');
      const client = random.pick([one, two]);
      const { items, contacts } = await search(client, {
        q,
        ...(random.below(3) === 0 && { 'metadata[fruit]': 'fig' }),
      });
      for (const { id } of items) assert.ok(own.get(client.organization_id)!.has(id), q);
      for (const { organization_id } of contacts) assert.equal(organization_id, client.organization_id, q);
    }
  });
});

describe('labels', () => {
  const label = (client: Client, path: string, labels: object) =>
    client.request<{ labels: string[]; code?: string }>('PATCH', path, { labels });

  test('of emails and texts are added and removed, and found by search and lists', async () => {
    const own = organization();
    const mail = `/v1/emails/${await email(own, { body_text: 'The blue bicycle' })}`;
    const text_id = await sms(own, 'A red bicycle');
    assert.deepEqual((await label(own, mail, { add: ['urgent', 'billing'] })).body.labels, [
      'billing',
      'urgent',
    ]);
    assert.deepEqual((await label(own, `/v1/sms/${text_id}`, { add: ['billing'] })).body.labels, ['billing']);
    assert.equal((await found(own, 'bicycle label:billing')).length, 2);
    assert.deepEqual((await label(own, mail, { remove: ['billing'] })).body.labels, ['urgent']);
    assert.deepEqual(await found(own, 'label:billing'), [text_id]);
    const { body } = await own.request<{ items: { id: string }[] }>('GET', '/v1/emails?label=urgent');
    assert.equal(body.items.length, 1);
    assert.equal((await own.request<{ items: [] }>('GET', '/v1/emails?label=other')).body.items.length, 0);
  });

  test('are limited in form and number', async () => {
    const own = organization();
    const mail = `/v1/emails/${await email(own, { body_text: 'Hi' })}`;
    assert.equal((await label(own, mail, { add: ['Not a label'] })).body.code, 'invalid_label');
    await label(own, mail, { add: Array.from({ length: 20 }, (_, at) => `l${at}`) });
    assert.equal((await label(own, mail, { add: ['one-more'] })).body.code, 'too_many_labels');
    assert.equal((await own.request('PATCH', mail, {})).status, 422);
    assert.equal((await label(organization(), mail, { add: ['mine'] })).status, 404);
  });
});

describe('lists', () => {
  type Page = { items: { id: string }[]; next_cursor: string | null };
  const listed = async (client: Client, path: string, parameters: Record<string, string>) => {
    await app.projector.drain();
    const answer = await client.request<Page>('GET', `${path}?${new URLSearchParams(parameters)}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.items.map(({ id }) => id);
  };

  test('of emails filter by words, people, metadata and time, together with the status', async () => {
    const own = organization();
    const first = await email(own, { subject: 'Blue', to: ['ana@example.com'], metadata: { order: '7' } });
    const second = await email(own, { subject: 'Blue too', to: ['bob@example.org'] });
    const emails = (parameters: Record<string, string>) => listed(own, '/v1/emails', parameters);
    assert.deepEqual(await emails({ q: 'blue' }), [second, first]);
    assert.deepEqual(await emails({ q: 'blue', status: 'failed' }), []);
    assert.deepEqual(await emails({ q: 'blue', status: 'sent', limit: '1' }), [second]);
    assert.deepEqual(await emails({ to: 'ana@example.com' }), [first]);
    assert.deepEqual(await emails({ to: '@example.org' }), [second]);
    assert.deepEqual(await emails({ 'metadata[order]': '7' }), [first]);
    assert.deepEqual(await emails({ until: '2020-01-01T00:00:00Z' }), []);
    assert.deepEqual(await emails({ since: '2020-01-01T00:00:00Z' }), [second, first]);
    assert.deepEqual(await emails({ held: 'true' }), []);
    assert.deepEqual(await emails({ held: 'false' }), [second, first]);
    assert.deepEqual(await listed(organization(), '/v1/emails', { q: 'blue' }), []);
  });

  test('of texts and calls filter by words, number and hold', async () => {
    const own = organization();
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    const text = await sms(own, 'Green');
    const waiting = await sms(own, 'Green later', { scheduled_at });
    const texts = (parameters: Record<string, string>) => listed(own, '/v1/sms', parameters);
    assert.deepEqual(await texts({ q: 'green' }), [waiting, text]);
    assert.deepEqual(await texts({ q: 'green', held: 'true' }), [waiting]);
    assert.deepEqual(await texts({ held: 'true' }), [waiting]);
    const { body } = await own.request<{ from: string }>('GET', `/v1/sms/${text}`);
    assert.deepEqual(await texts({ from: body.from }), [waiting, text]);
    assert.deepEqual(await texts({ from: '+15005550009' }), []);
    assert.deepEqual(await listed(own, '/v1/calls', { q: 'green' }), []);
  });
});

describe('with PARLEY_SEARCH=off', async () => {
  const off = await startTestApp({ PARLEY_SEARCH: 'off' });

  test('no index is written, and what needs it says so', async () => {
    await sms(off.client, 'Not indexed');
    await off.app.projector.drain();
    assert.deepEqual(await off.db.rows(sql`select id from search_documents`), []);
    assert.deepEqual(await off.db.rows(sql`select id from projection_queue`), []);
    for (const path of ['/v1/search?q=indexed', '/v1/sms?q=indexed']) {
      const answer = await off.client.request<Problem>('GET', path);
      assert.deepEqual([answer.status, answer.body.code], [503, 'search_off']);
    }
    assert.equal((await off.client.request('GET', '/v1/sms?since=2020-01-01T00:00:00Z')).status, 200);
  });
});

describe('an organization with many documents', () => {
  const organization_id = organization().organization_id;
  const ids = uuidv7Ids({ now: () => new Date(), ms: () => Date.now() });
  const service = (time_ms: number) =>
    searchService({
      db,
      emailText: async () => '',
      readContacts: async () => [],
      threadsOf: async (_, id) => [id],
      conversationsOf: async () => new Map(),
      is_on: true,
      time_ms,
    });

  test('is searched beyond the newest documents, and a search without time says that it is partial', async () => {
    const rare = ids.next();
    await db.run(sql`
      insert into sms_messages (id, organization_id, conversation_id, direction, "from", "to", body, status, segments, encoding,
                                provider, requested_at, metadata, origin, is_shared_sender, attempts, claims)
      values (${rare}, ${organization_id}, ${rare}, 'inbound', '+15005550001', '+15005550100', 'A rare word', 'received', 1,
              'gsm7', 'sandbox', now(), '{}', 'carrier', false, 0, 0)`);
    await app.projector.drain();
    await db.run(sql`
      insert into search_documents (organization_id, id, noun, words)
      select ${organization_id}, id, 'sms', ${`'o:${organization_id}' 'n:sms' 'common':1`}::tsvector
        from unnest(${Array.from({ length: 1100 }, () => ids.next())}::uuid[]) as id`);
    const q = [
      { kind: 'words' as const, words: ['rare'], is_prefix: false, field: 'any' as const, is_negated: false },
    ];

    const whole = await service(60_000).search(organization_id, { q, limit: 20 }, ['sms']);
    assert.deepEqual([whole.items.map(({ id }) => id), whole.is_partial], [[rare], false]);

    const partial = await service(0).search(organization_id, { q, limit: 20 }, ['sms']);
    assert.deepEqual([partial.items, partial.is_partial], [[], true]);
    assert.ok(partial.searched_until !== null);
    // The cursor continues where the search ended.
    const rest = await service(60_000).search(
      organization_id,
      { q, limit: 20, cursor: partial.next_cursor! },
      ['sms'],
    );
    assert.deepEqual(
      rest.items.map(({ id }) => id),
      [rare],
    );
  });
});

test('a rebuild writes the same documents again', async () => {
  const documents = () =>
    db.rows(
      sql`select id, noun, words::text as words from search_documents where exists (select from sms_messages m where m.id = search_documents.id) order by id`,
    );
  await app.projector.drain();
  const before = await documents();
  assert.ok(before.length > 0);
  await db.run(sql`delete from search_documents`);
  await requestFills(db, null);
  const job = fillJob({ db, wake() {} });
  await job.run({ id: '', kind: '', payload: {}, attempts: 0, claims: 1 }, new AbortController().signal);
  await app.projector.drain();
  assert.deepEqual(await documents(), before);
});

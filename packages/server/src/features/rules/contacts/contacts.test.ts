// Contacts over HTTP, with the whole service.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Contact } from '@parley/contract/rules/people/contacts';
import { startTestApp } from '../../../../testing/app.ts';

type Problem = {
  code: string;
  fix: string;
  detail: string;
  request_id: string;
  errors?: { path: string; code: string; message: string }[];
};
type Page = { items: Contact[]; next_cursor: string | null };

const { client, organization } = await startTestApp();

const anyone = () => organization();
const create = async (of: typeof client, body: Record<string, unknown>) => {
  const answer = await of.request<Contact>('POST', '/v1/contacts', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};

describe('creating a contact', () => {
  test('returns the whole record with a phone in E.164', async () => {
    const answer = await client.request<Contact>('POST', '/v1/contacts', {
      name: '  Ana Sousa ',
      phone_e164: '+1 (415) 555-0123',
      email: 'Ana@Example.com',
    });
    assert.equal(answer.status, 201);
    const { id, created_at, updated_at, ...rest } = answer.body;
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(updated_at, created_at);
    assert.deepEqual(rest, {
      organization_id: '00000000-0000-0000-0000-000000000000',
      kind: 'contact',
      name: 'Ana Sousa',
      phone_e164: '+14155550123',
      email: 'Ana@Example.com',
      role: null,
      time_zone: null,
      is_vouched: false,
      do_not_contact: false,
    });
    assert.deepEqual((await client.request('GET', `/v1/contacts/${id}`)).body, answer.body);
  });

  test('accepts every address that an email can be sent to, but only once in all its spellings (M11)', async () => {
    const own = anyone();
    for (const email of [
      'zoë@example.org',
      'ana@bücher.example',
      'ユーザー@例え.example',
      "o'hara!x@example.org",
    ]) {
      assert.equal((await create(own, { name: 'Zoë', email })).email, email);
      const sent = await own.request('POST', '/v1/emails', {
        recipient_consent: true,
        to: [email],
        subject: 'Hello',
      });
      assert.equal(sent.status, 201, sent.text);
    }
    for (const email of ['Ana@xn--bcher-kva.example', 'ana@BÜCHER.example', 'zoe\u0308@example.org']) {
      const answer = await own.request<Problem>('POST', '/v1/contacts', { name: 'Again', email });
      assert.deepEqual([answer.status, answer.body.code], [409, 'contact_exists'], email);
    }
    const found = await own.request<Page>('GET', `/v1/contacts?q=${encodeURIComponent('zoë@')}`);
    assert.deepEqual(
      found.body.items.map(({ email }) => email),
      ['zoë@example.org'],
    );
    for (const email of [
      'Zoë <zoë@example.org>',
      'zoë@',
      'zoë@example',
      'a b@example.org',
      'x@x\ufe0f.test',
    ]) {
      const answer = await own.request<Problem>('POST', '/v1/contacts', { name: 'None', email });
      assert.deepEqual([answer.status, answer.body.code], [422, 'validation_failed'], email);
    }
  });

  test('needs a phone or an email', async () => {
    const answer = await client.request<Problem>('POST', '/v1/contacts', { name: 'Nobody' });
    assert.equal(answer.status, 422);
    assert.equal(answer.body.code, 'validation_failed');
    assert.deepEqual(
      answer.body.errors?.map((error) => error.path),
      ['body'],
    );
  });

  test('lists all problems together', async () => {
    const answer = await client.request<Problem>('POST', '/v1/contacts', {
      name: '',
      phone_e164: '555-0123',
      email: 'not an address',
      nickname: 'A',
      role: 'x'.repeat(101),
    });
    assert.equal(answer.status, 422);
    assert.deepEqual(answer.body.errors?.map((error) => [error.path, error.code]).sort(), [
      ['body.email', 'invalid_format'],
      ['body.name', 'too_small'],
      ['body.nickname', 'unknown_field'],
      ['body.phone_e164', 'invalid_format'],
      ['body.role', 'too_large'],
    ]);
  });

  test('refuses text that cannot be stored', async () => {
    for (const name of ['a\u0000b', 'half \ud83d pair']) {
      const answer = await client.request<Problem>('POST', '/v1/contacts', { name, email: 'x@example.com' });
      assert.equal(answer.status, 422);
      assert.deepEqual(answer.body.errors, [
        {
          path: 'body.name',
          code: 'forbidden_character',
          message: 'Text may not hold NUL or half of a surrogate pair',
        },
      ]);
    }
  });

  test('is refused with 409 when another contact has the phone, in any spelling', async () => {
    const own = anyone();
    await create(own, { name: 'First', phone_e164: '+14155550199' });
    const answer = await own.request<Problem>('POST', '/v1/contacts', {
      name: 'Second',
      phone_e164: '+1 415 555 0199',
    });
    assert.equal(answer.status, 409);
    assert.equal(answer.body.code, 'contact_exists');
    assert.match(answer.body.detail, /phone/);
    assert.doesNotMatch(answer.body.detail, /email/);
  });

  test('is refused with 409 when another contact has the email, in upper or lower case', async () => {
    const own = anyone();
    await create(own, { name: 'First', email: 'Zoë@Example.com'.normalize('NFC').replace('ë', 'e') });
    const answer = await own.request<Problem>('POST', '/v1/contacts', {
      name: 'Second',
      email: 'ZOE@EXAMPLE.COM',
    });
    assert.equal(answer.status, 409);
    assert.match(answer.body.detail, /email/);
  });

  test('lets exactly one of many racing requests win', async () => {
    const own = anyone();
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        own.request(
          'POST',
          '/v1/contacts',
          i % 2
            ? { name: `Racer ${i}`, phone_e164: '+14155550177' }
            : { name: `Racer ${i}`, phone_e164: '+14155550177', email: 'racer@example.com' },
        ),
      ),
    );
    const statuses = answers.map((answer) => answer.status).sort();
    assert.deepEqual(statuses, [201, ...Array(23).fill(409)]);
    assert.equal((await own.request<Page>('GET', '/v1/contacts')).body.items.length, 1);
  });

  test('lets two organizations have the same person', async () => {
    const person = { name: 'Shared', phone_e164: '+14155550155', email: 'shared@example.com' };
    await create(anyone(), person);
    await create(anyone(), person);
  });
});

describe('listing contacts', () => {
  test('returns all pages, newest first, without gaps or repeats', async () => {
    const own = anyone();
    const made: string[] = [];
    for (let i = 0; i < 7; i++)
      made.unshift((await create(own, { name: `Person ${i}`, email: `p${i}@example.com` })).id);
    const seen: string[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const query: string = cursor ? `&cursor=${cursor}` : '';
      const answer = await own.request<Page>('GET', `/v1/contacts?limit=3${query}`);
      assert.equal(answer.status, 200);
      seen.push(...answer.body.items.map((item) => item.id));
      cursor = answer.body.next_cursor;
      pages++;
    } while (cursor);
    assert.deepEqual(seen, made);
    assert.equal(pages, 3);
  });

  test('finds by part of name, phone or email in upper or lower case', async () => {
    const own = anyone();
    await create(own, { name: 'Élodie Durand', phone_e164: '+33612345678' });
    await create(own, { name: 'Bob', email: 'bob+work@Example.com' });
    const names = async (q: string) =>
      (await own.request<Page>('GET', `/v1/contacts?q=${encodeURIComponent(q)}`)).body.items.map(
        (item) => item.name,
      );
    assert.deepEqual(await names('ÉLODIE'), ['Élodie Durand']);
    assert.deepEqual(await names('6 12 34'), ['Élodie Durand']);
    assert.deepEqual(await names('bob+WORK@'), ['Bob']);
    assert.deepEqual(await names('%'), []);
    assert.deepEqual(await names('_'), []);
  });

  test('accepts a limit from 1 to 200 and refuses others', async () => {
    for (const limit of ['1', '200'])
      assert.equal((await client.request('GET', `/v1/contacts?limit=${limit}`)).status, 200);
    for (const limit of ['0', '201', '-1', '1.5', '1e2', '', 'ten', '1&limit=2']) {
      const answer = await client.request<Problem>('GET', `/v1/contacts?limit=${limit}`);
      assert.equal(answer.status, 422, limit);
      assert.deepEqual(
        answer.body.errors?.map((error) => error.path),
        ['query.limit'],
      );
    }
  });

  test('refuses a cursor that cannot be read, and unknown parameters', async () => {
    const of_wrong_form = ['x'.repeat(3000), '%00', 'AAAA%00', '', '%F0%9F%98%80', 'A+/='];
    // (O9): also a cursor that no list could have returned.
    for (const cursor of ['x', 'AAAA', Buffer.alloc(21).toString('base64url'), ...of_wrong_form]) {
      const answer = await client.request<Problem>('GET', `/v1/contacts?cursor=${cursor}`);
      assert.equal(answer.status, 422, cursor);
      assert.equal(answer.body.code, 'invalid_cursor');
    }
    const answer = await client.request<Problem>('GET', '/v1/contacts?page=2');
    assert.deepEqual(
      answer.body.errors?.map((error) => [error.path, error.code]),
      [['query.page', 'unknown_field']],
    );
  });
});

describe('changing a contact', () => {
  test('keeps missing fields and clears fields that are null', async () => {
    const made = await create(client, {
      name: 'Carl',
      phone_e164: '+14155550111',
      email: 'carl@example.com',
      role: 'Cook',
    });
    const answer = await client.request<Contact>('PATCH', `/v1/contacts/${made.id}`, {
      email: null,
      name: 'Carla',
    });
    assert.equal(answer.status, 200);
    const { updated_at, ...rest } = answer.body;
    assert.ok(updated_at >= made.updated_at);
    assert.deepEqual({ ...rest, updated_at: made.updated_at }, { ...made, name: 'Carla', email: null });
  });

  test('must leave a phone or an email', async () => {
    const made = await create(client, { name: 'Dora', email: 'dora@example.com' });
    const answer = await client.request<Problem>('PATCH', `/v1/contacts/${made.id}`, { email: null });
    assert.equal(answer.status, 422);
    assert.equal(
      (await client.request<Contact>('GET', `/v1/contacts/${made.id}`)).body.email,
      'dora@example.com',
    );
  });

  test('is refused with 409 when another contact has the phone', async () => {
    const own = anyone();
    await create(own, { name: 'One', phone_e164: '+14155550101' });
    const two = await create(own, { name: 'Two', phone_e164: '+14155550102' });
    const answer = await own.request<Problem>('PATCH', `/v1/contacts/${two.id}`, {
      phone_e164: '+14155550101',
    });
    assert.equal(answer.status, 409);
    assert.equal(answer.body.code, 'contact_exists');
  });
});

test('a deleted contact is not found, and its phone can be used again', async () => {
  const own = anyone();
  const made = await create(own, { name: 'Eve', phone_e164: '+14155550133' });
  assert.equal((await own.request('DELETE', `/v1/contacts/${made.id}`)).status, 204);
  assert.equal((await own.request('GET', `/v1/contacts/${made.id}`)).status, 404);
  assert.equal((await own.request('DELETE', `/v1/contacts/${made.id}`)).status, 404);
  await create(own, { name: 'Eve again', phone_e164: '+14155550133' });
});

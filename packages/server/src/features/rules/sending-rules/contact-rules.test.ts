// Contact rules over HTTP: defaults, replacement, and who may change them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContactRules } from '@parley/contract/rules/people/contact-rules';
import { startTestApp } from '../../../../testing/app.ts';

const { client, operator } = await startTestApp();
const set = (as: typeof client, rules: unknown) =>
  as.request<ContactRules & { code: string }>('PUT', '/v1/contact-rules', rules);

test('without rules the defaults apply', async () => {
  const { status, body } = await client.request<ContactRules>('GET', '/v1/contact-rules');
  assert.equal(status, 200);
  assert.deepEqual([body.version, body.consent, body.stop_scope], [0, 'warrant', 'phone']);
});

test('a person replaces them; fields that are left out get their defaults again', async () => {
  const first = await set(operator, { consent: 'recorded', stop_scope: 'all' });
  assert.equal(first.status, 200, first.text);
  assert.deepEqual([first.body.version, first.body.consent, first.body.stop_scope], [1, 'recorded', 'all']);
  const second = await set(operator, { stop_scope: 'channel' });
  assert.deepEqual(
    [second.body.version, second.body.consent, second.body.stop_scope],
    [2, 'warrant', 'channel'],
  );
  assert.deepEqual((await client.request('GET', '/v1/contact-rules')).body, second.body);
});

test('programs cannot change them, and unknown values are refused', async () => {
  const refused = await set(client, { consent: 'warrant' });
  assert.deepEqual([refused.status, refused.body.code], [403, 'person_required']);
  assert.equal((await set(operator, { consent: 'assumed' })).status, 422);
});

test('of several first rules that the shared key sets at once, one counts', async () => {
  const other = await startTestApp();
  const answers = await Promise.all([1, 2, 3, 4].map(() => set(other.client, { stop_scope: 'all' })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403, 403, 403]);
});

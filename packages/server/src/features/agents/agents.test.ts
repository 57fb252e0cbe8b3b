// Agents over HTTP: create, update, validate, delete.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Agent } from '@parley/contract/agents';
import { startTestApp } from '../../../testing/app.ts';

const { organization } = await startTestApp();

test('an agent needs only a name; all other fields have defaults', async () => {
  const own = organization();
  const created = await own.request<Agent>('POST', '/v1/agents', { name: ' Desk ' });
  assert.equal(created.status, 201);
  const { id, created_at, updated_at, ...rest } = created.body;
  assert.equal(created_at, updated_at);
  assert.deepEqual(rest, {
    organization_id: own.organization_id,
    name: 'Desk',
    system_prompt: null,
    first_message: null,
    language: 'en',
    voice: null,
    llm_model: null,
    tools: [],
    max_duration_seconds: 600,
    ai_disclosure: true,
  });
  assert.deepEqual((await own.request('GET', `/v1/agents/${id}`)).body, created.body);
  assert.deepEqual((await own.request<{ items: unknown[] }>('GET', '/v1/agents')).body.items, [created.body]);
});

test('an update keeps the fields left out, and null clears a field', async () => {
  const own = organization();
  const fields = {
    name: 'Desk',
    system_prompt: 'Be kind.',
    voice: 'alto',
    tools: ['end_call'],
    language: 'pt-BR',
  };
  const { body: agent } = await own.request<Agent>('POST', '/v1/agents', fields);
  const changed = await own.request<Agent>('PATCH', `/v1/agents/${agent.id}`, {
    voice: null,
    name: 'Front desk',
  });
  assert.equal(changed.status, 200);
  const { updated_at: _, ...after } = changed.body;
  const { updated_at: __, ...before } = agent;
  assert.deepEqual(after, { ...before, voice: null, name: 'Front desk' });
});

test('all invalid fields are reported in one response', async () => {
  const response = await organization().request<{ errors: { path: string }[] }>('POST', '/v1/agents', {
    name: '',
    language: 'not a language',
    tools: ['fly', 'end_call'],
    max_duration_seconds: 29,
    ai_disclosure: 'yes',
    system_prompt: 'x'.repeat(32_001),
    temperature: 1,
  });
  assert.equal(response.status, 422);
  assert.deepEqual(response.body.errors.map((error) => error.path).sort(), [
    'body.ai_disclosure',
    'body.language',
    'body.max_duration_seconds',
    'body.name',
    'body.system_prompt',
    'body.temperature',
    'body.tools[0]',
  ]);
});

test('a deleted agent is not found', async () => {
  const own = organization();
  const { body: agent } = await own.request<Agent>('POST', '/v1/agents', { name: 'Desk' });
  assert.equal((await own.request('DELETE', `/v1/agents/${agent.id}`)).status, 204);
  assert.equal((await own.request('GET', `/v1/agents/${agent.id}`)).status, 404);
  assert.equal((await own.request('DELETE', `/v1/agents/${agent.id}`)).status, 404);
});

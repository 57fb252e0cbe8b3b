// Agents over HTTP: create, update, validate, delete.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Agent } from '@parley/contract/agents/agents';
import { startTestApp } from '../../../../testing/app.ts';
import { sql } from '../../../platform/db/sql.ts';

const { organization, db } = await startTestApp();

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
    tools: [{ type: 'end_call' }, { type: 'send_digits' }],
    max_duration_seconds: 600,
    ai_disclosure: true,
    version: 1,
    timezone: 'UTC',
    variables: {},
    engines: { llm: null, stt: null, tts: null, relay: null },
    destinations: [],
    limits: { tool_calls: 30, texts: 3, emails: 2, transfers: 3, hold_seconds: 600 },
    voicemail: { action: 'leave_message', message: null },
    result_schema: null,
    success_criteria: null,
    summarize: true,
    messaging: {
      reply_mode: 'send',
      reply_delay_seconds: null,
      replies_per_hour: 10,
      replies_per_day: 20,
      human_pause_minutes: 60,
      quiet_hours: null,
      history_messages: 30,
      include_calls: true,
      link_hosts: [],
      fallback_message: null,
      hand_over_to: null,
    },
    paused_until: null,
    paused_reason: null,
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
  assert.deepEqual(after, { ...before, voice: null, name: 'Front desk', version: 2 });
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

test('tools are given as names or entries and answered as entries', async () => {
  const own = organization();
  const client = {
    type: 'client',
    name: 'ask',
    description: 'Asks.',
    parameters: { type: 'object', properties: {} },
  };
  const tools = ['end_call', { type: 'send_sms', consent: 'configured' }, client];
  const { body: agent } = await own.request<Agent>('POST', '/v1/agents', { name: 'Desk', tools });
  assert.deepEqual(agent.tools, [{ type: 'end_call' }, ...tools.slice(1)]);
  const none = await own.request<Agent>('PATCH', `/v1/agents/${agent.id}`, { tools: [] });
  assert.deepEqual(none.body.tools, []);
});

test('a wrong tool entry is reported at its field', async () => {
  const response = await organization().request<{ errors: { path: string }[] }>('POST', '/v1/agents', {
    name: 'Desk',
    tools: [{ type: 'tool' }, { type: 'fly' }, { type: 'mcp', server_id: 'x', some: 1 }],
  });
  assert.equal(response.status, 422);
  assert.deepEqual(response.body.errors.map((error) => error.path).sort(), [
    'body.tools[0].tool_id',
    'body.tools[1].type',
    'body.tools[2].server_id',
    'body.tools[2].some',
  ]);
});

test('an update changes the named fields inside limits, voicemail, engines and messaging', async () => {
  const own = organization();
  const { body: agent } = await own.request<Agent>('POST', '/v1/agents', {
    name: 'Desk',
    limits: { texts: 1 },
    voicemail: { message: 'Please call back.' },
    messaging: { quiet_hours: { from: '08:00', to: '21:00' } },
  });
  const { body: changed } = await own.request<Agent>('PATCH', `/v1/agents/${agent.id}`, {
    limits: { emails: 0 },
    voicemail: { action: 'hang_up' },
    messaging: { replies_per_day: 5 },
  });
  assert.deepEqual([changed.limits.texts, changed.limits.emails, changed.limits.tool_calls], [1, 0, 30]);
  assert.deepEqual(changed.voicemail, { action: 'hang_up', message: 'Please call back.' });
  assert.deepEqual(changed.messaging.quiet_hours, { from: '08:00', to: '21:00', applies_to: 'initiated' });
  assert.equal(changed.messaging.replies_per_day, 5);
});

const desk = { name: 'desk', phone: '+15005550211', recipient_consent: true };

test('a destination is stored with the defaults of a transfer', async () => {
  const { body: agent } = await organization().request<Agent>('POST', '/v1/agents', {
    name: 'Desk',
    destinations: [{ ...desk, phone: '+1 500 555 0211' }],
  });
  assert.deepEqual(agent.destinations, [
    {
      ...desk,
      description: '',
      email: null,
      transfer: {
        mode: 'warm',
        brief: 'summary',
        accept: 'yes_or_1',
        ring_timeout_seconds: 25,
        on_failure: 'return',
        announce: null,
        then: null,
      },
    },
  ]);
});

test('a destination without consent is refused with its own code', async () => {
  const response = await organization().request<{ code: string }>('POST', '/v1/agents', {
    name: 'Desk',
    destinations: [{ ...desk, recipient_consent: false }],
  });
  assert.deepEqual([response.status, response.body.code], [422, 'consent_required']);
});

test('destinations need a way to contact them, unique names and chains that end', async () => {
  const refused = async (...destinations: object[]) => {
    const body = { name: 'Desk', destinations };
    const response = await organization().request<{ errors: { path: string }[] }>('POST', '/v1/agents', body);
    assert.equal(response.status, 422);
    return response.body.errors.map(({ path }) => path.replace('body.destinations', ''));
  };
  const chained = (name: string, next: string) => ({ ...desk, name, transfer: { then: next } });
  assert.deepEqual(await refused({ ...desk, phone: null }), ['[0].phone']);
  assert.deepEqual(await refused(desk, desk), ['[1].name']);
  assert.deepEqual(await refused(chained('a', 'b')), ['[0].transfer']);
  assert.deepEqual(await refused(chained('a', 'b'), chained('b', 'a')), ['[0].transfer', '[1].transfer']);
  assert.deepEqual(await refused({ ...desk, transfer: { on_failure: 'next' } }), ['[0].transfer']);
  assert.deepEqual(await refused({ ...desk, name: 'person' }), ['[0].name']);
});

test('variables have limits, and reserved names are refused', async () => {
  const refused = async (variables: object) => {
    const response = await organization().request<{ errors: { path: string }[] }>('POST', '/v1/agents', {
      name: 'Desk',
      variables,
    });
    assert.equal(response.status, 422);
    return response.body.errors.map(({ path }) => path);
  };
  const many = (count: number, value: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, value]));
  assert.deepEqual(await refused({ now: 'x' }), ['body.variables.now']);
  assert.deepEqual(await refused({ Name: 'x' }), ['body.variables.Name']);
  assert.deepEqual(await refused({ name: 'x'.repeat(2001) }), ['body.variables.name']);
  assert.deepEqual(await refused(many(51, 'x')), ['body.variables']);
  assert.deepEqual(await refused(many(10, 'x'.repeat(2000))), ['body.variables']);
});

/** A row as a process of the previous release inserts it. */
async function earlierAgent(organization_id: string, tools: string[]): Promise<string> {
  const id = randomUUID();
  const row = {
    id,
    organization_id,
    name: 'Old',
    language: 'en',
    tools,
    max_duration_seconds: 600,
    ai_disclosure: true,
    created_at: new Date(),
    updated_at: new Date(),
  };
  await db.run(
    sql`insert into agents select * from json_populate_record(null::agents, ${JSON.stringify(row)})`,
  );
  return id;
}

const earlier_tools = [{ type: 'end_call' }, { type: 'send_digits' }, { type: 'do_not_contact' }];

test('an agent that a process of the previous release stored is complete, and keeps ending calls and pressing keys', async () => {
  const own = organization();
  const id = await earlierAgent(own.organization_id, ['do_not_contact', 'end_call']);
  const { body } = await own.request<Agent>('GET', `/v1/agents/${id}`);
  assert.deepEqual(body.tools, earlier_tools);
  assert.deepEqual([body.version, body.timezone, body.summarize, body.limits.texts], [1, 'UTC', true, 3]);
  const page = await own.request<{ items: Agent[] }>('GET', '/v1/agents');
  assert.deepEqual(page.body.items, [body]);
  const changed = await own.request<Agent>('PATCH', `/v1/agents/${id}`, { name: 'New' });
  assert.deepEqual([changed.body.version, changed.body.tools], [2, earlier_tools]);
});

test('the migration turns names into entries and adds what every call could do', async () => {
  const own = organization();
  const id = await earlierAgent(own.organization_id, ['do_not_contact', 'end_call']);
  const file = new URL('../../../../migrations/0113_agents_that_act.sql', import.meta.url);
  const statement = /^update agents$[\s\S]*?;/m.exec(readFileSync(file, 'utf8'))![0];
  const undo = new Error('undo');
  const migrated = db.transaction(async (tx) => {
    await tx.run(sql`${sql.raw(statement.replace(';', ''))} where id = ${id}`);
    const row = await tx.maybe(sql`select version, tool_entries from agents where id = ${id}`);
    assert.deepEqual(row, { version: 1, tool_entries: earlier_tools });
    throw undo;
  });
  await assert.rejects(migrated, undo);
});

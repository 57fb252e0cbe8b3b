// An agent with a conversation token: the tools of its conversation work, and no other record is reached.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { startTestApp, type Client as TestClient } from '../../server/testing/app.ts';
import { ok } from '../../server/testing/conversations.ts';
import { sharedValidator } from '../testing/shared-validator.ts';
import { startMcp } from './index.ts';

const api = await startTestApp();
type Record = { id: string; conversation_id: string };
const { e164 } = await ok<{ e164: string }>(api.client, 'POST', '/v1/numbers', { country_code: 'US' });
const receive = (from: string, body: string) =>
  ok<Record>(api.client, 'POST', '/v1/sandbox/inbound-sms', { from, to: e164, body });
const own = await receive('+14155552671', 'Is the blue bicycle ready?');
const foreign = await receive('+14155552672', 'My bicycle is red.');
await api.app.projector.drain();

async function agent(of: TestClient, conversation_id: string) {
  const { token } = await ok<{ token: string }>(
    of,
    'POST',
    `/v1/conversations/${conversation_id}/tokens`,
    {},
  );
  const mcp = await startMcp({
    api_url: api.url,
    toolsets: ['all'],
    read_only: false,
    mode: { kind: 'key' },
    host: '127.0.0.1',
    port: 0,
    public_url: null,
    onError: (error) => assert.fail(error),
  });
  after(() => mcp.close());
  const client = new Client(
    { name: 'agent', version: '1' },
    { capabilities: {}, versionNegotiation: { mode: 'auto' }, jsonSchemaValidator: sharedValidator },
  );
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp.url), { requestInit }));
  after(() => client.close());
  await client.listTools();
  return async (name: string, input: object) => {
    const { isError = false, content } = await client.callTool({ name, arguments: { ...input } });
    return { is_error: isError, text: JSON.stringify(content) };
  };
}

test('U6: with a conversation token an MCP client reads, searches, answers and waits in its conversation only', async () => {
  const call = await agent(api.client, own.conversation_id);
  const { conversation_id } = own;
  const read = await call('get_conversation', { conversation_id });
  assert.deepEqual([read.is_error, read.text.includes('blue bicycle')], [false, true], read.text);
  const found = await call('search', { q: 'bicycle' });
  assert.equal(found.is_error, false, found.text);
  assert.ok(found.text.includes(own.id) && !found.text.includes(foreign.id), found.text);
  const sent = await call('reply', { conversation_id, body_text: 'It is ready.', recipient_consent: true });
  assert.equal(sent.is_error, false, sent.text);
  assert.equal((await call('get_conversation', { conversation_id: foreign.conversation_id })).is_error, true);
  assert.equal((await call('list_conversations', {})).is_error, true);
  const answered = call('wait_for', {
    any_of: [{ kind: 'reply', conversation_id }],
    since: new Date().toISOString(),
    timeout_seconds: 30,
  });
  await receive('+14155552671', 'Thank you.');
  const waited = await answered;
  assert.equal(waited.is_error, false, waited.text);
});

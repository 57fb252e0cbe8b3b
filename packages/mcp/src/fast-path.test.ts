// The fast path is only an optimization: with it and without it every response has the same bytes.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestApp } from '../../server/testing/app.ts';
import { startMcp } from './index.ts';

const api = await startTestApp();

async function start(fast_path: boolean) {
  const mcp = await startMcp({
    api_url: api.url,
    toolsets: ['all'],
    read_only: false,
    fast_path,
    mode: { kind: 'static', key: api.client.key },
    host: '127.0.0.1',
    port: 0,
    public_url: null,
    onError: (error) => assert.fail(error),
  });
  after(() => mcp.close());
  return mcp.url;
}
const fast = await start(true);
const plain = await start(false);

const contact = { name: 'Ana', email: 'ana-fast@example.com', idempotency_key: 'fast-path-1' };
const unknown_id = '00000000-0000-4000-8000-000000000000';

/** Results, failures of every kind, arguments of every kind, and requests that only the protocol library can handle. */
const requests: [method: string, params: Record<string, unknown>][] = [
  ['tools/list', {}],
  ['tools/call', { name: 'contacts_create', arguments: contact }],
  ['tools/call', { name: 'whoami' }],
  ['tools/call', { name: 'whoami', arguments: {} }],
  ['tools/call', { name: 'lookup_contact', arguments: { q: contact.email } }],
  ['tools/call', { name: 'contacts_get', arguments: { contact_id: unknown_id } }],
  ['tools/call', { name: 'contacts_create', arguments: { nmae: 'x' } }],
  ['tools/call', { name: 'contacts_create', arguments: { name: '', email: 'nonsense' } }],
  ['tools/call', { name: 'contacts_get', arguments: {} }],
  ['tools/call', { name: 'send_email', arguments: { to: ['bob@example.org'], subject: 'x' } }],
  [
    'tools/call',
    { name: 'send_email', arguments: { to: ['bob@example.org'], subject: 'x', recipient_consent: false } },
  ],
  ['tools/call', { name: 'no_such_tool', arguments: {} }],
  ['resources/list', {}],
];

const versions = ['2025-06-18', '2025-11-25', '2026-07-28'] as const;

function messageOf(version: string, method: string, params: Record<string, unknown>) {
  const is_modern = version === '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      ...(is_modern && { 'mcp-method': method }),
      ...(is_modern && method === 'tools/call' && { 'mcp-name': String(params.name) }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method,
      params: is_modern ? { ...params, _meta } : params,
    }),
  };
}

/** The JSON-RPC message of a response. The library may send it as the only event of a stream. */
async function send(url: string, message: { headers: Record<string, string>; body: string }) {
  const response = await fetch(url, { method: 'POST', ...message });
  const text = await response.text();
  return { status: response.status, message: /^data: (.*)$/m.exec(text)?.[1] ?? text };
}

for (const version of versions) {
  describe(`protocol ${version}: with and without the fast path`, () => {
    for (const [method, params] of requests) {
      test(`${method} ${JSON.stringify(params)} has the same bytes`, async () => {
        const message = messageOf(version, method, params);
        // The first request creates the record; the compared ones are replays with the same idempotency key.
        if (params.arguments === contact) await send(fast, message);
        const [with_it, without_it] = [await send(fast, message), await send(plain, message)];
        assert.equal(with_it.message, without_it.message);
        assert.equal(with_it.status, without_it.status);
      });
    }
  });
}

// The MCP server with real clients from npm, of both protocol generations, in both modes.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { startTestApp } from '../../server/testing/app.ts';
import { sharedValidator } from '../testing/shared-validator.ts';
import { startMcp } from './index.ts';
import type { Mode } from './mode.ts';

const api = await startTestApp();
const issuer = 'https://issuer.example';

async function start(mode: Mode, more: { toolsets?: string[]; read_only?: boolean; api_url?: string } = {}) {
  const mcp = await startMcp({
    api_url: api.url,
    toolsets: ['all'],
    read_only: false,
    ...more,
    mode,
    host: '127.0.0.1',
    port: 0,
    public_url: null,
    onError: (error) => assert.fail(error),
  });
  after(() => mcp.close());
  return mcp;
}
const open = await start({ kind: 'static', key: api.client.key });
const guarded = await start({ kind: 'oauth', authorization_servers: [issuer] });

/** A token in the form of a JWT; the API of the test accepts it without checking the signature. */
function tokenFor(claims: { aud?: unknown; exp?: number }): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + 3600;
  return `${part({ alg: 'ES256' })}.${part({ aud: guarded.url, exp, ...claims })}.${part(Math.random())}`;
}

async function connect(
  url: string,
  options: { mode: 'auto' | 'legacy'; token?: string; capabilities?: object } = { mode: 'auto' },
) {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: options.capabilities ?? {},
      versionNegotiation: { mode: options.mode },
      jsonSchemaValidator: sharedValidator,
    },
  );
  const { token } = options;
  await client.connect(
    new StreamableHTTPClientTransport(
      new URL(url),
      token ? { requestInit: { headers: { authorization: `Bearer ${token}` } } } : {},
    ),
  );
  after(() => client.close());
  return client;
}

/** Sends bytes that are no HTTP request, and returns the response. */
async function rawBytes(url: string, bytes: string): Promise<string> {
  const socket = connectSocket(Number(new URL(url).port), '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

/** Sends headers that `fetch` does not allow. */
function raw(url: string, headers: Record<string, string>, body?: string, method = 'POST') {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>(
    (resolve, reject) => {
      const sent = request(url, { method, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      });
      sent.on('error', reject);
      sent.end(body);
    },
  );
}
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const whoami = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'whoami', arguments: {} },
});

for (const mode of ['auto', 'legacy'] as const) {
  describe(`static-key mode, a client of the ${mode === 'auto' ? 'new' : 'old'} protocol`, () => {
    test('lists the tools, calls them, and gets a next step with every failure', async () => {
      const client = await connect(open.url, { mode });
      const { tools } = await client.listTools();
      assert.ok(tools.some(({ name }) => name === 'whoami'));
      const me = await client.callTool({ name: 'whoami', arguments: {} });
      assert.equal((me.structuredContent as { auth_kind: string }).auth_kind, 'shared_key');

      const person = { name: `Ana ${mode}`, email: `ana-${mode}@example.com` };
      const created = await client.callTool({ name: 'contacts_create', arguments: person });
      assert.equal(created.isError, undefined);
      const found = await client.callTool({ name: 'lookup_contact', arguments: { q: person.email } });
      const { items } = found.structuredContent as { items: { name: string; organization_id?: string }[] };
      assert.deepEqual(
        items.map(({ name, organization_id }) => [name, organization_id]),
        [[person.name, undefined]],
      );
      const wrong = await client.callTool({ name: 'contacts_create', arguments: { nmae: 'x' } });
      assert.equal(wrong.isError, true);
      assert.match(JSON.stringify(wrong.content), /no argument nmae/);
    });

    test('a repeated call runs once and says so', async () => {
      const client = await connect(open.url, { mode });
      const person = { name: 'Bo', email: `bo-${mode}@example.com` };
      const first = await client.callTool({ name: 'contacts_create', arguments: person });
      const second = await client.callTool({ name: 'contacts_create', arguments: person });
      assert.equal(second.isError, undefined, 'not "a contact with this email exists"');
      assert.deepEqual(second.structuredContent, first.structuredContent);
      assert.match(JSON.stringify(second.content), /nothing was sent now/);
    });

    test('an unknown tool is a protocol error', async () => {
      const client = await connect(open.url, { mode });
      await assert.rejects(
        client.callTool({ name: 'launch_rocket', arguments: {} }),
        /Unknown tool launch_rocket/,
      );
    });
  });
}

describe('OAuth mode', () => {
  test('a request without a token gets a challenge with the metadata URL', async () => {
    const response = await raw(guarded.url, json, whoami);
    assert.equal(response.status, 401);
    const metadata = guarded.url.replace('/mcp', '/.well-known/oauth-protected-resource/mcp');
    assert.equal(
      response.headers['www-authenticate'],
      `Bearer scope="parley", resource_metadata="${metadata}"`,
    );
    const get = await raw(guarded.url, {}, undefined, 'GET');
    assert.equal(get.status, 401);
  });

  test('the metadata is served at the path-specific URL and at the root', async () => {
    const root = guarded.url.replace('/mcp', '/.well-known/oauth-protected-resource');
    for (const metadata_url of [root, `${root}/mcp`]) {
      const response = await fetch(metadata_url);
      assert.equal(response.status, 200);
      assert.deepEqual(await response.json(), {
        resource: guarded.url,
        authorization_servers: [issuer],
        scopes_supported: ['parley'],
        bearer_methods_supported: ['header'],
        resource_name: 'Parley',
      });
    }
    assert.equal((await fetch(root.replace(guarded.url, open.url), { method: 'POST' })).status, 405);
    assert.equal(
      (await fetch(open.url.replace('/mcp', '/.well-known/oauth-protected-resource'))).status,
      404,
    );
  });

  test('the caller’s token is forwarded, so that callers see their own organization', async () => {
    for (const mode of ['auto', 'legacy'] as const) {
      const token = tokenFor({});
      const { organization_id } = api.organization({ key: token });
      const client = await connect(guarded.url, { mode, token });
      const me = await client.callTool({ name: 'whoami', arguments: {} });
      assert.equal((me.structuredContent as { organization_id: string }).organization_id, organization_id);
    }
  });

  test('a token that is expired, issued for another service or unknown to the API gets a challenge', async () => {
    const known = (claims: { aud?: unknown; exp?: number }) => {
      const token = tokenFor(claims);
      api.organization({ key: token });
      return token;
    };
    for (const [token, why] of [
      [known({ exp: 1 }), 'expired'],
      [known({ aud: 'https://other.example' }), 'another service'],
      [known({ aud: undefined }), 'another service'],
      [tokenFor({}), 'not accepted'],
      ['garbage', 'not accepted'],
    ] as const) {
      const response = await raw(guarded.url, { ...json, authorization: `Bearer ${token}` }, whoami);
      assert.equal(response.status, 401, why);
      assert.match(String(response.headers['www-authenticate']), /^Bearer error="invalid_token", error_desc/);
      assert.match(response.text, new RegExp(why));
    }
  });

  test('a token with too few scopes gets a challenge for more scopes', async () => {
    const token = tokenFor({});
    api.organization({ key: token, scopes: ['contacts:read'] });
    const response = await raw(guarded.url, { ...json, authorization: `Bearer ${token}` }, whoami);
    assert.equal(response.status, 403);
    assert.match(
      String(response.headers['www-authenticate']),
      /^Bearer error="insufficient_scope".*scope="parley"/,
    );
  });

  test('an issued key works within its scopes', async () => {
    const { key } = api.organization({ scopes: ['contacts:read'] });
    const client = await connect(guarded.url, { mode: 'auto', token: key });
    const found = await client.callTool({ name: 'lookup_contact', arguments: {} });
    assert.deepEqual(found.structuredContent, { items: [], next_cursor: null });
    const person = { name: 'X', email: 'x@example.com' };
    const refused = await client.callTool({ name: 'contacts_create', arguments: person });
    assert.match(JSON.stringify(refused.content), /insufficient_scope/);
  });

  test('an unreachable API is 503 with Retry-After, not an invalid token', async () => {
    const lost = await start(
      { kind: 'oauth', authorization_servers: [issuer] },
      { api_url: 'http://127.0.0.1:1' },
    );
    const response = await raw(lost.url, { ...json, authorization: 'Bearer some-key' }, whoami);
    assert.equal(response.status, 503);
    assert.equal(response.headers['retry-after'], '5');
    assert.equal(response.headers['www-authenticate'], undefined);
  });
});

describe('host and origin checks', () => {
  test('reject a page of another site, also with DNS rebinding', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://localhost:3000' },
      { origin: 'http://127.0.0.1' },
      { host: 'evil.example' },
      { host: 'evil.example:8081' },
      { host: '127.0.0.1.evil.example' },
    ]) {
      const response = await raw(open.url, { ...json, ...headers }, whoami);
      assert.equal(response.status, 403, JSON.stringify(headers));
    }
    const own = await raw(open.url, { ...json, origin: new URL(open.url).origin }, whoami);
    assert.equal(own.status, 200);
  });

  test('a refused request gets a code and a fix: as JSON-RPC at the endpoint, as problem+json elsewhere', async () => {
    const at_endpoint = [
      [await raw(open.url, json, '{"jsonrpc"'), 'malformed_json'],
      [await raw(open.url, { ...json, origin: 'https://evil.example' }, whoami), 'origin_not_allowed'],
      [await raw(open.url, { ...json, host: 'evil.example' }, whoami), 'host_not_allowed'],
      [await raw(guarded.url, json, whoami), 'unauthenticated'],
    ] as const;
    for (const [response, code] of at_endpoint) {
      const { error } = JSON.parse(response.text) as { error: { data: { code: string; fix: string } } };
      assert.equal(error.data.code, code);
      assert.ok(error.data.fix);
    }
    const [outside, malformed] = [
      await raw(`${open.url}/%zz`, {}),
      await rawBytes(open.url, 'not http\r\n\r\n'),
    ];
    assert.match(malformed, /^HTTP\/1\.1 400 .*\r\ncontent-type: application\/problem\+json\r\n/);
    for (const [body, code] of [
      [outside.text, 'not_found'],
      [malformed.split('\r\n\r\n')[1]!, 'malformed_request'],
    ] as const) {
      const problem = JSON.parse(body) as { code: string; fix: string };
      assert.equal(problem.code, code);
      assert.ok(problem.fix);
    }
  });

  test('a request outside the protocol gets a plain error', async () => {
    assert.equal((await raw(open.url, {}, undefined, 'GET')).status, 405);
    assert.equal((await raw(open.url, {}, undefined, 'DELETE')).status, 405);
    assert.equal((await raw(`${open.url}x`, json, whoami)).status, 404);
    assert.equal((await raw(open.url, json, '{"jsonrpc"')).status, 400);
    assert.equal(
      (await raw(open.url, { accept: json.accept, 'content-type': 'text/plain' }, whoami)).status,
      415,
    );
    assert.equal((await raw(open.url, json, `"${'x'.repeat(10 * 1024 * 1024)}"`)).status, 413);
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    assert.ok((await raw(open.url, json, deep)).status >= 400);
    assert.equal((await raw(open.url, json, whoami)).status, 200, 'the server keeps running');
  });
});

test('deeply nested messages are rejected as a client error (O9)', async () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  const call = (depth: number) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":{"a":${nested(depth)}}}}`;
  for (const body of [nested(5000), call(5000), nested(100_000), `{"a":${nested(100)}}`]) {
    const response = await fetch(open.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body,
    });
    assert.equal(response.status, 400);
    const { error } = (await response.json()) as { error: { code: number } };
    assert.equal(error.code, -32600);
  }
});

test('read-only offers no tool that changes anything', async () => {
  const mcp = await start({ kind: 'static', key: api.client.key }, { read_only: true });
  const client = await connect(mcp.url);
  const { tools } = await client.listTools();
  assert.ok(tools.length > 0 && tools.every(({ annotations }) => annotations?.readOnlyHint));
  await assert.rejects(client.callTool({ name: 'contacts_delete', arguments: {} }), /Unknown tool/);
});

test('an unknown toolset fails at the start', async () => {
  await assert.rejects(
    start({ kind: 'static', key: 'k' }, { toolsets: ['defualt'] }),
    /Unknown MCP toolset defualt\. Choose from: all, default/,
  );
});

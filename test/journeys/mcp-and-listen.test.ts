// Other interfaces than the API: the MCP server starts with it or alone, and `listen` continues after a restart.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { after, describe, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { commandLine } from '../../packages/cli/testing/command-line.ts';
import { freePort } from '../../packages/server/testing/free-port.ts';
import { makeHome, type Service, sharedDatabase, until } from './process.ts';

async function connect(url: string, key?: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  after(() => client.close());
  return client;
}
const addressIn = (output: string) => /^ {2}MCP +(\S+)$/m.exec(output)?.[1] ?? 'none';

test('a first start offers the MCP tools on loopback to clients with the key (I7)', async (t) => {
  const service = await makeHome(t).start();
  const url = addressIn(service.output());
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  // A local client is not trusted: it may be another user or a page in a browser.
  for (const authorization of ['', 'Bearer wrong']) {
    const refused = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    assert.equal(refused.status, 401);
    assert.match(refused.headers.get('www-authenticate') ?? '', /^Bearer /);
  }
  const me = await (await connect(url, service.key)).callTool({ name: 'whoami', arguments: {} });
  assert.equal((me.structuredContent as { auth_kind: string }).auth_kind, 'shared_key');
  const known = (await (await fetch(`${service.url}/.well-known/parley.json`)).json()) as { mcp: unknown };
  assert.deepEqual(known.mcp, { url, auth: 'key' });
  assert.deepEqual(await service.stop(), { code: 0, signal: null });
});

test('in managed mode the tools require a token of this service and do not use the shared key', async (t) => {
  const service = await makeHome(t).start({ PARLEY_MANAGED: 'on' });
  const url = addressIn(service.output());
  const ask = (authorization?: string) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(authorization ? { authorization } : {}),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
  const refused = await ask();
  assert.equal(refused.status, 401);
  const metadata_url = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1];
  assert.ok(metadata_url, 'the refusal names the metadata URL');
  const metadata = (await (await fetch(metadata_url)).json()) as {
    resource: string;
    authorization_servers: string[];
  };
  assert.equal(metadata.resource, url);
  const issuer = metadata.authorization_servers[0] ?? 'none';
  assert.ok(issuer.startsWith(`${service.url}/`), issuer);
  const well_known = new URL(issuer);
  well_known.pathname = `/.well-known/oauth-authorization-server${well_known.pathname}`;
  const server = (await (await fetch(well_known)).json()) as { issuer: string };
  assert.equal(server.issuer, issuer);
  assert.deepEqual(await service.stop(), { code: 0, signal: null });
});

describe('the MCP server alone', { concurrency: 2 }, () => {
  const alone = { PARLEY_ROLES: 'mcp', PARLEY_BASE_URL: 'http://127.0.0.1:1' };
  const servers = { PARLEY_MCP_AUTHORIZATION_SERVERS: 'https://issuer.example' };

  test('does not start with both modes configured', async (t) => {
    const launched = makeHome(t).launch({ ...alone, ...servers, PARLEY_MCP_KEY: 'k' });
    assert.equal((await launched.exited).code, 1);
    assert.match(launched.output(), /mcp_mode_ambiguous/);
  });

  test('does not start with neither mode configured', async (t) => {
    const launched = makeHome(t).launch(alone);
    assert.equal((await launched.exited).code, 1);
    assert.match(launched.output(), /mcp_not_configured/);
    assert.match(launched.output(), /PARLEY_MCP_KEY/);
  });

  test('needs no database, and stops on a signal', async (t) => {
    const home = makeHome(t);
    for (const mode of [{ PARLEY_MCP_KEY: 'k' }, servers]) {
      const launched = home.launch({ ...alone, ...mode });
      const [, url] = await launched.prints(/^ {2}MCP +(\S+)$/m);
      assert.equal((await fetch(new URL('/healthz', url))).status, 200);
      const unused = connectTcp(Number(new URL(url!).port), '127.0.0.1');
      await once(unused, 'connect');
      assert.deepEqual(await launched.stop(), { code: 0, signal: null });
      unused.destroy();
    }
    await home.noPostgresLeft();
  });
});

test('listen survives a server that is killed and loses no event', async (t) => {
  const received: string[] = [];
  const local = createServer((request, response) => {
    received.push(String(request.headers['x-service-delivery']));
    request.resume();
    response.end();
  });
  await new Promise<void>((resolve) => local.listen(0, '127.0.0.1', resolve));
  t.after(() => local.close());

  const home = makeHome(t);
  const PORT = String(await freePort());
  const settings = { ...(await sharedDatabase(t)), PORT };
  let service = await home.start(settings);
  const happen = async (of: Service, count: number) => {
    const made = await of.request<{ items: { id: string }[] }>('POST', '/v1/sandbox/events', {
      type: 'call.busy',
      count,
    });
    assert.equal(made.status, 201);
    return made.body.items.map(({ id }) => id);
  };
  const { start } = commandLine(service.url);
  const target = `http://127.0.0.1:${(local.address() as AddressInfo).port}/`;
  const listener = start(['listen', '--forward-to', target], { PARLEY_API_KEY: service.key });
  await listener.prints(/"ready":true/);

  // Killed before the stream carried an event: the client must know its position anyway.
  await service.kill();
  service = await home.start(settings);
  const expected = await happen(service, 20);
  await until(() => received.length >= 20);

  expected.push(...(await happen(service, 50)));
  await service.kill();
  service = await home.start(settings);
  expected.push(...(await happen(service, 20)));
  await until(() => new Set(received).size >= expected.length);
  assert.deepEqual(new Set(received), new Set(expected));
  assert.equal(received.length, expected.length, 'no event arrives twice');
});

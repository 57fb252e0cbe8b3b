// A tool of MCP that waits under an OAuth grant ends when the grant is revoked, and the next request is refused.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { sql } from '../../server/src/platform/db/sql.ts';
import { startTestApp } from '../../server/testing/app.ts';
import { consoleToken } from '../../server/testing/console.ts';
import { freePort } from '../../server/testing/free-port.ts';
import { oauthProgram } from '../../server/testing/oauth.ts';
import { signUp } from '../../server/testing/visitor.ts';
import { waitFor } from '../../server/testing/wait-for.ts';
import { startMcp } from './index.ts';

const port = await freePort();
const mcp_url = `http://127.0.0.1:${port}/mcp`;
const api = await startTestApp({
  PARLEY_MANAGED: 'on',
  PARLEY_SIGN_UP: 'open',
  PARLEY_TRUSTED_PROXIES: '127.0.0.1',
  PARLEY_MCP_URL: mcp_url,
});
const mcp = await startMcp({
  api_url: api.url,
  mode: { kind: 'oauth', authorization_servers: [`${api.url}/auth`] },
  host: '127.0.0.1',
  port,
  public_url: null,
  toolsets: ['default'],
  read_only: false,
  onError: (error) => assert.fail(error),
});
after(() => mcp.close());

test('S4: a wait of MCP ends when its grant is revoked, and nothing works after it', {
  timeout: 60_000,
}, async () => {
  const browser = await signUp(api, { email: `${randomUUID()}@example.com`, organization: 'Sousa Trading' });
  const session = api.holder(await consoleToken(browser));
  const program = oauthProgram(api.url);
  const { access_token } = await program.connect(browser, await program.register(), { resource: mcp_url });
  const client = new Client({ name: 'agent', version: '1' });
  const headers = { authorization: `Bearer ${access_token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp.url), { requestInit: { headers } }));
  after(() => client.close());

  const any_of = [{ kind: 'code', channel: 'email' }];
  const waiting = client
    .callTool({ name: 'wait_for', arguments: { any_of, timeout_seconds: 50 } }, { timeout: 55_000 })
    .then(({ isError, content }) => (isError ? JSON.stringify(content) : 'answered'), String);
  await waitFor('it waits', async () => (await api.db.rows(sql`select id from waits`)).length === 1);
  const { items } = (await session.request<{ items: { id: string }[] }>('GET', '/v1/oauth-grants')).body;
  assert.equal((await session.request('DELETE', `/v1/oauth-grants/${items[0]!.id}`)).status, 204);
  assert.match(await waiting, /unauthenticated|401|Unauthorized/i);
  await assert.rejects(client.callTool({ name: 'whoami', arguments: {} }));
});

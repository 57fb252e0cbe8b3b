// Wrong credentials sent to the MCP server count for the client that sent them, not for the MCP server.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestApp } from '../../../testing/app.ts';
import { readConfig } from '../../config/config.ts';
import { makeLog } from '../../platform/log.ts';
import { startMcpRole } from './mcp-role.ts';

const proxies = { PARLEY_TRUSTED_PROXIES: '127.0.0.0/8' };
const limit = 3;

async function startBoth(settings: Record<string, string>, is_beside: boolean) {
  const api = await startTestApp({ ...settings, PARLEY_FAILED_CREDENTIALS_PER_MINUTE: String(limit) });
  const alone = { PARLEY_BASE_URL: api.url, PARLEY_MCP_AUTHORIZATION_SERVERS: `${api.url}/auth` };
  const mcp = await startMcpRole({
    config: readConfig({ MCP_PORT: '0', ...settings, ...(is_beside ? {} : alone) }, process.cwd()),
    log: makeLog({ level: 'silent', show_personal_data: false }),
    tracing: null,
    beside: is_beside ? { url: api.url, shared_key: api.client.key, issuer: null } : null,
  });
  after(() => mcp.close());
  const list = (key: string, client_ip: string) =>
    fetch(mcp.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'x-forwarded-for': client_ip,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      signal: AbortSignal.timeout(10_000),
    });
  return { api, list };
}

for (const [where, is_beside] of [
  ['beside the API', true],
  ['in its own process, whose address the API trusts as a proxy', false],
] as const) {
  test(`${where}: one client with wrong keys gets 429, and new keys of other clients work`, async () => {
    const { api, list } = await startBoth(proxies, is_beside);
    for (let i = 0; i < limit; i++) assert.equal((await list(`wrong-${i}`, '198.51.100.7')).status, 401);
    const refused = await list('wrong', '198.51.100.7');
    assert.equal(refused.status, 429);
    assert.match(refused.headers.get('retry-after')!, /^([1-9]|[1-5]\d|60)$/);
    const { error } = (await refused.json()) as { error: { data: { code: string } } };
    assert.equal(error.data.code, 'rate_limited');
    assert.equal((await list(api.client.key, '198.51.100.8')).status, 200);
  });
}

test('beside the API: an untrusted header does not hide the address of a client', async () => {
  const { list } = await startBoth({}, true);
  const statuses = [];
  for (let i = 0; i <= limit; i++) statuses.push((await list('wrong', `198.51.100.${i}`)).status);
  assert.deepEqual(statuses, [401, 401, 401, 429]);
});

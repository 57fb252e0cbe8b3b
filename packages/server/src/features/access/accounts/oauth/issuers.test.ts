// Two token issuers in parallel: an external one that the operator set, and our own OAuth server.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import type { Identity } from '@parley/contract/access/identity';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { startTestApp } from '../../../../../testing/app.ts';
import { consoleToken } from '../../../../../testing/console.ts';
import { addMember, managedOrganization } from '../../../../../testing/managed.ts';
import { oauthProgram } from '../../../../../testing/oauth.ts';
import { signUp } from '../../../../../testing/visitor.ts';

const audience = 'https://tenant.example.com/api';
const mcp_url = 'http://127.0.0.1:8081/mcp';
const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
const keys = [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' }];
const requested: string[] = [];
const server = createServer((request, response) => {
  requested.push(request.url!);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ keys }));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => server.close());
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

const app = await startTestApp({
  PARLEY_MANAGED: 'on',
  PARLEY_SIGN_UP: 'open',
  PARLEY_TRUSTED_PROXIES: '127.0.0.1',
  PARLEY_MCP_URL: mcp_url,
  PARLEY_JWT_ISSUER: issuer,
  PARLEY_JWT_JWKS_URL: `${issuer}keys/`,
  PARLEY_JWT_AUDIENCES: audience,
});
const { organization } = await managedOrganization(app);
const ana = await addMember(app, organization.id, { role: 'member', external_subject: 'ana' });
const token = (changes: { iss?: string; aud?: string } = {}) =>
  new SignJWT({ iss: issuer, aud: audience, sub: 'ana', ...changes })
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(privateKey);
const whoami = (bearer: string) => app.holder(bearer).request<Identity>('GET', '/v1/whoami');

test('an issuer URL with a trailing slash is used unchanged, and so is the URL of its keys (I10)', async () => {
  const me = await whoami(await token());
  assert.deepEqual([me.status, me.body.user_id], [200, ana.user_id], me.text);
  assert.deepEqual([...new Set(requested)], ['/keys/']);
  assert.equal((await whoami(await token({ iss: issuer.slice(0, -1) }))).status, 401);
});

test('the audiences of the external issuer are separate from those of our own OAuth server (I11)', async () => {
  const browser = await signUp(app, { email: `${randomUUID()}@example.com`, organization: 'Sousa' });
  const program = oauthProgram(app.url);
  for (const resource of [mcp_url, app.url]) {
    const { access_token } = await program.connect(browser, await program.register(), { resource });
    assert.equal((await whoami(access_token)).status, 200, resource);
    assert.equal((await whoami(await token({ aud: resource }))).status, 401, resource);
  }
  assert.equal((await whoami(await consoleToken(browser))).status, 200);
});

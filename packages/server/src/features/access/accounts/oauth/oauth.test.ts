// OAuth for agents' clients: they register themselves, a user consents, and the token works for one organization.
import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Identity } from '@parley/contract/access/identity';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { startTestApp } from '../../../../../testing/app.ts';
import { addMember, managedOrganization } from '../../../../../testing/managed.ts';
import { oauthProgram } from '../../../../../testing/oauth.ts';
import { fieldsOf, fromRandomIp, signUp, type Visitor, visitor } from '../../../../../testing/visitor.ts';
import { sql } from '../../../../platform/db/sql.ts';

const mcp_url = 'http://127.0.0.1:8081/mcp';
const app = await startTestApp({
  PARLEY_MANAGED: 'on',
  PARLEY_SANDBOX: 'on',
  PARLEY_SIGN_UP: 'open',
  PARLEY_TRUSTED_PROXIES: '127.0.0.1',
  PARLEY_MCP_URL: mcp_url,
});
const { url } = app;
const address = () => `${randomUUID()}@example.com`;
const redirect_uri = 'http://127.0.0.1:53117/callback';
type Token = {
  access_token: string;
  token_type: string;
  refresh_token?: string;
  expires_in: number;
  scope: string;
  error?: string;
};

async function register(changes: Record<string, unknown> = {}) {
  const response = await fetch(`${url}/auth/oauth2/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...fromRandomIp() },
    body: JSON.stringify({
      client_name: 'An agent’s client',
      redirect_uris: [redirect_uri],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      ...changes,
    }),
  });
  return { status: response.status, body: (await response.json()) as { client_id: string; error?: string } };
}

function request(client_id: string, changes: Record<string, string | null> = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const fields: Record<string, string | null> = {
    response_type: 'code',
    client_id,
    redirect_uri,
    scope: 'parley offline_access',
    state: 'a-state',
    resource: mcp_url,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== null) query.set(name, value);
  return { verifier, path: `/auth/oauth2/authorize?${query}` };
}

const exchange = async (fields: Record<string, string>) => {
  const response = await fetch(`${url}/auth/oauth2/token`, {
    method: 'POST',
    headers: fromRandomIp(),
    body: new URLSearchParams(fields),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Token };
};

/** Follows the request of a program to the consent page, and returns the redirect back to the program. */
async function consent(
  browser: Visitor,
  path: string,
  choice: { decision?: string; organization_id?: string } = {},
) {
  const authorized = await browser.open(path);
  assert.match(authorized.location ?? '', /^(http:\/\/[^/]+)?\/auth\/consent\?/, authorized.text);
  const page = await browser.open(authorized.location!);
  assert.equal(page.status, 200, page.text);
  const fields = fieldsOf(page.text);
  const response = await browser.send('/auth/consent', {
    oauth_query: fields.oauth_query!,
    organization_id: fields.organization_id ?? '',
    decision: 'allow',
    ...choice,
  });
  return { page, response, callback: response.location ? new URL(response.location, url) : null };
}

async function tokenFor(
  browser: Visitor,
  client_id: string,
  choice = {},
  changes: Record<string, string | null> = {},
) {
  const { path, verifier } = request(client_id, changes);
  const { callback } = await consent(browser, path, choice);
  const code = callback!.searchParams.get('code')!;
  const fields = { grant_type: 'authorization_code', code, redirect_uri, client_id, code_verifier: verifier };
  return { ...(await exchange(fields)), fields };
}

const { client_id } = (await register()).body;

describe('the authorization server', () => {
  test('has its metadata at the paths of RFC 8414 and OpenID', async () => {
    for (const path of [
      '/.well-known/oauth-authorization-server/auth',
      '/.well-known/openid-configuration/auth',
      '/auth/.well-known/openid-configuration',
    ]) {
      const response = await fetch(url + path, { headers: { origin: 'https://inspector.example' } });
      const metadata = (await response.json()) as Record<string, unknown>;
      assert.equal(metadata.issuer, `${url}/auth`);
      assert.equal(metadata.authorization_endpoint, `${url}/auth/oauth2/authorize`);
      assert.equal(metadata.token_endpoint, `${url}/auth/oauth2/token`);
      assert.equal(metadata.registration_endpoint, `${url}/auth/oauth2/register`);
      assert.deepEqual(metadata.code_challenge_methods_supported, ['S256']);
      assert.deepEqual(metadata.grant_types_supported, ['authorization_code', 'refresh_token']);
      assert.equal(response.headers.get('access-control-allow-origin'), '*');
    }
  });

  test('publishes the public keys of its tokens, and not the private keys', async () => {
    const response = await fetch(`${url}/auth/jwks`);
    const { keys } = (await response.json()) as { keys: Record<string, unknown>[] };
    assert.ok(keys.length > 0);
    assert.ok(keys.every((key) => key.kty === 'OKP' && !('d' in key)));
    const stored = await app.db.rows<{ key: string }>(sql`select "privateKey" as key from accounts.jwks`);
    assert.ok(
      stored.every(({ key }) => !key.includes('"d"')),
      'the private key is encrypted',
    );
  });
});

describe('a client', () => {
  test('can register itself with a callback on its own machine, without stating that it is native', async () => {
    const response = await register();
    assert.ok(response.status === 200 || response.status === 201, JSON.stringify(response));
    assert.ok(response.body.client_id);
    assert.equal((await register({ redirect_uris: ['javascript:alert(1)'] })).status, 400);
    assert.equal((await register({ redirect_uris: [] })).status, 400);
  });

  test('gets a token for the MCP server that the API accepts, for the chosen organization', async () => {
    const ana = await signUp(app, { email: address(), organization: 'Sousa Trading' });
    const token = await tokenFor(ana, client_id);
    assert.equal(token.status, 200, JSON.stringify(token.body));
    assert.equal(token.body.token_type, 'Bearer');
    assert.equal(decodeProtectedHeader(token.body.access_token).typ, 'at+jwt');
    const claims = decodeJwt(token.body.access_token);
    assert.equal(claims.iss, `${url}/auth`);
    assert.ok([claims.aud].flat().includes(mcp_url));
    await jwtVerify(token.body.access_token, createRemoteJWKSet(new URL(`${url}/auth/jwks`)), {
      issuer: `${url}/auth`,
      audience: mcp_url,
    });
    const me = await app.holder(token.body.access_token).request<Identity>('GET', '/v1/whoami');
    assert.equal(me.status, 200, me.text);
    assert.deepEqual([me.body.auth_kind, me.body.organization_id], ['jwt', claims.organization_id]);
  });

  test('that requests no resource gets a token for the MCP server', async () => {
    const ana = await signUp(app, { email: address(), organization: 'Sousa' });
    const token = await tokenFor(ana, client_id, {}, { resource: null });
    assert.ok([decodeJwt(token.body.access_token).aud].flat().includes(mcp_url), JSON.stringify(token.body));
  });

  test('gets no token for a resource of another server', async () => {
    const ana = await signUp(app, { email: address(), organization: 'Sousa' });
    const { path } = request(client_id, { resource: 'https://elsewhere.example/mcp' });
    const response = await ana.open(path);
    assert.equal(new URL(response.location!, url).searchParams.get('error'), 'invalid_target');
  });

  test('must use PKCE, and can use a code only once', async () => {
    const ana = await signUp(app, { email: address(), organization: 'Sousa' });
    const without = await ana.open(
      request(client_id, { code_challenge: null, code_challenge_method: null }).path,
    );
    assert.equal(new URL(without.location!, url).searchParams.get('error'), 'invalid_request');
    const plain = await ana.open(request(client_id, { code_challenge_method: 'plain' }).path);
    assert.equal(new URL(plain.location!, url).searchParams.get('error'), 'invalid_request');
    const { path } = request(client_id);
    const { callback } = await consent(ana, path);
    const code = callback!.searchParams.get('code')!;
    const fields = {
      grant_type: 'authorization_code',
      code,
      redirect_uri,
      client_id,
      code_verifier: 'x'.repeat(43),
    };
    assert.notEqual((await exchange(fields)).status, 200);
    const used = await tokenFor(ana, (await register()).body.client_id);
    assert.equal(used.status, 200);
    assert.notEqual((await exchange(used.fields)).status, 200, 'a second time');
  });

  test('can refresh its token, and cannot use an old refresh token again half a minute later', async () => {
    const ana = await signUp(app, { email: address(), organization: 'Sousa' });
    const token = await tokenFor(ana, client_id);
    const refresh = (refresh_token: string) =>
      exchange({ grant_type: 'refresh_token', refresh_token, client_id, resource: mcp_url });
    const second = await refresh(token.body.refresh_token!);
    assert.equal(second.status, 200, JSON.stringify(second.body));
    const me = await app.holder(second.body.access_token).request<Identity>('GET', '/v1/whoami');
    assert.equal(me.status, 200, me.text);
    await app.db.run(
      sql`update accounts."oauthRefreshToken" set "rotationReplayExpiresAt" = now() - interval '1 second'`,
    );
    assert.notEqual((await refresh(token.body.refresh_token!)).status, 200);
  });

  test('can do only what was granted', async () => {
    const ana = await signUp(app, { email: address(), organization: 'Sousa' });
    const token = await tokenFor(ana, client_id, {}, { scope: 'openid email' });
    const holder = app.holder(token.body.access_token);
    const contacts = await holder.request<{ code: string }>('GET', '/v1/contacts');
    assert.deepEqual([contacts.status, contacts.body.code], [403, 'insufficient_scope']);
    assert.equal((await holder.request('GET', '/v1/whoami')).status, 200);
  });

  test('is refused when its callback is not registered', async () => {
    const ana = await signUp(app, { email: address(), organization: 'Sousa' });
    const response = await ana.open(
      request(client_id, { redirect_uri: 'https://evil.example/callback' }).path,
    );
    const target = new URL(response.location!, url);
    assert.equal(target.origin + target.pathname, `${url}/auth/error`);
  });
});

describe('the consent page', () => {
  test('shows the client, the site of the redirect, and the requested rights', async () => {
    const ana = await signUp(app, { email: address(), organization: 'Sousa' });
    const { client_id: hostile } = (await register({ client_name: '<b>Bold</b> client' })).body;
    const { page, response, callback } = await consent(ana, request(hostile).path, { decision: 'deny' });
    assert.match(page.text, /&lt;b&gt;Bold&lt;\/b&gt; client/);
    assert.match(page.text, /127\.0\.0\.1:53117/);
    assert.match(page.text, /make calls/);
    assert.match(
      page.headers.get('content-security-policy')!,
      /form-action 'self' http:\/\/127\.0\.0\.1:53117; frame-ancestors 'none'/,
    );
    assert.equal(response.status, 303);
    assert.equal(callback!.searchParams.get('error'), 'access_denied');
    assert.equal(callback!.searchParams.get('state'), 'a-state');
  });

  test('returns the issuer to the client (RFC 9207)', async () => {
    const ana = await signUp(app, { email: address(), organization: 'Sousa' });
    const { callback } = await consent(ana, request(client_id).path);
    assert.equal(callback!.searchParams.get('iss'), `${url}/auth`);
    assert.equal(callback!.searchParams.get('state'), 'a-state');
  });

  test('redirects a user who is not signed in to the sign-in page, and continues afterwards', async () => {
    const email = address();
    await signUp(app, { email, organization: 'Sousa' });
    const later = visitor(url);
    const authorized = await later.open(request(client_id).path);
    const page = await later.open(authorized.location!);
    assert.match(
      page.headers.get('content-security-policy')!,
      /form-action 'self' http:\/\/127\.0\.0\.1:53117;/,
    );
    const { next } = fieldsOf(page.text);
    const inside = await later.send('/auth/sign-in', {
      email,
      password: 'correct horse battery',
      next: next!,
    });
    assert.match(inside.location!, /^\/auth\/oauth2\/authorize\?/);
    const { callback } = await consent(later, inside.location!);
    assert.ok(callback!.searchParams.get('code'));
  });

  test('lets a member of several organizations choose, and the token is for that one', async () => {
    const email = address();
    const ana = await signUp(app, { email, organization: 'First' });
    const second = await managedOrganization(app, { name: 'Second' });
    await addMember(app, second.organization.id, { role: 'member', email });
    const choice = { organization_id: second.organization.id };
    const token = await tokenFor(ana, client_id, choice);
    const me = await app.holder(token.body.access_token).request<Identity>('GET', '/v1/whoami');
    assert.equal(me.body.organization_id, second.organization.id);
  });

  test('does not accept an organization of other users', async () => {
    const ana = await signUp(app, { email: address(), organization: 'First' });
    const { organization } = await managedOrganization(app);
    const { response } = await consent(ana, request(client_id).path, { organization_id: organization.id });
    assert.equal(response.status, 400);
  });

  test('does not accept a changed request', async () => {
    const ana = await signUp(app, { email: address(), organization: 'First' });
    const authorized = await ana.open(request(client_id, { scope: 'openid' }).path);
    const page = await ana.open(authorized.location!);
    const fields = fieldsOf(page.text);
    const oauth_query = fields.oauth_query!.replace('scope=openid', 'scope=parley');
    assert.notEqual(oauth_query, fields.oauth_query);
    const response = await ana.send('/auth/consent', { ...fields, oauth_query, decision: 'allow' });
    assert.equal(response.status, 400);
  });
});

test('a token stops working when the user leaves the organization', async () => {
  const email = address();
  const ana = await signUp(app, { email });
  const { organization } = await managedOrganization(app);
  const member = await addMember(app, organization.id, { role: 'member', email });
  const token = await tokenFor(ana, client_id);
  const holder = app.holder(token.body.access_token);
  assert.equal((await holder.request('GET', '/v1/whoami')).status, 200);
  await app.client.request('DELETE', `/v1/admin/organizations/${organization.id}/members/${member.id}`);
  assert.equal((await holder.request('GET', '/v1/whoami')).status, 403);
});

test('the token and registration routes ignore cookies', async () => {
  const ana = await signUp(app, { email: address(), organization: 'Sousa' });
  const cookie = [...ana.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(`${url}/auth/oauth2/register`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: 'https://evil.example',
      cookie,
      ...fromRandomIp(),
    },
    body: JSON.stringify({ redirect_uris: [redirect_uri], token_endpoint_auth_method: 'none' }),
  });
  const { client_id: created } = (await response.json()) as { client_id: string };
  const [row] = await app.db.rows(
    sql`select "userId" from accounts."oauthClient" where "clientId" = ${created}`,
  );
  assert.deepEqual(row, { userId: null });
});

describe('a client that registers itself (I13)', () => {
  test('must have a name without control and bidirectional characters', async () => {
    for (const client_name of [
      'Claude\u202e',
      'a\nb',
      '\u2066Claude',
      'a\u0000b',
      'a\u200bb',
      'x'.repeat(1000),
    ]) {
      const response = await register({ client_name });
      assert.deepEqual(
        [response.status, response.body.error],
        [400, 'invalid_client_metadata'],
        JSON.stringify(client_name),
      );
    }
    assert.equal((await register({ client_name: 'Программа می\u200cخواهم 👩‍💻' })).status, 201);
  });

  test('is deleted when it is not used, together with its grants', async () => {
    const ana = await signUp(app, { email: address(), organization: 'Sousa' });
    const program = oauthProgram(url);
    const used = await program.register();
    await program.connect(ana, used);
    const [fresh, abandoned] = [await program.register(), await program.register()];
    const idle = await program.register();
    await program.connect(ana, idle);
    const ago = (client_id: string, days: number) =>
      app.db.run(sql`
        update accounts."oauthClient" set "createdAt" = now() - ${days} * interval '1 day',
               last_used_at = last_used_at - ${days} * interval '1 day'
         where "clientId" = ${client_id}`);
    await ago(used, 80);
    await ago(abandoned, 2);
    await ago(idle, 91);
    await app.db.run(sql`update jobs set run_at = now() where kind = 'forget_unused_oauth_clients'`);
    await app.app.jobs.drain();
    const left = await app.db.rows<{ id: string }>(sql`select "clientId" as id from accounts."oauthClient"`);
    const ids = new Set(left.map(({ id }) => id));
    assert.deepEqual(
      [used, fresh, abandoned, idle].map((id) => ids.has(id)),
      [true, true, false, false],
    );
  });
});

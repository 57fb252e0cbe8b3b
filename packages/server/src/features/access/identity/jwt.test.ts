// JWTs of a trusted issuer: every claim is checked, and an invalid token gets the same 401 as any other.
import assert from 'node:assert/strict';
import { createHmac, createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import type { Identity } from '@parley/contract/access/identity';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { startTestApp } from '../../../../testing/app.ts';
import { addMember, managedOrganization } from '../../../../testing/managed.ts';
import { systemClock } from '../../../platform/clock.ts';
import { credentialChanges } from './credential-changes.ts';
import { issuerKeys, jwtAuthenticator, scopesOf } from './jwt.ts';
import { identityStore } from './store.ts';

const audience = 'https://api.example.com';
const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
const unknown = await generateKeyPair('RS256', { extractable: true });
const elliptic = await generateKeyPair('ES256', { extractable: true });
const keys = [
  { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' },
  { ...(await exportJWK(elliptic.publicKey)), kid: 'two', alg: 'ES256' },
];
let jwks_requests = 0;
let is_up = true;
const issuer_server = createServer((_, response) => {
  jwks_requests++;
  response.statusCode = is_up ? 200 : 500;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ keys }));
}).listen(0, '127.0.0.1');
await once(issuer_server, 'listening');
after(() => issuer_server.close());
const issuer = `http://127.0.0.1:${(issuer_server.address() as AddressInfo).port}`;

const settings = {
  PARLEY_MANAGED: 'on',
  PARLEY_JWT_ISSUER: issuer,
  PARLEY_JWT_JWKS_URL: `${issuer}/jwks`,
  PARLEY_JWT_AUDIENCES: `${audience}, https://mcp.example.com/mcp`,
};
const managed = await startTestApp(settings);
const { holder, client } = managed;

const { organization } = await managedOrganization(managed);
const ana = await addMember(managed, organization.id, {
  role: 'admin',
  external_subject: 'ana-at-the-issuer',
});

const now = () => Math.floor(Date.now() / 1000);
const claims = (changes: JWTPayload = {}): JWTPayload => ({
  iss: issuer,
  aud: audience,
  sub: 'ana-at-the-issuer',
  iat: now(),
  exp: now() + 300,
  ...changes,
});
const sign = (payload: JWTPayload, key = privateKey, header = { alg: 'RS256', kid: 'one' }) =>
  new SignJWT(payload).setProtectedHeader(header).sign(key);
const whoami = (token: string) =>
  holder(token).request<Identity & { code: string; detail: string }>('GET', '/v1/whoami', undefined, {
    'x-request-id': 'same',
  });
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a valid token', () => {
  test('identifies the user of its sub claim', async () => {
    const response = await whoami(await sign(claims()));
    assert.deepEqual(response.body, {
      auth_kind: 'jwt',
      organization_id: organization.id,
      user_id: ana.user_id,
      email: ana.email,
      name: ana.name,
      superadmin: false,
    });
  });

  test('may have any of the configured audiences, alone or among others, and any of the signing keys', async () => {
    const aud = ['https://elsewhere.example.com', 'https://mcp.example.com/mcp'];
    assert.equal((await whoami(await sign(claims({ aud })))).status, 200);
    const by_elliptic = await sign(claims(), elliptic.privateKey, { alg: 'ES256', kid: 'two' });
    assert.equal((await whoami(by_elliptic)).status, 200);
  });

  test('of a superadmin does not allow admin operations: only their console session does (I3)', async () => {
    const boss = await addMember(managed, organization.id, { role: 'owner', external_subject: 'boss' });
    await client.request('PATCH', `/v1/admin/users/${boss.user_id}`, { superadmin: true });
    const forged = { token_use: 'console', auth_time: now(), scope: 'admin' };
    for (const more of [{}, forged]) {
      const token = await sign(claims({ sub: 'boss', ...more }));
      assert.deepEqual([(await whoami(token)).status, (await whoami(token)).body.superadmin], [200, false]);
      assert.equal((await holder(token).request('GET', '/v1/admin/organizations')).status, 404);
    }
  });

  test('does not cause a new download of the keys each time', async () => {
    const before = jwks_requests;
    for (let i = 0; i < 20; i++) await whoami(await sign(claims({ jti: String(i) })));
    assert.equal(jwks_requests, before);
  });
});

test('every invalid token gets the same 401, byte for byte', async () => {
  const good = await sign(claims());
  const [header, payload, signature] = good.split('.') as [string, string, string];
  const pem = await exportSPKI(publicKey);
  const forged = (secret: string | Buffer) => {
    const text = `${base64url({ alg: 'HS256', kid: 'one', typ: 'JWT' })}.${payload}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  const { exp: _, ...without_exp } = claims();
  const { sub: __, ...without_sub } = claims();
  const { aud: ___, ...without_aud } = claims();
  const { iss: ____, ...without_iss } = claims();
  const bad: Record<string, string> = {
    expired: await sign(claims({ exp: now() - 60 })),
    'not yet valid': await sign(claims({ nbf: now() + 120 })),
    'another audience': await sign(claims({ aud: 'https://other.example.com' })),
    'no audience': await sign(without_aud),
    'another issuer': await sign(claims({ iss: 'https://other.example.com' })),
    'no issuer': await sign(without_iss),
    'no expiry': await sign(without_exp),
    'no subject': await sign(without_sub),
    'alg none': `${base64url({ alg: 'none' })}.${payload}.`,
    'alg none with a signature': `${base64url({ alg: 'none', kid: 'one' })}.${payload}.${signature}`,
    'HS256 with the public key': forged(pem),
    'HS256 with the public key as bytes': forged(
      createPublicKey(pem).export({ type: 'spki', format: 'der' }) as Buffer,
    ),
    'an unknown key': await sign(claims(), unknown.privateKey),
    'an unknown kid': await sign(claims(), unknown.privateKey, { alg: 'RS256', kid: 'three' }),
    'another payload': `${header}.${base64url(claims({ sub: 'somebody-else' }))}.${signature}`,
    'a key in the header': await new SignJWT(claims())
      .setProtectedHeader({ alg: 'RS256', jwk: await exportJWK(unknown.publicKey) })
      .sign(unknown.privateKey),
    'no signature': `${header}.${payload}.`,
    'four parts': `${good}.x`,
    garbage: 'a.b.c',
  };
  const expected = await whoami('nonsense');
  assert.equal(expected.status, 401);
  for (const [name, token] of Object.entries(bad)) {
    const response = await whoami(token);
    assert.equal(response.status, 401, name);
    assert.equal(response.text, expected.text, name);
  }
});

describe('a genuine token', () => {
  test('of an unknown user, or of one who is not a member, is 403 user not provisioned', async () => {
    const response = await whoami(await sign(claims({ sub: 'nobody' })));
    assert.deepEqual(
      [response.status, response.body.code, response.body.detail],
      [403, 'user_not_provisioned', 'user not provisioned'],
    );
    const by_our_id = await whoami(await sign(claims({ sub: ana.user_id })));
    assert.equal(by_our_id.status, 403, 'an external issuer cannot use our own user ids');
  });

  test('selects one of several organizations, and its user must be a member there', async () => {
    const other = await managedOrganization(managed);
    const third = await managedOrganization(managed);
    const bo = await addMember(managed, organization.id, { role: 'member', external_subject: 'bo' });
    await addMember(managed, other.organization.id, {
      role: 'member',
      email: bo.email,
      external_subject: 'bo',
    });
    const unnamed = await whoami(await sign(claims({ sub: 'bo' })));
    assert.deepEqual([unnamed.status, unnamed.body.code], [403, 'organization_not_named']);
    const named = await whoami(await sign(claims({ sub: 'bo', organization_id: other.organization.id })));
    assert.equal(named.body.organization_id, other.organization.id);
    const not_member = await whoami(
      await sign(claims({ sub: 'bo', organization_id: third.organization.id })),
    );
    assert.deepEqual([not_member.status, not_member.body.code], [403, 'user_not_provisioned']);
  });

  test('stops working when the membership ends, although it is cached', async () => {
    const cleo = await addMember(managed, organization.id, { role: 'member', external_subject: 'cleo' });
    const token = await sign(claims({ sub: 'cleo' }));
    assert.equal((await whoami(token)).status, 200);
    await client.request('DELETE', `/v1/admin/organizations/${organization.id}/members/${cleo.id}`);
    assert.equal((await whoami(token)).status, 403);
  });

  test('is not accepted from the cache after it expired', async () => {
    let now_ms = Date.now();
    const recognise = jwtAuthenticator({
      issuers: () => [
        {
          issuer,
          audiences: [audience],
          keys: issuerKeys(`${issuer}/jwks`),
          subject: 'external_subject',
          full_scope: null,
          admin_session_ms: null,
        },
      ],
      store: identityStore(managed.db),
      changes: credentialChanges({ db: managed.db, wall_clock: systemClock() }),
      wall_clock: { ms: () => now_ms, now: () => new Date(now_ms) },
      limitGrant: async () => {},
    });
    const token = await sign(claims());
    assert.ok(await recognise(token));
    now_ms += 290_000;
    assert.ok(await recognise(token));
    now_ms += 20_000;
    assert.equal(await recognise(token), null);
  });
});

test('our own scopes limit a token; our own issuer must have granted them', () => {
  assert.deepEqual(scopesOf(undefined, null), ['*']);
  assert.deepEqual(scopesOf('openid email', null), ['*']);
  assert.deepEqual(scopesOf('openid contacts:read', null), ['contacts:read']);
  assert.deepEqual(scopesOf('openid email', 'parley'), []);
  assert.deepEqual(scopesOf('openid parley', 'parley'), ['*']);
  assert.deepEqual(scopesOf('contacts:read', 'parley'), ['contacts:read']);
});

test('keys that cannot be loaded are 503, not 401', async () => {
  is_up = false;
  const fresh = await startTestApp(settings);
  const response = await fresh.holder(await sign(claims())).request<{ code: string }>('GET', '/v1/whoami');
  assert.deepEqual([response.status, response.body.code], [503, 'issuer_unavailable']);
  assert.equal(response.headers.get('retry-after'), '5');
  is_up = true;
});

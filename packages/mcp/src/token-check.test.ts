// Delegated validation: the API validates the token. A positive result is cached briefly, and never beyond the token's
// expiry.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@parley/sdk';
import { tokenCheck } from './token-check.ts';

const resource = 'https://mcp.example/mcp';
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const tokenWith = (claims: object) => `${part({ alg: 'ES256' })}.${part(claims)}.c2ln`;

function stage() {
  const state = { now: 1_000_000_000, requests: 0, refuse: false };
  const check = tokenCheck({
    resource,
    now: () => state.now,
    api: {
      call: async () => {
        state.requests++;
        if (state.refuse) throw new ApiError(401, new Headers(), { code: 'unauthenticated', detail: 'No.' });
        return { body: {}, was_replayed: false };
      },
    },
  });
  return { state, check };
}

test('a valid token is cached for a minute, then validated again', async () => {
  const { state, check } = stage();
  const token = tokenWith({ aud: [resource, 'other'], exp: state.now / 1000 + 3600 });
  await check.validate(token);
  state.now += 59_000;
  assert.deepEqual(await check.validate(token), { ok: true });
  assert.equal(state.requests, 1);
  state.now += 2_000;
  state.refuse = true;
  assert.equal((await check.validate(token)).ok, false);
  assert.equal(state.requests, 2);
});

test('the cache never outlives the token', async () => {
  const { state, check } = stage();
  const token = tokenWith({ aud: resource, exp: state.now / 1000 + 10 });
  assert.equal((await check.validate(token)).ok, true);
  state.now += 10_000;
  assert.equal((await check.validate(token)).ok, false);
  assert.equal(state.requests, 1);
});

test('expired and misdirected tokens are rejected without a request to the API', async () => {
  const { state, check } = stage();
  const exp = state.now / 1000 + 3600;
  for (const claims of [
    { aud: resource },
    { aud: resource, exp: 'tomorrow' },
    { aud: resource, exp: state.now / 1000 },
    { exp },
    { aud: `${resource}/other`, exp },
  ])
    assert.equal((await check.validate(tokenWith(claims))).ok, false, JSON.stringify(claims));
  assert.equal(state.requests, 0);
});

test('a rejection is not cached, and a token that became invalid is removed', async () => {
  const { state, check } = stage();
  state.refuse = true;
  assert.equal((await check.validate('key')).ok, false);
  state.refuse = false;
  assert.equal((await check.validate('key')).ok, true);
  check.evict('key');
  state.refuse = true;
  assert.equal((await check.validate('key')).ok, false);
});

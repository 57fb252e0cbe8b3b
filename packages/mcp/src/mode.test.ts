// Exactly one mode must be configured.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseMode } from './mode.ts';

const servers = ['https://issuer.example'];

test('a key alone selects static-key mode, authorization servers alone select OAuth mode', () => {
  assert.deepEqual(chooseMode({ key: 'k', authorization_servers: [] }), { kind: 'static', key: 'k' });
  assert.deepEqual(chooseMode({ key: null, authorization_servers: servers }), {
    kind: 'oauth',
    authorization_servers: servers,
  });
});

test('both are ambiguous, neither is not configured', () => {
  assert.throws(() => chooseMode({ key: 'k', authorization_servers: servers }), {
    code: 'mcp_mode_ambiguous',
  });
  assert.throws(() => chooseMode({ key: null, authorization_servers: [] }), { code: 'mcp_not_configured' });
});

// The hash of a party depends on the server's key, the organization and the party, and on nothing else.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { partyHasher } from './party-hash.ts';

const keyFor = (purpose: string) => Buffer.from(purpose.padEnd(64).slice(0, 64));
const organization = '00000000-0000-7000-8000-000000000001';
const other = '00000000-0000-7000-8000-000000000002';

test('a party has one hash in an organization, also after many others and after a restart', () => {
  const partyHash = partyHasher(keyFor);
  const first = partyHash(organization, '+15005550001');
  for (let i = 0; i < 10_001; i++) partyHash(organization, `+1500556${i}`);
  assert.equal(partyHash(organization, '+15005550001'), first);
  assert.equal(partyHasher(keyFor)(organization, '+15005550001'), first);
});

test('it is the HMAC-SHA-256 of the party with the key of the organization', () => {
  const key = keyFor(`erased parties of ${organization}`);
  const address = 'a person@example.com';
  assert.equal(
    partyHasher(keyFor)(organization, address),
    `hmac:${createHmac('sha256', key).update(address).digest('base64url')}`,
  );
});

test('other organizations, parties and servers have other hashes', () => {
  const partyHash = partyHasher(keyFor);
  const elsewhere = partyHasher((purpose) => keyFor(`x ${purpose}`));
  const hashes = [
    partyHash(organization, '+15005550001'),
    partyHash(organization, '+15005550002'),
    partyHash(other, '+15005550001'),
    elsewhere(organization, '+15005550001'),
  ];
  assert.equal(new Set(hashes).size, hashes.length);
});

// Secrets, sealed values and signed links: nothing forged, moved, shortened or expired is accepted.

import assert from 'node:assert/strict';
import { createCipheriv, randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  randomToken,
  SealBroken,
  sameSecret,
  sealer,
  secretMatcher,
  sha256Base64url,
  urlSigner,
} from './crypto.ts';

const OLD = { id: '2026-01', key: randomBytes(32) };
const NEW = { id: '2026-07', key: randomBytes(32) };

describe('comparing', () => {
  test('only equal secrets are the same, independent of their length', () => {
    assert.equal(sameSecret('s3cret', 's3cret'), true);
    assert.equal(sameSecret('s3cret', 's3creT'), false);
    assert.equal(sameSecret('s3cret', 's3cret '), false);
    assert.equal(sameSecret('s3cret', ''), false);
    assert.equal(sameSecret('', ''), true);

    const matches = secretMatcher('s3cret');
    assert.equal(matches('s3cret'), true);
    assert.equal(matches('s3creT'), false);
    assert.equal(matches('s3cret'), true);
  });

  test('a digest is SHA-256 in base64url', () => {
    assert.equal(sha256Base64url('abc'), 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
  });

  test('a token has its prefix, 256 bits by default, and never repeats', () => {
    assert.match(randomToken('key_'), /^key_[A-Za-z0-9_-]{43}$/);
    assert.match(randomToken('', 9), /^[A-Za-z0-9_-]{12}$/);
    assert.notEqual(randomToken('key_'), randomToken('key_'));
  });
});

describe('sealing', () => {
  const box = sealer([NEW]);

  test('a sealed value opens to the same bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (bytes, context) => {
        const plaintext = Buffer.from(bytes);
        assert.deepEqual(box.open(box.seal(plaintext, context), context), plaintext);
      }),
    );
    assert.equal(box.open(box.seal('naïve ☎', 'row 1'), 'row 1').toString(), 'naïve ☎');
  });

  test('the sealed form is text without spaces that names its key and does not contain its value', () => {
    const sealed = box.seal('open sesame', 'row 1');
    assert.match(sealed, /^v1\.2026-07\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/);
    assert.equal(Buffer.from(sealed.split('.')[3]!, 'base64url').includes('open sesame'), false);
  });

  test('the same value is sealed differently every time', () => {
    const first = box.seal('x', 'row 1').split('.');
    const second = box.seal('x', 'row 1').split('.');
    assert.notEqual(first[2], second[2]);
    assert.notEqual(first[3], second[3]);
  });

  test('a value does not open in another context', () => {
    const sealed = box.seal('x', 'owner 1|field');
    assert.throws(() => box.open(sealed, 'owner 2|field'), SealBroken);
    assert.throws(() => box.open(sealed, ''), SealBroken);
  });

  test('every single flipped bit of any part is detected', () => {
    const [version, id, ...parts] = box.seal('x', 'row 1').split('.') as [string, string, string, string];
    for (const [part_index, part] of parts.entries()) {
      const bytes = Buffer.from(part, 'base64url');
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const flipped = Buffer.from(bytes);
        flipped[bit >> 3]! ^= 1 << (bit & 7);
        const forged = parts.with(part_index, flipped.toString('base64url'));
        assert.throws(() => box.open([version, id, ...forged].join('.'), 'row 1'), SealBroken);
      }
    }
  });

  test('no other spelling of a sealed value opens', () => {
    const sealed = box.seal('x', 'row 1');
    for (let at = 0; at < sealed.length; at++) {
      const altered = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      assert.throws(() => box.open(altered, 'row 1'), SealBroken);
    }
    for (const altered of [`${sealed}=`, `${sealed} `, `${sealed}.`, ` ${sealed}`]) {
      assert.throws(() => box.open(altered, 'row 1'), SealBroken);
    }
  });

  test('a tag cut to 4 bytes does not open, although the cipher itself would allow it', () => {
    const data_key = randomBytes(32);
    const shortTagged = (key: Buffer, body: Buffer, context: string) => {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: 4 }).setAAD(
        Buffer.from(context),
      );
      return Buffer.concat([iv, cipher.update(body), cipher.final(), cipher.getAuthTag()]).toString(
        'base64url',
      );
    };
    const wrapped_key = shortTagged(NEW.key, data_key, 'v1.2026-07');
    const value = shortTagged(data_key, Buffer.from('a value longer than a tag'), 'row 1');
    assert.throws(() => box.open(`v1.2026-07.${wrapped_key}.${value}`, 'row 1'), SealBroken);

    const genuine = box.seal('a value longer than a tag', 'row 1');
    const [version, id, genuine_key] = genuine.split('.');
    assert.throws(() => box.open([version, id, genuine_key, value].join('.'), 'row 1'), SealBroken);
    const cut = Buffer.from(genuine.split('.')[3]!, 'base64url').subarray(0, -12).toString('base64url');
    assert.throws(() => box.open([version, id, genuine_key, cut].join('.'), 'row 1'), SealBroken);
  });

  test('a data key moved from another value does not open this one', () => {
    const one = box.seal('one', 'row 1').split('.');
    const two = box.seal('two', 'row 1').split('.');
    assert.throws(() => box.open([one[0], one[1], two[2], one[3]].join('.'), 'row 1'), SealBroken);
  });

  test('an unknown key id, an unknown version and invalid text are refused with the same error', () => {
    const sealed = box.seal('x', 'row 1');
    assert.throws(() => sealer([OLD]).open(sealed, 'row 1'), SealBroken);
    assert.throws(() => sealer([{ ...OLD, id: NEW.id }]).open(sealed, 'row 1'), SealBroken);
    for (const rubbish of ['', '.', 'v1', 'v1...', 'v1.2026-07.AA.AA', sealed.replace('v1.', 'v2.'), 'x']) {
      assert.throws(() => box.open(rubbish, 'row 1'), SealBroken);
      assert.throws(() => sealer([OLD]).rewrap(rubbish), SealBroken);
    }
  });

  test('rotation wraps a value with the current key without changing its ciphertext', () => {
    const sealed = sealer([OLD]).seal('kept', 'row 1');
    const both = sealer([NEW, OLD]);
    assert.equal(both.open(sealed, 'row 1').toString(), 'kept');

    const rewrapped = both.rewrap(sealed);
    assert.equal(rewrapped.split('.')[1], NEW.id);
    assert.equal(rewrapped.split('.')[3], sealed.split('.')[3]);
    assert.equal(sealer([NEW]).open(rewrapped, 'row 1').toString(), 'kept');
    assert.throws(() => sealer([NEW]).open(rewrapped, 'row 2'), SealBroken);
    assert.equal(both.rewrap(rewrapped), rewrapped);
    assert.throws(() => sealer([NEW]).rewrap(sealed), SealBroken);
  });

  test('a sealer refuses weak or ambiguous keys', () => {
    assert.throws(() => sealer([]), RangeError);
    assert.throws(() => sealer([{ id: 'a', key: randomBytes(16) }]), RangeError);
    assert.throws(() => sealer([{ id: 'a.b', key: randomBytes(32) }]), RangeError);
    assert.throws(() => sealer([NEW, { ...OLD, id: NEW.id }]), RangeError);
  });
});

describe('signed links', () => {
  const links = urlSigner(randomBytes(32));
  const expires_at = new Date('2026-06-06T12:00:00Z');
  const before = new Date('2026-06-06T11:59:59Z');

  test('a valid link is accepted and returns its claims', () => {
    const link = links.sign('/files/a%20b', expires_at, { owner: 'one', name: 'Größe & "co"=?.pdf' });
    assert.match(link, /^\/files\/a%20b\?.*&expires=1780747200&signature=[A-Za-z0-9_-]{43}$/);
    assert.deepEqual(links.verify(link, before), {
      ok: true,
      claims: { name: 'Größe & "co"=?.pdf', owner: 'one' },
    });
    assert.deepEqual(links.verify(links.sign('/f', expires_at), before), { ok: true, claims: {} });
  });

  test('claims with any content and order are unchanged', () => {
    const name = fc.string().filter((text) => text !== 'expires' && text !== 'signature');
    fc.assert(
      fc.property(fc.dictionary(name, fc.string()), (claims) => {
        const reversed = Object.fromEntries(Object.entries(claims).reverse());
        const link = links.sign('/f', expires_at, claims);
        assert.equal(links.sign('/f', expires_at, reversed), link);
        assert.deepEqual(links.verify(link, before), {
          ok: true,
          claims: Object.fromEntries(Object.entries(claims)),
        });
      }),
    );
  });

  test('a link expires exactly at its expiry time', () => {
    const link = links.sign('/f', expires_at);
    assert.equal(links.verify(link, new Date(expires_at.getTime() - 1)).ok, true);
    assert.deepEqual(links.verify(link, expires_at), { ok: false, reason: 'expired' });
  });

  test('a changed path, claim, expiry or signature makes a link invalid', () => {
    const link = links.sign('/files/1', expires_at, { owner: 'one' });
    const forgeries = [
      link.replace('/files/1', '/files/2'),
      link.replace('one', 'two'),
      link.replace('expires=1780747200', 'expires=1880747200'),
      link.slice(0, -1),
      `${link}A`,
      link.replace(/signature=.*/, 'signature='),
      link.replace(/&signature=.*/, ''),
      '/files/1',
      '',
    ];
    for (const forged of forgeries) {
      assert.deepEqual(links.verify(forged, before), { ok: false, reason: 'invalid' }, forged);
    }
    assert.equal(urlSigner(randomBytes(32)).verify(link, before).ok, false);
  });

  test('a field that was not signed makes a link invalid at any position', () => {
    const link = links.sign('/files/1', expires_at, { owner: 'one' });
    const signature = link.slice(link.indexOf('&signature='));
    const forgeries = [
      `${link}&download=1`,
      `${link}&owner=two`,
      link.replace('?', '?download=1&'),
      link.replace('&expires', '&download=1&expires'),
      link.replace('&expires', '&expires=9999999999&expires'),
      `${link}${signature}`,
      `${link}#top`,
    ];
    for (const forged of forgeries) {
      assert.deepEqual(links.verify(forged, before), { ok: false, reason: 'invalid' }, forged);
    }
  });

  test('an expired forged link is invalid: only a genuine link is reported as expired', () => {
    const late = new Date('2030-01-01T00:00:00Z');
    const link = links.sign('/f', expires_at, { a: '1' });
    assert.deepEqual(links.verify(link.replace('a=1', 'a=2'), late), { ok: false, reason: 'invalid' });
  });

  test('values that cannot be signed safely are refused when signing', () => {
    assert.throws(() => links.sign('/f?x=1', expires_at), TypeError);
    assert.throws(() => links.sign('/f#x', expires_at), TypeError);
    assert.throws(() => links.sign('f', expires_at), TypeError);
    assert.throws(() => links.sign('/f', new Date(Number.NaN)), TypeError);
    assert.throws(() => links.sign('/f', expires_at, { expires: '9999999999' }), TypeError);
    assert.throws(() => links.sign('/f', expires_at, { signature: 'x' }), TypeError);
    assert.throws(() => urlSigner(randomBytes(16)), RangeError);
  });
});

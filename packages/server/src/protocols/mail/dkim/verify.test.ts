// Compares the quick DKIM verifier with the full one: it may give no result, but never a different one.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { dkimSign } from 'mailauth/lib/dkim/sign.js';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { rawMessage } from '../../../../testing/smtp-client.ts';
import { readMime } from '../mime/structure.ts';
import { isVerifiable } from './verifiable.ts';
import { fieldsOf, quickDkim } from './verify.ts';

const pair = generateKeyPairSync('rsa', { modulusLength: 1024 });
const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const p = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const zone: Record<string, string> = {
  'plain._domainkey.good.test': `v=DKIM1; k=rsa; p=${p}`,
  'bare._domainkey.good.test': `p=${p}`,
  'revoked._domainkey.good.test': 'v=DKIM1; k=rsa; p=',
  'other._domainkey.good.test': `v=DKIM1; s=other; p=${p}`,
  'sha1._domainkey.good.test': `v=DKIM1; h=sha1; p=${p}`,
};
const lookUp = async (name: string) => {
  if (zone[name]) return [[zone[name]]];
  throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
};

const signed = async (raw: string, options: object = {}) => {
  const { signatures } = await dkimSign(raw, {
    canonicalization: 'relaxed/relaxed',
    signatureData: [{ signingDomain: 'good.test', selector: 'plain', privateKey, ...options }],
    ...options,
  } as never);
  return Buffer.from(signatures + raw);
};
const both = async (raw: Buffer) => {
  const quick = await quickDkim(raw, readMime(raw).start, lookUp);
  const full = await dkimVerify(raw, { resolver: lookUp, strict: true });
  return { quick, results: (full.results ?? []).map(({ status }) => status.result) };
};
const raw = rawMessage({
  from: 'Bob <bob@good.test>',
  to: 'ana@example.com',
  headers: ['X-Long: a\r\n\t folded   field '],
  body: 'Two  blanks, a tab\t, blanks at the end  \r\n\r\n \t\r\n',
});

test('both verifiers accept valid signatures of the usual kinds', async () => {
  for (const options of [
    {},
    { canonicalization: 'relaxed/simple' },
    { selector: 'bare' },
    { headerList: 'From:To:Subject:X-Long:X-Long:Nothing' },
  ]) {
    const { quick, results } = await both(await signed(raw, options));
    assert.deepEqual(results, ['pass'], JSON.stringify(options));
    assert.deepEqual(
      quick?.signatures.map(({ domain }) => domain),
      ['good.test'],
      JSON.stringify(options),
    );
    assert.equal(quick?.header_from, 'bob@good.test');
  }
  const twice = await signed((await signed(raw)).toString());
  assert.equal((await both(twice)).quick?.signatures.length, 2);
});

test('an unsigned message is reported as unsigned', async () => {
  assert.deepEqual((await both(Buffer.from(raw))).quick, { header_from: 'bob@good.test', signatures: [] });
});

test('unusual or invalid signatures are left to the full verifier', async () => {
  for (const selector of ['revoked', 'other', 'sha1', 'missing']) {
    assert.equal((await both(await signed(raw, { selector }))).quick, null, selector);
  }
  const good = (await signed(raw)).toString();
  for (const changed of [
    good.replace('Two', 'Too'),
    good.replace('Subject: ', 'Subject: Re: '),
    `From: eve@evil.test\r\n${good}`,
    good.replace('From: Bob <bob@good.test>', 'From: bob@good.test, eve@evil.test'),
    good.replace('v=1;', 'v=1; l=10;'),
    good.replace('v=1;', 'v=1; x=1;'),
    good.replace('v=1;', 'v=1; d=other.test;'),
    `ARC-Seal: i=1\r\n${good}`,
  ]) {
    assert.equal((await both(Buffer.from(changed))).quick, null, changed.slice(0, 60));
  }
});

test('the full verifier gets at most 16 KiB of address fields, in one field or in many', () => {
  const isGiven = (count: number, bytes: number) =>
    isVerifiable(fieldsOf(`From: ${':'.repeat(bytes)}\r\n`.repeat(count)).all);
  assert.deepEqual([isGiven(1, 16_000), isGiven(8, 2_000)], [true, true]);
  assert.deepEqual([isGiven(1, 17_000), isGiven(8, 2_100), isGiven(100, 2_500)], [false, false, false]);
});

test('the quick verifier never passes a changed message that the full one rejects', async () => {
  const good = await signed(raw);
  await fc.assert(
    fc.asyncProperty(
      fc.nat(good.length - 1),
      fc.oneof(fc.constantFrom(' ', '\t', '\r\n', '\r\n ', ';', '', 'a', '='), fc.string({ maxLength: 3 })),
      fc.nat(3),
      async (at, put, cut) => {
        const changed = Buffer.concat([
          good.subarray(0, at),
          Buffer.from(put, 'latin1'),
          good.subarray(at + cut),
        ]);
        const { quick, results } = await both(changed);
        if (quick && quick.signatures.length > 0) {
          assert.deepEqual([...new Set(results)], ['pass']);
          assert.equal(results.length, quick.signatures.length);
        }
        if (quick && quick.signatures.length === 0) assert.deepEqual(results, ['none']);
      },
    ),
    // Every run of the tests has another seed, so the number of tried changes grows with every run.
    { numRuns: 500 },
  );
});

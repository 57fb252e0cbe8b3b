// What the verdicts of a provider prove about a sender, for domains with and without a policy.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CheckedMail, providerProof } from './provider-proof.ts';

const mail = (more: Partial<CheckedMail>): CheckedMail => ({
  verdicts: { dmarc: 'GRAY' },
  author: 'ana@small.example',
  has_one_author: true,
  mail_from: 'ana@small.example',
  signing_domains: [],
  ...more,
});
const cases: [string, Partial<CheckedMail>, string][] = [
  ['DMARC passed', { verdicts: { dmarc: 'PASS' } }, 'proven'],
  ['DMARC failed, SPF passed', { verdicts: { dmarc: 'FAIL', spf: 'PASS' } }, 'failed'],
  ['nothing passed', {}, 'unproven'],
  ['the check was not finished', { verdicts: { dmarc: 'PROCESSING_FAILED' } }, 'unproven'],
  ['SPF passed', { verdicts: { dmarc: 'GRAY', spf: 'PASS' } }, 'proven'],
  [
    'SPF passed for a subdomain',
    { verdicts: { dmarc: 'GRAY', spf: 'PASS' }, mail_from: 'b@mail.small.example' },
    'proven',
  ],
  [
    'SPF passed for somebody else',
    { verdicts: { dmarc: 'GRAY', spf: 'PASS' }, mail_from: 'eve@evil.example' },
    'unproven',
  ],
  ['SPF passed for a bounce', { verdicts: { dmarc: 'GRAY', spf: 'PASS' }, mail_from: '' }, 'unproven'],
  [
    'the only signature passed',
    { verdicts: { dmarc: 'GRAY', dkim: 'PASS' }, signing_domains: ['small.example'] },
    'proven',
  ],
  [
    'one of two signatures passed',
    { verdicts: { dmarc: 'GRAY', dkim: 'PASS' }, signing_domains: ['small.example', 'evil.example'] },
    'unproven',
  ],
  ['two authors', { verdicts: { dmarc: 'GRAY', spf: 'PASS' }, has_one_author: false }, 'unproven'],
  [
    'another customer of the same host',
    {
      verdicts: { dmarc: 'GRAY', spf: 'PASS' },
      author: 'ana@ana.github.io',
      mail_from: 'eve@eve.github.io',
    },
    'unproven',
  ],
];
for (const [name, more, expected] of cases)
  test(`S3: as a provider reports it, ${name}: ${expected}`, () =>
    assert.equal(providerProof(mail(more)), expected));

// The self-signed certificate, read by Node's own X.509 parser.
import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { selfSignedCertificate } from './self-signed-certificate.ts';

test('the certificate is well formed, names the host and matches its private key', () => {
  const now = new Date('2026-11-15T10:00:00Z');
  const { key, cert } = selfSignedCertificate({ host: 'mx.example.com', now, days: 30 });
  const read = new X509Certificate(cert);
  assert.equal(read.checkHost('mx.example.com'), 'mx.example.com');
  assert.equal(read.checkHost('other.example.com'), undefined);
  assert.ok(read.checkPrivateKey(createPrivateKey(key)));
  assert.ok(read.verify(read.publicKey));
  assert.equal(read.validFromDate.toISOString(), '2026-11-15T10:00:00.000Z');
  assert.equal(read.validToDate.toISOString(), '2026-12-15T10:00:00.000Z');
});

// SPF, DKIM, DMARC and ARC verdicts, with keys and records from a local DNS server.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { sealMessage } from 'mailauth/lib/arc/index.js';
import { dkimSign } from 'mailauth/lib/dkim/sign.js';
import { createMailbox, receivedEmails, startMailApp } from '../../../../../testing/mail-app.ts';
import { deliver, rawMessage } from '../../../../../testing/smtp-client.ts';

const { client, operator, dns, smtp_port: port } = await startMailApp();
const { default_address: to } = await createMailbox(client);
const settings = await operator.request('PATCH', '/v1/receive-rules/settings', {
  unauthenticated: 'deliver',
});
assert.equal(settings.status, 200, settings.text);

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const edwards = generateKeyPairSync('ed25519');
const short = generateKeyPairSync('rsa', { modulusLength: 512 });
const pem = (pair: typeof rsa) => pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const published = (pair: typeof rsa) =>
  pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const txt = (name: string, ...TXT: string[]) => dns.records.set(name, { TXT });

txt('good.test', 'v=spf1 ip4:127.0.0.1 -all');
txt('rsa._domainkey.good.test', `v=DKIM1; k=rsa; p=${published(rsa)}`);
txt(
  'ed._domainkey.good.test',
  `v=DKIM1; k=ed25519; p=${edwards.publicKey.export({ type: 'spki', format: 'der' }).subarray(12).toString('base64')}`,
);
txt('short._domainkey.good.test', `v=DKIM1; k=rsa; p=${published(short)}`);
txt('_dmarc.good.test', 'v=DMARC1; p=reject');
txt('strict.test', 'v=spf1 ip4:192.0.2.1 -all');
txt('_dmarc.strict.test', 'v=DMARC1; p=reject');
txt('soft.test', 'v=spf1 ~all');
txt('neutral.test', 'v=spf1 ?all');
txt('broken.test', 'v=spf1 ip4:not-an-address -all');
txt('loop.test', 'v=spf1 include:loop.test -all');
dns.failing.add('silent.test');
dns.failing.add('_dmarc.silent.test');

const sign = async (raw: string, selector: string, key: string) => {
  const { signatures, errors } = await dkimSign(raw, {
    signatureData: [{ signingDomain: 'good.test', selector, privateKey: key }],
  } as never);
  assert.deepEqual(errors, []);
  return signatures + raw;
};
/** Delivers a message and returns its verdicts. */
const verdictsFor = async (raw: string, from = 'bob@good.test') => {
  assert.match(await deliver(port, { from, to, raw, helo: 'mta.test' }), /^250/);
  const [email] = await receivedEmails(client);
  return { spf: email!.spf_verdict, dkim: email!.dkim_verdict, dmarc: email!.dmarc_verdict };
};
const from = (domain: string) => rawMessage({ to, from: `Bob <bob@${domain}>` });

test('a signed message from an authorized server passes all checks', async () => {
  const all = { spf: 'PASS', dkim: 'PASS', dmarc: 'PASS' };
  assert.deepEqual(await verdictsFor(await sign(from('good.test'), 'rsa', pem(rsa))), all);
  assert.deepEqual(await verdictsFor(await sign(from('good.test'), 'ed', pem(edwards as never))), all);
});

test('a changed message fails DKIM, and so does one whose key is missing or too short', async () => {
  const signed = await sign(from('good.test'), 'rsa', pem(rsa));
  assert.equal((await verdictsFor(signed.replace('Good morning', 'Good evening'))).dkim, 'FAIL');
  assert.equal((await verdictsFor(signed.replace('Subject: Hello', 'Subject: Howdy'))).dkim, 'FAIL');
  assert.equal((await verdictsFor(await sign(from('good.test'), 'gone', pem(rsa)))).dkim, 'FAIL');
  assert.equal((await verdictsFor(await sign(from('good.test'), 'short', pem(short)))).dkim, 'FAIL');
});

test('one valid signature is enough', async () => {
  const good = await sign(from('good.test'), 'rsa', pem(rsa));
  assert.equal((await verdictsFor(await sign(good, 'gone', pem(rsa)))).dkim, 'PASS');
});

test('the verdicts on an unsigned message follow the policy of its domain', async () => {
  assert.deepEqual(await verdictsFor(from('good.test')), { spf: 'PASS', dkim: 'GRAY', dmarc: 'PASS' });
  assert.deepEqual(await verdictsFor(from('strict.test'), 'bob@strict.test'), {
    spf: 'FAIL',
    dkim: 'GRAY',
    dmarc: 'FAIL',
  });
  assert.equal((await verdictsFor(from('soft.test'), 'bob@soft.test')).spf, 'FAIL');
  assert.equal((await verdictsFor(from('neutral.test'), 'bob@neutral.test')).spf, 'GRAY');
  assert.equal((await verdictsFor(from('broken.test'), 'bob@broken.test')).spf, 'FAIL');
  assert.equal((await verdictsFor(from('loop.test'), 'bob@loop.test')).spf, 'FAIL');
  assert.deepEqual(await verdictsFor(from('unknown.test'), 'bob@unknown.test'), {
    spf: 'GRAY',
    dkim: 'GRAY',
    dmarc: 'GRAY',
  });
});

test('DMARC uses the From header, not the envelope sender', async () => {
  assert.deepEqual(await verdictsFor(from('strict.test'), 'bob@good.test'), {
    spf: 'PASS',
    dkim: 'GRAY',
    dmarc: 'FAIL',
  });
});

test('a DNS failure gives the verdict PROCESSING_FAILED', async () => {
  const found = await verdictsFor(from('silent.test'), 'bob@silent.test');
  assert.deepEqual(found, { spf: 'PROCESSING_FAILED', dkim: 'GRAY', dmarc: 'PROCESSING_FAILED' });
});

test('a message with an ARC seal is verified too, changed or not', async () => {
  const signed = await sign(from('good.test'), 'rsa', pem(rsa));
  const seal = await sealMessage(signed, {
    signingDomain: 'good.test',
    selector: 'rsa',
    privateKey: pem(rsa),
    authResults: 'forwarder.test; dkim=pass',
    cv: 'none',
  });
  assert.equal((await verdictsFor(seal.toString() + signed)).dkim, 'PASS');
  const changed = signed.replace('Good morning', 'Good evening');
  assert.equal((await verdictsFor(seal.toString() + changed)).dkim, 'FAIL');
});

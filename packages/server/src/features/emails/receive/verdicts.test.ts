// SPF, DKIM, DMARC and ARC against keys and zones that a local DNS server publishes.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, test } from 'node:test';
import type { Email } from '@parley/contract/email-records';
import { sealMessage } from 'mailauth/lib/arc/index.js';
import { dkimSign } from 'mailauth/lib/dkim/sign.js';
import { startTestApp } from '../../../../testing/app.ts';
import { startDns } from '../../../../testing/dns-server.ts';
import { deliver, letter } from '../../../../testing/smtp-client.ts';

const dns = await startDns();
const { app, client } = await startTestApp({ PARLEY_DNS_SERVERS: dns.address });
const port = await app.smtp.listen();
after(() => app.smtp.close());

const { body: domain } = await client.request<{ default_address: string }>('POST', '/v1/email-domains', {
  kind: 'service_mail',
  local_prefix_user: 'ana',
  local_prefix_org: 'acme',
});
const to = domain.default_address;

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
/** What the service made of a message. */
const judged = async (raw: string, from = 'bob@good.test') => {
  assert.match(await deliver(port, { from, to, raw, helo: 'mta.test' }), /^250/);
  const list = await client.request<{ items: { id: string }[] }>(
    'GET',
    '/v1/emails?direction=inbound&limit=1',
  );
  const { body } = await client.request<Email>('GET', `/v1/emails/${list.body.items[0]!.id}`);
  return { spf: body.spf_verdict, dkim: body.dkim_verdict, dmarc: body.dmarc_verdict };
};
const from = (domain: string) => letter({ to, from: `Bob <bob@${domain}>` });

test('a signed message from its own server passes everything', async () => {
  const all = { spf: 'PASS', dkim: 'PASS', dmarc: 'PASS' };
  assert.deepEqual(await judged(await sign(from('good.test'), 'rsa', pem(rsa))), all);
  assert.deepEqual(await judged(await sign(from('good.test'), 'ed', pem(edwards as never))), all);
});

test('a message that was changed on its way fails DKIM, and so does a key that is missing or too short', async () => {
  const signed = await sign(from('good.test'), 'rsa', pem(rsa));
  assert.equal((await judged(signed.replace('Good morning', 'Good evening'))).dkim, 'FAIL');
  assert.equal((await judged(signed.replace('Subject: Hello', 'Subject: Howdy'))).dkim, 'FAIL');
  assert.equal((await judged(await sign(from('good.test'), 'gone', pem(rsa)))).dkim, 'FAIL');
  assert.equal((await judged(await sign(from('good.test'), 'short', pem(short)))).dkim, 'FAIL');
});

test('one good signature is enough', async () => {
  const good = await sign(from('good.test'), 'rsa', pem(rsa));
  assert.equal((await judged(await sign(good, 'gone', pem(rsa)))).dkim, 'PASS');
});

test('an unsigned message from elsewhere is what the domain says it is', async () => {
  assert.deepEqual(await judged(from('good.test')), { spf: 'PASS', dkim: 'GRAY', dmarc: 'PASS' });
  assert.deepEqual(await judged(from('strict.test'), 'bob@strict.test'), {
    spf: 'FAIL',
    dkim: 'GRAY',
    dmarc: 'FAIL',
  });
  assert.equal((await judged(from('soft.test'), 'bob@soft.test')).spf, 'FAIL');
  assert.equal((await judged(from('neutral.test'), 'bob@neutral.test')).spf, 'GRAY');
  assert.equal((await judged(from('broken.test'), 'bob@broken.test')).spf, 'FAIL');
  assert.equal((await judged(from('loop.test'), 'bob@loop.test')).spf, 'FAIL');
  assert.deepEqual(await judged(from('unknown.test'), 'bob@unknown.test'), {
    spf: 'GRAY',
    dkim: 'GRAY',
    dmarc: 'GRAY',
  });
});

test('the name in the letter counts for DMARC, not the one on the envelope', async () => {
  assert.deepEqual(await judged(from('strict.test'), 'bob@good.test'), {
    spf: 'PASS',
    dkim: 'GRAY',
    dmarc: 'FAIL',
  });
});

test('a DNS server that does not answer leads to no conclusion', async () => {
  const found = await judged(from('silent.test'), 'bob@silent.test');
  assert.deepEqual(found, { spf: 'PROCESSING_FAILED', dkim: 'GRAY', dmarc: 'PROCESSING_FAILED' });
});

test('a message that a forwarder sealed is read as well, intact or not', async () => {
  const signed = await sign(from('good.test'), 'rsa', pem(rsa));
  const seal = await sealMessage(signed, {
    signingDomain: 'good.test',
    selector: 'rsa',
    privateKey: pem(rsa),
    authResults: 'forwarder.test; dkim=pass',
    cv: 'none',
  });
  assert.equal((await judged(seal.toString() + signed)).dkim, 'PASS');
  const changed = signed.replace('Good morning', 'Good evening');
  assert.equal((await judged(seal.toString() + changed)).dkim, 'FAIL');
});

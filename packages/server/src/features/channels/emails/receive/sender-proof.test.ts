// What proves the sender of a received email, over SMTP, with records from a local DNS server.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { ConversationItem } from '@parley/contract/inbox/conversations';
import { dkimSign } from 'mailauth/lib/dkim/sign.js';
import { conversationReads, ok, type Page } from '../../../../../testing/conversations.ts';
import { createMailbox, receivedEmails, startMailApp } from '../../../../../testing/mail-app.ts';
import { deliver, rawMessage } from '../../../../../testing/smtp-client.ts';

const service = await startMailApp();
const { client, dns, smtp_port: port } = service;
const { settled } = conversationReads(service);
const { default_address: to } = await createMailbox(client);

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key_record = `v=DKIM1; k=rsa; p=${keys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;
const txt = (name: string, ...TXT: string[]) => dns.records.set(name, { TXT });
txt('bank.test', 'v=spf1 -all');
txt('_dmarc.bank.test', 'v=DMARC1; p=reject');
txt('here.test', 'v=spf1 ip4:127.0.0.1 -all');
txt('_dmarc.here.test', 'v=DMARC1; p=reject');
// Domains without a policy.
txt('small.test', 'v=spf1 ip4:127.0.0.1 -all');
txt('bounces.small.test', 'v=spf1 ip4:127.0.0.1 -all');
txt('eve.test', 'v=spf1 ip4:127.0.0.1 -all');
txt('s._domainkey.small.test', key_record);
txt('s._domainkey.eve.test', key_record);
txt('away.test', 'v=spf1 -all');

const signed = async (raw: string, domain: string) => {
  const privateKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const { signatures } = await dkimSign(raw, {
    signatureData: [{ signingDomain: domain, selector: 's', privateKey }],
  } as never);
  return signatures + raw;
};
let count = 0;
type Mail = { from: string; mail_from?: string; headers?: string[]; body?: string; signer?: string };
async function receive({ from, mail_from = from, signer, ...more }: Mail) {
  const plain = rawMessage({ to, from, subject: `Proof ${++count}`, ...more });
  const raw = signer ? await signed(plain, signer) : plain;
  assert.match(await deliver(port, { from: mail_from, to, raw, helo: 'mta.test' }), /^250/);
  const apart = await ok<Page<Email>>(client, 'GET', '/v1/emails?folder=quarantine&limit=100');
  const all = [...(await receivedEmails(client)), ...apart.items];
  const listed = all.find(({ subject }) => subject === `Proof ${count}`);
  const email = await ok<Email>(client, 'GET', `/v1/emails/${listed?.id}`);
  return email;
}

const junk = (signatures: number) =>
  Array.from(
    { length: signatures },
    (_, n) => `DKIM-Signature: v=1; a=rsa-sha256; d=d${n}.test; s=s; h=from; bh=aa; b=aa`,
  );
const odd_headers: [string, string[]][] = [
  ['21 signatures', junk(21)],
  ['500 signatures', junk(500)],
  ['257 blanks', [`X-Note: a${' '.repeat(257)}b`]],
  ['blanks in folds', [`X-Note: a\r\n${Array(40).fill('         ').join('\r\n')}\r\n b`]],
  ['a long name of a field', [`X-${'a'.repeat(300)}: b`]],
  ['a long signature', [`DKIM-Signature: v=1; d=x.test; s=s; b=${'a'.repeat(17_000)}`]],
  ['a long Sender', [`Sender: ${'a'.repeat(17_000)}@x.test`]],
  ['a second From field', ['From: boss@bank.test']],
  ['a second From field of the forger', ['From: eve@eve.test']],
];

for (const [name, headers] of odd_headers)
  test(`S3: a forged mail with ${name} meets the policy of the domain that it names`, async () => {
    const forged = await receive({ from: 'boss@bank.test', mail_from: 'eve@eve.test', headers });
    assert.deepEqual(
      [forged.dmarc_verdict, forged.folder, forged.quarantine_reason],
      ['FAIL', 'quarantine', 'unauthenticated'],
    );
  });

test('S3: a second address in From does not choose whose policy counts', async () => {
  const forged = await receive({ from: 'boss@bank.test, eve@eve.test', mail_from: 'eve@eve.test' });
  assert.deepEqual([forged.dmarc_verdict, forged.folder], ['FAIL', 'quarantine']);
});

test('S3: an honest mail with an odd header passes by SPF alone', async () => {
  for (const headers of [junk(21), [`X-Note: a${' '.repeat(257)}b`]]) {
    const email = await receive({ from: 'bob@here.test', headers });
    assert.deepEqual([email.spf_verdict, email.dmarc_verdict, email.folder], ['PASS', 'PASS', 'inbox']);
  }
});

const cases: [string, Mail, 'verified' | 'unproven' | 'failed'][] = [
  ['DMARC passed', { from: 'bob@here.test' }, 'verified'],
  ['no policy, SPF of the same domain', { from: 'bob@small.test' }, 'verified'],
  [
    'no policy, SPF of a subdomain',
    { from: 'bob@small.test', mail_from: 'b1@bounces.small.test' },
    'verified',
  ],
  [
    'no policy, a signature of the domain',
    { from: 'bob@small.test', mail_from: 'list@away.test', signer: 'small.test' },
    'verified',
  ],
  ['no policy, SPF of somebody else', { from: 'bob@small.test', mail_from: 'eve@eve.test' }, 'unproven'],
  [
    'no policy, a signature of somebody else',
    { from: 'bob@small.test', mail_from: 'eve@eve.test', signer: 'eve.test' },
    'unproven',
  ],
  ['no policy, SPF failed', { from: 'bob@away.test' }, 'unproven'],
  ['a domain that publishes nothing', { from: 'bob@nothing.test' }, 'unproven'],
  [
    'no policy and an odd header without SPF',
    { from: 'bob@small.test', mail_from: 'eve@eve.test', headers: junk(21) },
    'unproven',
  ],
  [
    'two From fields of one domain',
    { from: 'bob@small.test', headers: ['From: boss@small.test'] },
    'unproven',
  ],
];
for (const [name, mail, expected] of cases)
  test(`S3: ${name}: the mail is delivered, and its sender is ${expected}`, async () => {
    const email = await receive(mail);
    assert.equal(email.folder, 'inbox');
    await settled();
    const path = `/v1/search?q=${encodeURIComponent(`"${email.subject}"`)}`;
    const { items } = await ok<Page<Pick<ConversationItem, 'id' | 'authenticity'>>>(client, 'GET', path);
    assert.equal(items.find(({ id }) => id === email.id)?.authenticity, expected);
  });

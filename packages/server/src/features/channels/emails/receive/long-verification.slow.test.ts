// A mail that is made to take longer to verify than its thread has: the policy of its domain counts.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { ok, type Page } from '../../../../../testing/conversations.ts';
import { createMailbox, startMailApp } from '../../../../../testing/mail-app.ts';
import { deliver, rawMessage } from '../../../../../testing/smtp-client.ts';

const { client, dns, smtp_port: port } = await startMailApp();
const { default_address: to } = await createMailbox(client);
const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key_record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;
dns.records.set('bank.test', { TXT: ['v=spf1 -all'] });
dns.records.set('_dmarc.bank.test', { TXT: ['v=DMARC1; p=reject'] });
dns.records.set('eve.test', { TXT: ['v=spf1 ip4:127.0.0.1 -all'] });
dns.records.set('s._domainkey.eve.test', { TXT: [key_record] });

test('S3: a forged mail that takes too long to verify meets the policy of its domain', async () => {
  const slow = Array.from(
    { length: 20 },
    (_, n) =>
      `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=eve.test; s=s; h=from; l=${10 ** 8 + n};\r\n bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=aaaa`,
  );
  const raw = rawMessage({
    to,
    from: 'boss@bank.test',
    subject: 'Forged',
    headers: slow,
    body: `Hello\r\n${' \r\n'.repeat(1_300_000)}`,
  });
  assert.match(await deliver(port, { from: 'eve@eve.test', to, raw, helo: 'mta.test' }), /^250/);
  const apart = await ok<Page<Email>>(client, 'GET', '/v1/emails?folder=quarantine');
  const listed = apart.items.find(({ subject }) => subject === 'Forged');
  const forged = await ok<Email>(client, 'GET', `/v1/emails/${listed?.id}`);
  assert.deepEqual([forged.dmarc_verdict, forged.folder], ['FAIL', 'quarantine']);
});

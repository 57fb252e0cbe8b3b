// A message that takes too long to examine: its thread is ended, and the message still gets an honest answer.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Email } from '@parley/contract/email-records';
import { startTestApp } from '../../../../testing/app.ts';
import { startDns } from '../../../../testing/dns-server.ts';
import { watchEventLoop } from '../../../../testing/event-loop.ts';
import { deliver, letter } from '../../../../testing/smtp-client.ts';
import { messageExaminer } from './examination/examiner.ts';

const dns = await startDns();
const { app, organization } = await startTestApp({ PARLEY_DNS_SERVERS: dns.address });
const port = await app.smtp.listen();
after(() => app.smtp.close());

const own = organization();
const box = await own.request<{ default_address: string }>('POST', '/v1/email-domains', {
  kind: 'service_mail',
  local_prefix_user: 'ana',
  local_prefix_org: 'acme',
});
const to = box.body.default_address;
const received = async (subject: string): Promise<Email[]> => {
  const list = await own.request<{ items: { id: string; subject: string }[] }>(
    'GET',
    '/v1/emails?direction=inbound',
  );
  const ids = list.body.items.filter((email) => email.subject === subject).map(({ id }) => id);
  return Promise.all(ids.map(async (id) => (await own.request<Email>('GET', `/v1/emails/${id}`)).body));
};

/** Twenty signatures that each cover another length of a body of blank lines: the verifier needs most of a minute for 4 MB. */
const slow = (subject: string, bytes: number): string => {
  const signatures = Array.from(
    { length: 20 },
    (_, n) =>
      `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=sender.test; s=s; h=from; l=${10 ** 8 + n};\r\n bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=aaaa`,
  );
  const body = ' \r\n'.repeat(bytes / 3);
  return letter({ to, subject, from: '(A) a@sender.test', headers: signatures, body: `Hello\r\n${body}` });
};
const unverified = {
  dkim_verdict: 'PROCESSING_FAILED',
  spf_verdict: 'PROCESSING_FAILED',
  dmarc_verdict: 'PROCESSING_FAILED',
};
const verdicts = ({ dkim_verdict, spf_verdict, dmarc_verdict }: typeof unverified | Email) => ({
  dkim_verdict,
  spf_verdict,
  dmarc_verdict,
});

test('a message that takes too long to verify is kept as not verified, and others beside it are verified (M2)', async () => {
  assert.match(await deliver(port, { to, raw: letter({ to, subject: 'Before' }) }), /^250/);
  const raw = slow('Slow', 4_000_000);
  const loop = watchEventLoop();
  const slowly = deliver(port, { from: 'a@sender.test', to, raw });
  const beside = Promise.all(
    Array.from({ length: 8 }, (_, n) => deliver(port, { to, raw: letter({ to, subject: `Beside ${n}` }) })),
  );
  for (const answer of await beside) assert.match(answer, /^250 /);
  assert.match(await slowly, /^250 2\.6\.0/);
  const longest_ms = loop.longest_ms();
  loop.stop();
  assert.ok(longest_ms < 100, `${longest_ms} ms`);

  const [email, ...more] = await received('Slow');
  assert.deepEqual(more, []);
  assert.deepEqual(verdicts(email!), unverified);
  assert.match(email!.body_text!, /^Hello/);
  const link = await own.request('GET', `/v1/emails/${email!.id}/raw`);
  assert.equal(await (await fetch(link.headers.get('location')!)).text(), raw);
  for (let n = 0; n < 8; n++) {
    const [other] = await received(`Beside ${n}`);
    assert.deepEqual(verdicts(other!), { dkim_verdict: 'GRAY', spf_verdict: 'GRAY', dmarc_verdict: 'GRAY' });
  }
});

test('a small one keeps its bytes here, so that it survives its thread (M2)', async () => {
  const examiner = messageExaminer({ dns_servers: [dns.address], host: 'mx.test', cpuMsFor: () => 150 });
  after(() => examiner.close());
  const raw = Buffer.from(slow('Small', 250_000));
  const envelope = { mail_from: 'a@sender.test', remote_address: '127.0.0.1', helo: 'a.test' };
  const again = () => Promise.reject(new Error('read again'));
  const { examined } = await examiner.examine(raw, envelope, again);
  assert.equal(examined.message.subject, 'Small');
  assert.deepEqual(verdicts(examined.authentication!), unverified);
});

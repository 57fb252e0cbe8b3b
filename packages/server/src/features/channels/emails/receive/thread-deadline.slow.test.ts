// A message that takes too long to verify: its thread is terminated, and its signatures count as failed.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { createMailbox, downloadRaw, receivedEmails, startMailApp } from '../../../../../testing/mail-app.ts';
import { deliver, rawMessage } from '../../../../../testing/smtp-client.ts';
import { UnreadableMessage } from '../../../../protocols/mail/mime/structure.ts';
import { messageExaminer } from './examination/examiner.ts';

const { dns, organization, smtp_port: port, url } = await startMailApp();
const own = organization();
const { default_address: to } = await createMailbox(own);
const received = async (subject: string) =>
  (await receivedEmails(own)).filter((email) => email.subject === subject);

/** Twenty signatures, each over another length of a body of blank lines: the verifier needs most of a minute for 4 MB. */
const slowMessage = (subject: string, bytes: number): string => {
  const signatures = Array.from(
    { length: 20 },
    (_, n) =>
      `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=sender.test; s=s; h=from; l=${10 ** 8 + n};\r\n bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=aaaa`,
  );
  const body = ' \r\n'.repeat(bytes / 3);
  return rawMessage({
    to,
    subject,
    from: '(A) a@sender.test',
    headers: signatures,
    body: `Hello\r\n${body}`,
  });
};
const unverified = { dkim_verdict: 'FAIL', spf_verdict: 'GRAY', dmarc_verdict: 'GRAY' };
const verdicts = ({ dkim_verdict, spf_verdict, dmarc_verdict }: typeof unverified | Email) => ({
  dkim_verdict,
  spf_verdict,
  dmarc_verdict,
});

test('a message that takes too long to verify is stored with failed signatures; requests and other messages do not wait (M2)', async () => {
  assert.match(await deliver(port, { to, raw: rawMessage({ to, subject: 'Before' }) }), /^250/);
  const raw = slowMessage('Slow', 4_000_000);
  const slow_delivery = deliver(port, { from: 'a@sender.test', to, raw });
  const concurrent = Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      deliver(port, { to, raw: rawMessage({ to, subject: `Concurrent ${n}` }) }),
    ),
  );
  // If the event loop did the work, no request would get a response before the message.
  let is_delivered = false;
  const note = () => {
    is_delivered = true;
  };
  slow_delivery.then(note, note);
  for (let requests = 0; requests < 20; requests++) {
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    assert.equal(is_delivered, false, `${requests} requests got a response before the message`);
  }
  for (const reply of await concurrent) assert.match(reply, /^250 /);
  assert.match(await slow_delivery, /^250 2\.6\.0/);

  const [email, ...more] = await received('Slow');
  assert.deepEqual(more, []);
  assert.deepEqual(verdicts(email!), unverified);
  assert.match(email!.body_text!, /^Hello/);
  assert.equal(await downloadRaw(own, email!.id), raw);
  for (let n = 0; n < 8; n++) {
    const [other] = await received(`Concurrent ${n}`);
    assert.deepEqual(verdicts(other!), { dkim_verdict: 'GRAY', spf_verdict: 'GRAY', dmarc_verdict: 'GRAY' });
  }
});

test('a small message is copied to the thread, so it is not lost if the thread is terminated (M2)', async () => {
  const examiner = messageExaminer({ dns_servers: [dns.address], host: 'mx.test', cpuLimit: () => 150 });
  after(() => examiner.close());
  const raw = Buffer.from(slowMessage('Small', 250_000));
  const envelope = { mail_from: 'a@sender.test', remote_address: '127.0.0.1', helo: 'a.test' };
  const readAgain = () => Promise.reject(new Error('read again'));
  const { examined } = await examiner.examine(raw, envelope, readAgain);
  assert.equal(examined.message.subject, 'Small');
  assert.deepEqual(verdicts(examined.authentication!), unverified);
});

test('S1: a message that takes too long to parse is refused for good, because its sender would send it again and again', async () => {
  const examiner = messageExaminer({ dns_servers: [dns.address], host: 'mx.test', cpuLimit: () => 1 });
  after(() => examiner.close());
  const headers = [
    'Content-Type: application/octet-stream',
    'Content-Disposition: attachment; filename=a',
    'Content-Transfer-Encoding: quoted-printable',
  ];
  const start = Buffer.from(rawMessage({ to, subject: 'Slow', headers, body: '' }));
  const line = `${'=41'.repeat(25)}=\r\n`;
  const read = (lines: number) => Buffer.concat([start, Buffer.alloc(lines * line.length, line)]);
  const envelope = { mail_from: 'a@sender.test', remote_address: '127.0.0.1', helo: 'a.test' };
  const isRead = async (lines: number) => {
    const examined = examiner.examine(read(lines), envelope, async () => read(lines));
    return examined.then(
      () => true,
      (error) => {
        assert.ok(error instanceof UnreadableMessage, String(error));
        return false;
      },
    );
  };
  // A thread counts as stuck after it missed two messages in half a second: a fast machine needs a larger body for that.
  let lines = 500_000;
  while (lines < 8_000_000 && (await isRead(lines))) lines *= 2;
  assert.ok(lines < 8_000_000, 'a message of 300 MB was parsed in time');
});

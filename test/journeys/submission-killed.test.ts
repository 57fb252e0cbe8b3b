// Journey: the process is killed while it hands over a submitted message; nothing is sent twice, and no message is lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { smtpSession } from '../../packages/server/testing/smtp-client.ts';
import { startMailSink } from './mail-sink.ts';
import { makeHome, type Service, sharedDatabase, until } from './process.ts';

type Email = { id: string; status: string; end_reason: string | null };

test('a message that is submitted again after kill -9 is sent once, or its reply says that the outcome is unknown', async (t) => {
  const accepted: string[] = [];
  let atData: () => void = () => {};
  const relay_url = await startMailSink(t, ({ raw, envelope, accept }) => {
    accepted.push(raw);
    // A message to "stuck@" gets no reply: the service is killed while it waits.
    if (envelope.rcptTo.some(({ address }) => address.startsWith('stuck@'))) atData();
    else accept();
  });
  const settings = {
    ...(await sharedDatabase(t)),
    PARLEY_SMTP_URL: relay_url,
    // Long enough to kill the process before it gives up, also on a loaded machine.
    PARLEY_EMAIL_TIMEOUT_SECONDS: '5',
    PARLEY_ROLES: 'api,worker,submission',
    PARLEY_SHARED_KEY_GRANTS_CONSENT: 'on',
    PARLEY_SERVICE_MAIL_PREFIX_USER: 'agent',
    PARLEY_SERVICE_MAIL_PREFIX_ORG: 'house',
  };
  const home = makeHome(t);
  const first = await home.start(settings);
  const domain = await first.request<{ default_address: string }>('POST', '/v1/email-domains', {
    kind: 'service_mail',
  });
  const from = domain.body.default_address;
  const message = (to: string) =>
    `From: ${from}\r\nTo: ${to}\r\nSubject: Lost?\r\nMessage-ID: <${to}.1@client.test>\r\n\r\nText\r\n.\r\n`;
  const handed = new Promise<void>((resolve) => {
    atData = resolve;
  });
  const stuck = { from, to: 'stuck@example.org', message: message('stuck@example.org') };
  const lost = assert.rejects(submit(first, stuck), /closed/);
  await handed;
  await first.kill();
  await lost;

  const second = await home.start(settings);
  const again = () => submit(second, stuck);
  assert.match(await again(), /^(451|554) /);
  const listed = async () => (await second.request<{ items: Email[] }>('GET', '/v1/emails')).body.items;
  await until(async () => (await listed())[0]?.status === 'failed');
  const [email, ...more] = await listed();
  assert.deepEqual([email!.end_reason, more], ['unconfirmed', []]);
  assert.match(await again(), new RegExp(`^554 5\\.4\\.0 .*${email!.id}`));
  assert.equal(accepted.length, 1);

  const fine = { from, to: 'bob@example.org', message: message('bob@example.org') };
  const confirmed = await submit(second, fine);
  assert.match(confirmed, /^250 2\.0\.0 Sent as /);
  await second.kill();
  const third = await home.start(settings);
  assert.equal(await submit(third, fine), confirmed);
  assert.equal(accepted.length, 2);
});

async function submit(
  service: Service,
  { from, to, message }: { from: string; to: string; message: string },
): Promise<string> {
  const port = Number((await service.prints(/SMTP submission +ports (\d+)/))[1]);
  const session = await smtpSession(port);
  await session.command('STARTTLS');
  await session.startTls();
  await session.command('EHLO client.test');
  const secret = Buffer.from(`\0parley\0${service.key}`).toString('base64');
  assert.match(await session.command(`AUTH PLAIN ${secret}`), /^235/);
  assert.match(await session.command(`MAIL FROM:<${from}>`), /^250/);
  assert.match(await session.command(`RCPT TO:<${to}>`), /^250/);
  assert.match(await session.command('DATA'), /^354/);
  session.send(message);
  const reply = await session.reply();
  session.destroy();
  return reply;
}

// System mail over a real relay: signed, retried, not sent twice once it was accepted, and not logged.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { startTestApp } from '../../../../testing/app.ts';
import { password, visitor } from '../../../../testing/visitor.ts';
import { waitFor } from '../../../../testing/wait-for.ts';
import { sql } from '../../../platform/db/sql.ts';
import { makeLog } from '../../../platform/log.ts';

const arrived: { from: string; to: string; raw: string }[] = [];
const refusals: string[] = [];
const relay = new SMTPServer({
  closeTimeout: 100,
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  async onData(stream, { envelope: { mailFrom, rcptTo } }, done) {
    const raw = (await buffer(stream)).toString();
    const refusal = refusals.shift();
    if (refusal) {
      return done(Object.assign(new Error(refusal.slice(4)), { responseCode: Number(refusal.slice(0, 3)) }));
    }
    arrived.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo[0]!.address, raw });
    done();
  },
});
relay.listen(0, '127.0.0.1');
await once(relay.server, 'listening');
after(() => new Promise<void>((resolve) => relay.close(() => resolve())));

const lines: string[] = [];
const app = await startTestApp(
  {
    PARLEY_MANAGED: 'on',
    PARLEY_SIGN_UP: 'open',
    PARLEY_TRUSTED_PROXIES: '127.0.0.1',
    PARLEY_SMTP_URL: `smtp://127.0.0.1:${(relay.server.address() as AddressInfo).port}`,
    PARLEY_SERVICE_MAIL_DOMAIN: 'mail.parley.test',
  },
  {
    log: makeLog({
      level: 'debug',
      show_personal_data: false,
      destination: { write: (line: string) => void lines.push(line) },
    }),
  },
);

const signUp = async () => {
  const email = `${randomUUID()}@example.com`;
  const answer = await visitor(app.url).send('/auth/sign-up', { name: 'Ana', email, password });
  assert.equal(answer.status, 303, answer.text);
  return email;
};
type Row = { sent: boolean; failed: boolean; failure: string | null; kept: boolean; attempts: number };
const settled = (email: string): Promise<Row> =>
  waitFor('the mail is sent or given up', async () => {
    const row = await app.db.maybe<Row>(sql`
      select m.sent_at is not null as sent, m.failed_at is not null as failed, m.failure, m.attempts,
             m.message_sealed is not null as kept
        from system_mails m join sign_ups s on s.id::text = m.reference where s.email = ${email}`);
    return row && (row.sent || row.failed) ? row : null;
  });
const mailsTo = (email: string) => arrived.filter(({ to }) => to === email);

test('system mail comes from the service address and is signed with its key', async () => {
  const email = await signUp();
  await settled(email);
  const [mail] = mailsTo(email);
  assert.equal(mail!.from, 'no-reply@mail.parley.test');
  assert.match(mail!.raw, /^DKIM-Signature: [\s\S]*d=mail\.parley\.test;/);
  assert.match(mail!.raw, /^From: Parley <no-reply@mail\.parley\.test>\r$/m);
  assert.match(mail!.raw, /^Auto-Submitted: auto-generated\r$/m);
});

test('system mail is retried after a temporary refusal, and sent once', async () => {
  refusals.push('451 4.7.1 Try again later');
  const email = await signUp();
  const row = await settled(email);
  assert.deepEqual([row.sent, row.attempts, row.kept], [true, 2, false]);
  await app.app.jobs.drain();
  assert.equal(mailsTo(email).length, 1);
});

test('system mail fails immediately after a permanent refusal, and the secret in it is removed', async () => {
  refusals.push('550 5.7.1 Refused');
  const email = await signUp();
  const row = await settled(email);
  assert.deepEqual(row, { sent: false, failed: true, failure: 'smtp_rejected', kept: false, attempts: 1 });
});

test('neither the address nor the code is in the log', async () => {
  refusals.push('451 4.7.1 Try again later', '550 5.7.1 Refused');
  const email = await signUp();
  await settled(email);
  const codes = arrived.map(({ raw }) => /\d{4} \d{4}/.exec(raw)?.[0]).filter((code) => code !== undefined);
  assert.ok(codes.length > 0);
  const said = lines.join('');
  assert.ok(!said.includes('@example.com'), 'no address');
  for (const code of codes)
    assert.ok(!said.includes(code) && !said.includes(code.replace(' ', '')), 'no code');
});

test('system mail waits while the kill switch stops emails, and is sent afterwards', async () => {
  const stop = (emails: boolean) => app.operator.request('PATCH', '/v1/admin/kill-switch', { emails });
  assert.equal((await stop(true)).status, 200);
  const email = await signUp();
  const held = () =>
    app.db.maybe(sql`
      select 1 from jobs j join system_mails m on m.id::text = j.payload->>'system_mail_id'
        join sign_ups s on s.id::text = m.reference
       where s.email = ${email} and (j.payload->>'holds')::int > 0`);
  await waitFor('the mail is held', held);
  assert.deepEqual(mailsTo(email), []);
  assert.equal((await stop(false)).status, 200);
  await app.db.run(sql`update jobs set run_at = now() where kind = 'send_system_mail'`);
  assert.equal((await settled(email)).sent, true);
  assert.equal(mailsTo(email).length, 1);
});

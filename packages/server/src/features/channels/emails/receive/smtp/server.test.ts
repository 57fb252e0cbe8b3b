// The SMTP server: extensions, refusals, limits, and attacks that must fail.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createMailbox, receivedEmails, startMailApp } from '../../../../../../testing/mail-app.ts';
import { deliver, rawMessage, smtpSession } from '../../../../../../testing/smtp-client.ts';
import { sql } from '../../../../../platform/db/sql.ts';

const {
  db,
  client,
  organization,
  smtp_port: port,
} = await startMailApp({
  PARLEY_INBOUND_MAX_BYTES: '200000',
  PARLEY_INBOUND_PEER_CONNECTIONS: '5',
  PARLEY_INBOUND_PEER_MESSAGES_PER_MINUTE: '300',
});
const { default_address: to } = await createMailbox(client);
const storedSubjects = async () =>
  (
    await db.rows<{ subject: string }>(
      sql`select subject from emails where direction = 'inbound' order by id`,
    )
  ).map((row) => row.subject);
const newest = async () => (await receivedEmails(client))[0]!;
/** A session after DATA: the next bytes are the message. */
const sessionAfterData = async () => {
  const session = await smtpSession(port);
  assert.match(await session.command('MAIL FROM:<bob@example.org>'), /^250/);
  assert.match(await session.command(`RCPT TO:<${to}>`), /^250/);
  assert.match(await session.command('DATA'), /^354/);
  return session;
};

describe('the SMTP server', () => {
  test('offers the usual extensions and no authentication', async () => {
    const session = await smtpSession(port, { helo: null });
    session.send('EHLO client.test\r\n');
    const offered = await session.reply();
    for (const extension of ['PIPELINING', '8BITMIME', 'SMTPUTF8', 'STARTTLS', 'SIZE 200000']) {
      assert.ok(offered.includes(extension), `${extension} in ${offered}`);
    }
    assert.doesNotMatch(offered, /AUTH/);
    assert.match(await session.command('AUTH PLAIN AGEAYg=='), /^50\d/);
    session.destroy();
  });

  test('accepts pipelined commands', async () => {
    const session = await smtpSession(port);
    const raw = rawMessage({ to, subject: 'Pipelined' });
    session.send(`MAIL FROM:<bob@example.org>\r\nRCPT TO:<${to}>\r\nDATA\r\n`);
    for (const code of [/^250/, /^250/, /^354/]) assert.match(await session.reply(), code);
    session.send(`${raw}.\r\nQUIT\r\n`);
    assert.match(await session.reply(), /^250/);
    assert.match(await session.reply(), /^221/);
    assert.equal((await newest()).subject, 'Pipelined');
  });

  test('encrypts after STARTTLS with a self-signed certificate', async () => {
    const session = await smtpSession(port);
    assert.match(await session.command('STARTTLS'), /^220/);
    await session.startTls();
    assert.match(await session.command('EHLO client.test'), /^250/);
    assert.match(await session.command('MAIL FROM:<bob@example.org>'), /^250/);
    assert.match(await session.command(`RCPT TO:<${to}>`), /^250/);
    assert.match(await session.command('DATA'), /^354/);
    session.send(`${rawMessage({ to, subject: 'Encrypted' })}.\r\n`);
    assert.match(await session.reply(), /^250/);
    assert.equal((await newest()).subject, 'Encrypted');
    session.destroy();
  });

  test('discards commands that were sent in clear text after STARTTLS', async () => {
    const session = await smtpSession(port);
    session.send(`STARTTLS\r\nMAIL FROM:<mallory@example.org>\r\nRCPT TO:<${to}>\r\n`);
    assert.match(await session.reply(), /^220/);
    await session.startTls();
    assert.match(await session.command(`RCPT TO:<${to}>`), /^503/);
    session.destroy();
  });

  test('accepts non-ASCII addresses and headers', async () => {
    const session = await smtpSession(port);
    assert.match(await session.command('MAIL FROM:<zoë@bücher.example> SMTPUTF8 BODY=8BITMIME'), /^250/);
    assert.match(await session.command(`RCPT TO:<${to}>`), /^250/);
    assert.match(await session.command('DATA'), /^354/);
    session.send(
      Buffer.from(`${rawMessage({ to, from: 'Zoë <zoë@bücher.example>', subject: 'Grüße' })}.\r\n`),
    );
    assert.match(await session.reply(), /^250/);
    const email = await newest();
    assert.equal(email.subject, 'Grüße');
    assert.equal(email.from_address, 'zoë@bücher.example');
    session.destroy();
  });

  test('accepts addresses with a tag, in any letter case, and every address of a verified domain', async () => {
    const own = organization();
    const custom = await own.request<{ id: string }>('POST', '/v1/email-domains', {
      kind: 'custom',
      domain: 'catch-all.test',
    });
    const session = await smtpSession(port);
    await session.command('MAIL FROM:<bob@example.org>');
    assert.match(await session.command('RCPT TO:<anyone@catch-all.test>'), /^550/, 'not verified yet');
    await db.run(sql`update email_domains set verification_status = 'verified' where id = ${custom.body.id}`);
    // The row was changed directly, so a PATCH is needed to clear the cache. Verification over the API does that too.
    await own.request('PATCH', `/v1/email-domains/${custom.body.id}`, { inbound_enabled: true });
    for (const address of [
      'anyone@catch-all.test',
      'any.one+tag@CATCH-ALL.test',
      to.replace('@', '+orders@'),
      to.toUpperCase(),
    ]) {
      assert.match(await session.command(`RCPT TO:<${address}>`), /^250/, address);
    }
    assert.match(await session.command(`RCPT TO:<${to.replace('+', '-')}>`), /^550/);
    session.destroy();
  });
});

describe('a message is refused', () => {
  test('when it ends with anything but CR LF . CR LF, so no second message can be smuggled in', async () => {
    const before = await storedSubjects();
    const second = `MAIL FROM:<admin@example.org>\r\nRCPT TO:<${to}>\r\nDATA\r\nSubject: Smuggled\r\n\r\nx\r\n.\r\n`;
    for (const end of [
      '\n.\n',
      '\n.\r\n',
      '\r\n.\n',
      '\r.\r',
      '\r\n.\r',
      '\r\n\0.\r\n',
      '\r.\n',
      '\r.\r\n',
    ]) {
      const session = await sessionAfterData();
      session.send(`${rawMessage({ to, subject: `Smuggler ${JSON.stringify(end)}` })}x${end}${second}`);
      const reply = await session.reply();
      // Exactly one message: with bare line breaks it is refused, otherwise it is stored as one.
      if (end === '\r\n\0.\r\n') assert.match(reply, /^250/);
      else assert.match(reply, /^550 5\.6\.11/, JSON.stringify(end));
      assert.match(await session.command('NOOP'), /^250/, 'there is no second reply');
      session.destroy();
    }
    const now = await storedSubjects();
    assert.equal(now.length, before.length + 1);
    assert.ok(!now.includes('Smuggled'));
  });

  test('when it is too large, with or without SIZE, and nothing is stored', async () => {
    const before = await storedSubjects();
    const session = await smtpSession(port);
    assert.match(await session.command('MAIL FROM:<bob@example.org> SIZE=200001'), /^552/);
    session.destroy();
    const body = `${'x'.repeat(70)}\r\n`.repeat(4000);
    assert.match(await deliver(port, { to, raw: rawMessage({ to, body }) }), /^552/);
    assert.deepEqual(await storedSubjects(), before);
  });

  test('when a line is too long, or it has too many or too deeply nested parts, or too many hops', async () => {
    const before = await storedSubjects();
    assert.match(
      await deliver(port, { to, raw: rawMessage({ to, body: 'x'.repeat(110_000) }) }),
      /^550 5\.6\.0/,
    );
    const nested = Array.from(
      { length: 60 },
      (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`,
    ).join('');
    assert.match(await deliver(port, { to, raw: `Subject: Deep\r\n${nested}` }), /^554 5\.6\.0/);
    const many = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\nContent-Type: text/plain\r\n\r\nx\r\n'.repeat(1100)}`;
    assert.match(await deliver(port, { to, raw: `Subject: Many\r\n${many}` }), /^554 5\.6\.0/);
    const hops = Array.from({ length: 60 }, (_, i) => `Received: from a by b; ${i}\r\n`).join('');
    assert.match(
      await deliver(port, { to, raw: `${hops}Subject: Round and round\r\n\r\nx` }),
      /^554 5\.6\.0/,
    );
    assert.deepEqual(await storedSubjects(), before);
  });

  test('for more than a hundred recipients, with a temporary error', async () => {
    const session = await smtpSession(port);
    await session.command('MAIL FROM:<bob@example.org>');
    for (let i = 0; i < 100; i++)
      assert.match(await session.command(`RCPT TO:<${to.replace('@', `+${i}@`)}>`), /^250/);
    assert.match(await session.command(`RCPT TO:<${to}>`), /^45[02]/);
    session.destroy();
  });

  test('when the connection closes before its end', async () => {
    const before = await storedSubjects();
    const session = await sessionAfterData();
    session.send(rawMessage({ to, subject: 'Half' }));
    session.destroy();
    await session.closed;
    assert.match(await deliver(port, { to, raw: rawMessage({ to, subject: 'Whole' }) }), /^250/);
    assert.deepEqual(await storedSubjects(), [...before, 'Whole']);
  });
});

describe('one peer', () => {
  test('cannot use all connections', async () => {
    const open = [];
    for (let i = 0; i < 5; i++) open.push(await smtpSession(port));
    await assert.rejects(smtpSession(port), /421/);
    for (const session of open) session.destroy();
    await Promise.all(open.map((session) => session.closed));
  });

  test('cannot send messages or guess addresses without limit', async () => {
    const session = await smtpSession(port);
    let guesses = 0;
    await session.command('MAIL FROM:<bob@example.org>');
    for (let reply = '550'; reply.startsWith('550'); guesses++) {
      reply = await session.command(`RCPT TO:<guess${guesses}+x@mail.localhost>`);
      if (!reply.startsWith('550')) assert.match(reply, /^450 4\.7\.1/);
      assert.ok(guesses < 400);
    }
    await session.command('RSET');
    assert.match(await session.command('MAIL FROM:<bob@example.org>'), /^450 4\.7\.1/);
    session.destroy();
  });
});

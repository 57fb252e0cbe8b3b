// The mail server as strangers meet it: what it offers, what it refuses, and what cannot be done to it.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Email } from '@parley/contract/email-records';
import { startTestApp } from '../../../../../testing/app.ts';
import { startDns } from '../../../../../testing/dns-server.ts';
import { deliver, dialogue, letter } from '../../../../../testing/smtp-client.ts';
import { sql } from '../../../../platform/db/sql.ts';

const dns = await startDns();
const { app, db, client, organization } = await startTestApp({
  PARLEY_DNS_SERVERS: dns.address,
  PARLEY_INBOUND_MAX_BYTES: '200000',
  PARLEY_INBOUND_PEER_CONNECTIONS: '5',
  PARLEY_INBOUND_PEER_MESSAGES_PER_MINUTE: '300',
});
const port = await app.smtp.listen();
after(() => app.smtp.close());

const answer = await client.request<{ default_address: string }>('POST', '/v1/email-domains', {
  kind: 'service_mail',
  local_prefix_user: 'ana',
  local_prefix_org: 'acme',
});
const to = answer.body.default_address;
const stored = async () =>
  (
    await db.rows<{ subject: string }>(
      sql`select subject from emails where direction = 'inbound' order by id`,
    )
  ).map((row) => row.subject);
const newest = async () => {
  const list = await client.request<{ items: { id: string }[] }>(
    'GET',
    '/v1/emails?direction=inbound&limit=1',
  );
  return (await client.request<Email>('GET', `/v1/emails/${list.body.items[0]!.id}`)).body;
};
/** A dialogue up to the point where the message may begin. */
const ready = async () => {
  const talk = await dialogue(port);
  assert.match(await talk.say('MAIL FROM:<bob@example.org>'), /^250/);
  assert.match(await talk.say(`RCPT TO:<${to}>`), /^250/);
  assert.match(await talk.say('DATA'), /^354/);
  return talk;
};

describe('the mail server', () => {
  test('offers what mail servers expect, and no authentication', async () => {
    const talk = await dialogue(port, { helo: null });
    talk.send('EHLO client.test\r\n');
    const offered = await talk.answer();
    for (const word of ['PIPELINING', '8BITMIME', 'SMTPUTF8', 'STARTTLS', 'SIZE 200000']) {
      assert.ok(offered.includes(word), `${word} in ${offered}`);
    }
    assert.doesNotMatch(offered, /AUTH/);
    assert.match(await talk.say('AUTH PLAIN AGEAYg=='), /^50\d/);
    talk.cut();
  });

  test('takes commands that come all at once', async () => {
    const talk = await dialogue(port);
    const raw = letter({ to, subject: 'Pipelined' });
    talk.send(`MAIL FROM:<bob@example.org>\r\nRCPT TO:<${to}>\r\nDATA\r\n`);
    for (const code of [/^250/, /^250/, /^354/]) assert.match(await talk.answer(), code);
    talk.send(`${raw}.\r\nQUIT\r\n`);
    assert.match(await talk.answer(), /^250/);
    assert.match(await talk.answer(), /^221/);
    assert.equal((await newest()).subject, 'Pipelined');
  });

  test('encrypts after STARTTLS with a certificate of its own', async () => {
    const talk = await dialogue(port);
    assert.match(await talk.say('STARTTLS'), /^220/);
    await talk.secure();
    assert.match(await talk.say('EHLO client.test'), /^250/);
    assert.match(await talk.say('MAIL FROM:<bob@example.org>'), /^250/);
    assert.match(await talk.say(`RCPT TO:<${to}>`), /^250/);
    assert.match(await talk.say('DATA'), /^354/);
    talk.send(`${letter({ to, subject: 'Encrypted' })}.\r\n`);
    assert.match(await talk.answer(), /^250/);
    assert.equal((await newest()).subject, 'Encrypted');
    talk.cut();
  });

  test('forgets what was said in the clear behind STARTTLS', async () => {
    const talk = await dialogue(port);
    talk.send(`STARTTLS\r\nMAIL FROM:<mallory@example.org>\r\nRCPT TO:<${to}>\r\n`);
    assert.match(await talk.answer(), /^220/);
    await talk.secure();
    assert.match(await talk.say(`RCPT TO:<${to}>`), /^503/);
    talk.cut();
  });

  test('takes addresses and headers beyond ASCII', async () => {
    const talk = await dialogue(port);
    assert.match(await talk.say('MAIL FROM:<zoë@bücher.example> SMTPUTF8 BODY=8BITMIME'), /^250/);
    assert.match(await talk.say(`RCPT TO:<${to}>`), /^250/);
    assert.match(await talk.say('DATA'), /^354/);
    talk.send(Buffer.from(`${letter({ to, from: 'Zoë <zoë@bücher.example>', subject: 'Grüße' })}.\r\n`));
    assert.match(await talk.answer(), /^250/);
    const email = await newest();
    assert.equal(email.subject, 'Grüße');
    assert.equal(email.from_address, 'zoë@bücher.example');
    talk.cut();
  });

  test('knows addresses with a tag, in any case, and every address of a verified domain', async () => {
    const own = organization();
    const custom = await own.request<{ id: string }>('POST', '/v1/email-domains', {
      kind: 'custom',
      domain: 'catch-all.test',
    });
    const talk = await dialogue(port);
    await talk.say('MAIL FROM:<bob@example.org>');
    assert.match(await talk.say('RCPT TO:<anyone@catch-all.test>'), /^550/, 'not verified yet');
    await db.run(sql`update email_domains set verification_status = 'verified' where id = ${custom.body.id}`);
    // Whoever verified it over the API is known at once; here it was done behind its back.
    await own.request('PATCH', `/v1/email-domains/${custom.body.id}`, { inbound_enabled: true });
    for (const address of [
      'anyone@catch-all.test',
      'any.one+tag@CATCH-ALL.test',
      to.replace('@', '+orders@'),
      to.toUpperCase(),
    ]) {
      assert.match(await talk.say(`RCPT TO:<${address}>`), /^250/, address);
    }
    assert.match(await talk.say(`RCPT TO:<${to.replace('+', '-')}>`), /^550/);
    talk.cut();
  });
});

describe('a message is refused', () => {
  test('when it ends in any other way than CR LF . CR LF, and no second message is smuggled in', async () => {
    const before = await stored();
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
      const talk = await ready();
      talk.send(`${letter({ to, subject: `Smuggler ${JSON.stringify(end)}` })}x${end}${second}`);
      const said = await talk.answer();
      // One message, whatever stands in it: with bare line breaks it is refused, else it is stored as one.
      if (end === '\r\n\0.\r\n') assert.match(said, /^250/);
      else assert.match(said, /^550 5\.6\.11/, JSON.stringify(end));
      assert.match(await talk.say('NOOP'), /^250/, 'nothing else was answered');
      talk.cut();
    }
    const now = await stored();
    assert.equal(now.length, before.length + 1);
    assert.ok(!now.includes('Smuggled'));
  });

  test('when it is too large, announced or not, and nothing of it is kept', async () => {
    const before = await stored();
    const talk = await dialogue(port);
    assert.match(await talk.say('MAIL FROM:<bob@example.org> SIZE=200001'), /^552/);
    talk.cut();
    const body = `${'x'.repeat(70)}\r\n`.repeat(4000);
    assert.match(await deliver(port, { to, raw: letter({ to, body }) }), /^552/);
    assert.deepEqual(await stored(), before);
  });

  test('when a line has no end, or parts are nested or multiplied without one', async () => {
    const before = await stored();
    assert.match(await deliver(port, { to, raw: letter({ to, body: 'x'.repeat(110_000) }) }), /^550 5\.6\.0/);
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
    assert.deepEqual(await stored(), before);
  });

  test('after a hundred recipients, further ones are put off', async () => {
    const talk = await dialogue(port);
    await talk.say('MAIL FROM:<bob@example.org>');
    for (let i = 0; i < 100; i++)
      assert.match(await talk.say(`RCPT TO:<${to.replace('@', `+${i}@`)}>`), /^250/);
    assert.match(await talk.say(`RCPT TO:<${to}>`), /^45[02]/);
    talk.cut();
  });

  test('when the sender goes away before its end', async () => {
    const before = await stored();
    const talk = await ready();
    talk.send(letter({ to, subject: 'Half' }));
    talk.cut();
    await talk.closed;
    assert.match(await deliver(port, { to, raw: letter({ to, subject: 'Whole' }) }), /^250/);
    assert.deepEqual(await stored(), [...before, 'Whole']);
  });
});

describe('one peer', () => {
  test('cannot hold every connection', async () => {
    const open = [];
    for (let i = 0; i < 5; i++) open.push(await dialogue(port));
    await assert.rejects(dialogue(port), /421/);
    for (const talk of open) talk.cut();
    await Promise.all(open.map((talk) => talk.closed));
  });

  test('cannot send or guess without end', async () => {
    const talk = await dialogue(port);
    let guesses = 0;
    await talk.say('MAIL FROM:<bob@example.org>');
    for (let said = '550'; said.startsWith('550'); guesses++) {
      said = await talk.say(`RCPT TO:<guess${guesses}+x@mail.localhost>`);
      if (!said.startsWith('550')) assert.match(said, /^450 4\.7\.1/);
      assert.ok(guesses < 400);
    }
    await talk.say('RSET');
    assert.match(await talk.say('MAIL FROM:<bob@example.org>'), /^450 4\.7\.1/);
    talk.cut();
  });
});

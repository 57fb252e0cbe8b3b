// The tests that every mail transport must pass; each vendor runs them against its own fake server.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { MailTransport, OutgoingMail, SendOutcome } from './transport.ts';

/** A transport with its fake server. */
export type MailWorld = {
  transport: MailTransport;
  /** Recipients with a fixed outcome. */
  recipients: { taken: string; refused: string };
  /** The messages that the server got for the email, as text. */
  received(email_id: string): Promise<string[]>;
  /** Transports whose server cannot be reached, or never replies. */
  unreachable: MailTransport | null;
  silent: MailTransport | null;
};

export function outgoing(to: string[], change: Partial<OutgoingMail> = {}): OutgoingMail {
  const email_id = randomUUID();
  const message_id = `<${email_id}@sender.test>`;
  const raw = Buffer.from(
    `From: a@sender.test\r\nTo: ${to.join(', ')}\r\nSubject: Hi\r\nMessage-ID: ${message_id}\r\nX-Email: ${email_id}\r\n\r\n.leading dot\r\nbye\r\n`,
  );
  return {
    email_id,
    organization_id: randomUUID(),
    envelope: { from: 'bounce-x@sender.test', to },
    message_id,
    shown: () => ({
      from: 'a@sender.test',
      to,
      cc: [],
      reply_to: null,
      subject: 'Hi',
      text: 'bye',
      html: null,
      headers: { 'X-Email': email_id },
      attachments: [],
    }),
    first_link: null,
    message: { size_bytes: raw.length, content: () => raw, dispose: async () => {} },
    ...change,
  };
}

const never = new AbortController().signal;

export function transportConformance(name: string, world: () => MailWorld): void {
  describe(`the mail transport ${name}`, () => {
    sendingTests(world);
    failureTests(world);
  });
}

function sendingTests(world: () => MailWorld): void {
  const send = (mail: OutgoingMail) => world().transport.send(mail, never);
  const mustAccept = (outcome: SendOutcome) => {
    assert.ok(outcome.accepted, JSON.stringify(outcome));
    return outcome;
  };

  test('accepts a message and returns an id', async () => {
    const mail = outgoing([world().recipients.taken]);
    const outcome = mustAccept(await send(mail));
    assert.ok(outcome.provider_message_id.length > 0);
    assert.equal((await world().received(mail.email_id)).length, 1);
  });

  test('sends this message and no other', async () => {
    const mail = outgoing([world().recipients.taken]);
    mustAccept(await send(mail));
    const [got] = await world().received(mail.email_id);
    assert.ok(got!.includes('bye'), got);
    assert.ok(got!.includes(mail.email_id));
  });

  test('returns a refusal as a value, with the reply of the server', async () => {
    const outcome = await send(outgoing([world().recipients.refused]));
    assert.equal(outcome.accepted, false);
    if (outcome.accepted) return;
    assert.ok(['smtp_rejected', 'provider_error'].includes(outcome.reason));
    assert.equal(outcome.retryable, false);
    assert.ok(String(outcome.detail.response).length > 5);
  });

  test('every report has recipients and an id', async () => {
    const outcome = mustAccept(await send(outgoing([world().recipients.taken])));
    for (const report of outcome.reports) {
      assert.ok(report.recipients.length > 0);
      assert.ok(report.report_id.length > 0);
      if (report.kind === 'bounced') assert.equal(typeof report.hard, 'boolean');
    }
  });

  test('sends concurrent messages, each once', async () => {
    const mails = Array.from({ length: 25 }, () => outgoing([world().recipients.taken]));
    for (const outcome of await Promise.all(mails.map(send))) mustAccept(outcome);
    for (const mail of mails) assert.equal((await world().received(mail.email_id)).length, 1);
  });
}

function failureTests(world: () => MailWorld): void {
  test('its health check accepts a server that responds', async (context) => {
    const { transport } = world();
    if (!transport.check) return context.skip('this transport has no health check');
    await transport.check(never);
  });

  test('its health check fails if the server is not reachable', async (context) => {
    const { unreachable } = world();
    if (!unreachable) return context.skip('this transport needs no network');
    if (!unreachable.check) return context.skip('this transport has no health check');
    await assert.rejects(unreachable.check(never));
  });

  test('returns connection_failed if the server is not reachable', async (context) => {
    const { unreachable } = world();
    if (!unreachable) return context.skip('this transport needs no network');
    const outcome = await unreachable.send(outgoing(['a@b.test']), never);
    assert.deepEqual(
      [outcome.accepted, !outcome.accepted && outcome.reason, !outcome.accepted && outcome.retryable],
      [false, 'connection_failed', true],
    );
    await unreachable.close();
  });

  test('returns timeout if it is aborted', async (context) => {
    const { silent } = world();
    if (!silent) return context.skip('this transport needs no network');
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 300);
    const outcome = await silent.send(outgoing(['a@b.test']), abort.signal);
    assert.deepEqual([outcome.accepted, !outcome.accepted && outcome.reason], [false, 'timeout']);
    await silent.close();
  });
}

// Emails and texts from the command line, over the sandbox.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startTestApp } from '../../server/testing/app.ts';
import { commandLine, has_tmux, terminal } from '../testing/command-line.ts';

const api = await startTestApp({ PARLEY_SANDBOX: 'on' });
const { parley, start, config, environmentWith } = commandLine(api.url);
const withKey = { PARLEY_API_KEY: api.client.key };
const skip = has_tmux ? false : 'tmux is not installed';

describe('emails', () => {
  const email = ['--to', 'delivered@sandbox.test', '--subject', 'Hello', '--body-text', 'Hi'];

  test('send with a file attached, then reply', async () => {
    const file = join(config, 'note.txt');
    writeFileSync(file, 'hello');
    const sent = await parley(['emails', 'send', '--recipient-consent', ...email, '--attach', file], withKey);
    assert.equal(sent.code, 0, sent.stderr);
    const { id, status, attachments } = JSON.parse(sent.stdout);
    assert.equal(status, 'sent');
    assert.deepEqual(
      attachments.map((each: { filename: string; content_type: string; size_bytes: number }) => [
        each.filename,
        each.content_type,
        each.size_bytes,
      ]),
      [['note.txt', 'text/plain', 5]],
    );
    const reply = await parley(
      ['emails', 'reply', id, '--recipient-consent', '--body-text', 'More'],
      withKey,
    );
    assert.equal(reply.code, 0, reply.stderr);
  });

  test('can be scheduled, moved, canceled, forwarded and sent as a batch', async () => {
    const run = async (...words: string[]) => {
      const { code, stdout, stderr } = await parley(words, withKey);
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    };
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const later = ['--scheduled-at', inHours(1)];
    const { id } = await run('emails', 'send', '--recipient-consent', ...email, ...later);
    const moved = await run('emails', 'update', id, '--scheduled-at', inHours(2));
    assert.equal(moved.hold.kind, 'schedule');
    assert.equal((await run('emails', 'cancel', id)).status, 'canceled');
    const forwarded = await run('emails', 'forward', id, '--recipient-consent', '--to', 'a@example.org');
    assert.equal(forwarded.subject, 'Fwd: Hello');
    const emails = [{ recipient_consent: true, to: ['b@example.org'], subject: 'One' }];
    const batch = await run('email-batches', 'create', '--emails', JSON.stringify(emails));
    assert.equal((await run('email-batches', 'get', batch.id)).accepted, 1);
  });

  test('that failed are explained: the verdict with a fix, and every step', async () => {
    const to = ['--to', 'bounced@sandbox.test', '--subject', 'Hello', '--body-text', 'Hi'];
    const sent = await parley(['emails', 'send', '--recipient-consent', ...to], withKey);
    const { id } = JSON.parse(sent.stdout);
    await api.app.jobs.drain();
    const explained = await parley(['explain', id], withKey);
    assert.equal(explained.code, 0, explained.stderr);
    const { object, verdict, timeline } = JSON.parse(explained.stdout);
    assert.deepEqual(
      [object.noun, object.id, verdict.code, verdict.who],
      ['email', id, 'hard_bounce', 'recipient'],
    );
    assert.ok(verdict.fix && timeline.length > 2);
    const unknown = await parley(['explain', '019a8c1e-f101-7a11-8b22-4c5d6e7f8091'], withKey);
    assert.equal(unknown.code, 1);
    assert.equal(JSON.parse(unknown.stderr).error.code, 'not_found');
  });

  test('are not sent without consent', async () => {
    const refused = await parley(['emails', 'send', ...email], withKey);
    assert.equal(refused.code, 1);
    assert.equal(JSON.parse(refused.stderr).error.code, 'consent_required');
  });

  test('a missing file is a one-line error', async () => {
    const refused = await parley(['attachments', 'upload', '/nowhere/at-all.pdf'], withKey);
    assert.equal(refused.code, 1);
    assert.match(JSON.parse(refused.stderr).error.message, /Cannot read \/nowhere\/at-all\.pdf/);
  });

  test('a wait without a message exits with 1 and prints no record', async () => {
    const nothing = await parley(['emails', 'wait', '--timeout-seconds', '1'], withKey);
    assert.deepEqual([nothing.code, nothing.stdout], [1, '']);
    assert.match(nothing.stderr, /No email arrived within 1 seconds/);
  });
});

describe('verifications', () => {
  test('are answered, get documents and are shown as a checklist', async () => {
    const place = ['--country-code', 'FR', '--number-type', 'local', '--subject-name', 'Example'];
    const made = await parley(['verifications', 'create', ...place, '--submit', 'false'], withKey);
    assert.equal(made.code, 0, made.stderr);
    const { id } = JSON.parse(made.stdout) as { id: string };
    const file = join(config, 'bill.pdf');
    writeFileSync(file, '%PDF-1.4');
    const about = ['--requirement', 'proof_of_address', '--document-type', 'utility_bill'];
    const uploaded = await parley(['verifications', 'upload-document', id, file, ...about], withKey);
    assert.equal(JSON.parse(uploaded.stdout).content_type, 'application/pdf', uploaded.stderr);
    const early = await parley(['verifications', 'submit', id], withKey);
    assert.equal(JSON.parse(early.stderr).error.code, 'verification_incomplete');
  });
});

describe('texts', () => {
  test('send, and wait for the reply, also one that arrives between two requests', async () => {
    const bought = await parley(['numbers', 'create', '--country-code', 'US'], withKey);
    assert.equal(bought.code, 0, bought.stderr);
    const { e164 } = JSON.parse(bought.stdout);
    const waiting = start(['sms', 'wait', '--to', e164, '--timeout-seconds', '60'], withKey);
    const sent = await parley(
      ['sms', 'send', '--recipient-consent', '--to', '+14155550123', '--body', 'Hello'],
      withKey,
    );
    assert.equal(sent.code, 0, sent.stderr);
    await api.client.request('POST', '/v1/sandbox/inbound-sms', {
      from: '+14155550123',
      to: e164,
      body: 'Your code is 1234',
    });
    // The reply counts from the start of the wait. If the first came before that, a second one is sent.
    const late = setTimeout(() => {
      void api.client.request('POST', '/v1/sandbox/inbound-sms', {
        from: '+14155550123',
        to: e164,
        body: 'Again',
      });
    }, 5000);
    const { code, stdout, stderr } = await waiting.done;
    clearTimeout(late);
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).sms.direction, 'inbound');
  });
});

describe('domains in a terminal', { skip }, () => {
  const tty = has_tmux ? terminal(environmentWith(withKey)) : null!;

  test('show the records to publish, each value on one line with its status', async () => {
    tty.run('domains create --kind custom --domain mail.example.com');
    await tty.shows(
      /verification_status +pending[\s\S]*… TXT +\S+\._domainkey\.mail\.example\.com +pending[\s\S]*exit=0/,
    );
    assert.match(tty.screen(), /… MX +mail\.example\.com +pending\n +\S+ +\(priority 10\)/);
  });
});

describe('waits', () => {
  test('until any of several things happens, and say how to go on when the time is up', async () => {
    const none = await parley(['waits', 'until'], withKey);
    assert.equal(none.code, 2, none.stderr);
    const nothing = await parley(
      ['waits', 'until', '--email', 'ana@example.org', '--code', '--timeout-seconds', '1'],
      withKey,
    );
    assert.deepEqual([nothing.code, nothing.stdout], [1, '']);
    const wait_id = /parley waits until ([\w-]+)/.exec(nothing.stderr)![1]!;
    const from = 'ana@example.org';
    await api.client.request('POST', '/v1/sandbox/inbound-emails', { from, text: 'Your code is 482913' });
    const { code, stdout, stderr } = await parley(['waits', 'until', wait_id], withKey);
    assert.equal(code, 0, stderr);
    const { status, any_of, matched } = JSON.parse(stdout);
    assert.deepEqual([status, matched.index, matched.code], ['resolved', 0, '482913']);
    assert.deepEqual(any_of, [{ kind: 'email', from }, { kind: 'code' }]);
  });
});

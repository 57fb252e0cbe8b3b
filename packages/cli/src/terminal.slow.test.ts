// The command line in a real terminal: tables and colors for people, progress, and Ctrl-C.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestApp } from '../../server/testing/app.ts';
import { codedSpeech, ended, people, place } from '../../server/testing/calls.ts';
import { commandLine, has_tmux, terminal, until } from '../testing/command-line.ts';

const skip = has_tmux ? false : 'tmux is not installed';

describe('in a terminal', { skip }, async () => {
  const api = await startTestApp(
    { PARLEY_SANDBOX: 'on', WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' },
    { speech: () => codedSpeech() },
  );
  const { environmentWith } = commandLine(api.url);
  const tty = has_tmux ? terminal(environmentWith({ PARLEY_API_KEY: api.client.key })) : null!;

  test('a record is shown as lines of names and values, a list as a table', async () => {
    tty.run('contacts create --name "Ana Sousa" --email ana-tty@example.com --role Cook');
    await tty.shows(/^name +Ana Sousa$[\s\S]*exit=0/m);
    tty.run('contacts list');
    await tty.shows(
      /name +email +kind +created +id[\s\S]*Ana Sousa +ana-tty@example\.com +\S+ +\d\d:\d\d [\s\S]*exit=0/,
    );
    assert.doesNotMatch(tty.screen(), /[{}]/);
  });

  test('records without the usual fields are shown with other short ones', async () => {
    tty.run('requests list --limit 3');
    await tty.shows(
      /at +method +(path|route) +status +request_id[\s\S]*POST +\/v1\/contacts +201[\s\S]*exit=0/,
    );
  });

  test('an explanation has a line for every step, the culprit and what to do', async () => {
    const { body } = await api.client.request<{ id: string }>('POST', '/v1/emails', {
      to: ['bounced@sandbox.test'],
      subject: 'Hi',
      recipient_consent: true,
    });
    const isBounced = async () =>
      (await api.client.request<{ last_outcome: string }>('GET', `/v1/emails/${body.id}`)).body
        .last_outcome === 'bounced';
    await until(isBounced);
    tty.run(`explain ${body.id}`);
    await tty.shows(
      /^\d\d:\d\d:\d\d {2}api request\n +.*status=201[\s\S]*^Fix: [A-Z][\s\S]*^Retry: [\s\S]*exit=0/m,
    );
    assert.doesNotMatch(tty.screen(), /[{}]/);
  });

  test('U10: a list shows what people decide by: the outcome of a message, the failures of a webhook', async () => {
    tty.run('emails ls');
    await tty.shows(
      /direction +from +to +subject +outcome +time +id[\s\S]*bounced@sandbox\.test +Hi +bounced[\s\S]*exit=0/,
    );
    await api.client.request('POST', '/v1/webhooks', {
      target_url: 'http://127.0.0.1:1/hook',
      event_types: ['call.busy'],
    });
    tty.run('webhooks ls');
    await tty.shows(
      /url +state +failed +events[\s\S]*http:\/\/127\.0\.0\.1:1\/hook +active +0 of 0[\s\S]*exit=0/,
    );
    assert.doesNotMatch(tty.screen(), /disabled_reason/);
    tty.run('go-live get');
    await tty.shows(/^[✔!○✘] \w[\s\S]*exit=0/m);
    assert.doesNotMatch(tty.screen(), /[{}]/);
  });

  test('an error is a sentence with what to do, not JSON', async () => {
    tty.run('contacts create --name Bo');
    await tty.shows(/Error: .*needs a phone_e164, an email or both[\s\S]*exit=1/);
    assert.doesNotMatch(tty.screen(), /[{}]/);
  });

  test('an invalid value is shown once, with its option (C2)', async () => {
    tty.run('sms send --to 12 --body Hi --recipient-consent');
    await tty.shows(/Error: --to: [\s\S]*exit=1/);
    assert.doesNotMatch(tty.screen(), /body\.to/);
    tty.run('contacts create --name "" --email nonsense');
    await tty.shows(/Error: Some values are not valid:\n +--name: .*\n +--email: [\s\S]*exit=1/);
  });

  test('a table has a colored head, and none with NO_COLOR (C2)', async () => {
    tty.run('contacts list');
    await tty.shows(/exit=0/);
    assert.ok(tty.coloredScreen().includes('\u001b[2mname'));
    tty.run('contacts list', { NO_COLOR: '1' });
    await tty.shows(/exit=0/);
    assert.ok(!tty.coloredScreen().includes('\u001b[2m'));
  });

  test('a wait without a message says so (C2)', async () => {
    tty.run('emails wait --timeout-seconds 1');
    await tty.shows(/No email arrived within 1 seconds\.[\s\S]*exit=1/);
    assert.doesNotMatch(tty.screen(), /null/);
  });

  test('a transcript reads as a conversation (C2)', async () => {
    const call = await place(api.client, people.converses, { system_prompt: 'Ask for their name.' });
    await ended(api.client, call.id);
    tty.run(`calls transcript ${call.id}`);
    await tty.shows(
      /\d\d:\d\d +person +Hello, this is Thomas\.[\s\S]*\d\d:\d\d +agent +Hello, [\s\S]*exit=0/,
    );
    assert.doesNotMatch(tty.screen(), /[{}]/);
  });

  test('--json is JSON in a terminal too', async () => {
    tty.run('whoami --json');
    await tty.shows(/"auth_kind": "shared_key"[\s\S]*exit=0/);
  });

  test('untrusted text does not control the terminal', async () => {
    await api.client.request('POST', '/v1/contacts', {
      name: 'Eve \u001b[2J\u001b[31mred',
      email: 'eve-tty@example.com',
    });
    tty.run('contacts list --q eve-tty');
    await tty.shows(/Eve +red +eve-tty@example\.com[\s\S]*exit=0/);
  });

  test('doctor shows check marks', async () => {
    tty.run('doctor');
    await tty.shows(/✔ server[\s\S]*! database[\s\S]*✔ key[\s\S]*exit=0/);
  });

  test('listen prints that it is ready, and Ctrl-C ends it with 130', async () => {
    tty.run('listen');
    await tty.shows(/Ready\. Signing secret whsec_/);
    await api.client.request('POST', '/v1/sandbox/events', { type: 'call.busy' });
    await tty.shows(/\d\d:\d\d:\d\d +call\.busy/);
    tty.key('C-c');
    await tty.shows(/exit=130/);
  });
});

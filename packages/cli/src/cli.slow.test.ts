// The command line as a process: its output and its exit codes.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { version } from '@parley/sdk';
import { startTestApp } from '../../server/testing/app.ts';
import { codedSpeech, ended, people, place } from '../../server/testing/calls.ts';
import { commandLine, oldNode, until } from '../testing/command-line.ts';
import { plain } from './tables.ts';

const { url, client } = await startTestApp({}, { speech: () => codedSpeech() });
const { parley, config, environmentWith } = commandLine(url);
const withKey = { PARLEY_API_KEY: client.key };

describe('piped', () => {
  test('responses are JSON on standard output', async () => {
    const made = await parley(
      ['contacts', 'create', '--name', 'Ana', '--email', 'ana-cli@example.com'],
      withKey,
    );
    assert.equal(made.code, 0, made.stderr);
    const contact = JSON.parse(made.stdout);
    assert.equal(contact.email, 'ana-cli@example.com');
    const read = await parley(['contacts', 'get', contact.id], withKey);
    assert.deepEqual(JSON.parse(read.stdout), contact);
    const list = await parley(['contacts', 'ls', '--q', 'ana-cli', '--limit', '1'], withKey);
    assert.deepEqual(JSON.parse(list.stdout), { items: [contact], next_cursor: null });
    assert.equal((await parley(['contacts', 'rm', contact.id], withKey)).code, 0);
  });

  test('a body can be JSON, also from standard input', async () => {
    const made = await parley(
      ['contacts', 'create', '--input', '-', '--role', 'Cook'],
      withKey,
      '{"name":"Bo","email":"bo-cli@example.com"}',
    );
    assert.deepEqual([JSON.parse(made.stdout).name, JSON.parse(made.stdout).role], ['Bo', 'Cook']);
  });

  test('errors are JSON on standard error with code and fix, and exit with 1', async () => {
    const refused = await parley(['contacts', 'create', '--name', ''], withKey);
    assert.equal(refused.code, 1);
    assert.equal(refused.stdout, '');
    const { error } = JSON.parse(refused.stderr);
    assert.equal(error.code, 'validation_failed');
    assert.ok(error.fix && error.request_id);
  });
});

test('without a key it exits with 4 and says how to get one', async () => {
  const refused = await parley(['whoami']);
  assert.equal(refused.code, 4);
  assert.match(JSON.parse(refused.stderr).error.fix, /parley login/);
});

test('a misspelled command or option exits with 2 and names the help to read', async () => {
  for (const [args, help] of [
    [['contact', 'list'], 'parley --help'],
    [['contacts', 'make'], 'parley contacts --help'],
    [['contacts', 'list', '--limt', '3'], 'parley contacts list --help'],
    [['contacts', 'list', '--limit', 'many'], 'parley contacts list --help'],
    [['contacts', 'get'], 'parley contacts get --help'],
  ] as const) {
    const refused = await parley([...args], withKey);
    assert.equal(refused.code, 2, args.join(' '));
    const { error } = JSON.parse(refused.stderr);
    assert.deepEqual([error.code, error.fix], ['usage', `Run: ${help}`]);
  }
});

test('emails and texts are also sent with create, the name in the API', async () => {
  const content = ['--to', '+15005550001', '--body', 'Hello', '--recipient-consent'];
  const made = await parley(['sms', 'create', ...content], withKey);
  assert.equal(JSON.parse(made.stdout).body, 'Hello', made.stderr);
});

test('a body that is not a JSON object is explained, exit 2 (C2)', async () => {
  for (const [input, message] of [
    ['{"name":', /--input is not valid JSON/],
    ['[]', /--input must be a JSON object/],
  ] as const) {
    const refused = await parley(['contacts', 'create', '--input', input], withKey);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, message);
    const piped = await parley(['contacts', 'create', '--input', '-'], withKey, input);
    assert.match(piped.stderr, message);
  }
});

test('a wait without a message exits with 1, with the reason on standard error (C2)', async () => {
  const waited = await parley(['emails', 'wait', '--timeout-seconds', '1'], withKey);
  assert.deepEqual([waited.code, waited.stdout], [1, '']);
  assert.equal(JSON.parse(waited.stderr).error.code, 'timed_out');
});

test('a recording and a raw email are saved as files, and never over an existing one (C2)', async () => {
  const call = await place(client, people.converses, { system_prompt: 'Ask for their name.', record: true });
  await ended(client, call.id);
  const saved = await parley(['calls', 'recording', call.id], withKey);
  assert.equal(saved.code, 0, saved.stderr);
  const { file, size_bytes } = JSON.parse(saved.stdout);
  assert.equal(file, `${call.id}.wav`);
  const sound = readFileSync(join(config, file));
  assert.equal(sound.length, size_bytes);
  assert.equal(sound.subarray(0, 4).toString(), 'RIFF');
  const again = await parley(['calls', 'recording', call.id], withKey);
  assert.equal(again.code, 1);
  assert.match(JSON.parse(again.stderr).error.message, /exists/);
  const piped = await parley(['calls', 'recording', call.id, '--output', '-'], withKey);
  assert.match(piped.stdout, /^RIFF/);

  const email = await client.request<{ id: string }>('POST', '/v1/emails', {
    to: ['delivered@sandbox.test'],
    subject: 'Raw',
    recipient_consent: true,
  });
  const raw = await parley(['emails', 'raw', email.body.id, '--output', 'mail.eml'], withKey);
  assert.equal(raw.code, 0, raw.stderr);
  assert.match(readFileSync(join(config, 'mail.eml'), 'utf8'), /^Subject: Raw/m);
});

const old_node = oldNode();
test('it starts on the oldest Node that the README lists (C2)', {
  skip: old_node ? false : 'no Node 20 on this machine',
}, async () => {
  // Outside npm, so that PATH does not lead to the newer Node of the packages.
  const bin = fileURLToPath(new URL('../bin/parley.js', import.meta.url));
  const started = spawnSync(old_node!, [bin, '--version'], {
    env: { PATH: '/usr/bin:/bin' },
    encoding: 'utf8',
  });
  assert.deepEqual([started.status, started.stdout.trim()], [0, version], started.stderr);
});

test('U10: a signal to the command ends the newer Node that it started, too', {
  skip: old_node && existsSync('/proc/self/task') ? false : 'needs Node 20 and /proc',
}, async () => {
  const bin = fileURLToPath(new URL('../bin/parley.js', import.meta.url));
  const started = spawn(old_node!, [bin, 'listen'], {
    env: { ...environmentWith(withKey), PATH: '/usr/bin:/bin' },
    cwd: config,
  });
  let printed = '';
  started.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  await until(
    () => printed.includes('"ready":true'),
    () => printed,
  );
  const children = () =>
    readFileSync(`/proc/${started.pid}/task/${started.pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean);
  const [child] = children();
  assert.ok(child, 'the newer Node is its child');
  started.kill('SIGTERM');
  await until(() => !existsSync(`/proc/${child}`));
});

describe('U10: lists', () => {
  const create = (name: string) =>
    client.request('POST', '/v1/contacts', {
      name,
      email: `${name.replaceAll(/\W/g, '')}-u10@example.com`,
      role: '=1+1',
    });

  test('--all reads every page, --csv prints a file that a spreadsheet does not run', async () => {
    for (const name of ['One, Two', 'Th"ree', 'Four']) await create(name);
    const all = await parley(['contacts', 'list', '--q', 'u10', '--limit', '1', '--all'], withKey);
    const { items, next_cursor } = JSON.parse(all.stdout);
    assert.deepEqual([items.length, next_cursor], [3, null]);
    const csv = await parley(['contacts', 'ls', '--q', 'u10', '--limit', '2', '--all', '--csv'], withKey);
    const [head, ...lines] = csv.stdout.trim().split('\n');
    assert.ok(head!.split(',').includes('do_not_contact'));
    assert.equal(lines.length, 3);
    assert.match(csv.stdout, /"One, Two"/);
    assert.match(csv.stdout, /"Th""ree"/);
    assert.match(csv.stdout, /,'=1\+1,/);
    const page = await parley(['contacts', 'ls', '--q', 'u10', '--limit', '2', '--csv'], withKey);
    assert.equal(page.stdout.trim().split('\n').length, 3);
  });

  test('as options are taken as one JSON array, and repeated', async () => {
    for (const channels of [
      ['--channels', '["sms","call"]'],
      ['--channels', 'sms', '--channels', 'call'],
    ]) {
      const source = '{"kind":"web_form","text_shown":"I agree."}';
      const made = await parley(
        ['consents', 'create', '--recipient', '+15005550123', ...channels].concat([
          '--purposes',
          '["conversational"]',
          '--basis',
          'express',
          '--source',
          source,
        ]),
        withKey,
      );
      assert.equal(made.code, 0, made.stderr);
      assert.deepEqual(JSON.parse(made.stdout).channels, ['sms', 'call']);
    }
  });

  test('say nothing about how a URL is written', async () => {
    const help = await parley(['calls', 'list', '--help'], withKey);
    assert.match(help.stdout, /--to <text>/);
    assert.doesNotMatch(help.stdout, /%2B/);
  });
});

test('an unreachable server is a one-line error, exit 1', async () => {
  const away = await parley(['whoami'], { ...withKey, PARLEY_URL: 'http://127.0.0.1:1' });
  assert.equal(away.code, 1);
  assert.equal(JSON.parse(away.stderr).error.code, 'connection_failed');
});

test('a key is stored for the user only, used, printed and deleted', async () => {
  const set = await parley(['auth', 'set', client.key]);
  assert.equal(set.code, 0, set.stderr);
  const file = join(config, 'parley', 'credentials.json');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(JSON.parse((await parley(['whoami'])).stdout).auth_kind, 'shared_key');
  assert.equal((await parley(['auth', 'token'])).stdout.trim(), client.key);
  const elsewhere = await parley(['whoami'], { PARLEY_URL: 'http://127.0.0.1:1' });
  assert.equal(elsewhere.code, 1, 'it is not sent to another server');
  assert.deepEqual(JSON.parse((await parley(['auth', 'logout'])).stdout), { logged_out: true });
  assert.equal((await parley(['auth', 'token'])).code, 4);
});

test('an invalid key is not stored', async () => {
  assert.equal((await parley(['auth', 'set', 'wrong'])).code, 4);
  assert.equal((await parley(['auth', 'token'])).code, 4);
});

test('untrusted text cannot control the terminal', () => {
  assert.equal(plain('a\u001b[31mred\u001b[0m\u0007\u202eb\nc'), 'aredb\nc');
});

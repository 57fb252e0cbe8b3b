// Commands with more than one request: listen, login, doctor, mcp and completion.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { goLiveChecks } from '@parley/contract/operations/go-live';
import { type AnyEvent, createParley } from '@parley/sdk';
import { startTestApp } from '../../server/testing/app.ts';
import { fieldsOf, signUp } from '../../server/testing/visitor.ts';
import { commandLine, has_tmux, terminal, until } from '../testing/command-line.ts';

const api = await startTestApp({ PARLEY_SANDBOX: 'on' });
const { parley, start, config, environmentWith } = commandLine(api.url);
const withKey = { PARLEY_API_KEY: api.client.key };
const sdk = createParley({ base_url: api.url, api_key: api.client.key });
const happen = async (count = 1): Promise<{ id: string }[]> =>
  (
    await api.client.request<{ items: { id: string }[] }>('POST', '/v1/sandbox/events', {
      type: 'call.busy',
      count,
    })
  ).body.items;

type Received = { headers: Record<string, string>; body: string };

async function receiver(status = 200) {
  const requests: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      requests.push({ headers: request.headers as Record<string, string>, body });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

describe('listen', () => {
  test('forwards events, signed like real deliveries with a stable secret', async () => {
    const local = await receiver();
    const { stdout } = await parley(['listen', '--print-secret'], withKey);
    const { secret } = JSON.parse(stdout);
    assert.match(secret, /^whsec_/);
    const running = start(['listen', '--forward-to', local.url, '--events', 'call.busy'], withKey);
    await running.prints(/"ready":true/);
    assert.equal(JSON.parse(running.stdout().split('\n')[0]!).secret, secret, 'the same after another start');
    const [event] = await happen();
    await until(() => local.requests.length === 1);
    const { headers, body } = local.requests[0]!;
    assert.equal((await sdk.webhooks.verify(body, headers, secret)).id, event!.id);
    assert.equal(headers['x-service-event'], 'call.busy');
    assert.equal(headers['x-service-delivery'], event!.id);
    assert.match(headers['x-service-subscription']!, /^[0-9a-f-]{36}$/);
    await running.prints(/"status":200/);
    running.child.kill('SIGINT');
    assert.equal((await running.done).code, 130);
  });

  test('a replay sends the last events again with the same delivery ids', async () => {
    const local = await receiver(500);
    const events = await happen(3);
    const running = start(['listen', '--forward-to', local.url, '--replay', '3'], withKey);
    await running.prints(/"ready":true/);
    assert.deepEqual(
      new Set(local.requests.map(({ headers }) => headers['x-service-delivery'])),
      new Set(events.map(({ id }) => id)),
    );
    assert.match(running.stdout(), /"status":500/);
  });

  test('a local server that starts later still gets its event', async () => {
    const probe = await receiver();
    const { port } = new URL(probe.url);
    const placeholder = createServer();
    await new Promise<void>((resolve) => placeholder.listen(0, '127.0.0.1', resolve));
    const free = (placeholder.address() as AddressInfo).port;
    await new Promise((resolve) => placeholder.close(resolve));
    assert.notEqual(String(free), port);
    const running = start(['listen', '--forward-to', `127.0.0.1:${free}/hook`], withKey);
    await running.prints(/"ready":true/);
    const [event] = await happen();
    await running.prints(/"will_retry":true/);
    const seen: string[] = [];
    const late = createServer((request, response) => {
      seen.push(String(request.headers['x-service-delivery']));
      response.end();
    });
    await new Promise<void>((resolve) => late.listen(free, '127.0.0.1', resolve));
    after(() => late.close());
    await until(() => seen.length > 0);
    assert.equal(seen[0], event!.id);
  });
});

test('events tail prints one line of JSON per event', async () => {
  const running = start(['events', 'tail'], withKey);
  // An event is printed only once the stream is open, so events are created until one is printed.
  const created: string[] = [];
  await until(async () => {
    created.push((await happen())[0]!.id);
    return running.stdout().includes('\n');
  });
  const first = JSON.parse(running.stdout().split('\n')[0]!) as AnyEvent;
  assert.ok(created.includes(first.id));
});

describe('login', () => {
  test('without accounts it says what to do and exits with 4', async () => {
    const refused = await parley(['login']);
    assert.equal(refused.code, 4);
    assert.match(JSON.parse(refused.stderr).error.message, /shared key.*parley auth set/);
  });

  test('a key from standard input is checked and stored', async () => {
    const set = await parley(['auth', 'set', '-'], {}, `${api.client.key}\n`);
    assert.equal(set.code, 0, set.stderr);
    assert.equal((await parley(['auth', 'token'])).stdout.trim(), api.client.key);
    assert.equal((await parley(['auth', 'logout'])).code, 0);
  });

  test('without a terminal it takes two steps, and the key is stored after approval', async () => {
    const asked: URLSearchParams[] = [];
    const responses = ['authorization_pending', 'approved'];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        asked.push(new URLSearchParams(body));
        response.setHeader('content-type', 'application/json');
        if (request.url === '/auth/device/code')
          return response.end(
            JSON.stringify({
              device_code: 'secret-device-code',
              user_code: 'BCDF-GHJK',
              verification_uri: `${base}/auth/device`,
              verification_uri_complete: `${base}/auth/device?user_code=BCDF-GHJK`,
              expires_in: 600,
              interval: 0,
            }),
          );
        if (request.url === '/v1/whoami')
          return response.end(JSON.stringify({ auth_kind: 'apikey', organization_id: 'o1' }));
        const answer = responses.shift();
        response.statusCode = answer === 'approved' ? 200 : 400;
        response.end(
          JSON.stringify(answer === 'approved' ? { access_token: 'parley_key_new' } : { error: answer }),
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    after(() => server.close());
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const there = { PARLEY_URL: base };

    const begun = await parley(['login'], there);
    assert.equal(begun.code, 0, begun.stderr);
    const shown = JSON.parse(begun.stdout);
    assert.equal(shown.user_code, 'BCDF-GHJK');
    assert.equal(shown.next_step, 'parley login --complete');
    assert.doesNotMatch(begun.stdout, /secret-device-code/);
    assert.equal(statSync(join(config, 'parley', 'pending-login.json')).mode & 0o777, 0o600);

    const done = await parley(['login', '--complete'], there);
    assert.equal(done.code, 0, done.stderr);
    assert.equal(JSON.parse(done.stdout).auth_kind, 'apikey');
    assert.equal((await parley(['auth', 'token'], there)).stdout.trim(), 'parley_key_new');
    assert.deepEqual(
      asked.slice(1, 3).map((fields) => fields.get('device_code')),
      ['secret-device-code', 'secret-device-code'],
    );
    assert.equal((await parley(['login', '--complete'], there)).code, 1, 'a code works once');
  });
});

describe('login to a server with accounts', async () => {
  const managed = await startTestApp({ PARLEY_MANAGED: 'on', PARLEY_SANDBOX: 'on', PARLEY_SIGN_UP: 'open' });
  const there = { PARLEY_URL: managed.url };
  const decide = async (user_code: string, step: 'approve' | 'deny') => {
    const email = `${randomUUID()}@example.com`;
    const ana = await signUp(managed, { email, organization: 'Sousa' });
    const page = await ana.open(`/auth/device?user_code=${user_code}`);
    const { organization_id } = fieldsOf(page.text);
    await ana.send('/auth/device', { user_code, step, organization_id: organization_id! });
    return organization_id;
  };

  test('in two steps: the approved key is stored and works', async () => {
    const begun = await parley(['login'], there);
    assert.equal(begun.code, 0, begun.stderr);
    const organization_id = await decide(JSON.parse(begun.stdout).user_code, 'approve');
    const done = await parley(['login', '--complete'], there);
    assert.equal(done.code, 0, done.stderr);
    assert.equal(JSON.parse(done.stdout).organization_id, organization_id);
    assert.equal(JSON.parse((await parley(['whoami'], there)).stdout).auth_kind, 'apikey');
    assert.match((await parley(['auth', 'token'], there)).stdout, /^parley_key_/);
    assert.equal((await parley(['auth', 'logout'], there)).code, 0);
  });

  test('a denied login exits with 1 and stores nothing', async () => {
    const begun = await parley(['login'], there);
    await decide(JSON.parse(begun.stdout).user_code, 'deny');
    const done = await parley(['login', '--complete'], there);
    assert.equal(done.code, 1);
    assert.match(done.stderr, /denied/);
    assert.equal((await parley(['auth', 'token'], there)).code, 4);
  });

  test('in a terminal it shows the URL and the code, waits, and finishes', {
    skip: !has_tmux && 'tmux is not installed',
  }, async () => {
    const tty = terminal(environmentWith(there));
    tty.run('login');
    await tty.shows(/Code +[B-Z]{4}-[B-Z]{4}[\s\S]*Waiting for approval/);
    await decide(/[B-Z]{4}-[B-Z]{4}/.exec(tty.screen())![0], 'approve');
    await tty.shows(/Logged in on[\s\S]*auth_kind +apikey[\s\S]*exit=0/);
  });
});

describe('doctor', () => {
  type Finding = { check: string; status: string; detail: string; fix?: string };
  const findings = async () => {
    const { code, stdout, stderr } = await parley(['doctor'], withKey);
    assert.equal(stderr, '');
    return { code, items: (JSON.parse(stdout) as { items: Finding[] }).items };
  };

  test('reports no problem on a working server', async () => {
    const { code, items } = await findings();
    assert.equal(code, 0);
    for (const check of ['server', 'key', 'webhooks'])
      assert.equal(items.find((item) => item.check === check)?.status, 'ok', check);
  });

  test('says what is missing to go live, with the setting or the command', async () => {
    const { code, items } = await findings();
    assert.equal(code, 0, 'the sandbox works without it');
    const fixOf = (check: string) =>
      items.find((item) => item.check === check && item.status === 'missing')?.fix;
    assert.match(fixOf('base_url')!, /PARLEY_BASE_URL/);
    assert.match(fixOf('carrier')!, /PARLEY_CARRIER/);
    assert.match(fixOf('mail_transport')!, /PARLEY_SMTP_URL/);
    assert.match(fixOf('llm')!, /Run: parley providers set llm/);
  });

  test('says how to fix an invalid key and an unreachable server', async () => {
    const wrong = await parley(['doctor'], { PARLEY_API_KEY: 'wrong' });
    assert.equal(wrong.code, 1);
    assert.match(wrong.stdout, /parley login/);
    const away = await parley(['doctor'], { ...withKey, PARLEY_URL: 'http://127.0.0.1:1' });
    assert.equal(away.code, 1);
    assert.match(away.stdout, /npm start/);
  });

  test('shows every check once, and says how to activate failing subscriptions', async () => {
    const ids: string[] = [];
    for (const name of ['one', 'two']) {
      const hook = { target_url: `http://127.0.0.1:1/${name}`, event_types: ['call.busy'] };
      const { body } = await api.client.request<{ id: string }>('POST', '/v1/webhooks', hook);
      await api.client.request('PATCH', `/v1/webhooks/${body.id}`, { status: 'disabled' });
      ids.push(body.id);
    }
    const { items, code } = await findings();
    assert.equal(code, 0, 'a warning is not a failure');
    // SMTP submission is off here, so there is nothing to check.
    const served = goLiveChecks.filter((check) => check !== 'submission');
    const expected = new Set(['server', 'key', ...served]);
    assert.deepEqual(items.map(({ check }) => check).sort(), [...expected].sort());
    const { status, detail, fix } = items.find(({ check }) => check === 'webhooks')!;
    assert.equal(status, 'warning');
    assert.match(detail, /\/one is disabled/);
    assert.match(detail, /\/two is disabled/);
    assert.ok(
      ids.some((id) => fix!.includes(`parley webhooks update ${id} --status active`)),
      fix,
    );
  });
});

describe('mcp', async () => {
  const managed = await startTestApp({ PARLEY_MANAGED: 'on' });
  const program = {
    command: process.execPath,
    args: [
      fileURLToPath(new URL('../bin/parley.js', import.meta.url)),
      'mcp',
      'serve',
      '--base-url',
      api.url,
    ],
  };

  test('install queries the server; if it needs a key, the client starts the tools with the stored key (C3, I7)', async () => {
    api.app.mcpListening('http://127.0.0.1:9191/mcp');
    mkdirSync(join(config, '.cursor'), { recursive: true });
    const file = join(config, '.cursor', 'mcp.json');
    writeFileSync(file, '{"mcpServers":{"other":{"url":"http://x"}},"theme":"dark"}');
    const { code, stdout } = await parley(['mcp', 'install', 'cursor'], withKey);
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).file, file);
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), {
      mcpServers: { other: { url: 'http://x' }, parley: program },
      theme: 'dark',
    });
    assert.doesNotMatch(readFileSync(file, 'utf8'), new RegExp(api.client.key));
    // The written configuration works without the environment of this shell.
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const env = { PATH: process.env.PATH!, HOME: config, XDG_CONFIG_HOME: config };
    await client.connect(new StdioClientTransport({ ...program, env }));
    after(() => client.close());
    const me = await client.callTool({ name: 'whoami', arguments: {} });
    assert.equal((me.structuredContent as { auth_kind: string }).auth_kind, 'shared_key');
    assert.equal((await parley(['auth', 'logout'])).code, 0);
  });

  test('install without a key says how to get one, and writes nothing (I7)', async () => {
    const { code, stderr } = await parley(['mcp', 'install', 'windsurf']);
    assert.equal(code, 4);
    assert.match(stderr, /parley auth set/);
    assert.ok(!existsSync(join(config, '.codeium')));
  });

  test('a server with accounts is configured by its URL (C3)', async () => {
    managed.app.mcpListening('http://127.0.0.1:9292/mcp');
    const { stdout } = await parley(['mcp', 'config', 'vscode', '--base-url', managed.url]);
    assert.deepEqual(JSON.parse(stdout), {
      servers: { parley: { type: 'http', url: 'http://127.0.0.1:9292/mcp' } },
    });
  });

  test('the account’s file is written by default, the project’s with an option (C3)', async () => {
    const target = ['--base-url', managed.url];
    const files = [
      ['claude-code', [], '.claude.json'],
      ['claude-code', ['--project'], '.mcp.json'],
      ['vscode', [], 'Code/User/mcp.json'],
      ['vscode', ['--project'], '.vscode/mcp.json'],
    ] as const;
    for (const [client, options, file] of files) {
      const { code, stdout, stderr } = await parley(['mcp', 'install', client, ...options, ...target]);
      assert.equal(code, 0, stderr);
      assert.equal(JSON.parse(stdout).file, join(config, file));
    }
    assert.equal((await parley(['mcp', 'install', 'windsurf', '--project', ...target])).code, 1);
  });

  test('a file that cannot be parsed is not changed', async () => {
    const file = join(config, '.vscode', 'mcp.json');
    mkdirSync(join(config, '.vscode'), { recursive: true });
    writeFileSync(file, '{ // mine\n}');
    const { code, stderr } = await parley(['mcp', 'install', 'vscode', '--project'], withKey);
    assert.equal(code, 1);
    assert.match(stderr, /parley mcp config vscode/);
    assert.equal(readFileSync(file, 'utf8'), '{ // mine\n}');
  });

  test('serve is the MCP server over standard input and output', async () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [fileURLToPath(new URL('../bin/parley.js', import.meta.url)), 'mcp', 'serve'],
        env: { PATH: process.env.PATH!, HOME: config, PARLEY_URL: api.url, ...withKey },
      }),
    );
    after(() => client.close());
    const me = await client.callTool({ name: 'whoami', arguments: {} });
    assert.equal((me.structuredContent as { auth_kind: string }).auth_kind, 'shared_key');
  });

  test('serve without a key exits with 4', async () => {
    assert.equal((await parley(['mcp', 'serve'])).code, 4);
  });
});

test('the completion script contains nouns, verbs and options', async () => {
  const { stdout } = await parley(['completion', 'bash']);
  const script = `${stdout}\nCOMP_WORDS=(parley contacts cr); COMP_CWORD=2; _parley; echo "\${COMPREPLY[@]}"
COMP_WORDS=(parley contacts create --na); COMP_CWORD=3; _parley; echo "\${COMPREPLY[@]}"
COMP_WORDS=(parley contacts); COMP_CWORD=1; _parley; echo "\${COMPREPLY[@]}"`;
  const { stdout: completed, status } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  assert.equal(status, 0);
  assert.deepEqual(completed.trim().split('\n'), ['create', '--name', 'contacts']);
  for (const shell of ['zsh', 'fish']) assert.equal((await parley(['completion', shell])).code, 0);
  assert.equal((await parley(['completion', 'tcsh'])).code, 2);
});

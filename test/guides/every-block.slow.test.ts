// Runs every code block of the guides and of the README, as printed, against a service with a sandbox.
// Runs in its own process: it starts shells and other programs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { after, test } from 'node:test';
import { startMcp } from '@parley/mcp';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { codedSpeech } from '../../packages/server/testing/calls.ts';
import { fastClock } from '../../packages/server/testing/fast-clock.ts';
import { freePort } from '../../packages/server/testing/free-port.ts';
import { startReceiver } from '../../packages/server/testing/receiver.ts';
import { type Block, blocks, data_languages, firstLine, languages } from './blocks.ts';
import { unknownNames } from './checked-names.ts';
import { not_run } from './not-run.ts';
import { runGuide, venv_python } from './shell.ts';

const isListed = (block: Block) =>
  not_run.some(({ guide, first_line }) => guide === block.guide && first_line === firstLine(block));
const runs = (block: Block) => !isListed(block) && !data_languages.includes(block.language);

const missing_programs = ['bash', 'curl', 'jq', 'swaks'].filter(
  (name) => spawnSync(name, ['--version']).status !== 0,
);

/** Why these blocks cannot run on this machine. */
function skipReason(guide: Block[]): string | false {
  if (guide.some(({ language }) => language === 'python') && !existsSync(venv_python))
    return 'the Python packages are not installed: scripts/install-test-packages';
  const text = guide.map((block) => block.text).join('\n');
  const missing = missing_programs.filter((name) => name === 'bash' || new RegExp(`\\b${name} `).test(text));
  return missing.length > 0 && `not installed: ${missing.join(', ')}`;
}

/** Guides that change rules for everybody, and what their servers are set to. */
const own_services: Record<string, Record<string, string>> = {
  erasure: {},
  'guard-rails': {},
  'managed-mode': { PARLEY_MANAGED: 'on' },
  'receive-rules': {},
};

async function startService(settings: Record<string, string> = {}) {
  const mcp_port = await freePort();
  const service = await startTestApp(
    {
      WEBHOOK_PRIVATE_TARGETS: 'allow',
      SMTP_PORT: '0',
      PARLEY_MCP_URL: `http://127.0.0.1:${mcp_port}/mcp`,
      ...settings,
    },
    { speech: () => codedSpeech({ clock: fastClock(5) }) },
  );
  const smtp_port = await service.app.smtp.listen();
  after(() => service.app.smtp.close());
  const mcp = await startMcp({
    api_url: service.url,
    toolsets: ['default'],
    read_only: false,
    mode: { kind: 'static', key: service.client.key },
    host: '127.0.0.1',
    port: mcp_port,
    public_url: null,
    onError: (error) => assert.fail(error),
  });
  after(() => mcp.close());
  return { ...service, mcp, smtp_port };
}

const receiver = await startReceiver();
const common = await startService();

test('U11: a block is run, is data that is checked, or is listed with a reason', () => {
  const unclear = blocks.filter(({ language }) => !languages.includes(language));
  assert.deepEqual(
    unclear.map(({ guide, line }) => `${guide}:${line}`),
    [],
  );
  const gone = not_run.filter(
    ({ guide, first_line }) =>
      !blocks.some((block) => block.guide === guide && firstLine(block) === first_line),
  );
  assert.deepEqual(gone, [], 'these blocks are listed and no longer exist');
});

test('U11: blocks use one set of variables and have nothing to fill in', () => {
  const other_names =
    /\$(?:KEY|URL|OPERATOR_KEY|SESSION)\b|(?:localhost|127\.0\.0\.1):8(?:080|787)\/|…|<[a-z]+[_ ][a-z_ ]+>/;
  const wrong = blocks.filter((block) => runs(block) && other_names.test(block.text));
  assert.deepEqual(
    wrong.map(({ guide, line }) => `${guide}:${line}`),
    [],
  );
});

test('U11: what blocks name without running exists', async () => {
  const problems = [];
  for (const block of blocks)
    if (!runs(block))
      problems.push(...(await unknownNames(block)).map((name) => `${block.guide}:${block.line}: ${name}`));
  assert.deepEqual(problems, []);
});

for (const guide of new Set(blocks.filter(runs).map((block) => block.guide))) {
  const own = blocks.filter((block) => block.guide === guide && runs(block));
  test(`U11: ${guide} runs as printed`, { skip: skipReason(own) }, async () => {
    const service = own_services[guide] ? await startService(own_services[guide]) : common;
    const { code, output } = await runGuide(
      own,
      { url: service.url, key: service.client.key, operator_key: service.operator.key },
      {
        'http://127.0.0.1:8080': service.url,
        'http://127.0.0.1:8081/mcp': service.mcp.url,
        'http://localhost:3000': receiver.url,
        '127.0.0.1:2525': `127.0.0.1:${service.smtp_port}`,
      },
    );
    assert.equal(code, 0, output);
  });
}

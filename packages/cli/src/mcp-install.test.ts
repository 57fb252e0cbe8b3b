// Writing a client's configuration keeps who can read the file, and where it is.
import assert from 'node:assert/strict';
import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { standIn } from '../../server/testing/stand-in.ts';
import { commandLine } from '../testing/command-line.ts';

const { url } = await standIn((_, response) =>
  response.end(JSON.stringify({ mcp: { url: 'http://127.0.0.1:9292/mcp', auth: 'oauth' } })),
);
const { parley, config } = commandLine(url);
const modeOf = (file: string) => statSync(file).mode & 0o777;

test('a configuration keeps its mode, and a new one is readable only by the user', async () => {
  const file = join(config, '.claude.json');
  for (const mode of [0o600, 0o640]) {
    writeFileSync(file, '{"mcpServers":{"other":{"headers":{"authorization":"Bearer secret"}}}}');
    chmodSync(file, mode);
    const { code, stderr } = await parley(['mcp', 'install', 'claude-code']);
    assert.equal(code, 0, stderr);
    assert.deepEqual(Object.keys(JSON.parse(readFileSync(file, 'utf8')).mcpServers), ['other', 'parley']);
    assert.equal(modeOf(file), mode);
  }
  assert.equal((await parley(['mcp', 'install', 'cursor'])).code, 0);
  assert.equal(modeOf(join(config, '.cursor', 'mcp.json')), 0o600);
});

test('a configuration behind a symbolic link is changed, and the link stays', async () => {
  const target = join(config, 'stored.json');
  const link = join(config, '.mcp.json');
  writeFileSync(target, '{}', { mode: 0o600 });
  symlinkSync(target, link);
  assert.equal((await parley(['mcp', 'install', 'claude-code', '--project'])).code, 0);
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.ok(JSON.parse(readFileSync(target, 'utf8')).mcpServers.parley);
});

// The official MCP conformance suite against our HTTP endpoint: with the fixtures of the suite, and as shipped.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { skipWithout, verifierPath } from '../../../test/verifiers/load.ts';
import { conformanceServer } from '../testing/conformance-fixtures.ts';
import { fastPath } from './fast-path.ts';
import { mcpHandler } from './http.ts';
import { protocolServer } from './protocol.ts';
import { chooseTools, type ToolSet } from './tool-set.ts';

const suite_name = '@modelcontextprotocol/conformance/dist/index.js';
const suite = verifierPath(suite_name);
const skip = skipWithout(suite_name);
const folder = mkdtempSync(join(tmpdir(), 'parley-conformance-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function serve(factory: McpServerFactory, tools: ToolSet): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  const handler = mcpHandler({
    mode: { kind: 'static', key: 'k' },
    url,
    port: Number(url.port),
    factory,
    fastPath: fastPath({ tools, runTool: async () => assert.fail('no tool of the product is called') }),
    check: { validate: async () => ({ ok: true }), evict() {} },
    clientHeaders: () => ({}),
    onError: (error) => assert.fail(error),
  });
  server.on('request', handler.listener);
  after(async () => {
    await handler.close();
    server.closeAllConnections();
    server.close();
  });
  return url.href;
}

/** The failures by scenario. Scenarios of extensions and drafts are not scored by the suite either. */
async function failuresOf(url: string, ...options: string[]): Promise<string[]> {
  const child = spawn(process.execPath, [suite!, 'server', '--url', url, '--output-dir', folder, ...options]);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  await new Promise((resolve) => child.on('close', resolve));
  const [summary = '', unscored = ''] = (/=== SUMMARY ===([\s\S]*)/.exec(output)?.[1] ?? '').split(
    'Not scored',
  );
  assert.match(summary, /✓ tools-list/, `the suite did not run: ${output.slice(-2000)}`);
  const ignored = new Set([...unscored.matchAll(/✗ ([\w-]+)/g)].map(([, name]) => name));
  return [...summary.matchAll(/✗ ([\w-]+)/g)].map(([, name]) => name!).filter((name) => !ignored.has(name));
}

const no_tools: ToolSet = { definitions: [], byName: new Map() };

test('with the suite’s fixtures every requirement of 2026-07-28 is met', { skip }, async () => {
  const url = await serve(conformanceServer, no_tools);
  assert.deepEqual(await failuresOf(url, '--requirements', '2026-07-28'), []);
});

test('with the suite’s fixtures older clients lack only features that need a session', { skip }, async () => {
  const url = await serve(conformanceServer, no_tools);
  // The server has no sessions, so it cannot send a request to a client of the old protocol during a call.
  const needs_session = [
    'tools-call-with-logging',
    'tools-call-sampling',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'resources-subscribe',
    'resources-unsubscribe',
  ];
  assert.deepEqual(await failuresOf(url, '--suite', 'active'), needs_session);
});

test('as shipped it passes every scenario that needs no fixture', { skip }, async () => {
  const tools = chooseTools({ toolsets: ['all'], read_only: false });
  const runTool = async () => assert.fail('no tool is called');
  const url = await serve(
    protocolServer({ tools, runTool, credentialOf: () => 'k', console_url: '' }),
    tools,
  );
  const failures = await failuresOf(url, '--requirements', '2026-07-28');
  assert.ok(failures.includes('tools-call-simple-text'), 'the suite reports missing features');
  for (const scenario of [
    'tools-list',
    'resources-list',
    'prompts-list',
    'sep-2164-resource-not-found',
    'dns-rebinding-protection',
    'caching',
    'server-sse-multiple-streams',
    'input-required-result-unsupported-methods',
    'http-header-validation',
  ])
    assert.equal(failures.includes(scenario), false, scenario);
});

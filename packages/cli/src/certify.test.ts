// `parley webhooks certify --local` as a step of a build: exit codes, JSON and errors, without a Parley server.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { createParley } from '@parley/sdk';
import { commandLine } from '../testing/command-line.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const sdk = createParley({ api_key: '' });
const { parley } = commandLine('http://127.0.0.1:9');

async function startReceiver(checks_signature: boolean): Promise<string> {
  const seen = new Set<string>();
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const genuine = await sdk.webhooks.verify(Buffer.concat(parts), request.headers, secret).then(
      () => true,
      () => false,
    );
    const id = String(request.headers['x-service-delivery']);
    if (seen.has(id)) response.setHeader('x-parley-duplicate', '1');
    seen.add(id);
    response.writeHead(genuine || !checks_signature ? 204 : 401).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

describe('webhooks certify --local', () => {
  test('exits with 0 for a correct receiver and prints every case', async () => {
    const local = await startReceiver(true);
    const { code, stdout, stderr } = await parley([
      ...['webhooks', 'certify', '--local', local, '--secret', secret, '--min', '100'],
    ]);
    assert.equal(code, 0, stderr + stdout);
    const { score, passed, cases } = JSON.parse(stdout);
    assert.deepEqual([score, passed, cases.length], [100, true, 12]);
  });

  test('exits with 1 for a receiver that accepts everything, and says why', async () => {
    const local = await startReceiver(false);
    const environment = { PARLEY_WEBHOOK_SECRET: secret };
    const { code, stdout } = await parley(['webhooks', 'certify', '--local', local], environment);
    assert.equal(code, 1);
    const { score, passed, minimum, cases } = JSON.parse(stdout);
    assert.deepEqual([score, passed, minimum], [60, false, 90]);
    const forged = cases.find(({ name }: { name: string }) => name === 'tampered_body');
    assert.match(forged.advice, /signature is not checked/);
    const lower = await parley(['webhooks', 'certify', '--local', local, '--min', '60'], environment);
    assert.equal(lower.code, 0);
  });

  test('demands the secret and a score from 0 to 100', async () => {
    const without = await parley(['webhooks', 'certify', '--local', '127.0.0.1:9/hook']);
    assert.equal(without.code, 1);
    assert.equal(JSON.parse(without.stderr).error.code, 'secret_missing');
    const wrong = await parley(['webhooks', 'certify', '--local', '127.0.0.1:9/hook', '--min', '101']);
    assert.equal(wrong.code, 2);
  });
});

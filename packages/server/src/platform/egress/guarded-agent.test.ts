// Certificates are checked against the name in the URL, whatever its address is.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { buildConnector } from 'undici';
import { addressPolicy } from './address-policy.ts';
import { guardedAgent } from './guarded-agent.ts';
import { RequestFailed, requestOnce } from './request-once.ts';

const pair = await selfSignedPair('right.example', '127.0.0.1');

describe('TLS', { skip: pair === null && 'openssl is not installed' }, () => {
  const { key, cert } = pair ?? { key: '', cert: '' };
  const policy = addressPolicy({ private_targets: ['127.0.0.0/8'], require_https: true });
  const resolve = async () => ['127.0.0.1'];
  const trusting = guardedAgent({ policy, resolve, connect: buildConnector({ ca: cert, allowH2: false }) });
  const ordinary = guardedAgent({ policy, resolve });

  const seen: { host: string | undefined; servername: unknown }[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    seen.push({
      host: request.headers.host,
      servername: (request.socket as TLSSocket & { servername: unknown }).servername,
    });
    response.end('ok');
  });
  const plain_server = createHttpServer((_request, response) => response.end('ok'));
  after(async () => {
    await Promise.all([trusting.destroy(), ordinary.destroy()]);
    server.close();
    plain_server.close();
  });
  const listening = Promise.all(
    [server, plain_server].map(async (each) => {
      each.listen(0, '127.0.0.1');
      await once(each, 'listening');
      return (each.address() as AddressInfo).port;
    }),
  );

  const get = (agent: typeof trusting, url: string) =>
    requestOnce(agent, { url, method: 'GET', deadline_ms: 20_000, max_response_bytes: 100 });

  const failsHandshake = (pending: Promise<unknown>, code: RegExp) =>
    assert.rejects(pending, (error) => {
      assert.ok(error instanceof RequestFailed);
      assert.equal(error.reason, 'tls_failed');
      const { cause } = error.cause as { cause: { code: string } };
      assert.match(cause.code, code);
      return true;
    });

  test('a certificate for the name in the URL is accepted, and the name is sent as SNI and Host', async () => {
    const [port] = await listening;
    const answer = await get(trusting, `https://right.example:${port}/`);
    assert.equal(answer.status, 200);
    assert.deepEqual(seen, [{ host: `right.example:${port}`, servername: 'right.example' }]);
  });

  test('a certificate for the address in the URL is accepted', async () => {
    const [port] = await listening;
    assert.equal((await get(trusting, `https://127.0.0.1:${port}/`)).status, 200);
  });

  test('a certificate for another name fails, every time, although its issuer is trusted', async () => {
    const [port] = await listening;
    seen.length = 0;
    for (let attempt = 0; attempt < 3; attempt++) {
      await failsHandshake(get(trusting, `https://wrong.example:${port}/`), /^ERR_TLS_CERT_ALTNAME_INVALID$/);
    }
    assert.deepEqual(seen, [], 'no request was sent');
  });

  test('a certificate of an untrusted issuer fails', async () => {
    const [port] = await listening;
    await failsHandshake(get(ordinary, `https://right.example:${port}/`), /SELF_SIGNED/);
  });

  test('a receiver without TLS fails the handshake', async () => {
    const [, plain_port] = await listening;
    await failsHandshake(
      get(ordinary, `https://right.example:${plain_port}/`),
      /^(ERR_SSL_|EPROTO|ECONNRESET)/,
    );
  });
});

/** Null if openssl is not installed. */
async function selfSignedPair(name: string, address: string): Promise<{ key: string; cert: string } | null> {
  const folder = await mkdtemp(join(tmpdir(), 'tls-test-'));
  try {
    const [key_file, cert_file] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const args = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
    ];
    args.push('-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name},IP:${address}`);
    await promisify(execFile)('openssl', [...args, '-keyout', key_file, '-out', cert_file]);
    return { key: await readFile(key_file, 'utf8'), cert: await readFile(cert_file, 'utf8') };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  } finally {
    await rm(folder, { recursive: true });
  }
}

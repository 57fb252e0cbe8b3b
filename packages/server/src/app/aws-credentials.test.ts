// Temporary credentials of Amazon, from stand-ins on loopback, and how the object storage and the mail transport use them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { awsIdentity } from '../config/aws.ts';
import { readConfig } from '../config/config.ts';
import { type AwsIdentity, renewedCredentials } from '../platform/aws-credentials.ts';
import { s3Storage } from '../providers/storage/s3/index.ts';

type Answer = { status?: number; body?: string; destroy?: boolean };
type Asked = { method: string; path: string; headers: IncomingMessage['headers']; body: string };

/** Answers with the next of `answers`, the last one again and again. */
async function standIn(answerTo: (asked: Asked, count: number) => Answer) {
  const requests: Asked[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const asked = { method, path, headers, body: await text(request) };
    requests.push(asked);
    const { status = 200, body = '', destroy } = answerTo(asked, requests.length);
    if (destroy) request.socket.destroy();
    else response.writeHead(status).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const folder = await mkdtemp(join(tmpdir(), 'parley-aws-'));
after(() => rm(folder, { recursive: true }));

const start_ms = Date.parse('2026-06-06T12:00:00Z');
/** A clock that the test moves. */
function movedClock() {
  let now_ms = start_ms;
  const ms = () => now_ms;
  return {
    ms,
    now: () => new Date(now_ms),
    moveTo(at_ms: number) {
      now_ms = at_ms;
    },
  };
}
const json = (id: string, expires_ms: number) =>
  JSON.stringify({
    ...{ Code: 'Success', AccessKeyId: id, SecretAccessKey: `secret of ${id}`, Token: `token of ${id}` },
    Expiration: new Date(expires_ms).toISOString(),
  });
const credentialsOf = (id: string) => ({
  ...{ access_key_id: id, secret_access_key: `secret of ${id}`, session_token: `token of ${id}` },
});
const sourceOf = (identity: AwsIdentity, clock = movedClock()) =>
  renewedCredentials(identity, { clock, base_ms: 1 });

test('F3: a container gets credentials with its token, which is read again for each renewal', async () => {
  const clock = movedClock();
  const endpoint = await standIn((_, count) => ({ body: json(`ASIA${count}`, clock.ms() + 3_600_000) }));
  const token_file = join(folder, 'token');
  await writeFile(token_file, 'first\n');
  const source = sourceOf(
    { kind: 'container', url: `${endpoint.url}/v1/credentials`, token: null, token_file },
    clock,
  );
  const [one, same] = await Promise.all([source.current(), source.current()]);
  assert.deepEqual([one, same], [credentialsOf('ASIA1'), credentialsOf('ASIA1')]);
  clock.moveTo(start_ms + 3_200_000);
  assert.deepEqual(await source.current(), credentialsOf('ASIA1'));
  await writeFile(token_file, 'second');
  // Five minutes before the end.
  clock.moveTo(start_ms + 3_301_000);
  assert.deepEqual(await source.current(), credentialsOf('ASIA2'));
  assert.deepEqual(
    endpoint.requests.map(({ path, headers }) => [path, headers.authorization]),
    [
      ['/v1/credentials', 'first'],
      ['/v1/credentials', 'second'],
    ],
  );
});

test('F3: credentials are used until their end when they cannot be renewed', async () => {
  const clock = movedClock();
  const endpoint = await standIn((_, count) =>
    count === 1 ? { body: json('ASIA1', start_ms + 3_600_000) } : { status: 500 },
  );
  const source = sourceOf({ kind: 'container', url: endpoint.url, token: 'x', token_file: null }, clock);
  await source.current();
  clock.moveTo(start_ms + 3_400_000);
  assert.deepEqual(await source.current(), credentialsOf('ASIA1'));
  clock.moveTo(start_ms + 3_600_001);
  await assert.rejects(source.current(), /answered 500/);
});

test('F3: an instance is asked by version 2 of its service, again after a lost connection', async () => {
  const endpoint = await standIn(({ method, path, headers }, count) => {
    if (count === 1) return { destroy: true };
    if (method === 'PUT' && path === '/latest/api/token')
      return headers['x-aws-ec2-metadata-token-ttl-seconds'] ? { body: 'session' } : { status: 400 };
    if (headers['x-aws-ec2-metadata-token'] !== 'session') return { status: 401 };
    if (path.endsWith('/security-credentials/')) return { body: 'parley-role\n' };
    return path.endsWith('/parley-role') ? { body: json('ASIAI', start_ms + 3_600_000) } : { status: 404 };
  });
  assert.deepEqual(
    await sourceOf({ kind: 'instance', endpoint: endpoint.url }).current(),
    credentialsOf('ASIAI'),
  );
});

const xml = `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>
  <AccessKeyId>ASIAW</AccessKeyId><SecretAccessKey>secret of ASIAW</SecretAccessKey>
  <SessionToken>token of ASIAW</SessionToken><Expiration>2026-06-06T13:00:00Z</Expiration>
</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`;

test('F3: a web identity takes its role at STS', async () => {
  const sts = await standIn((_, count) => (count === 1 ? { status: 503 } : { body: xml }));
  const token_file = join(folder, 'identity');
  await writeFile(token_file, 'a.web.token\n');
  const role_arn = 'arn:aws:iam::123456789012:role/parley';
  const source = sourceOf({
    kind: 'web_identity',
    endpoint: sts.url,
    role_arn,
    session_name: 'pod',
    token_file,
  });
  assert.deepEqual(await source.current(), credentialsOf('ASIAW'));
  assert.deepEqual(Object.fromEntries(new URLSearchParams(sts.requests[1]!.body)), {
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role_arn,
    RoleSessionName: 'pod',
    WebIdentityToken: 'a.web.token',
  });
});

test('F3: a refusal of STS names its code and not the token', async () => {
  const sts = await standIn(() => ({ status: 403, body: '<Code>AccessDenied</Code> a.web.token' }));
  const token_file = join(folder, 'identity');
  await writeFile(token_file, 'a.web.token');
  const source = sourceOf({
    kind: 'web_identity',
    endpoint: sts.url,
    role_arn: 'r',
    session_name: 'p',
    token_file,
  });
  await assert.rejects(source.current(), ({ message }: Error) => {
    assert.equal(message, 'STS answered 403 (AccessDenied) to a request for credentials');
    return true;
  });
  assert.equal(sts.requests.length, 1);
});

test('F3: the object storage signs with the session token, and renews credentials that were refused', async () => {
  const endpoint = await standIn((_, count) => ({ body: json(`ASIA${count}`, start_ms + 3_600_000) }));
  const bucket = await standIn(({ headers }) =>
    headers.authorization?.includes('Credential=ASIA1/')
      ? { status: 400, body: '<Error><Code>ExpiredToken</Code></Error>' }
      : { body: 'content' },
  );
  const clock = movedClock();
  const credentials = sourceOf({ kind: 'container', url: endpoint.url, token: 'x', token_file: null }, clock);
  const storage = s3Storage({
    ...{ endpoint: bucket.url, region: 'eu-west-1', bucket: 'parley', clock, retry_base_ms: 1, credentials },
  });
  assert.equal(await text((await storage.open('raw/x'))!), 'content');
  assert.deepEqual(
    bucket.requests.map(({ headers }) => headers['x-amz-security-token']),
    ['token of ASIA1', 'token of ASIA2'],
  );
  const link = new URL(await storage.link('raw/x', { filename: 'x', content_type: 'text/plain' }));
  assert.equal(link.searchParams.get('X-Amz-Security-Token'), 'token of ASIA2');
});

const s3 = { PARLEY_STORAGE: 's3', PARLEY_S3_ENDPOINT: 'http://127.0.0.1:9', PARLEY_S3_BUCKET: 'parley' };
const configOf = (more: Record<string, string>) => readConfig({ ...s3, ...more }, folder);

test('F3: the settings say where credentials come from, and what is missing', () => {
  assert.throws(() => configOf({}), /PARLEY_S3_ACCESS_KEY_ID: needed .*, or set PARLEY_AWS_CREDENTIALS/);
  assert.throws(() => configOf({ PARLEY_AWS_CREDENTIALS: 'web_identity' }), /AWS_ROLE_ARN: needed/);
  assert.throws(
    () => configOf({ AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://credentials.example/x' }),
    /AWS_CONTAINER_CREDENTIALS_FULL_URI: expected https/,
  );
  const kinds = [
    { AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'x' },
    { AWS_WEB_IDENTITY_TOKEN_FILE: '/t', AWS_ROLE_ARN: 'r' },
    { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/credentials/1' },
    { PARLEY_AWS_CREDENTIALS: 'instance' },
  ].map((more) => awsIdentity(configOf(more), 'eu-west-1'));
  assert.deepEqual(
    kinds.map((identity) => identity?.kind),
    [undefined, 'web_identity', 'container', 'instance'],
  );
});

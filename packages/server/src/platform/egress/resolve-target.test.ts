// The resolver of targets, against a name server on loopback.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startDns } from '../../../testing/dns-server.ts';
import { targetResolver } from './resolve-target.ts';

const dns = await startDns();
const folder = await mkdtemp(join(tmpdir(), 'parley-hosts-'));
after(() => rm(folder, { recursive: true, force: true }));
const hosts_path = join(folder, 'hosts');
await writeFile(
  hosts_path,
  '127.0.0.9 intern.example.com  other.example.com # ours\n::1 intern.example.com\nnonsense\n',
);

const resolver = (timeout_ms = 30_000) => targetResolver({ servers: [dns.address], timeout_ms, hosts_path });

test('F10: a name server that does not answer delays only its own names', async () => {
  const resolve = resolver();
  const queried = Promise.withResolvers<void>();
  const slow_names = Array.from({ length: 20 }, (_, index) => `slow${index}.example.org`);
  let left = slow_names.length;
  for (const name of slow_names) dns.held.set(name, () => left-- === 1 && queried.resolve());
  dns.records.set('quick.example.net', { A: ['127.0.0.7'] });
  let slow_ended = 0;
  for (const name of slow_names) void resolve(name).catch(() => slow_ended++);
  await queried.promise;
  assert.deepEqual(await resolve('quick.example.net'), ['127.0.0.7']);
  assert.equal(slow_ended, 0);
});

test('F10: a name ends with its own deadline', async () => {
  dns.held.set('never.example.org', () => {});
  await assert.rejects(resolver(300)('never.example.org'));
});

test('F10: requests for the same name at the same time ask once', async () => {
  let queries = 0;
  dns.held.set('busy.example.org', () => queries++);
  const resolve = resolver(600);
  const results = await Promise.allSettled(Array.from({ length: 50 }, () => resolve('Busy.example.org')));
  assert.ok(results.every(({ status }) => status === 'rejected'));
  // Two families, each tried twice.
  assert.ok(queries <= 4, `${queries} queries`);
});

test('F10: both families are used, IPv4 first, and a name without addresses fails', async () => {
  const resolve = resolver();
  dns.records.set('both.example.net', { A: ['127.0.0.7', '127.0.0.8'], AAAA: ['::1'] });
  dns.records.set('six.example.net', { AAAA: ['::1'] });
  dns.records.set('none.example.net', {});
  assert.deepEqual(await resolve('both.example.net'), ['127.0.0.7', '127.0.0.8', '::1']);
  assert.deepEqual(await resolve('six.example.net'), ['::1']);
  await assert.rejects(resolve('none.example.net'), { code: 'ENODATA' });
  await assert.rejects(resolve('missing.example.net'), { code: 'ENOTFOUND' });
});

test('F10: the hosts file and localhost need no name server', async () => {
  const resolve = resolver();
  dns.failing.add('*');
  assert.deepEqual(await resolve('INTERN.example.com'), ['127.0.0.9', '::1']);
  assert.deepEqual(await resolve('other.example.com'), ['127.0.0.9']);
  assert.deepEqual(await resolve('api.localhost'), ['127.0.0.1', '::1']);
  dns.failing.delete('*');
});

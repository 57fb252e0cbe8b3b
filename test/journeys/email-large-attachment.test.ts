// Journey: a file of 25 MiB goes through the service without ever standing in its memory.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { makeHome } from './process.ts';

const size = 25 * 1024 * 1024;
const growth_max_mb = 40;

test('an upload of 25 MiB makes the process grow by less than 40 MB', async (t) => {
  if (process.platform !== 'linux') return t.skip('reads /proc');
  const service = await makeHome(t).start();
  const mebibytes = (field: string) =>
    Number(
      new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(
        readFileSync(`/proc/${service.pid}/status`, 'utf8'),
      )![1],
    ) / 1024;
  const upload = async (content: Buffer) => {
    const form = new FormData();
    form.append('file', new Blob([content as unknown as ArrayBuffer]), 'large.bin');
    const answer = await fetch(`${service.url}/v1/email-attachments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}` },
      body: form,
    });
    assert.equal(answer.status, 201);
    return (await answer.json()) as { sha256: string; size_bytes: number };
  };
  // A first one loads the code that uploads need.
  await upload(Buffer.from('small'));
  // Forget the highest mark of the start (proc_pid_clear_refs(5)).
  writeFileSync(`/proc/${service.pid}/clear_refs`, '5');
  const before = mebibytes('VmRSS');
  const content = randomBytes(size);
  const kept = await upload(content);
  assert.equal(kept.sha256, createHash('sha256').update(content).digest('hex'));
  const growth = mebibytes('VmHWM') - before;
  t.diagnostic(`grew by ${growth.toFixed(1)} MB at its highest`);
  assert.ok(growth < growth_max_mb, `${growth.toFixed(1)} MB`);
});

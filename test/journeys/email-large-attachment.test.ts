// Journey: a file of the largest allowed size goes through the service. Its memory is a row of the bench (`email-attachment`).
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { makeHome, sharedDatabase } from './process.ts';

const size_bytes = 25 * 1024 * 1024;

test('an upload of 25 MiB is stored byte for byte', async (t) => {
  const service = await makeHome(t).start(await sharedDatabase(t));
  const content = randomBytes(size_bytes);
  const form = new FormData();
  form.append('file', new Blob([content as unknown as ArrayBuffer]), 'large.bin');
  const response = await fetch(`${service.url}/v1/email-attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}` },
    body: form,
  });
  assert.equal(response.status, 201);
  const stored = (await response.json()) as { sha256: string; size_bytes: number };
  assert.equal(stored.size_bytes, size_bytes);
  assert.equal(stored.sha256, createHash('sha256').update(content).digest('hex'));
});

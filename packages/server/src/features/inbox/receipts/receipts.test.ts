// Receipts over HTTP: what they say, that they verify without the server, and that gaps and changes are found.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Receipt } from '@parley/contract/inbox/receipts';
import { type ReceiptKeySet, verifyReceipts } from '@parley/sdk';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { sql } from '../../../platform/db/sql.ts';

const { app, url, db, client, organization, later } = await startTestApp({ PARLEY_SANDBOX: 'on' });
const folder = mkdtempSync(join(tmpdir(), 'parley-receipts-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const person = '+15005550001';

type Key = ReceiptKeySet['keys'][number] & { retired_at: string | null; d?: string };

const keySet = async () =>
  (await (await fetch(`${url}/.well-known/parley-receipts.json`)).json()) as { keys: Key[] };

async function receiptsOf(own: Client, query = ''): Promise<Receipt[]> {
  await app.jobs.drain();
  return (await own.request<{ items: Receipt[] }>('GET', `/v1/receipts${query}`)).body.items;
}

async function sendText(own: Client, body = 'Hello', more: Record<string, unknown> = {}): Promise<string> {
  const text = { to: person, body, recipient_consent: true, ...more };
  const sent = await own.request<{ id: string }>('POST', '/v1/sms', text);
  assert.equal(sent.status, 201, sent.text);
  return sent.body.id;
}

const claimsOf = ({ jws }: Receipt) => JSON.parse(Buffer.from(jws.split('.')[1]!, 'base64url').toString());

describe('a receipt', () => {
  test('is issued for a text, an email and a call, contains no address or number, and forms a chain', async () => {
    const own = organization();
    const sms_id = await sendText(own, 'A secret word');
    const email = { to: ['delivered@sandbox.test'], subject: 'Hi', body_text: 'x', recipient_consent: true };
    const email_id = (await own.request<{ id: string }>('POST', '/v1/emails', email)).body.id;
    const call = { to: person, system_prompt: 'Say hello.', recipient_consent: true };
    const call_id = (await own.request<{ id: string }>('POST', '/v1/calls', call)).body.id;
    await later(120);
    const receipts = await receiptsOf(own);
    assert.deepEqual(
      new Set(receipts.map(({ object_id }) => object_id)),
      new Set([sms_id, email_id, call_id]),
    );
    assert.deepEqual(receipts.map(({ seq }) => seq).sort(), [1, 2, 3]);
    const text = receipts.find(({ object_id }) => object_id === sms_id)!;
    const claims = claimsOf(text);
    assert.deepEqual(
      [claims.result, claims.object, claims.carrier.name],
      ['accepted', { noun: 'sms', id: sms_id }, 'sandbox'],
    );
    assert.ok(claims.checks.some(({ name }: { name: string }) => name === 'suppression'));
    assert.ok(!/5005550001|secret word/.test(JSON.stringify(claims)));
    assert.deepEqual(
      text.disclosures!.map(({ party }) => party),
      [person],
    );
    const verified = await verifyReceipts(receipts, await keySet(), { party: person });
    assert.deepEqual([verified.valid, verified.missing], [true, []]);
    assert.equal(verified.receipts.filter(({ is_about_party }) => is_about_party).length, 2);
  });

  test('is verified by another library in another process, with files alone', async () => {
    const own = organization();
    const id = await sendText(own);
    await later(5);
    const [receipt] = await receiptsOf(own, `?object_id=${id}`);
    const file = join(folder, 'receipt.json');
    writeFileSync(file, JSON.stringify({ receipt, jwks: await keySet() }));
    const script = `
      const { readFileSync } = await import('node:fs');
      const { compactVerify, createLocalJWKSet } = await import(process.argv[2]);
      const { receipt, jwks } = JSON.parse(readFileSync(process.argv[1], 'utf8'));
      const { payload } = await compactVerify(receipt.jws, createLocalJWKSet(jwks));
      process.stdout.write(JSON.parse(new TextDecoder().decode(payload)).object.id);`;
    const jose = import.meta.resolve('jose');
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script, file, jose]);
    assert.equal(String(printed), id);
  });

  test('that was changed, is missing or has another disclosure is found', async () => {
    const own = organization();
    for (const body of ['one', 'two', 'three']) await sendText(own, body);
    await later(5);
    const receipts = await receiptsOf(own);
    const keys = await keySet();
    const gap = await verifyReceipts([receipts[0]!, receipts[2]!], keys);
    assert.deepEqual([gap.valid, gap.missing], [false, [2]]);
    const [header, payload, signature] = receipts[1]!.jws.split('.');
    const claims = { ...claimsOf(receipts[1]!), result: 'refused' };
    const changed = Buffer.from(JSON.stringify(claims)).toString('base64url');
    assert.notEqual(changed, payload);
    const forged = await verifyReceipts([{ jws: `${header}.${changed}.${signature}` }], keys);
    assert.match(forged.receipts[0]!.problems[0]!, /signature is wrong/);
    const { salt } = receipts[1]!.disclosures![0]!;
    const other = [{ salt, party: '+15005550002' }];
    const disclosed = await verifyReceipts([{ ...receipts[1]!, disclosures: other }], keys);
    assert.match(disclosed.receipts[0]!.problems[0]!, /does not match its hash/);
  });

  test('stays valid when its disclosures are erased and when the key is replaced', async () => {
    const own = organization();
    const id = await sendText(own);
    await later(5);
    assert.equal((await receiptsOf(own)).length, 1);
    const rotated = await client.request<{ kid: string }>('POST', '/v1/admin/receipt-keys');
    assert.equal(rotated.status, 201, rotated.text);
    await sendText(own);
    await later(5);
    await db.run(sql`update receipts set disclosures = null where object_id = ${id}`);
    const receipts = await receiptsOf(own);
    const keys = await keySet();
    assert.ok(keys.keys.every((key) => key.d === undefined));
    assert.equal(keys.keys.filter(({ retired_at }) => retired_at === null).length, 1);
    assert.equal((await verifyReceipts(receipts, keys)).valid, true);
    const kids = receipts.map(
      ({ jws }) => JSON.parse(Buffer.from(jws.split('.')[0]!, 'base64url').toString()).kid,
    );
    assert.deepEqual([kids[0], new Set(kids).size], [rotated.body.kid, 2]);
  });

  test('is issued when a scheduled text is sent, and not when it is canceled before', async () => {
    const own = organization();
    const scheduled_at = new Date(Date.now() + 3_600_000 * 24 * 2).toISOString();
    const sent = await sendText(own, 'later', { scheduled_at });
    const canceled = await sendText(own, 'never', { scheduled_at });
    assert.equal((await own.request('POST', `/v1/sms/${canceled}/cancel`)).status, 200);
    assert.deepEqual(await receiptsOf(own), []);
    await later(3600 * 24 * 3);
    await later(60);
    assert.deepEqual(
      (await receiptsOf(own)).map(({ object_id }) => object_id),
      [sent],
    );
    const [row] = await db.rows(sql`select count(*)::int as count from receipts_due where id = ${canceled}`);
    assert.deepEqual(row, { count: 0 });
  });

  test('of another organization is not found', async () => {
    const own = organization();
    await sendText(own);
    await later(5);
    const [receipt] = await receiptsOf(own);
    assert.equal((await own.request('GET', `/v1/receipts/${receipt!.id}`)).status, 200);
    assert.equal((await organization().request('GET', `/v1/receipts/${receipt!.id}`)).status, 404);
    assert.equal((await organization().request('POST', '/v1/admin/receipt-keys')).status, 404);
  });
});

const command = fileURLToPath(new URL('../../../../../cli/bin/parley.js', import.meta.url));

test('the command line verifies an export without a server', async () => {
  const own = organization();
  for (const body of ['one', 'two']) await sendText(own, body);
  await later(5);
  const [exported, keys] = ['export.jsonl', 'keys.json'].map((name) => join(folder, name));
  writeFileSync(exported!, (await receiptsOf(own)).map((receipt) => JSON.stringify(receipt)).join('\n'));
  writeFileSync(keys!, JSON.stringify(await keySet()));
  const printed = execFileSync(
    process.execPath,
    [command, 'receipts', 'verify', exported!, '--jwks', keys!, '--party', person],
    { env: { ...process.env, PARLEY_URL: 'http://127.0.0.1:9', HOME: folder, XDG_CONFIG_HOME: folder } },
  );
  assert.deepEqual(JSON.parse(String(printed)), {
    valid: true,
    count: 2,
    missing: [],
    problems: [],
    about_party: 2,
  });
});

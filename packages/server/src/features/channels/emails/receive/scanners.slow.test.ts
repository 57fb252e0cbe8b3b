// Spam and virus verdicts by rspamd and clamd, as packaged by Debian.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { startTestApp } from '../../../../../testing/app.ts';
import { eicar, gtube, startClamd, startRspamd, whyNoScanners } from '../../../../../testing/scanners.ts';

const skip = whyNoScanners();

describe('a scanner', { skip }, async () => {
  if (skip) return;
  const [url, address] = await Promise.all([startRspamd(), startClamd()]);
  const { client } = await startTestApp({ PARLEY_RSPAMD_URL: url, PARLEY_CLAMD_ADDRESS: address });
  const verdictsFor = async (body: object, of = client) => {
    const response = await of.request<Email>('POST', '/v1/sandbox/inbound-emails', body);
    assert.equal(response.status, 201, response.text);
    return [response.body.spam_verdict, response.body.virus_verdict];
  };
  const file = (content: Buffer | string) => ({
    attachments: [{ filename: 'file.bin', content_base64: Buffer.from(content).toString('base64') }],
  });

  test('finds nothing in an ordinary message', async () => {
    assert.deepEqual(await verdictsFor({ body_text: 'Good morning' }), ['PASS', 'PASS']);
  });

  test('finds spam', async () => {
    assert.deepEqual(await verdictsFor({ body_text: gtube }), ['FAIL', 'PASS']);
  });

  test('finds a virus inside an attachment', async () => {
    assert.deepEqual(await verdictsFor({ body_text: 'See attached', ...file(eicar) }), ['PASS', 'FAIL']);
  });

  test('that is unavailable gives no verdict, and the message is still accepted', async () => {
    const { organization } = await startTestApp({
      PARLEY_RSPAMD_URL: 'http://127.0.0.1:9',
      PARLEY_CLAMD_ADDRESS: '127.0.0.1:9',
      PARLEY_SCANNER_TIMEOUT_SECONDS: '2',
    });
    const found = await verdictsFor({ body_text: 'Hello' }, organization());
    assert.deepEqual(found, ['PROCESSING_FAILED', 'PROCESSING_FAILED']);
  });

  test('with a size limit below the message gives no verdict', async () => {
    const { organization } = await startTestApp({ PARLEY_CLAMD_ADDRESS: await startClamd('10K') });
    const found = await verdictsFor(file(Buffer.alloc(200_000, 'x')), organization());
    assert.deepEqual(found, ['DISABLED', 'PROCESSING_FAILED']);
  });
});

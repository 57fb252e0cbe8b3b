// The object storage and the mail transport repeat requests that fail for a moment.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { systemClock } from '../platform/clock.ts';
import { outgoing } from '../providers/mail/conformance.ts';
import { sesTransport } from '../providers/mail/ses/index.ts';
import { s3Storage } from '../providers/storage/s3/index.ts';

type Failure = number | 'reset' | 'reset after the request';

/** Fails in these ways one after the other, and then answers 200. */
async function standIn(failures: Failure[], body = '') {
  const contents: string[] = [];
  let count = 0;
  const server = createServer(async (request, response) => {
    const failure = failures[count++];
    if (failure === 'reset') return request.socket.resetAndDestroy();
    const content = await text(request);
    if (failure === 'reset after the request') return request.socket.resetAndDestroy();
    if (failure !== undefined)
      return response
        .writeHead(failure, { 'retry-after': '0' })
        .end(failure >= 500 ? '<Code>SlowDown</Code>' : '');
    contents.push(content);
    response.writeHead(200, { etag: '"x"' }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, contents, count: () => count };
}

const key = { access_key_id: 'AKIA', secret_access_key: 'x', clock: systemClock(), retry_base_ms: 1 };
const storageAt = (endpoint: string) =>
  s3Storage({ endpoint, region: 'us-east-1', bucket: 'parley', ...key });
const file = { content_type: 'audio/wav', max_bytes: 100 };

test('F3: an object is stored whole after 503, 429, 500 and lost connections', async () => {
  for (const failures of [
    [503],
    [429],
    [500, 502],
    ['reset'],
    ['reset after the request', 504],
  ] as Failure[][]) {
    const bucket = await standIn(failures);
    await storageAt(bucket.url).put('recordings/x', Buffer.from('the whole content'), file);
    assert.deepEqual(bucket.contents, ['the whole content'], String(failures));
    assert.equal(bucket.count(), failures.length + 1);
  }
});

test('F3: an object is read and deleted after a failure that passes', async () => {
  const bucket = await standIn([503, 'reset'], 'content');
  assert.equal(await text((await storageAt(bucket.url).open('raw/x'))!), 'content');
  const other = await standIn(['reset', 500]);
  await storageAt(other.url).remove('raw/x');
});

test('F3: a failure that stays ends after five tries, and one that another try does not change at once', async () => {
  const down = await standIn(Array.from({ length: 9 }, () => 503));
  await assert.rejects(storageAt(down.url).remove('raw/x'), /answered 503/);
  assert.equal(down.count(), 5);
  for (const status of [403, 409, 412, 400]) {
    const refusing = await standIn([status]);
    await assert.rejects(storageAt(refusing.url).remove('raw/x'), /answered/);
    assert.equal(refusing.count(), 1, String(status));
  }
});

const sesAt = (endpoint: string) =>
  sesTransport({
    ...{ region: 'eu-west-1', configuration_set: null, topic_arns: [], s3_endpoint: null, endpoint },
    ...{ timeout_ms: 5000, ...key },
  });

test('F3: SES is asked again after 429 and 5xx, but not after a lost connection: it may have the message', async () => {
  const never = new AbortController().signal;
  const busy = await standIn([429, 503, 500], JSON.stringify({ MessageId: '1' }));
  const sent = await sesAt(busy.url).send(outgoing(['bob@example.org']), never);
  assert.ok(sent.accepted, JSON.stringify(sent));
  assert.equal(busy.contents.length, 1);
  const lost = await standIn(['reset after the request']);
  const outcome = await sesAt(lost.url).send(outgoing(['bob@example.org']), never);
  assert.ok(!outcome.accepted && outcome.may_be_taken, JSON.stringify(outcome));
  assert.equal(lost.count(), 1);
});

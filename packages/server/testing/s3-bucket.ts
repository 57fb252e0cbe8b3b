// A bucket on loopback in place of S3. It verifies signatures with its own implementation.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';
import { isSigned } from './sigv4.ts';

type Objects = Map<string, { body: Buffer; type: string; stored_at: Date }>;

const secret_access_key = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';

/** Closes itself at the end of the test file or suite. `clock` decides whether a link is still valid. */
export async function startBucket(clock: { ms(): number }) {
  const objects: Objects = new Map();
  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, `http://${request.headers.host}`);
    const body = (await buffer(request)) as Buffer;
    const { method, headers } = request;
    if (isSigned({ method: method!, url, headers, body }, secret_access_key, clock.ms()))
      respond(objects, request, url, body, response);
    else response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => void server.close());
  return {
    /** By path: the name of the bucket and the key. */
    objects,
    settings: {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'eu-west-1',
      bucket: 'parley',
      access_key_id: 'AKIDEXAMPLE',
      secret_access_key,
    },
  };
}

function respond(
  objects: Objects,
  { method, headers }: IncomingMessage,
  url: URL,
  body: Buffer,
  response: ServerResponse,
): void {
  const key = url.pathname;
  const found = objects.get(key);
  if (method === 'HEAD') {
    const modified = found ? { 'last-modified': found.stored_at.toUTCString() } : {};
    response.writeHead(key === '/parley' || found ? 200 : 404, modified).end();
  } else if (url.searchParams.get('list-type') === '2') {
    response.writeHead(200).end(listing(objects, url.searchParams));
  } else if (method === 'PUT') {
    assert.equal(Number(headers['content-length']), body.length);
    objects.set(key, { body, type: headers['content-type']!, stored_at: new Date() });
    response.writeHead(200).end();
  } else if (method === 'DELETE') {
    objects.delete(key);
    response.writeHead(204).end();
  } else if (!found) {
    response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
  } else {
    const type = url.searchParams.get('response-content-type') ?? found.type;
    const disposition = url.searchParams.get('response-content-disposition') ?? 'inline';
    response.writeHead(200, { 'content-type': type, 'content-disposition': disposition }).end(found.body);
  }
}

/** A response of ListObjectsV2. */
function listing(objects: Objects, params: URLSearchParams): string {
  assert.equal(params.get('encoding-type'), 'url');
  const found = [...objects.keys()]
    .map((path) => path.slice('/parley/'.length))
    .filter((key) => key.startsWith(params.get('prefix')!) && key > params.get('start-after')!)
    .sort();
  const page = found.slice(0, Number(params.get('max-keys')));
  const keys = page.map((key) => `<Contents><Key>${encodeURIComponent(key)}</Key><Size>1</Size></Contents>`);
  return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Name>parley</Name><KeyCount>${page.length}</KeyCount><IsTruncated>${page.length < found.length}</IsTruncated>${keys.join('')}</ListBucketResult>`;
}

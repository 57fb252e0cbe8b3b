// An inbound call that reaches a process without capacity: passed on unchanged to one that has some, and never twice.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { freePort } from '../../../testing/free-port.ts';
import { makeLog } from '../../platform/log.ts';
import type { CarrierEvent } from './carrier.ts';
import { type Forwarded, forwardOffer } from './forward-offer.ts';

const log = makeLog({ level: 'silent', show_personal_data: false });
const offered: CarrierEvent[] = [{ kind: 'call_offered', provider_call_id: 'CA1', from: '+1', to: '+2' }];
const callback = {
  path: '/v1/carriers/twilio/callbacks?x=1',
  headers: {
    host: 'public.example',
    'content-type': 'application/x-www-form-urlencoded',
    'x-twilio-signature': 'abc',
  },
  body: Buffer.from('CallSid=CA1'),
};

/** A process that answers every callback with this status. */
async function startProcess(status: number, answer: string) {
  const seen: { url: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const server = createServer(async (request, response) => {
    seen.push({ url: request.url!, headers: request.headers, body: await text(request) });
    response.writeHead(status, { 'content-type': 'text/xml' }).end(answer);
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  after(() => server.close());
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** In a process with this many free places, which may run the offered call already. */
function forwarding(urls: string[], free = 0, runs_it = false) {
  const tryKeepPlace = () => {
    if (free === 0) return null;
    free--;
    return () => void free++;
  };
  return forwardOffer({
    tryKeepPlace,
    runsOffered: async () => runs_it,
    processesFor: async () => urls,
    log,
  });
}

/** The events that this process decides about. */
function takenHere(forwarded: Forwarded): CarrierEvent[] {
  assert.ok(typeof forwarded === 'object' && 'events' in forwarded, JSON.stringify(forwarded));
  return forwarded.events;
}

test('the callback is sent on as it came, and the response is returned', async () => {
  const other = await startProcess(200, '<Response/>');
  const response = await forwarding([other.url])('twilio', callback, offered);
  assert.deepEqual(response, { content_type: 'text/xml', body: '<Response/>' });
  const [{ url, headers, body }] = other.seen as [(typeof other.seen)[0]];
  assert.deepEqual([url, body], [callback.path, 'CallSid=CA1']);
  assert.deepEqual([headers['x-twilio-signature'], headers['x-parley-relayed']], ['abc', '1']);
  assert.equal(headers['content-type'], 'application/x-www-form-urlencoded');
});

test('a process that is full or does not respond is skipped; without another one the call is decided here', async () => {
  const full = await startProcess(503, '');
  const free = await startProcess(200, 'taken');
  const nothing = `http://127.0.0.1:${await freePort()}`;
  const response = await forwarding([nothing, full.url, free.url])('twilio', callback, offered);
  assert.deepEqual(response, { content_type: 'text/xml', body: 'taken' });
  for (const urls of [[full.url], []])
    assert.deepEqual(takenHere(await forwarding(urls)('twilio', callback, offered)), offered);
});

test('only offers are passed on, only without capacity, and only once', async () => {
  const other = await startProcess(200, '');
  const changed: CarrierEvent[] = [{ kind: 'unknown', detail: '' }];
  assert.deepEqual(takenHere(await forwarding([other.url])('twilio', callback, changed)), changed);
  const [taken] = takenHere(await forwarding([other.url], 1)('twilio', callback, offered));
  assert.deepEqual(taken, { ...offered[0], has_place: true });
  const relayed = { ...callback, headers: { ...callback.headers, 'x-parley-relayed': '1' } };
  assert.equal(await forwarding([other.url])('twilio', relayed, offered), 'full');
  // The process that runs the call decides again, also when it is full: the carrier repeats its offer.
  for (const repeated of [callback, relayed])
    assert.deepEqual(takenHere(await forwarding([other.url], 0, true)('twilio', repeated, offered)), offered);
  assert.equal(other.seen.length, 0);
});

test('of two calls that are offered at once, the one without a place is passed on', async () => {
  const other = await startProcess(200, 'taken by the other');
  const forward = forwarding([other.url], 1);
  const [first, second] = await Promise.all([
    forward('twilio', callback, offered),
    forward('twilio', callback, offered),
  ]);
  assert.deepEqual(second, { content_type: 'text/xml', body: 'taken by the other' });
  // Its place is free again when it was declined, for example.
  takenHere(first);
  (first as { giveBack(): void }).giveBack();
  takenHere(await forward('twilio', callback, offered));
  assert.equal(other.seen.length, 1);
});

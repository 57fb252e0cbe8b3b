// The event log and its stream, over HTTP.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import type { EventEnvelope } from '@parley/contract/event';
import { limits, nil_uuid } from '@parley/contract/limits';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { openEventSource } from '../../../../testing/event-source.ts';
import { pause, waitFor } from '../../../../testing/wait-for.ts';
import { createEvents } from '../../../../testing/webhooks.ts';
import { systemClock } from '../../../platform/clock.ts';
import { sql } from '../../../platform/db/sql.ts';
import { uuidv7Ids } from '../../../platform/ids.ts';
import { outbox } from '../../../platform/outbox.ts';

type Page = { items: EventEnvelope[]; next_cursor: string | null };

const { db, url, organization, anonymous } = await startTestApp({ PARLEY_STREAM_HEARTBEAT_SECONDS: '1' });
const clock = systemClock();
/** Writes as another process does: the streams of this process are not woken. */
const elsewhere = outbox({ clock, ids: uuidv7Ids(clock), fan_out: null });

const open: { close(): void }[] = [];
after(() => {
  for (const stream of open) stream.close();
});

async function stream(of: Client, last_event_id?: string) {
  const source = await openEventSource(`${url}/v1/events/stream`, {
    authorization: `Bearer ${of.key}`,
    ...(last_event_id === undefined ? {} : { 'last-event-id': last_event_id }),
  });
  open.push(source);
  return source;
}
const newEvent = (organization_id: string) => ({
  organization_id,
  type: 'call.busy',
  resource_id: randomUUID(),
  data: {},
});

describe('the list of events', () => {
  test('has the envelopes exactly as receivers get them, newest first', async () => {
    const own = organization();
    const created = [...(await createEvents(own)), ...(await createEvents(own, { type: 'call.busy' }))];
    const list = await own.request<Page>('GET', '/v1/events');
    assert.deepEqual(list.body.items, created.reverse());
    assert.equal(list.body.next_cursor, null);
  });

  test('filters by type and by resource', async () => {
    const own = organization();
    const id = randomUUID();
    await createEvents(own);
    const [mine] = await createEvents(own, { type: 'call.busy', data: { id } });
    await createEvents(own, { type: 'call.busy' });
    const ids = async (query: string) =>
      (await own.request<Page>('GET', `/v1/events?${query}`)).body.items.map((event) => event.id);
    assert.equal((await ids('type=call.busy')).length, 2);
    assert.deepEqual(await ids(`resource_id=${id}`), [mine!.id]);
    assert.deepEqual(await ids(`resource_id=${id}&type=call.completed`), []);
    assert.equal((await own.request('GET', '/v1/events?type=call.ringing')).status, 422);
  });

  test('pages without gap or repeat', async () => {
    const own = organization();
    await createEvents(own, { count: 7 });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Page = (
        await own.request<Page>('GET', `/v1/events?limit=3${cursor && `&cursor=${cursor}`}`)
      ).body;
      seen.push(...page.items.map((event) => event.id));
      cursor = page.next_cursor;
    }
    assert.equal(new Set(seen).size, 7);
  });
});

describe('the stream of events', () => {
  test('sends every new event of the organization, and no others', async () => {
    const [own, other] = [organization(), organization()];
    await createEvents(own);
    const source = await stream(own);
    assert.equal(source.status, 200);
    await createEvents(other);
    const [event] = await createEvents(own);
    const [message] = await source.received(1);
    assert.equal(message!.id, event!.id);
    assert.equal(message!.event, 'call.completed');
    assert.deepEqual(JSON.parse(message!.data), event);
    assert.equal(source.messages.length, 1);
  });

  test('sends events that other processes write', async () => {
    const own = organization();
    const source = await stream(own);
    const [event] = await db.transaction((tx) => elsewhere.write(tx, [newEvent(own.organization_id)]));
    const [message] = await source.received(1);
    assert.equal(message!.id, event!.id);
  });

  test('continues after Last-Event-ID without gap or repeat', async () => {
    const own = organization();
    const created = await createEvents(own, { count: 250 });
    const order = (await stream(own, created[0]!.id)).received(249);
    const ids = [created[0]!.id, ...(await order).map((message) => message.id)];
    assert.equal(new Set(ids).size, 250);

    // After a break at any event, the rest is exactly what was not received.
    const rest = await (await stream(own, ids[199])).received(50);
    assert.deepEqual(
      rest.slice(0, 50).map((message) => message.id),
      ids.slice(200),
    );
  });

  test('does not skip an event whose transaction commits after that of a later event', async () => {
    const own = organization();
    const source = await stream(own);
    let late: { id: string } | undefined;
    await db.transaction(async (tx) => {
      [late] = await elsewhere.write(tx, [newEvent(own.organization_id)]);
      const [early] = await createEvents(own);
      // It must wait for the older transaction. Otherwise a client that resumes after it would miss the late event.
      await pause(150, 'proves that the event is not sent meanwhile');
      assert.deepEqual(source.messages, [], `${early!.id} came too soon`);
    });
    const messages = await source.received(2);
    assert.equal(messages[0]!.id, late!.id);
  });

  test('sends comments while there are no events', async () => {
    const source = await stream(organization());
    await waitFor('a comment', () => source.comments.includes('still here'));
    assert.deepEqual(source.messages, []);
  });

  test('starts with the first event after the nil UUID', async () => {
    const own = organization();
    const created = await createEvents(own, { count: 3 });
    const seen = await (await stream(own, nil_uuid)).received(3);
    assert.deepEqual(new Set(seen.map((message) => message.id)), new Set(created.map((event) => event.id)));
  });

  test('refuses a Last-Event-ID that is not an event of the organization', async () => {
    const [own, other] = [organization(), organization()];
    const [of_other] = await createEvents(other);
    for (const id of [of_other!.id, randomUUID(), 'nonsense']) {
      const source = await stream(own, id);
      assert.equal(source.status, 422);
      assert.match(source.text, /header\.Last-Event-ID/);
    }
  });

  test('is limited per caller, and a closed stream allows another one', async () => {
    const own = organization();
    const streams = [];
    for (let i = 0; i < limits.event_streams_per_caller; i++) streams.push(await stream(own));
    const refused = await stream(own);
    assert.equal(refused.status, 429);
    assert.match(refused.text, /too_many_streams/);
    assert.equal((await stream(organization())).status, 200);
    streams[0]!.close();
    await waitFor('a free stream', async () => (await stream(own)).status === 200);
  });

  test('needs a credential', async () => {
    assert.equal((await anonymous.request('GET', '/v1/events/stream')).status, 401);
  });

  test('ends when the service stops, and does not delay the stop', async () => {
    const leaving = await startTestApp();
    const own = leaving.organization();
    const source = await openEventSource(`${leaving.url}/v1/events/stream`, {
      authorization: `Bearer ${own.key}`,
    });
    await createEvents(own);
    await source.received(1);
    await leaving.app.http.close();
    await source.ended;
    assert.ok(
      (await leaving.db.maybe<{ one: number }>(sql`select 1 as one`))!.one,
      'the database outlives the listener',
    );
  });
});

// Streams the event log to connected clients: events of this process wake the stream, those of other processes are polled.
import { setTimeout as wait } from 'node:timers/promises';
import { limits, nil_uuid } from '@parley/contract/limits';
import type { TextStream } from '@parley/contract/operation';
import { ApiError, validationError } from '../../../platform/http/api-error.ts';
import type { Log } from '../../../platform/log.ts';
import type { EventPosition, EventStore, LoggedEvent, StreamStart } from './store.ts';

const page_size = 100;
const poll_ms = 1000;
/** A committed event is readable after every older transaction has ended: usually immediately, otherwise very soon. */
const retry_after_ms = [5, 20, 80, 300];
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

type Follower = {
  organization_id: string;
  /** There may be events that were not read yet. */
  has_new_events: boolean;
  /** Ends the current pause of the stream. */
  endPause(): void;
};

type Streams = {
  store: EventStore;
  log: Log;
  heartbeat_ms: number;
  followers: Set<Follower>;
  /** Open streams per caller. */
  open_counts: Map<string, number>;
  poll_timer: NodeJS.Timeout | undefined;
  is_polling: boolean;
  /** Events from this position on were not polled yet. */
  polled_until: string;
};

export function eventStreams(deps: { store: EventStore; log: Log; heartbeat_ms: number }) {
  const streams: Streams = {
    ...deps,
    followers: new Set(),
    open_counts: new Map(),
    poll_timer: undefined,
    is_polling: false,
    polled_until: '0',
  };
  return {
    /** Call it after this process committed events of these organizations. */
    wake: (organization_ids: readonly string[]) => wake(streams, organization_ids),
    open: (caller_id: string, organization_id: string, last_event_id: string | null) =>
      open(streams, caller_id, organization_id, last_event_id),
  };
}
export type EventStreams = ReturnType<typeof eventStreams>;

async function open(
  streams: Streams,
  caller_id: string,
  organization_id: string,
  last_event_id: string | null,
): Promise<TextStream> {
  const { open_counts } = streams;
  const count = open_counts.get(caller_id) ?? 0;
  if (count >= limits.event_streams_per_caller) throw new ApiError('too_many_streams');
  open_counts.set(caller_id, count + 1);
  const close = () => {
    const left = open_counts.get(caller_id)! - 1;
    if (left > 0) open_counts.set(caller_id, left);
    else open_counts.delete(caller_id);
  };
  try {
    const start = await findStart(streams.store, organization_id, last_event_id);
    return (signal) => {
      signal.addEventListener('abort', close, { once: true });
      return follow(streams, organization_id, start, signal);
    };
  } catch (error) {
    close();
    throw error;
  }
}

async function findStart(
  store: EventStore,
  organization_id: string,
  last_event_id: string | null,
): Promise<StreamStart> {
  if (last_event_id === null) return store.currentPosition(organization_id);
  // A client that found an empty log sends the nil id, and gets everything since then.
  if (last_event_id === nil_uuid) return { position: '0', id: null, known_ids: [] };
  const position = uuid.test(last_event_id) ? await store.positionOf(organization_id, last_event_id) : null;
  if (position) return { ...position, known_ids: [] };
  throw validationError([
    { path: 'header.Last-Event-ID', message: 'There is no event with this id', code: 'invalid_value' },
  ]);
}

async function* follow(streams: Streams, organization_id: string, start: StreamStart, signal: AbortSignal) {
  const { store, heartbeat_ms } = streams;
  let position: EventPosition = start;
  const known_ids = new Set(start.known_ids);
  const follower: Follower = { organization_id, has_new_events: true, endPause: () => {} };
  addFollower(streams, follower);
  try {
    yield ': this stream is open\n\n';
    let retries = 0;
    while (!signal.aborted) {
      // Reset before the read: an event during the read sets it again, and the pause below ends immediately.
      follower.has_new_events = false;
      const events = await store.after(organization_id, position, page_size);
      // The credential of the client may have ended during the read.
      if (signal.aborted) return;
      if (events.length > 0) {
        const unknown = events.filter(({ id }) => !known_ids.has(id));
        if (unknown.length > 0) yield unknown.map(asText).join('');
        const last = events.at(-1)!;
        position = { position: last.position, id: last.id };
        retries = 0;
        continue;
      }
      const pause_ms = retries < retry_after_ms.length ? retry_after_ms[retries++]! : heartbeat_ms;
      await pause(follower, pause_ms, signal);
      if (follower.has_new_events) retries = 0;
      else if (pause_ms === heartbeat_ms && !signal.aborted) yield ': still here\n\n';
    }
  } finally {
    removeFollower(streams, follower);
  }
}

function addFollower(streams: Streams, follower: Follower): void {
  streams.followers.add(follower);
  streams.poll_timer ??= setInterval(poll, poll_ms, streams);
}

function removeFollower(streams: Streams, follower: Follower): void {
  streams.followers.delete(follower);
  if (streams.followers.size > 0) return;
  clearInterval(streams.poll_timer);
  streams.poll_timer = undefined;
}

function wake({ followers }: Streams, organization_ids: readonly string[]): void {
  for (const follower of followers) {
    if (!organization_ids.includes(follower.organization_id)) continue;
    follower.has_new_events = true;
    follower.endPause();
  }
}

/** One query for all followers. */
async function poll(streams: Streams): Promise<void> {
  if (streams.is_polling) return;
  streams.is_polling = true;
  try {
    const organization_ids = new Set([...streams.followers].map((follower) => follower.organization_id));
    const { with_events, until } = await streams.store.withEventsSince(
      [...organization_ids],
      streams.polled_until,
    );
    streams.polled_until = until;
    wake(streams, with_events);
  } catch (error) {
    streams.log.warn({ err: error }, 'reading events failed, retrying');
  }
  streams.is_polling = false;
}

/** Waits until the time is over, or the follower is woken, or the stream ends. */
async function pause(follower: Follower, ms: number, signal: AbortSignal): Promise<void> {
  if (follower.has_new_events) return;
  const woken = new AbortController();
  follower.endPause = () => woken.abort();
  await wait(ms, undefined, { signal: AbortSignal.any([woken.signal, signal]) }).catch(() => {});
}

const asText = ({ id, type, payload }: LoggedEvent) => `id: ${id}\nevent: ${type}\ndata: ${payload}\n\n`;

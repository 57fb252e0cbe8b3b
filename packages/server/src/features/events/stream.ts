// Follows the event log for those who are connected: woken by events of this process, and asking for those of others.
import { setTimeout as wait } from 'node:timers/promises';
import { limits, nil_uuid } from '@parley/contract/limits';
import type { TextStream } from '@parley/contract/operation';
import { ApiError, validationError } from '../../platform/http/api-error.ts';
import type { Log } from '../../platform/log.ts';
import type { Beginning, EventStore, LoggedEvent, Place } from './store.ts';

const page = 100;
const poll_ms = 1000;
/** An event just committed is readable once every older transaction has ended: usually at once, else very soon. */
const soon_ms = [5, 20, 80, 300];
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function eventStreams(deps: { store: EventStore; log: Log; heartbeat_ms: number }) {
  const { store, log, heartbeat_ms } = deps;
  type Follower = { organization_id: string; wake(): void };
  const followers = new Set<Follower>();
  const open = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let is_polling = false;
  let since = '0';

  const wake = (organization_ids: readonly string[]) => {
    for (const follower of followers) {
      if (organization_ids.includes(follower.organization_id)) follower.wake();
    }
  };

  /** One question for all followers, however many there are. */
  const poll = async () => {
    if (is_polling) return;
    is_polling = true;
    try {
      const { fresh, until } = await store.news(
        [...new Set([...followers].map((each) => each.organization_id))],
        since,
      );
      since = until;
      wake(fresh);
    } catch (error) {
      log.warn({ err: error }, 'events cannot be read; trying again');
    }
    is_polling = false;
  };

  const startFrom = async (organization_id: string, last_event_id: string | null): Promise<Beginning> => {
    if (last_event_id === null) return store.placeNow(organization_id);
    // Who found the log empty can say so, and misses nothing that happened since.
    if (last_event_id === nil_uuid) return { position: '0', id: null, known_ids: [] };
    const place = uuid.test(last_event_id) ? await store.networkOf(organization_id, last_event_id) : null;
    if (place) return { ...place, known_ids: [] };
    throw validationError([
      { path: 'header.Last-Event-ID', message: 'There is no event with this id', code: 'invalid_value' },
    ]);
  };

  async function* follow(organization_id: string, start: Beginning, signal: AbortSignal) {
    let place: Place = start;
    const known = new Set(start.known_ids);
    // Set while nobody waits, so that news during a read is not missed.
    let is_fresh = true;
    let ring = () => {};
    const follower: Follower = {
      organization_id,
      wake() {
        is_fresh = true;
        ring();
      },
    };
    followers.add(follower);
    timer ??= setInterval(poll, poll_ms);
    try {
      yield ': this stream is open\n\n';
      let tries = 0;
      while (!signal.aborted) {
        is_fresh = false;
        const events = await store.after(organization_id, place, page);
        if (events.length > 0) {
          const fresh = events.filter(({ id }) => !known.has(id));
          if (fresh.length > 0) yield fresh.map(asText).join('');
          const last = events.at(-1)!;
          place = { position: last.position, id: last.id };
          tries = 0;
          continue;
        }
        const pause_ms = tries < soon_ms.length ? soon_ms[tries++]! : heartbeat_ms;
        const rung = await pause(pause_ms, signal, (listener) => {
          ring = listener;
          return is_fresh;
        });
        if (rung) tries = 0;
        else if (pause_ms === heartbeat_ms && !signal.aborted) yield ': still here\n\n';
      }
    } finally {
      followers.delete(follower);
      if (followers.size === 0) {
        clearInterval(timer);
        timer = undefined;
      }
    }
  }

  return {
    /** Events of these organizations were committed by this process. */
    wake,

    async open(
      caller_id: string,
      organization_id: string,
      last_event_id: string | null,
    ): Promise<TextStream> {
      const count = open.get(caller_id) ?? 0;
      if (count >= limits.event_streams_per_caller) throw new ApiError('too_many_streams');
      open.set(caller_id, count + 1);
      const close = () => {
        const left = open.get(caller_id)! - 1;
        if (left > 0) open.set(caller_id, left);
        else open.delete(caller_id);
      };
      try {
        const place = await startFrom(organization_id, last_event_id);
        return (signal) => {
          signal.addEventListener('abort', close, { once: true });
          return follow(organization_id, place, signal);
        };
      } catch (error) {
        close();
        throw error;
      }
    },
  };
}
export type EventStreams = ReturnType<typeof eventStreams>;

const asText = ({ id, type, payload }: LoggedEvent) => `id: ${id}\nevent: ${type}\ndata: ${payload}\n\n`;

/** Waits for the time or the bell; true when the bell rang, or had rung before `listen` was called. */
async function pause(
  ms: number,
  signal: AbortSignal,
  listen: (ring: () => void) => boolean,
): Promise<boolean> {
  const bell = new AbortController();
  let rung = listen(() => {
    rung = true;
    bell.abort();
  });
  if (!rung) await wait(ms, undefined, { signal: AbortSignal.any([bell.signal, signal]) }).catch(() => {});
  return rung;
}

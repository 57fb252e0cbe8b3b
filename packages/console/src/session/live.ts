// Keeps what is on the screen true: each event makes the lists and records it touches be read again.
import type { QueryClient } from '@tanstack/react-query';
import { refresh } from '../state/event-updates.ts';
import { parley } from './client.ts';
import { noteStream } from './stream-state.ts';

/** What an event of each kind may have changed. */
const touched: Record<string, readonly string[]> = {
  call: ['calls'],
  email: ['emails', 'suppressions'],
  sms: ['sms', 'suppressions'],
  sandbox: ['phone', 'calls'],
};
/** Events come in groups; what they touch is read once a group. */
const gathered_ms = 120;
const again_ms = 3000;

export function followEvents(queries: QueryClient): () => void {
  const stop = new AbortController();
  const waiting = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let opened = 0;

  const gather = (names: readonly string[]) => {
    for (const name of names) waiting.add(name);
    timer ??= setTimeout(() => {
      timer = undefined;
      const now = [...waiting];
      waiting.clear();
      for (const name of now) refresh(queries, name);
    }, gathered_ms);
  };

  const follow = async () => {
    const stream = parley.events.stream({
      signal: stop.signal,
      onOpen() {
        // Whatever happened while nobody listened is found by asking for everything once.
        if (opened++ > 0) void queries.invalidateQueries();
      },
    });
    for await (const event of stream) {
      gather([...(touched[event.type.split('.')[0]!] ?? []), 'webhooks', 'events', 'sandbox']);
    }
  };
  const keepFollowing = async () => {
    while (!stop.signal.aborted) {
      await follow().catch(() => noteStream('broken'));
      // Refused for now: perhaps too many pages are open. News that are missed are asked for once it is open again.
      await new Promise((resolve) => setTimeout(resolve, again_ms));
    }
  };
  void keepFollowing();
  return () => {
    stop.abort();
    clearTimeout(timer);
    noteStream('connecting');
  };
}

// Keeps the screen up to date: each event reloads the lists and records that it affects.
import type { QueryClient } from '@tanstack/react-query';
import { refresh } from '../state/event-updates.ts';
import { parley } from './client.ts';
import { setStreamState } from './stream-state.ts';

/** The query keys that each kind of event affects. */
const affected_keys: Record<string, readonly string[]> = {
  approval: ['approvals', 'calls', 'emails', 'sms', 'conversations'],
  call: ['calls', 'budgets', 'conversations'],
  consent: ['consents', 'suppressions'],
  conversation: ['conversations'],
  email: ['emails', 'suppressions', 'budgets', 'conversations'],
  sms: ['sms', 'suppressions', 'budgets', 'conversations'],
  sandbox: ['phone', 'calls'],
};
/** Events come in groups; each group triggers one reload. */
const debounce_ms = 120;
/** Conversations follow their messages and calls by less than this, and publish no event of their own for each of them. */
const projected_ms = 1000;
const retry_ms = 3000;

export function followEvents(queries: QueryClient): () => void {
  const stop = new AbortController();
  const waiting = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let late_timer: ReturnType<typeof setTimeout> | undefined;
  let opened = 0;

  const scheduleRefresh = (names: readonly string[]) => {
    for (const name of names) waiting.add(name);
    timer ??= setTimeout(() => {
      timer = undefined;
      const now = [...waiting];
      waiting.clear();
      for (const name of now) refresh(queries, name);
    }, debounce_ms);
    if (!names.includes('conversations')) return;
    clearTimeout(late_timer);
    late_timer = setTimeout(() => refresh(queries, 'conversations'), projected_ms);
  };

  const follow = async () => {
    const stream = parley.events.stream({
      signal: stop.signal,
      onOpen() {
        // Events may have been missed while the stream was closed, so everything is reloaded once.
        if (opened++ > 0) void queries.invalidateQueries();
      },
    });
    for await (const event of stream) {
      scheduleRefresh([...(affected_keys[event.type.split('.')[0]!] ?? []), 'webhooks', 'events', 'sandbox']);
    }
  };
  const followForever = async () => {
    while (!stop.signal.aborted) {
      await follow().catch(() => setStreamState('broken'));
      // Rejected for now, perhaps because too many pages are open. Missed events are covered by the reload after the
      // next open.
      await new Promise((resolve) => setTimeout(resolve, retry_ms));
    }
  };
  void followForever();
  return () => {
    stop.abort();
    clearTimeout(timer);
    clearTimeout(late_timer);
    setStreamState('connecting');
  };
}

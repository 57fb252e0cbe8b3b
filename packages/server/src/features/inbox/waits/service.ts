// The operations on waits: create, read, wait for the end, cancel.

import type { Wait, WaitCreate } from '@parley/contract/inbox/waits';
import { limits } from '@parley/contract/limits';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Context } from '../../../platform/http/context.ts';
import { type Waiters, waiters } from '../../../platform/http/waiters.ts';
import type { Idempotency } from '../../../platform/idempotency.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import type { WaitFollower } from './following/follower.ts';
import { waitWatchers } from './following/watchers.ts';
import { keysOf } from './keys.ts';
import { visibleWait, waitWithRecord } from './records.ts';
import { type ResolverDeps, settle } from './resolver.ts';
import { newWait, type WaitFilter } from './store.ts';
import { requireTargets } from './targets.ts';
import { presentWait, type WaitRow } from './wait-row.ts';

export type WaitServiceDeps = ResolverDeps & {
  db: Database;
  ids: Ids;
  unitOfWork: UnitOfWork;
  idempotency: Pick<Idempotency, 'remember'>;
  /** Real time: ids of events of other processes do not follow the clock of the sandbox. */
  wall_clock: Clock;
  follower: Pick<WaitFollower, 'created'>;
  draining: AbortSignal;
};
type Deps = WaitServiceDeps & { waiting: Waiters; watchers: ReturnType<typeof waitWatchers> };
type Waiting = Pick<Context, 'onClose'>;

const hour_ms = 3_600_000;
/** A request that waits reads the wait every second, and looks itself in case that no process with the worker role runs. */
const look_every_ms = 5000;
/** Clients may be ahead of this server by so much. */
const clock_difference_ms = 300_000;
/** A request looks again only at messages that may have been committed since its last look. */
const overlap_ms = 60_000;

export function waitService(service_deps: WaitServiceDeps) {
  const waiting = waiters({ per_process: 500, per_organization: 50, draining: service_deps.draining });
  const watchers = waitWatchers(waiting.notify);
  const deps: Deps = { ...service_deps, waiting, watchers };
  const { store } = deps;
  return {
    handleEvents: watchers.handleEvents,
    notify: watchers.notify,

    create: (context: Context, input: WaitCreate) => create(deps, context, input),

    async list({ organization_id, caller }: Context, query: WaitFilter) {
      const { items: rows, next_cursor } = await store.list(
        organization_id,
        query,
        caller.conversation?.id ?? null,
      );
      return { items: rows.map((row) => visibleWait(row, caller)), next_cursor };
    },

    async get(context: Context, id: string, wait_seconds: number): Promise<Wait> {
      const wait = await requireWait(deps, context, id);
      const over = await untilOver(deps, wait, wait_seconds, context);
      return waitWithRecord(deps.records, over, context.caller);
    },

    async cancel(context: Context, id: string): Promise<Wait> {
      const wait = await requireWait(deps, context, id);
      const ended_at = deps.clock.now();
      const canceled =
        wait.status === 'pending' ? await store.end(wait, { trigger: 'was_canceled', ended_at }) : null;
      if (canceled) return presentWait(canceled);
      const { status } = await requireWait(deps, context, id);
      throw new ApiError('wait_already_over', { detail: `The wait is ${status}.` });
    },
  };
}
export type WaitService = ReturnType<typeof waitService>;

/** A conversation token finds only waits of its conversation. */
async function requireWait({ store }: Deps, { organization_id, caller }: Context, id: string) {
  const wait = await store.find(organization_id, id);
  const { conversation } = caller;
  if (!wait || (conversation && wait.only_thread_id !== conversation.id)) throw new ApiError('not_found');
  return wait;
}

async function create(deps: Deps, context: Context, input: WaitCreate): Promise<Wait> {
  const { organization_id, caller } = context;
  await requireTargets(deps, context, input.any_of);
  const row = rowOf(deps, context, input);
  const keys = [...new Set(input.any_of.flatMap(keysOf))];
  const result = await deps.unitOfWork.commit({
    ...newWait(row, keys),
    answer: context.idempotency?.row({ status: 201, body: presentWait(row) }) ?? null,
    guard: async (tx) => {
      await deps.store.lockFollower(tx, organization_id, deps.wall_clock.now());
      await requireRoom(deps, tx, row);
    },
  });
  // The id was generated for this wait, so no other request can have stored it.
  if (result.outcome !== 'stored') throw new Error(`Wait ${row.id} was not stored: ${result.outcome}`);
  deps.follower.created(organization_id);
  // What happened before the commit is found by this look; what happens after it, by the follower.
  const { ended } = await settle(deps, row, new Date(row.since));
  const over = ended ?? (await untilOver(deps, row, input.wait_seconds ?? 0, context));
  const wait = await waitWithRecord(deps.records, over, caller);
  if (context.idempotency && over.status !== 'pending')
    await deps.idempotency.remember(deps.db, context.idempotency.row({ status: 201, body: wait }));
  return wait;
}

/** Counts after the new wait was written: throwing rolls it back. */
async function requireRoom({ store }: Deps, tx: Transaction, wait: WaitRow): Promise<void> {
  const { organization_id, only_thread_id } = wait;
  const pending = await store.countPending(tx, organization_id, null);
  if (pending > limits.waits_pending) throw new ApiError('too_many_waits');
  if (only_thread_id === null) return;
  const of_conversation = await store.countPending(tx, organization_id, only_thread_id);
  if (of_conversation > limits.waits_pending_per_conversation)
    throw new ApiError('too_many_waits', {
      detail: `The tokens of a conversation may have ${limits.waits_pending_per_conversation} pending waits.`,
    });
}

function rowOf(deps: Deps, { organization_id, caller }: Context, input: WaitCreate): WaitRow {
  const now = deps.clock.now();
  const since = (input.since === undefined ? now : new Date(input.since)).toISOString();
  if (Date.parse(since) < now.getTime() - limits.wait_since_hours * hour_ms)
    throw new ApiError('invalid_wait_time', { path: 'body.since', detail: 'since is too long ago.' });
  if (Date.parse(since) > now.getTime() + clock_difference_ms)
    throw new ApiError('invalid_wait_time', { path: 'body.since', detail: 'since is in the future.' });
  const created_at = now.toISOString();
  return {
    organization_id,
    id: deps.ids.next(),
    status: 'pending',
    any_of: input.any_of,
    since,
    expires_at: expiryOf(now, input.expires_at, caller.conversation?.expires_ms ?? null),
    created_at,
    ended_at: null,
    matched: null,
    metadata: input.metadata ?? {},
    only_thread_id: caller.conversation?.id ?? null,
    // If this process crashes before its own look, another one looks.
    look_at: created_at,
    unseen_from: since,
  };
}

/** A wait of a conversation token ends with the token. */
function expiryOf(now: Date, requested: string | undefined, token_expires_ms: number | null): string {
  const latest_ms = now.getTime() + limits.wait_max_days * 24 * hour_ms;
  const default_ms = now.getTime() + limits.wait_default_hours * hour_ms;
  const at_ms =
    requested === undefined ? Math.min(default_ms, token_expires_ms ?? latest_ms) : Date.parse(requested);
  if (at_ms <= now.getTime() || at_ms > latest_ms)
    throw new ApiError('invalid_wait_time', { path: 'body.expires_at' });
  if (token_expires_ms !== null && at_ms > token_expires_ms)
    throw new ApiError('outlives_credential', { path: 'body.expires_at' });
  return new Date(at_ms).toISOString();
}

/** The wait when it is over, or as it is when the time is up. */
async function untilOver(
  deps: Deps,
  wait: WaitRow,
  wait_seconds: number,
  { onClose }: Waiting,
): Promise<WaitRow> {
  if (wait.status !== 'pending' || wait_seconds === 0) return wait;
  const { organization_id, id } = wait;
  let since_ms = Date.parse(wait.unseen_from);
  let next_look_ms = 0;
  const look = async (takeDue: () => boolean) => {
    const row = await deps.store.find(organization_id, id);
    if (row?.status !== 'pending') return row;
    const started_ms = deps.clock.ms();
    const is_expired = Date.parse(row.expires_at) <= started_ms;
    if (!(takeDue() || is_expired || performance.now() >= next_look_ms)) return null;
    const { ended, seen_until } = await settle(deps, row, new Date(since_ms));
    since_ms = Math.max(since_ms, seen_until?.getTime() ?? started_ms - overlap_ms);
    next_look_ms = seen_until ? 0 : performance.now() + look_every_ms;
    return ended;
  };
  const over = await deps.watchers.during(wait, wait.any_of.flatMap(keysOf), (takeDue) =>
    deps.waiting.until(organization_id, () => look(takeDue), { timeout_ms: wait_seconds * 1000, onClose }),
  );
  return over ?? (await deps.store.find(organization_id, id)) ?? wait;
}

// Wakes other processes of the service: a notification of the database tells them that there is work, such as a command
// for a call. Notifications are hints: what has to be done is in a table, and listeners read it there.
import { type Database, type Listening, type Queryable, wake_application } from './db/database.ts';
import { sql } from './db/sql.ts';
import type { Log } from './log.ts';

/** Which table has news. */
export type WakeKind = string;

export type WakeListener = {
  /** The other process committed something about this id. */
  woken(id: string): void;
  /**
   * Notifications may have been missed. Called again and again while they cannot be received, for example behind a
   * connection pooler, and once when they can be received again. It reads what is due, and does nothing when no listener waits.
   */
  missed(): void;
};

export type Wake = {
  /** In a transaction it is sent by the commit. */
  notify(on: Queryable, kind: WakeKind, id: string): Promise<void>;
  /** Returns a function that removes the listener. */
  on(kind: WakeKind, listener: WakeListener): () => void;
  /** Resolves when the first attempt to connect is over; never rejects. Repeated calls change nothing. */
  start(): Promise<void>;
  stop(): void;
  /** False while listeners depend on polling. */
  isListening(): boolean;
  /** Whether no other process of the service is connected. False also when that is unknown, as behind a connection pooler. */
  isAlone(on: Pick<Queryable, 'maybe'>): Promise<boolean>;
};

const channel = 'parley_wake';
const probe_kind = 'probe';

export type WakeTimes = {
  /** Interval of `missed` while notifications cannot be received. */
  poll_ms: number;
  /** Longest wait for our own probe. */
  probe_timeout_ms: number;
  /** Interval of probes: a connection can be lost without an error. */
  probe_every_ms: number;
  retry_ms: { first: number; longest: number };
};

const default_times: WakeTimes = {
  poll_ms: 200,
  probe_timeout_ms: 2000,
  probe_every_ms: 30_000,
  retry_ms: { first: 100, longest: 15_000 },
};

/**
 * idle → connecting: start. connecting → listening: our own probe came back over the new connection.
 * connecting, listening → waiting: no connection, or it does not deliver; listeners are polled until the next attempt.
 * any → stopped.
 */
type State = 'idle' | 'connecting' | 'listening' | 'waiting' | 'stopped';

type Waking = {
  db: Pick<Database, 'run' | 'listen'>;
  log: Log;
  times: WakeTimes;
  listeners: Map<WakeKind, Set<WakeListener>>;
  state: State;
  connection: Listening | null;
  failures: number;
  probes: Map<string, () => void>;
  timers: { poll?: NodeJS.Timeout; retry?: NodeJS.Timeout; probe?: NodeJS.Timeout };
};

export function makeWake(deps: {
  db: Pick<Database, 'run' | 'listen'>;
  log: Log;
  times?: Partial<WakeTimes>;
}): Wake {
  const waking: Waking = {
    db: deps.db,
    log: deps.log,
    times: { ...default_times, ...deps.times },
    listeners: new Map(),
    state: 'idle',
    connection: null,
    failures: 0,
    probes: new Map(),
    timers: {},
  };
  let started: Promise<void> | null = null;
  return {
    async notify(on, kind, id) {
      await send(on, kind, id);
    },
    on(kind, listener) {
      const listeners = waking.listeners.get(kind) ?? new Set();
      waking.listeners.set(kind, listeners.add(listener));
      return () => void listeners.delete(listener);
    },
    start() {
      if (waking.state !== 'stopped') started ??= connect(waking);
      return started ?? Promise.resolve();
    },
    stop() {
      waking.state = 'stopped';
      for (const timer of Object.values(waking.timers)) clearTimeout(timer);
      waking.connection?.close();
    },
    isListening: () => waking.state === 'listening',
    isAlone: async (on) => waking.state === 'listening' && (await countListeners(on)) === 1,
  };
}

/** Every process has one such connection, as long as it lives. */
async function countListeners(on: Pick<Queryable, 'maybe'>): Promise<number> {
  const row = await on.maybe<{ count: number }>(sql`
    select count(*)::int as count from pg_stat_activity
     where datname = current_database() and application_name = ${wake_application}`);
  return row!.count;
}

const send = (on: Pick<Queryable, 'run'>, kind: WakeKind, id: string) =>
  on.run(sql`select pg_notify(${channel}, ${`${kind}:${id}`})`);

const isStopped = ({ state }: Waking): boolean => state === 'stopped';

async function connect(waking: Waking): Promise<void> {
  waking.state = 'connecting';
  try {
    const connection = await waking.db.listen(channel, (payload) => receive(waking, payload));
    if (isStopped(waking)) return connection.close();
    waking.connection = connection;
    void connection.closed.then(() => lost(waking, connection, 'The connection was closed.'));
    if (!(await probe(waking))) return lost(waking, connection, 'Notifications do not arrive.');
  } catch (error) {
    return retry(waking, (error as Error).message);
  }
  if (waking.state !== 'connecting') return;
  waking.state = 'listening';
  waking.failures = 0;
  clearTimeout(waking.timers.poll);
  watch(waking);
  missed(waking);
}

/** Whether a notification that another connection sends arrives here. A pooler may accept LISTEN and deliver nothing. */
async function probe(waking: Waking): Promise<boolean> {
  const token = crypto.randomUUID();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  waking.probes.set(token, () => resolve(true));
  const timer = setTimeout(() => resolve(false), waking.times.probe_timeout_ms).unref();
  try {
    await send(waking.db, probe_kind, token);
    return await promise;
  } finally {
    clearTimeout(timer);
    waking.probes.delete(token);
  }
}

/** Probes the connection as long as it is used. */
function watch(waking: Waking): void {
  const { connection } = waking;
  waking.timers.probe = setTimeout(async () => {
    const is_alive = await probe(waking).catch(() => false);
    if (waking.state !== 'listening' || waking.connection !== connection) return;
    if (is_alive) watch(waking);
    else lost(waking, connection!, 'Notifications do not arrive any more.');
  }, waking.times.probe_every_ms).unref();
}

function lost(waking: Waking, connection: Listening, why: string): void {
  if (isStopped(waking) || waking.connection !== connection) return;
  waking.connection = null;
  connection.close();
  retry(waking, why);
}

function retry(waking: Waking, why: string): void {
  if (isStopped(waking) || waking.state === 'waiting') return;
  const { times, timers } = waking;
  waking.state = 'waiting';
  clearTimeout(timers.probe);
  const delay_ms = Math.min(times.retry_ms.first * 2 ** waking.failures, times.retry_ms.longest);
  // Once for each period without notifications: behind a pooler it is the normal state.
  if (waking.failures++ === 0) waking.log.info({ why }, 'no notifications from the database; polling');
  timers.retry = setTimeout(() => void connect(waking), delay_ms).unref();
  poll(waking);
}

/** Until notifications arrive again. */
function poll(waking: Waking): void {
  clearTimeout(waking.timers.poll);
  waking.timers.poll = setTimeout(() => {
    missed(waking);
    poll(waking);
  }, waking.times.poll_ms).unref();
}

function missed({ listeners }: Waking): void {
  for (const each of listeners.values()) for (const listener of each) listener.missed();
}

function receive(waking: Waking, payload: string): void {
  const colon = payload.indexOf(':');
  const [kind, id] = [payload.slice(0, colon), payload.slice(colon + 1)];
  if (kind === probe_kind) waking.probes.get(id)?.();
  for (const listener of waking.listeners.get(kind) ?? []) listener.woken(id);
}

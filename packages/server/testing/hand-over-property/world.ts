// One service on one database for all sequences, with a clock that only moves in steps, and one organization per sequence.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Channel } from '@parley/contract/access/admin';
import type { MovableClock } from '../../src/platform/clock.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { sql } from '../../src/platform/db/sql.ts';
import type { Caller } from '../../src/platform/http/context.ts';
import { openTestDatabase } from '../database.ts';
import { waitFor } from '../wait-for.ts';
import { type MortalApp, startMortalApp } from './mortal-app.ts';
import { handOverRecorder, type Recorder } from './recorder.ts';
import { type Book, no_rules, prices, type Rules } from './rules.ts';
import { stoppingLlm } from './stopping-llm.ts';

export type Answer<T = Record<string, unknown>> = { status: number; body: T };
export type Ask = <T = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
) => Promise<Answer<T>>;

/** What is known about a request, under the number that its message contains. */
export type Request = {
  organization_id: string;
  channel: Channel;
  recipients: readonly string[];
  purpose: 'transactional' | 'conversational' | 'marketing';
  batch_size: number;
  created_ms: number;
  is_by_person: boolean;
  is_approved: boolean;
  /** Null until the response is known, or when there was none. */
  record_id: string | null;
  /** Whether it waited when it was created: then it is counted when it is handed over. */
  was_held: boolean;
  /** The response was an error, so there is no record. */
  is_refused: boolean;
  /** The rules when it was created. */
  book: Book;
};

export type World = {
  recorder: Recorder;
  clock: MovableClock;
  db: Database;
  requests: Map<number, Request>;
  /** How many people said in a call that they do not want to be contacted. */
  stopped_calls: number;
  /** Replies of agents that a person approved. */
  approved_texts: Set<string>;
  operator: Ask;
  /** A credential that the service knows from now on. */
  credential(caller: Omit<Caller, 'credential_id'> & { credential_id?: string }): Ask;
  rulesOf(organization_id: string): Rules;
  /** The rules of an organization as they are from now on. */
  changeRules(organization_id: string, change: Partial<Rules>): void;
  setStopped(channel: Channel, is_stopped: boolean): void;
  url(): string;
  crash(): Promise<void>;
  /** Moves the clock, and waits until the work that became due is done. */
  advance(seconds: number): Promise<void>;
};

/** The evening before clocks in North America change to daylight saving time. */
const first_moment_ms = Date.UTC(2027, 2, 13, 20, 0, 30);

function steppedServiceClock(): MovableClock {
  const base_ms = Date.now();
  let offset = 0;
  const ms = () => base_ms + offset;
  return {
    ms,
    now: () => new Date(ms()),
    offset_ms: () => offset,
    moveTo(offset_ms) {
      offset = offset_ms;
    },
  };
}

/** Closed at the end of the test file. `saidStop`: the person of this request said so in a call. */
export async function startWorld(saidStop: (world: World, tag: number) => void): Promise<World> {
  const { db, url: database_url, close } = await openTestDatabase();
  const data_dir = await mkdtemp(join(tmpdir(), 'parley-world-'));
  const clock = steppedServiceClock();
  await db.run(sql`update sandbox_clock set offset_ms = ${first_moment_ms - clock.ms()}::bigint`);
  const recorder = handOverRecorder(clock);
  const callers = new Map<string, Caller>();
  const shared_key = `test_${randomUUID()}`;
  const start = () =>
    startMortalApp({
      database_url,
      data_dir,
      shared_key,
      authenticator: (bearer) => callers.get(bearer) ?? null,
      recorder,
      clock,
      llm: stoppingLlm((tag) => {
        world.stopped_calls++;
        saidStop(world, tag);
      }),
    });
  let running: MortalApp = await start();
  after(async () => {
    await running.stop();
    await close();
    await rm(data_dir, { recursive: true, force: true });
  });

  const asWith =
    (key: string): Ask =>
    (method, path, body) =>
      ask(running.url, key, method, path, body);
  const operator = asWith(`${shared_key}_operator`);
  const world: World = {
    recorder,
    clock,
    db,
    requests: new Map(),
    stopped_calls: 0,
    approved_texts: new Set(),
    operator,
    credential(caller) {
      const key = `test_${randomUUID()}`;
      callers.set(key, { credential_id: key, ...caller });
      return asWith(key);
    },
    rulesOf: (organization_id) => recorder.book.organizations[organization_id] ?? no_rules,
    changeRules(organization_id, change) {
      const { organizations } = recorder.book;
      const rules = { ...world.rulesOf(organization_id), ...change };
      recorder.book = { ...recorder.book, organizations: { ...organizations, [organization_id]: rules } };
    },
    setStopped(channel, is_stopped) {
      const { stopped } = recorder.book;
      recorder.book = { ...recorder.book, stopped: { ...stopped, [channel]: is_stopped } };
    },
    url: () => running.url,
    async crash() {
      running.crash();
      recorder.mood = 'works';
      running = await start();
    },
    async advance(seconds) {
      const parts = seconds > 600 ? 3 : 1;
      for (let part = 0; part < parts; part++) {
        await jump(world, Math.floor((seconds - 1) / parts));
        await need(operator('POST', '/v1/sandbox/clock', { advance_seconds: 1 }));
      }
      await callsEnded(world);
    },
  };
  await need(operator('PATCH', '/v1/admin/prices', prices));
  return world;
}

/** Moves the clock at once: the sandbox would stop at every job that is due in between, which takes long. */
async function jump({ db, clock }: World, seconds: number): Promise<void> {
  await db.run(sql`update sandbox_clock set offset_ms = offset_ms + ${seconds * 1000}::bigint`);
  clock.moveTo(clock.offset_ms() + seconds * 1000);
}

/** Calls ring in real time. Those that a crash interrupted stay open until a sweeper finds them. */
async function callsEnded({ db, recorder }: World): Promise<void> {
  await waitFor('calls ended', async () => {
    const open = await db.rows<{ id: string; is_lost: boolean }>(sql`
      select id from calls where status in ('dialing', 'ringing', 'in_progress')`);
    return open.every(({ id }) => recorder.lost.has(id));
  });
}

async function ask<T>(
  url: string,
  key: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer<T>> {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text.startsWith('{') ? JSON.parse(text) : {}) as T };
}

/** The value of a response that must succeed. */
export async function need<T = Record<string, unknown>>(answer: Promise<Answer<T>>): Promise<T> {
  const { status, body } = await answer;
  assert.ok(status < 300, `${status} ${JSON.stringify(body)}`);
  return body;
}

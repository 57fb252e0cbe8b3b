// The shape of every feature: what it serves, what it runs in the background, how it starts and stops, and what others read of it.
import type { FastifyInstance } from 'fastify';
import type { StoredEvent } from './event.ts';
import type { Routes } from './http/context.ts';
import type { JobHandler, Jobs } from './jobs.ts';
import type { Readiness } from './readiness.ts';

/** Work that waits for a time. */
export type Waiter = {
  nextDue(): Promise<Date | null>;
  /** Runs the work that is due; settles when it is done. */
  drain(): Promise<void>;
};

/** A feature's factory returns this plus what other features call. The app folds over a list of features. */
export type Feature = {
  /** Handlers of contract operations. */
  routes?: readonly Routes[];
  /** Background jobs; each must be safe to run twice. */
  jobs?: readonly JobHandler[];
  /** Adds HTTP routes outside the contract: pages, carrier callbacks, tracking links. */
  addHttp?(http: FastifyInstance): void;
  /** Runs in every role before anything is served. Safe to repeat. */
  prepare?(): Promise<void>;
  /** Starts background work; runs only in the worker role. */
  start?(): void | Promise<void>;
  /** First step of a stop, in every role: ends work that clients or carriers wait for. */
  drain?(cut?: AbortSignal): Promise<void>;
  /** Stops background work. When `cut` aborts, work in progress is abandoned. */
  stop?(cut?: AbortSignal): Promise<void>;
  /** Releases threads, sockets and connections. */
  close?(): Promise<unknown>;
  /** What /readyz checks. */
  readiness?: readonly Readiness[];
  /** Work that must run when the sandbox clock moves. */
  waiters?: readonly Waiter[];
  /** Called after every commit with events, on the process that stored them. It must return at once. */
  eventsStored?(events: readonly StoredEvent[]): void;
};

/** Starts and stops all features. Calls end in `drain`, so that phone lines are still open for them. */
export function lifecycleOf(features: readonly Feature[], background: Pick<Jobs, 'start' | 'stop'>) {
  const drain = async (cut?: AbortSignal): Promise<void> => {
    await Promise.all(features.map((feature) => feature.drain?.(cut)));
  };
  return {
    /** Prepares every role; safe to repeat. */
    async prepare(): Promise<void> {
      for (const feature of features) await feature.prepare?.();
    },
    /** Background work of every kind. */
    workers: {
      async start(): Promise<void> {
        for (const feature of features) await feature.start?.();
        await background.start();
      },
      async stop(cut?: AbortSignal): Promise<void> {
        await drain(cut);
        await Promise.all([...features.map((feature) => feature.stop?.(cut)), background.stop(cut)]);
      },
    },
    drain,
    async close(): Promise<void> {
      await Promise.all(features.map((feature) => feature.close?.()));
    },
  };
}

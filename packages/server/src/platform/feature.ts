// The shape of every feature: what it serves, what it runs in the background, and how it starts and stops.
import type { FastifyInstance } from 'fastify';
import type { Routes } from './http/context.ts';
import type { JobHandler } from './jobs.ts';

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
};

// What the whole service needs to be put together, and what it offers to whoever runs it.
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import type { Speech } from '../features/calls/index.ts';
import type { ReportIntake } from '../features/emails/index.ts';
import type { Status } from '../features/status/index.ts';
import type { WebhookDeps } from '../features/webhooks/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { MasterKey } from '../platform/crypto.ts';
import type { Database } from '../platform/db/database.ts';
import type { Authenticator } from '../platform/http/context.ts';
import type { Jobs } from '../platform/jobs.ts';
import type { Log } from '../platform/log.ts';
import type { MailFeatures } from './mail.ts';
import type { mailTransport } from './vendors.ts';

export type AppOptions = {
  config: Config;
  db: Database;
  log: Log;
  shared_key: string | null;
  /** Signs links and return paths; without it the newest master key does. */
  signing_key?: Buffer;
  /** Needed in managed mode. */
  auth_secret?: string | null;
  /** Seals the secrets in the database; the first seals, all open. */
  master_keys: readonly MasterKey[];
  /** Further ways to recognise a caller. */
  authenticators?: Authenticator[];
  check_answers?: boolean;
  /** The network's edge of webhooks, for tests. */
  webhook_network?: WebhookDeps['network'];
  /** The same of mail providers. */
  mail_network?: Parameters<typeof mailTransport>[2];
  /** Other ears, voices or time than those of this machine, for tests. */
  speech?: (offline: Speech) => Speech;
  /** Another time than the machine's, for tests. */
  wall_clock?: Clock;
};

export type App = {
  http: FastifyInstance;
  /** Health and metrics of this process, for its health port. */
  status: Status;
  /** Bounces and complaints that arrive at a return path. */
  mail_reports: ReportIntake;
  /** The mail server of this process; it is started only where the role is played. */
  smtp: MailFeatures['smtp'];
  jobs: Jobs;
  /** What every role needs before it begins; safe to repeat. */
  prepare(): Promise<void>;
  /** Background work of every kind. */
  workers: { start(): Promise<void>; stop(cut?: AbortSignal): Promise<void> };
  /**
   * The first step of a stop: new requests are refused, held ones answer, streams and calls end. The listener stays open
   * until the calls have ended, because carriers report their end here.
   */
  drain(cut?: AbortSignal): Promise<void>;
  close(): Promise<void>;
  /** The public address, known for certain once the server listens. */
  baseUrl(): string;
  listening(port: number): void;
  /** The address of the MCP server in this process. */
  mcpListening(url: string): void;
};

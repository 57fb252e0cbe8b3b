// The options to build the service with, and the interface of the built service.
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import type { PasswordHashing } from '../features/access/accounts/index.ts';
import type { Speech } from '../features/channels/calls/index.ts';
import type { ReportIntake } from '../features/channels/emails/index.ts';
import type { MailFeatures } from '../features/channels/mail/index.ts';
import type { Projector } from '../features/inbox/projector/index.ts';
import type { Status } from '../features/operations/status/index.ts';
import type { WebhookDeps } from '../features/operations/webhooks/index.ts';
import type { WaitingRecords } from '../features/rules/admission/index.ts';
import type { Clock, MovableClock } from '../platform/clock.ts';
import type { MasterKey } from '../platform/crypto.ts';
import type { Database } from '../platform/db/database.ts';
import type { Authenticator } from '../platform/http/context.ts';
import type { Jobs } from '../platform/jobs.ts';
import type { Log } from '../platform/log.ts';
import type { Tracing } from '../platform/tracing/trace.ts';
import type { RoomPort } from '../providers/carrier/livekit/room-port.ts';
import type { mailTransport, ReplaceProviders } from './vendors.ts';

export type SubmissionServers = {
  /** Returns the ports. */
  listen(): Promise<{ starttls: number; tls: number }>;
  /** Messages in progress may finish until the cut. */
  close(cut?: AbortSignal): Promise<void>;
};

export type AppOptions = {
  config: Config;
  db: Database;
  log: Log;
  shared_key: string | null;
  /** Counts as a person; null or left out: only people with accounts do. */
  operator_key?: string | null;
  /** Signs links and return paths; default: the newest master key. */
  signing_key?: Buffer;
  /** Required in managed mode. */
  auth_secret?: string | null;
  /** Seal the secrets in the database: the first one seals, all can open. */
  master_keys: readonly MasterKey[];
  /** Additional authenticators. */
  authenticators?: Authenticator[];
  check_answers?: boolean;
  /** Null or left out: tracing is off. */
  tracing?: Tracing | null;
  /** Replaces the network of webhooks in tests. */
  webhook_network?: WebhookDeps['network'];
  /** Replaces limits of the webhook sender in tests: to reach the default of unstored results takes 5000 deliveries. */
  webhook_limits?: Pick<WebhookDeps, 'max_unstored' | 'poll_ms'>;
  /** Replaces the network of mail providers in tests. */
  mail_network?: Parameters<typeof mailTransport>[2];
  /** Replaces speech engines and their clock in tests. */
  speech?: (offline: Speech) => Speech;
  /** Replaces the hashing of passwords in tests: scrypt is slow on purpose. */
  passwords?: PasswordHashing;
  /** Replaces the system time in tests. */
  wall_clock?: Clock;
  /** Replaces the clock of the service in tests. */
  clock?: MovableClock;
  /** Replaces providers in tests, to see and to disturb what is handed over. */
  replace_providers?: ReplaceProviders;
  /** In tests: rooms in the place of LiveKit's client library. */
  livekit_rooms?: RoomPort;
  /** New recurring jobs run first after their period. For tests: their apps live for seconds. */
  delay_recurring_jobs?: boolean;
};

export type App = {
  http: FastifyInstance;
  /** Health and metrics, for the health port. */
  status: Status;
  /** Bounces and complaints that arrive at a return path. */
  mail_reports: ReportIntake;
  waiting_emails: WaitingRecords;
  waiting_sms: WaitingRecords;
  waiting_calls: WaitingRecords;
  /** The mail server; started only in the role smtp. */
  smtp: MailFeatures['smtp'];
  /** SMTP submission; started only in the role submission. */
  submission: SubmissionServers;
  jobs: Jobs;
  /** Keeps search and conversations current. */
  projector: Pick<Projector, 'drain'>;
  /** Stores the recordings that are still in files of this machine. */
  storeLateRecordings(): Promise<void>;
  /** Prepares every role; safe to repeat. */
  prepare(): Promise<void>;
  /** Background work of every kind. */
  workers: { start(): Promise<void>; stop(cut?: AbortSignal): Promise<void> };
  /** For a process without the API: only the audio and the callbacks of carriers, which other processes pass on. */
  internalHttp(): FastifyInstance;
  /** The first step of a stop: no new requests and calls; resolves when the calls that run here are over, or at the cut. */
  finishCalls(cut: AbortSignal): Promise<void>;
  /** Loads the speech engines, which the first call would wait for. Rejects when one cannot be loaded. */
  loadSpeech(): Promise<void>;
  /**
   * The second step of a stop: new requests are refused, waiting ones respond, streams and calls end. The listener stays
   * open until the calls have ended, because carriers report their end here.
   */
  drain(cut?: AbortSignal): Promise<void>;
  close(): Promise<void>;
  /** The public address, known for certain once the server listens. */
  baseUrl(): string;
  /** A link that signs in to the console once, for a person at this machine; null where there may be none. */
  signInLink(): Promise<string | null>;
  listening(port: number): void;
  /** The address of the MCP server in this process. */
  mcpListening(url: string): void;
};

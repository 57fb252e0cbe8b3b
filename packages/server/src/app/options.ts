// The options to build the service with.
import type { Config } from '../config/config.ts';
import type { PasswordHashing } from '../features/access/accounts/index.ts';
import type { Speech } from '../features/channels/calls/index.ts';
import type { WebhookDeps } from '../features/operations/webhooks/index.ts';
import type { Clock, MovableClock } from '../platform/clock.ts';
import type { MasterKey } from '../platform/crypto.ts';
import type { Database } from '../platform/db/database.ts';
import type { Authenticator } from '../platform/http/context.ts';
import type { Log } from '../platform/log.ts';
import type { Tracing } from '../platform/tracing/trace.ts';
import type { Carrier } from '../providers/carrier/carrier.ts';
import type { RoomPort } from '../providers/carrier/livekit/room-port.ts';
import type { FetchText } from '../providers/mail/ses/notices.ts';
import type { MailTransport } from '../providers/mail/transport.ts';

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
  mail_network?: { fetchText?: FetchText };
  /** Replaces speech engines and their clock in tests. */
  speech?: (offline: Speech) => Speech;
  /** Replaces the hashing of passwords in tests: scrypt is slow on purpose. */
  passwords?: PasswordHashing;
  /** Replaces the system time in tests. */
  wall_clock?: Clock;
  /** Replaces the clock of the service in tests. */
  clock?: MovableClock;
  /** Replaces providers in tests, to see and to disturb what is handed over. */
  replace_providers?: {
    carrier(carrier: Carrier): Carrier;
    transport(transport: MailTransport): MailTransport;
  };
  /** In tests: rooms in the place of LiveKit's client library. */
  livekit_rooms?: RoomPort;
  /** New recurring jobs run first after their period. For tests: their apps live for seconds. */
  delay_recurring_jobs?: boolean;
};

// Every setting of the service: its name, default and meaning. Docs and docs/reference/env.example are generated from this table.
import { join, resolve } from 'node:path';
import { client_variables } from '@parley/contract/client-environment';
import type { MasterKey } from '../platform/crypto.ts';
import { parseDatabaseUrl } from '../platform/db/hosts.ts';
import { type PrivateTargets, parsePrivateTargets } from '../platform/egress/address-policy.ts';
import { readMasterKeys } from '../platform/master-keys.ts';
import {
  choice,
  choices,
  describeSettings,
  integer,
  list,
  readSettings,
  type Setting,
  SettingsError,
  type SettingsOf,
  text,
  url,
} from '../platform/settings.ts';
import { admissionSettings } from './admission.ts';
import { healthSettings } from './health.ts';
import { ceilingSettings, identityProblems, identitySettings } from './identity.ts';
import { liveKitProblems, liveKitSettings } from './livekit.ts';
import { mailProblems, mailSettings } from './mail.ts';
import { mcpSettings } from './mcp.ts';
import { operationSettings } from './operation.ts';
import { registrationProblems, registrationSettings } from './registration.ts';
import { sandboxIsOn, sandboxSettings } from './sandbox.ts';
import { sipProblems, sipSettings } from './sip.ts';
import { submissionSettings } from './submission.ts';
import { tracingProblems, tracingSettings } from './traces.ts';

function readPrivateTargets(text: string): PrivateTargets | 'auto' {
  if (text === 'auto') return 'auto';
  const parsed = parsePrivateTargets(text);
  if (!parsed.ok) throw new Error(`expected auto, allow, deny or CIDRs: ${parsed.problems.join('; ')}`);
  return parsed.private_targets;
}

export const roles = ['api', 'worker', 'mcp', 'smtp', 'submission'] as const;
/** Submission opens two more ports, which few servers need. */
const default_roles = roles.filter((role) => role !== 'submission');

export const settings = {
  PORT: integer({ default: 8080, min: 0, max: 65_535, meaning: 'Port of the API. 0 takes any free one.' }),
  HOST: text({ default: '127.0.0.1', meaning: 'Address the API listens on.' }),
  PARLEY_BASE_URL: url({
    default: null,
    default_note: 'from HOST and PORT',
    protocols: ['http:', 'https:'],
    meaning: 'The public address of the API, used in links and redirects.',
  }),
  PARLEY_MEDIA_URL: url({
    default: null,
    default_note: 'PARLEY_BASE_URL',
    protocols: ['http:', 'https:'],
    meaning:
      'An address that leads to this process only: carriers send the audio of its calls there, and no process relays it.',
  }),
  PARLEY_INTERNAL_URL: url({
    default: null,
    default_note: 'none: no other process relays audio to this one',
    protocols: ['http:', 'https:'],
    meaning:
      'The address of this process (scheme, host and port) for the other processes. Where several processes share PARLEY_BASE_URL, the one that a carrier reaches relays the audio to the one that runs the call. A process with the role worker but not api then listens on HOST and PORT, for audio and carrier callbacks only.',
  }),
  DATABASE_URL: {
    default: null,
    default_note: 'none: an embedded PostgreSQL in the data folder',
    meaning:
      'A PostgreSQL 15 or newer to use instead of the embedded one. Several hosts are separated by commas (`host1:5432,host2:5432`); the one that accepts writes is used, also after a failover.',
    secret: true,
    read(value: string) {
      parseDatabaseUrl(value);
      return value.replace(/\/$/, '');
    },
  } satisfies Setting<string> as Setting<string> & { default: null },
  PARLEY_DATABASE_CONNECTIONS: integer({
    default: 16,
    min: 2,
    max: 500,
    meaning: 'Connections this process opens to the database at most.',
  }),
  PARLEY_DATABASE_TIMEOUT_SECONDS: integer({
    default: 30,
    min: 1,
    max: 3600,
    meaning:
      'Time limit of one statement; a request that exceeds it gets status 503. One second later the process also gives up a server that does not respond at all, and closes the connection.',
  }),
  PARLEY_DATABASE_CONNECT_SECONDS: integer({
    default: 20,
    min: 1,
    max: 300,
    meaning:
      'How long a request waits for a connection to the database before it gets status 503. On a machine whose processors are busy a connection takes seconds. A server that refuses connections is noticed at once.',
  }),
  PARLEY_DATABASE_PATIENCE_SECONDS: integer({
    default: 30,
    min: 1,
    max: 86_400,
    meaning: 'How long a start waits for a database that does not respond.',
  }),
  PARLEY_DATA_DIR: text({
    default: './data',
    meaning: 'Folder of the embedded database, stored objects and generated keys.',
  }),
  PARLEY_SHARED_KEY: text({
    default: null,
    default_note: 'generated at the first start with the embedded database',
    meaning: 'The one key of self-host mode. It allows everything.',
    secret: true,
  }),
  PARLEY_SHARED_KEY_PREVIOUS: text({
    default: null,
    meaning:
      'The shared key before a rotation. It is accepted too, until all clients use the new one. The audit log shows it as `shared_key:previous`.',
    secret: true,
  }),
  PARLEY_SHARED_KEY_GRANTS_CONSENT: choice({
    default: 'off',
    of: ['on', 'off'],
    meaning:
      'on: the shared key may send over SMTP submission and the compatible endpoints. Their requests have no recipient_consent, so the operator confirms with it that the recipients of everything that is sent so agreed to be contacted.',
  }),
  PARLEY_OPERATOR_KEY: text({
    default: null,
    default_note: 'generated at the first start with the embedded database',
    meaning:
      'The key of the person who runs a server with a shared key. It counts as a signed-in owner: only it changes rules for sending and decides approvals. Keep it away from agents.',
    secret: true,
  }),
  PARLEY_MASTER_KEY: {
    default: null,
    default_note:
      'generated at the first start; stored in the data folder, or in the database that DATABASE_URL names',
    meaning:
      'Encrypts the secrets in the database: 32 random bytes as base64. Several keys may be separated by commas: the first one encrypts, all decrypt.',
    secret: true,
    read: readMasterKeys,
  } satisfies Setting<MasterKey[]>,
  ...identitySettings,
  PARLEY_TRUSTED_PROXIES: list({
    default: [],
    meaning: 'Addresses or CIDRs of reverse proxies whose X-Forwarded-For is trusted, separated by commas.',
  }),
  PARLEY_AGENT_CALLS_PER_HOUR: integer({
    default: 20,
    min: 0,
    max: 1_000_000,
    meaning: 'Calls per hour of each organization of agent origin.',
  }),
  PARLEY_AGENT_EMAILS_PER_HOUR: integer({
    default: 100,
    min: 0,
    max: 1_000_000,
    meaning: 'Emails per hour of each organization of agent origin.',
  }),
  PARLEY_AGENT_SMS_PER_HOUR: integer({
    default: 60,
    min: 0,
    max: 1_000_000,
    meaning: 'Texts per hour of each organization of agent origin.',
  }),
  ...admissionSettings,
  PARLEY_FUNDS: choice({
    default: 'off',
    of: ['on', 'off'],
    meaning: 'Whether calls, texts, numbers and inbound mail are charged to the balance of the organization.',
  }),
  PARLEY_ROLES: choices({
    default: default_roles,
    of: roles,
    meaning:
      'The roles of this process, separated by commas. submission accepts mail of programs with an API key; it is off by default.',
  }),
  ...mcpSettings,
  ...submissionSettings,
  ...ceilingSettings,
  ...sandboxSettings,
  PARLEY_CARRIER: choice({
    default: null,
    default_note: 'sandbox when the sandbox is on, else none',
    of: ['sandbox', 'twilio', 'telnyx', 'sip', 'livekit'],
    meaning: 'The carrier of new numbers and of texts; sip and livekit have no texts.',
  }),
  PARLEY_SMS_DEFAULT_SENDER: text({
    default: null,
    default_note: 'none; with the sandbox carrier +15005550110',
    meaning: 'The sender of texts while an organization has no number and no sender id of its own.',
  }),
  PARLEY_SMS_AUTOMATIC_REPLIES: integer({
    default: 20,
    min: 0,
    max: 10_000,
    meaning: 'At most this many automatic texts in one conversation within 24 hours.',
  }),
  PARLEY_POOL_GRACE_SECONDS: integer({
    default: 300,
    min: 1,
    max: 86_400,
    meaning: 'How long a pool number stays assigned before the sweeper checks whether its call still runs.',
  }),
  PARLEY_CALLS_AT_ONCE: integer({
    default: 20,
    min: 0,
    max: 10_000,
    meaning:
      'At most this many concurrent calls in this process; further ones wait. 0: this process runs no calls.',
  }),
  PARLEY_CALL_QUEUE_SECONDS: integer({
    default: 600,
    min: 1,
    max: 86_400,
    meaning: 'How long a call waits in the queue before it fails.',
  }),
  PARLEY_CALL_LEASE_SECONDS: integer({
    default: 15,
    min: 3,
    max: 3600,
    meaning: 'Lease of a running call: if its process does not renew it for this long, the call is ended.',
  }),
  TWILIO_ACCOUNT_SID: text({
    default: null,
    meaning: 'Twilio account, AC followed by 32 hexadecimal digits.',
  }),
  TWILIO_AUTH_TOKEN: text({ default: null, meaning: 'Auth token of the Twilio account.', secret: true }),
  TWILIO_BASE_URL: url({
    default: 'https://api.twilio.com',
    protocols: ['http:', 'https:'],
    meaning: 'Base URL of the Twilio API.',
  }),
  TELNYX_API_KEY: text({ default: null, meaning: 'API key of the Telnyx account.', secret: true }),
  TELNYX_PUBLIC_KEY: text({
    default: null,
    meaning: 'Public key that verifies the callbacks of Telnyx, in base64.',
  }),
  TELNYX_MESSAGING_PROFILE_ID: text({
    default: null,
    meaning: 'Telnyx messaging profile that numbers are bought for; its inbound webhook must point here.',
  }),
  TELNYX_CONNECTION_ID: text({
    default: null,
    meaning: 'Telnyx voice connection that numbers are bought for.',
  }),
  TELNYX_BASE_URL: url({
    default: 'https://api.telnyx.com/v2',
    protocols: ['http:', 'https:'],
    meaning: 'Base URL of the Telnyx API.',
  }),
  WEBHOOK_PRIVATE_TARGETS: {
    default: 'auto',
    meaning:
      'Whether webhooks may go to loopback and private addresses: auto (only while the shared key is the only credential), allow, deny, or a list of CIDRs separated by commas.',
    read: readPrivateTargets,
  } satisfies Setting<PrivateTargets | 'auto'> as Setting<PrivateTargets | 'auto'> & { default: 'auto' },
  WEBHOOK_TIMEOUT_SECONDS: integer({
    default: 15,
    min: 1,
    max: 60,
    meaning: 'Time limit of one attempt of a webhook delivery.',
  }),
  PARLEY_EVENTS_KEPT_DAYS: integer({
    default: 90,
    min: 7,
    max: 3650,
    meaning:
      'Retention of events and webhook deliveries. Older ones are deleted in groups of several days: at the latest a quarter of this time later.',
  }),
  PARLEY_STREAM_HEARTBEAT_SECONDS: integer({
    default: 15,
    min: 1,
    max: 60,
    meaning: 'Interval of heartbeats in an idle event stream.',
  }),
  PARLEY_LOG_LEVEL: choice({
    default: 'info',
    of: ['debug', 'info', 'warn', 'error', 'silent'],
    meaning: 'Log level; debug has a line for every request.',
  }),
  PARLEY_LOG_PERSONAL_DATA: choice({
    default: 'off',
    of: ['on', 'off'],
    meaning: 'Whether logs may contain phone numbers, addresses and texts of people.',
  }),
  ...operationSettings,
  ...healthSettings,
  ...registrationSettings,
  ...tracingSettings,
  ...mailSettings,
  ...sipSettings,
  ...liveKitSettings,
} as const;

export type Config = SettingsOf<typeof settings> & {
  /** Absolute path. */
  data_dir: string;
  sandbox: boolean;
  /** The active carrier. */
  carrier: string | null;
  /** Numbers in the settings: those of trunks, and the default sender. */
  own_numbers: string[];
};

/** Throws a SettingsError that names every problem. */
export function readConfig(environment: Record<string, string | undefined>, folder: string): Config {
  const values = readSettings(settings, environment, 'PARLEY_', client_variables);
  const sandbox = sandboxIsOn(values);
  const carrier = values.PARLEY_CARRIER ?? (sandbox ? 'sandbox' : null);
  const problems = [
    ...mailProblems(values),
    ...sipProblems(values),
    ...liveKitProblems(values),
    ...carrierProblems(values, sandbox),
    ...registrationProblems(values),
    ...identityProblems(values),
    ...keyProblems(values),
    ...tracingProblems(values),
  ];
  if (problems.length > 0) throw new SettingsError(problems);
  const own_numbers = [
    ...(values.PARLEY_SIP_NUMBERS ?? []),
    ...(values.LIVEKIT_NUMBERS ?? []),
    ...(values.PARLEY_SMS_DEFAULT_SENDER?.startsWith('+') ? [values.PARLEY_SMS_DEFAULT_SENDER] : []),
  ];
  const data_dir = resolve(folder, values.PARLEY_DATA_DIR);
  return { ...values, data_dir, sandbox, carrier, own_numbers };
}

/** An agent that holds the shared key must not hold the rights of a person with it. */
const keyProblems = (values: SettingsOf<typeof settings>): string[] =>
  values.PARLEY_OPERATOR_KEY !== null &&
  [values.PARLEY_SHARED_KEY, values.PARLEY_SHARED_KEY_PREVIOUS].includes(values.PARLEY_OPERATOR_KEY)
    ? ['PARLEY_OPERATOR_KEY: it must differ from the shared key']
    : [];

/** Settings that the chosen carrier requires. */
function carrierProblems(values: SettingsOf<typeof settings>, sandbox: boolean): string[] {
  const needs = {
    sandbox: [],
    twilio: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN'],
    telnyx: ['TELNYX_API_KEY', 'TELNYX_PUBLIC_KEY', 'TELNYX_MESSAGING_PROFILE_ID'],
    sip: ['PARLEY_SIP_TRUNK_HOST'],
    livekit: ['LIVEKIT_URL'],
  } as const;
  const chosen = values.PARLEY_CARRIER;
  if (chosen === 'sandbox' && !sandbox) return ['PARLEY_CARRIER: it is "sandbox", but PARLEY_SANDBOX is off'];
  const missing = chosen === null ? [] : needs[chosen].filter((name) => values[name] === null);
  const problems = missing.map((name) => `${name}: is needed when PARLEY_CARRIER is "${chosen}"`);
  const { TELNYX_PUBLIC_KEY: key, TWILIO_ACCOUNT_SID: sid } = values;
  if (key !== null && Buffer.from(key, 'base64').length !== 32) {
    problems.push('TELNYX_PUBLIC_KEY: expected 32 bytes in base64');
  }
  if (sid !== null && !/^AC[0-9a-fA-F]{32}$/.test(sid)) {
    problems.push('TWILIO_ACCOUNT_SID: expected AC followed by 32 hexadecimal digits');
  }
  return problems;
}

export const describeConfig = (config: Config) => describeSettings(settings, config);

export const sharedKeyFile = (config: Config) => join(config.data_dir, 'shared-key');
export const operatorKeyFile = (config: Config) => join(config.data_dir, 'operator-key');
export const masterKeyFile = (config: Config) => join(config.data_dir, 'master-key');
export const authSecretFile = (config: Config) => join(config.data_dir, 'auth-secret');

/** How many calls this process runs at most; 0 leaves them to other processes. */
export const callsAtOnce = (config: Config): number =>
  config.PARLEY_ROLES.includes('worker') ? config.PARLEY_CALLS_AT_ONCE : 0;

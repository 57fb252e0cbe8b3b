// Every setting of the service: its name, default and meaning. Docs and .env.example are made from this table.
import { join, resolve } from 'node:path';
import { type MasterKey, sha256Base64url } from './platform/crypto.ts';
import { type PrivateTargets, parsePrivateTargets } from './platform/egress/address-policy.ts';
import { networks, portRange } from './platform/network-settings.ts';
import {
  choice,
  choices,
  describeSettings,
  integer,
  readSettings,
  type Setting,
  type SettingsOf,
  text,
  url,
} from './platform/settings.ts';

/** Throws unless each part is 32 bytes in base64. Keys are named by their hash, so that an old one is found again. */
export function readMasterKeys(text: string): MasterKey[] {
  return text.split(',').map((part) => {
    const key = Buffer.from(part.trim(), 'base64');
    if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(part.trim())) {
      throw new Error('expected 32 random bytes as base64, such as `openssl rand -base64 32` prints');
    }
    return { id: sha256Base64url(key.toString('base64')).slice(0, 8), key };
  });
}

function readPrivateTargets(text: string): PrivateTargets | 'auto' {
  if (text === 'auto') return 'auto';
  const parsed = parsePrivateTargets(text);
  if (!parsed.ok) throw new Error(`expected auto, allow, deny or CIDRs: ${parsed.problems.join('; ')}`);
  return parsed.private_targets;
}

export const roles = ['api', 'worker'] as const;

export const settings = {
  PORT: integer({ default: 8080, min: 0, max: 65_535, meaning: 'Port of the API. 0 takes any free one.' }),
  HOST: text({ default: '127.0.0.1', meaning: 'Address the API listens on.' }),
  PARLEY_BASE_URL: url({
    default: null,
    default_note: 'from HOST and PORT',
    protocols: ['http:', 'https:'],
    meaning: 'The public address of the API, used in links and redirects.',
  }),
  DATABASE_URL: url({
    default: null,
    default_note: 'none: an embedded PostgreSQL in the data folder',
    protocols: ['postgres:', 'postgresql:'],
    meaning: 'A PostgreSQL 15 or newer to use instead of the embedded one.',
    secret: true,
  }),
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
    meaning: 'How long one query may take; a request that needs longer is answered 503.',
  }),
  PARLEY_DATABASE_PATIENCE_SECONDS: integer({
    default: 30,
    min: 1,
    max: 86_400,
    meaning: 'How long a start waits for a database that does not answer.',
  }),
  PARLEY_DATA_DIR: text({
    default: './data',
    meaning: 'Folder of the embedded database, stored objects and keys made at the first start.',
  }),
  PARLEY_SHARED_KEY: text({
    default: null,
    default_note: 'made at the first start with the embedded database',
    meaning: 'The one key of self-host mode. Whoever holds it may do everything.',
    secret: true,
  }),
  PARLEY_MASTER_KEY: {
    default: null,
    default_note: 'made at the first start with the embedded database',
    meaning:
      'Seals the secrets kept in the database: 32 random bytes as base64. Several, separated by commas, are read; the first seals.',
    secret: true,
    read: readMasterKeys,
  } satisfies Setting<MasterKey[]>,
  PARLEY_ROLES: choices({
    default: [...roles],
    of: roles,
    meaning: 'Which roles this process plays, separated by commas.',
  }),
  PARLEY_REQUESTS_PER_MINUTE: integer({
    default: 600,
    min: 1,
    max: 1_000_000_000,
    meaning: 'Request ceiling of each caller, over all processes.',
  }),
  PARLEY_SANDBOX: choice({
    default: null,
    default_note: 'on with the embedded database, else off',
    of: ['on', 'off'],
    meaning: 'Whether the sandbox is there: a clock that can be moved, and events made on request.',
  }),
  WEBHOOK_PRIVATE_TARGETS: {
    default: 'auto',
    meaning:
      'Whether webhooks may go to loopback and private addresses: auto (as long as the shared key is the only credential), allow, deny, or a list of CIDRs separated by commas.',
    read: readPrivateTargets,
  } satisfies Setting<PrivateTargets | 'auto'> as Setting<PrivateTargets | 'auto'> & { default: 'auto' },
  WEBHOOK_TIMEOUT_SECONDS: integer({
    default: 15,
    min: 1,
    max: 60,
    meaning: 'How long one attempt of a webhook delivery may take.',
  }),
  PARLEY_STREAM_HEARTBEAT_SECONDS: integer({
    default: 15,
    min: 1,
    max: 60,
    meaning: 'How often a quiet event stream says that it is still there.',
  }),
  PARLEY_LOG_LEVEL: choice({
    default: 'info',
    of: ['debug', 'info', 'warn', 'error', 'silent'],
    meaning: 'How much is logged; debug has a line for every request.',
  }),
  PARLEY_LOG_PERSONAL_DATA: choice({
    default: 'off',
    of: ['on', 'off'],
    meaning: 'Whether logs may show phone numbers, addresses and words of people.',
  }),
  PARLEY_SIP_TRUNK_HOST: text({
    default: null,
    default_note: 'none: no trunk',
    meaning: 'Host of the SIP trunk that calls go through.',
  }),
  PARLEY_SIP_TRUNK_PORT: integer({
    default: null,
    default_note: 'from DNS (SRV), else 5060, with TLS 5061',
    min: 1,
    max: 65_535,
    meaning: 'Port of the SIP trunk.',
  }),
  PARLEY_SIP_TRANSPORT: choice({
    default: 'udp',
    of: ['udp', 'tcp', 'tls'],
    meaning: 'How SIP messages travel to the trunk.',
  }),
  PARLEY_SIP_USER: text({ default: null, meaning: 'User for the login at the SIP trunk (digest).' }),
  PARLEY_SIP_PASSWORD: text({
    default: null,
    meaning: 'Password for the login at the SIP trunk.',
    secret: true,
  }),
  PARLEY_SIP_FROM_DOMAIN: text({
    default: null,
    default_note: 'the host of the trunk',
    meaning: 'Domain in the From of our calls.',
  }),
  PARLEY_SIP_PUBLIC_ADDRESS: text({
    default: null,
    default_note: 'the address this machine has towards the trunk',
    meaning: 'Address the trunk reaches us at for SIP and audio, where it differs, as behind a translator.',
  }),
  PARLEY_SIP_LISTEN_HOST: text({
    default: '0.0.0.0',
    meaning: 'Address that SIP and audio are received on. Nothing listens while there is no trunk.',
  }),
  PARLEY_SIP_LISTEN_PORT: integer({
    default: 5060,
    min: 0,
    max: 65_535,
    meaning: 'Port that SIP is received on. 0 takes any free one.',
  }),
  PARLEY_SIP_RTP_PORTS: portRange({
    default: { first: 20_000, last: 29_999 },
    default_note: '20000-29999',
    meaning: 'UDP ports for audio; a call takes one, and the even ones are used.',
  }),
  PARLEY_SIP_TRUSTED_SOURCES: networks({
    default: null,
    default_note: 'the addresses of the trunk only',
    meaning: 'Further addresses or networks that calls to us may come from, separated by commas.',
  }),
  PARLEY_SIP_TLS_CERT_FILE: text({
    default: null,
    meaning: 'Certificate (PEM) for connections that the trunk opens to us over TLS.',
  }),
  PARLEY_SIP_TLS_KEY_FILE: text({ default: null, meaning: 'Private key (PEM) of that certificate.' }),
  PARLEY_SIP_MOST_CALLS: integer({
    default: 200,
    min: 1,
    max: 5000,
    meaning: 'Calls over the SIP trunk at the same time in this process at most.',
  }),
  PARLEY_SIP_RTP_TIMEOUT_SECONDS: integer({
    default: 30,
    min: 1,
    max: 3600,
    meaning: 'How long a call may receive no audio packet before it ends as failed.',
  }),
  PARLEY_SIP_KEEP_ALIVE_SECONDS: integer({
    default: 30,
    min: 0,
    max: 3600,
    meaning: 'How often the SIP trunk is asked whether it is there. 0: never.',
  }),
} as const;

export type Config = SettingsOf<typeof settings> & {
  /** Absolute. */
  data_dir: string;
  sandbox: boolean;
};

/** Throws a SettingsError that names every problem. */
export function readConfig(environment: Record<string, string | undefined>, folder: string): Config {
  const values = readSettings(settings, environment, 'PARLEY_');
  return {
    ...values,
    data_dir: resolve(folder, values.PARLEY_DATA_DIR),
    sandbox: (values.PARLEY_SANDBOX ?? (values.DATABASE_URL === null ? 'on' : 'off')) === 'on',
  };
}

export const describeConfig = (config: Config) => describeSettings(settings, config);

export const sharedKeyFile = (config: Config) => join(config.data_dir, 'shared-key');
export const masterKeyFile = (config: Config) => join(config.data_dir, 'master-key');

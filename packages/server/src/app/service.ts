// What the wings are built on: the platform with the settings, and the hooks that lower features read of upper ones.
import type { Config } from '../config/config.ts';
import { organizationCeiling } from '../config/identity.ts';
import { mcpAccess } from '../config/mcp.ts';
import type { WaitingRecords } from '../features/rules/admission/index.ts';
import type { WaitingNoun } from '../features/rules/approvals/index.ts';
import { diskSpace } from '../platform/disk-space.ts';
import type { Feature } from '../platform/feature.ts';
import { makePlatform, type Platform } from '../platform/platform.ts';
import type { CarrierEvent } from '../providers/carrier/carrier.ts';
import type { LatePorts } from './late-ports.ts';
import type { AppOptions } from './options.ts';

/** A feature with the hooks that features of lower wings read. */
export type ServiceFeature = Feature & {
  /** Records that wait for approvals. */
  waiting_records?: Partial<Record<WaitingNoun, WaitingRecords>>;
  handleCarrierEvents?(carrier: string, events: CarrierEvent[]): Promise<void>;
  /** Called after this process changed the kill switch. */
  sendingSwitched?(): void;
};

/** `features` may be filled later: the list is read at each call. */
const hooksOf = (features: readonly ServiceFeature[]) => ({
  waitingRecords(noun: WaitingNoun): WaitingRecords {
    const port = features
      .map(({ waiting_records }) => waiting_records?.[noun])
      .find((each) => each !== undefined);
    if (!port) throw new Error(`Nothing waits as a ${noun}.`);
    return port;
  },
  async handleCarrierEvents(carrier: string, events: CarrierEvent[]): Promise<void> {
    await Promise.all(features.map((feature) => feature.handleCarrierEvents?.(carrier, events)));
  },
  sendingSwitched(): void {
    for (const feature of features) feature.sendingSwitched?.();
  },
});

export type Service = Platform & {
  config: Config;
  options: AppOptions;
  late: LatePorts;
  hooks: ReturnType<typeof hooksOf>;
  /** The address of the MCP server, and how clients sign in to it; null where there is none. */
  mcp(): ReturnType<typeof mcpAccess>;
  listening(port: number): void;
  mcpListening(url: string): void;
};

export function buildService(
  options: AppOptions,
  late: LatePorts,
  features: readonly ServiceFeature[],
): Service {
  const { config } = options;
  const addresses = ownAddresses(config);
  const platform = makePlatform(
    {
      db: options.db,
      log: options.log,
      tracing: options.tracing ?? null,
      clock: options.clock,
      wall_clock: options.wall_clock,
      is_managed: config.PARLEY_MANAGED === 'on',
      master_keys: options.master_keys,
      signing_key: options.signing_key,
      requests_per_minute: {
        credential: config.PARLEY_REQUESTS_PER_MINUTE,
        organization: organizationCeiling(config),
      },
      private_targets: config.WEBHOOK_PRIVATE_TARGETS,
      disk: localDisk(config),
      baseUrl: addresses.baseUrl,
    },
    late,
  );
  return { ...platform, ...addresses, config, options, late, hooks: hooksOf(features) };
}

/** The public addresses of this process. Ports are only certain once the servers listen. */
function ownAddresses(config: Config) {
  let port = config.PORT;
  let mcp_listening: string | null = null;
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  return {
    baseUrl: () => config.PARLEY_BASE_URL ?? `http://${host}:${port}`,
    mcp: () => mcpAccess(config, mcp_listening),
    listening(actual_port: number) {
      port = actual_port;
    },
    mcpListening(url: string) {
      mcp_listening = url;
    },
  };
}

/** Null where nothing durable is on the local disk, so that a full disk does no harm. */
const localDisk = (config: Config) =>
  config.DATABASE_URL === null || config.PARLEY_STORAGE === 'folder'
    ? diskSpace({ folder: config.data_dir, min_bytes: config.PARLEY_STORAGE_MIN_FREE_MB * 1024 * 1024 })
    : null;

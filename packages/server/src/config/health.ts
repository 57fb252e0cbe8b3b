// The settings of health and metrics: the health port, and who may read metrics.
import { choice, type Setting, text } from '../platform/settings.ts';

const default_port = 8082;

function readPort(text: string): number | 'off' {
  if (text === 'off') return 'off';
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new Error('expected off or a port from 0 to 65535');
  return port;
}

export const healthSettings = {
  PARLEY_HEALTH_PORT: {
    default: null,
    default_note: `${default_port} in a process without the role api, or any free port where that is in use; off in a process with the role api`,
    meaning: 'Port of /healthz, /readyz and /metrics without a credential. 0: any free port. off: none.',
    read: readPort,
  } satisfies Setting<number | 'off'>,
  PARLEY_HEALTH_HOST: text({
    default: '127.0.0.1',
    meaning: 'Address of the health port. Every client that can connect to it can read the metrics.',
  }),
  PARLEY_METRICS: choice({
    default: 'protected',
    of: ['protected', 'public', 'off'],
    meaning:
      'Who may read /metrics on the API port: protected requires the shared key or a credential with superadmin power, public requires nothing, off returns 404.',
  }),
} as const;

export type HealthAddress = {
  host: string;
  port: number;
  /** The operator chose the port, so no other port may be used. */
  is_chosen: boolean;
};

/** Null where this process needs no health port: the API port serves the same paths. */
export function healthAddress(config: {
  PARLEY_HEALTH_PORT: number | 'off' | null;
  PARLEY_HEALTH_HOST: string;
  PARLEY_ROLES: readonly string[];
}): HealthAddress | null {
  const { PARLEY_HEALTH_PORT: chosen, PARLEY_HEALTH_HOST: host, PARLEY_ROLES: roles } = config;
  if (chosen === 'off' || (chosen === null && roles.includes('api'))) return null;
  return { host, port: chosen ?? default_port, is_chosen: chosen !== null };
}

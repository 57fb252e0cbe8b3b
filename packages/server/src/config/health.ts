// The settings of watching the service: where each process tells its health, and who may read its metrics.
import { choice, type Setting, text } from '../platform/settings.ts';

const default_port = 8082;

function readPort(given: string): number | 'off' {
  if (given === 'off') return 'off';
  const port = Number(given);
  if (!/^\d+$/.test(given) || port > 65_535) throw new Error('expected off or a port from 0 to 65535');
  return port;
}

export const healthSettings = {
  PARLEY_HEALTH_PORT: {
    default: null,
    default_note: `${default_port} in a process without the role api, or any free port where that is taken; off beside the API`,
    meaning:
      'Port on which this process answers /healthz, /readyz and /metrics without a credential. 0 takes any free one, off none.',
    read: readPort,
  } satisfies Setting<number | 'off'>,
  PARLEY_HEALTH_HOST: text({
    default: '127.0.0.1',
    meaning: 'Address of the health port. Whoever reaches it can read the metrics.',
  }),
  PARLEY_METRICS: choice({
    default: 'protected',
    of: ['protected', 'public', 'off'],
    meaning:
      'Who may read /metrics on the port of the API: protected asks for the shared key or a credential with superadmin power, public asks for nothing, off answers 404.',
  }),
} as const;

export type HealthPlace = {
  host: string;
  port: number;
  /** The operator chose the port: no other will do. */
  is_chosen: boolean;
};

/** Null where this process needs no health port of its own: the API answers on its port. */
export function healthPlace(config: {
  PARLEY_HEALTH_PORT: number | 'off' | null;
  PARLEY_HEALTH_HOST: string;
  PARLEY_ROLES: readonly string[];
}): HealthPlace | null {
  const { PARLEY_HEALTH_PORT: chosen, PARLEY_HEALTH_HOST: host, PARLEY_ROLES: roles } = config;
  if (chosen === 'off' || (chosen === null && roles.includes('api'))) return null;
  return { host, port: chosen ?? default_port, is_chosen: chosen !== null };
}

// The options of a trunk, and how they are read from the settings.
import { readFileSync } from 'node:fs';
import type { Config } from '../../../config/config.ts';
import type { Network, PortRange } from '../../../config/network-settings.ts';
import type { SrtpMode } from './crypto-lines.ts';
import type { SessionLimits } from './session-timer.ts';
import type { TlsFiles } from './transport/link.ts';
import type { Address } from './transport/message-text.ts';
import type { TransportName } from './transport/next-hop.ts';

export type SipTrunkOptions = {
  /** Without a port it is looked up in DNS (SRV); the fallback is the transport's default port. */
  trunk: Address;
  transport: TransportName;
  credentials: { user: string; password: string } | null;
  /** Null: the provider sends calls to our address without a registration. */
  registration: { registrar: Address; user: string; expires_s: number; first_retry_ms: number } | null;
  /** The domain in our From header; null: the trunk's host. */
  from_domain: string | null;
  /** Our address in Via, Contact and session descriptions; null: this machine's address on the route to the trunk. */
  public_address: string | null;
  listen_host: string;
  listen_port: number;
  srtp: SrtpMode;
  /** Null: any free port, for tests. */
  rtp_ports: PortRange | null;
  /** Networks that may call us, besides the trunk's own addresses. */
  trusted_sources: Network[];
  tls_files: TlsFiles | null;
  tls_ca: Buffer | null;
  /** The trunk's phone numbers. */
  numbers: readonly string[];
  max_calls: number;
  rtp_timeout_ms: number;
  /** Interval of the health check; 0: no checks. */
  keep_alive_ms: number;
  /** The round-trip estimate from which all SIP timers are computed (RFC 3261 section 17.1.1.1). */
  t1_ms: number;
  session_limits: SessionLimits;
};

/** Null where no trunk is configured. Throws an Error that names the setting when a file cannot be read. */
export function sipTrunkOptions(config: Config): SipTrunkOptions | null {
  if (config.PARLEY_SIP_TRUNK_HOST === null) return null;
  const { PARLEY_SIP_USER: user, PARLEY_SIP_PASSWORD: password } = config;
  const { PARLEY_SIP_TLS_CERT_FILE: cert_file, PARLEY_SIP_TLS_KEY_FILE: key_file } = config;
  return {
    trunk: { host: config.PARLEY_SIP_TRUNK_HOST, port: config.PARLEY_SIP_TRUNK_PORT },
    transport: config.PARLEY_SIP_TRANSPORT,
    credentials: user !== null && password !== null ? { user, password } : null,
    registration: readRegistration(config),
    from_domain: config.PARLEY_SIP_FROM_DOMAIN,
    public_address: config.PARLEY_SIP_PUBLIC_ADDRESS,
    listen_host: config.PARLEY_SIP_LISTEN_HOST,
    listen_port: config.PARLEY_SIP_LISTEN_PORT,
    srtp: config.PARLEY_SIP_SRTP,
    rtp_ports: config.PARLEY_SIP_RTP_PORTS,
    trusted_sources: config.PARLEY_SIP_TRUSTED_SOURCES ?? [],
    tls_files:
      cert_file !== null && key_file !== null
        ? { cert: readFileSync(cert_file), key: readFileSync(key_file) }
        : null,
    tls_ca: null,
    numbers: config.PARLEY_SIP_NUMBERS ?? [],
    max_calls: config.PARLEY_SIP_MOST_CALLS,
    rtp_timeout_ms: config.PARLEY_SIP_RTP_TIMEOUT_SECONDS * 1000,
    keep_alive_ms: config.PARLEY_SIP_KEEP_ALIVE_SECONDS * 1000,
    t1_ms: 500,
    // The values that RFC 4028 recommends.
    session_limits: { expires_s: 1800, min_s: 90 },
  };
}

function readRegistration(config: Config): SipTrunkOptions['registration'] {
  const { PARLEY_SIP_REGISTRAR_HOST: host, PARLEY_SIP_REGISTRAR_PORT: port, PARLEY_SIP_USER: user } = config;
  if (host === null || user === null) return null;
  const expires_s = config.PARLEY_SIP_REGISTER_SECONDS;
  return { registrar: { host, port }, user, expires_s, first_retry_ms: 5000 };
}

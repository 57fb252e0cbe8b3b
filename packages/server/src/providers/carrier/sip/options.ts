// What a trunk needs to know, and how it is read from the settings.
import { readFileSync } from 'node:fs';
import type { Config } from '../../../config/config.ts';
import type { Network, PortRange } from '../../../config/network-settings.ts';
import type { TlsFiles } from './transport/link.ts';
import type { Address } from './transport/message-text.ts';
import type { TransportName } from './transport/next-hop.ts';

export type SipTrunkOptions = {
  /** No port: looked up in DNS (SRV), else the transport's usual one. */
  trunk: Address;
  transport: TransportName;
  credentials: { user: string; password: string } | null;
  /** The domain of our callers; null: the trunk's host. */
  from_domain: string | null;
  /** What stands in Via, Contact and session descriptions; null: the address this machine has towards the trunk. */
  public_address: string | null;
  listen_host: string;
  listen_port: number;
  /** Null: any free port, for tests. */
  rtp_ports: PortRange | null;
  /** Where calls to us may come from, beside the trunk's own addresses. */
  trusted_sources: Network[];
  tls_files: TlsFiles | null;
  tls_ca: Buffer | null;
  /** Those that the trunk brings with it. */
  numbers: readonly string[];
  most_calls: number;
  rtp_timeout_ms: number;
  /** 0: never asks. */
  keep_alive_ms: number;
  /** The estimate of a round trip that all SIP timers are made of (RFC 3261 section 17.1.1.1). */
  t1_ms: number;
};

/** Null where no trunk is set up. Throws an Error that names the setting when a file cannot be read. */
export function sipTrunkOptions(config: Config): SipTrunkOptions | null {
  if (config.PARLEY_SIP_TRUNK_HOST === null) return null;
  const { PARLEY_SIP_USER: user, PARLEY_SIP_PASSWORD: password } = config;
  const { PARLEY_SIP_TLS_CERT_FILE: cert_file, PARLEY_SIP_TLS_KEY_FILE: key_file } = config;
  return {
    trunk: { host: config.PARLEY_SIP_TRUNK_HOST, port: config.PARLEY_SIP_TRUNK_PORT },
    transport: config.PARLEY_SIP_TRANSPORT,
    credentials: user !== null && password !== null ? { user, password } : null,
    from_domain: config.PARLEY_SIP_FROM_DOMAIN,
    public_address: config.PARLEY_SIP_PUBLIC_ADDRESS,
    listen_host: config.PARLEY_SIP_LISTEN_HOST,
    listen_port: config.PARLEY_SIP_LISTEN_PORT,
    rtp_ports: config.PARLEY_SIP_RTP_PORTS,
    trusted_sources: config.PARLEY_SIP_TRUSTED_SOURCES ?? [],
    tls_files:
      cert_file !== null && key_file !== null
        ? { cert: readFileSync(cert_file), key: readFileSync(key_file) }
        : null,
    tls_ca: null,
    numbers: config.PARLEY_SIP_NUMBERS ?? [],
    most_calls: config.PARLEY_SIP_MOST_CALLS,
    rtp_timeout_ms: config.PARLEY_SIP_RTP_TIMEOUT_SECONDS * 1000,
    keep_alive_ms: config.PARLEY_SIP_KEEP_ALIVE_SECONDS * 1000,
    t1_ms: 500,
  };
}

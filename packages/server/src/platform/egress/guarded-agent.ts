// An HTTP client for addresses that users supply: checked connections, and limits that a hostile server cannot exceed.

import { Agent, buildConnector } from 'undici';
import type { AddressPolicy } from './address-policy.ts';
import { type Connect, guardedConnector } from './guarded-connector.ts';
import type { Resolve } from './resolve-target.ts';

export type GuardedAgentOptions = {
  policy: AddressPolicy;
  connections_per_origin?: number;
  connect_timeout_ms?: number;
  headers_timeout_ms?: number;
  /** The longest pause between two chunks of a body; the deadline of the request limits the whole exchange. */
  body_timeout_ms?: number;
  resolve?: Resolve;
  connect?: Connect;
};

export function guardedAgent(options: GuardedAgentOptions): Agent {
  const {
    policy,
    connections_per_origin = 16,
    connect_timeout_ms = 10_000,
    headers_timeout_ms = 30_000,
    body_timeout_ms = 30_000,
    resolve,
    connect = buildConnector({ timeout: connect_timeout_ms, allowH2: false }),
  } = options;
  return new Agent({
    connect: guardedConnector({ policy, connect, ...(resolve && { resolve }) }),
    connections: connections_per_origin,
    pipelining: 1,
    allowH2: false,
    headersTimeout: headers_timeout_ms,
    bodyTimeout: body_timeout_ms,
    maxHeaderSize: 16 * 1024,
    // The server may request less; it cannot make us hold a socket longer.
    keepAliveMaxTimeout: 60_000,
  });
}

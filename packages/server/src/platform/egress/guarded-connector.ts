// Opens connections only to addresses that the policy allows, also when DNS changes between check and connect.

import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressPolicy, AddressRefusal } from './address-policy.ts';
import { type Resolve, targetResolver } from './resolve-target.ts';

export type Connect = buildConnector.connector;

export class EgressRefused extends Error {
  override name = 'EgressRefused';
  readonly code = 'target_not_allowed';
  readonly refusal: AddressRefusal;
  constructor(refusal: AddressRefusal) {
    super(
      refusal === 'https_required'
        ? 'This target needs https.'
        : 'The address of this target is not allowed.',
    );
    this.refusal = refusal;
  }
}

export class ConnectFailed extends Error {
  override name = 'ConnectFailed';
  readonly code: 'dns_failed' | 'connection_failed' | 'tls_failed' | 'timeout';
  constructor(code: ConnectFailed['code'], cause?: unknown) {
    super(cause instanceof Error ? cause.message : 'The connection could not be opened.', { cause });
    this.code = code;
  }
}

// The owner of a name controls how many addresses it has, so the number of attempts is limited.
const MAX_ADDRESSES_TRIED = 3;

/** One for all targets: requests for the same name at the same time share a query. */
const resolveTarget = targetResolver();

/**
 * A custom DNS lookup would not be enough, because it is never called for a host that is an address already. So this
 * connector resolves the name, checks all addresses, connects to a checked address (a second lookup could return another
 * one), and checks the peer once more before a byte of the request is written.
 */
export function guardedConnector(deps: {
  policy: AddressPolicy;
  resolve?: Resolve;
  connect?: Connect;
}): Connect {
  const { policy, resolve = resolveTarget, connect = buildConnector({ allowH2: false }) } = deps;

  return (options, callback) => {
    const hostname = options.hostname.replace(/^\[(.*)\]$/, '$1');

    const connectToOneOf = (addresses: readonly string[]) => {
      const refusal = policy.refusal(options.protocol, addresses);
      if (refusal) return callback(new EgressRefused(refusal), null);
      tryNext(addresses.slice(0, MAX_ADDRESSES_TRIED));
    };

    const tryNext = ([address, ...others]: readonly string[]) => {
      const { protocol, port } = options;
      // The certificate must match the name in the URL, not the resolved address.
      const identity = isIP(hostname) === 0 && protocol === 'https:' ? { servername: hostname } : {};
      connect({ protocol, port, hostname: address!, ...identity }, (error, socket) => {
        if (error) {
          if (others.length > 0 && isUnreachable(error)) return tryNext(others);
          return callback(connectFailure(error, protocol), null);
        }
        const peer = socket.remoteAddress;
        const refusal = peer === undefined ? null : policy.refusal(protocol, [peer]);
        if (peer !== undefined && refusal === null) return callback(null, socket);
        socket.on('error', () => {}).destroy();
        // A peer that closed the connection already has no address.
        callback(refusal ? new EgressRefused(refusal) : new ConnectFailed('connection_failed'), null);
      });
    };

    if (isIP(hostname) !== 0) return connectToOneOf([hostname]);
    resolve(hostname).then(connectToOneOf, (cause) => callback(new ConnectFailed('dns_failed', cause), null));
  };
}

type SystemError = Error & { code?: string; syscall?: string };

const isTimeout = ({ code }: SystemError) => code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT';

const isUnreachable = (error: SystemError) => error.syscall === 'connect' || isTimeout(error);

/** After TCP is connected, every failure before the request belongs to the TLS handshake. */
function connectFailure(error: SystemError, protocol: string): ConnectFailed {
  if (isTimeout(error)) return new ConnectFailed('timeout', error);
  const is_handshake = protocol === 'https:' && error.syscall !== 'connect';
  return new ConnectFailed(is_handshake ? 'tls_failed' : 'connection_failed', error);
}

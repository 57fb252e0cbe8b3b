// The interface of the transports for SIP messages: UDP datagrams, and TCP or TLS connections.
import type { Hop } from './next-hop.ts';

export type Peer = { address: string; port: number };

export type TlsFiles = { cert: Buffer; key: Buffer };

export type LinkOptions = {
  listen_host: string;
  /** 0: any free port. */
  listen_port: number;
  onText(text: string, from: Peer): void;
};

export type Link = {
  /** The name in the Via header. */
  protocol: 'UDP' | 'TCP' | 'TLS';
  reliable: boolean;
  /** Returns the port. */
  listen(): Promise<number>;
  /** Sends the message to the first hop that works; UDP always uses the first one. */
  transmit(text: string, hops: readonly Hop[]): Promise<void>;
  close(): Promise<void>;
};

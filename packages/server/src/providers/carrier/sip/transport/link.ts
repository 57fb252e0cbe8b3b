// What a way of carrying SIP messages must do, whether by datagrams or by connections.
import type { Hop } from './next-hop.ts';

export type Peer = { address: string; port: number };

export type TlsFiles = { cert: Buffer; key: Buffer };

export type LinkOptions = {
  listen_host: string;
  /** 0 takes any free one. */
  listen_port: number;
  onText(text: string, from: Peer): void;
};

export type Link = {
  /** As it stands in a Via. */
  protocol: 'UDP' | 'TCP' | 'TLS';
  reliable: boolean;
  /** The port it listens on. */
  listen(): Promise<number>;
  /** Hands the message over; the hops are tried in their order where one can fail visibly. */
  transmit(text: string, hops: readonly Hop[]): Promise<void>;
  close(): Promise<void>;
};

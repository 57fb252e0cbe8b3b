// Opens the UDP socket for a call's audio on a free even port of the configured range.
import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';

/** Inclusive. */
type PortRange = { first: number; last: number };

const max_attempts = 200;

/** The addresses are IP literals. A synchronous lookup saves `connect` and `send` a turn of the event loop. */
const literalLookup = (
  address: string,
  family: unknown,
  done: (error: Error | null, address: string, family: number) => void,
) => done(null, address, Number(family));

function bind(host: string, port: number): Promise<Socket> {
  const type = isIPv6(host) ? 'udp6' : 'udp4';
  const socket = createSocket({ type, lookup: literalLookup as never });
  return new Promise((resolve, reject) => {
    socket.once('error', (error) => {
      socket.close();
      reject(error);
    });
    socket.bind({ port, address: host }, () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
  });
}

/** Goes through the range in order, so that the port of an ended call is not reused immediately. */
export function rtpPorts(options: { host: string; range: PortRange | null }) {
  const { host, range } = options;
  const first = range ? range.first + (range.first % 2) : 0;
  const pairs = range ? Math.floor((range.last - first) / 2) + 1 : 0;
  let next = 0;
  return {
    /** Null when no port is free. */
    async open(): Promise<Socket | null> {
      if (!range) return bind(host, 0);
      for (let attempt = 0; attempt < Math.min(pairs, max_attempts); attempt++) {
        const port = first + (next++ % pairs) * 2;
        try {
          return await bind(host, port);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
        }
      }
      return null;
    },
  };
}
export type RtpPorts = ReturnType<typeof rtpPorts>;

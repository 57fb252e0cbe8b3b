// SIP over UDP: one socket for all messages.
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Link, LinkOptions } from './link.ts';

/** Retransmission after a loss is not done here, but in retransmission.ts. */
export function datagrams(options: LinkOptions): Link {
  const socket = createSocket({ type: isIPv6(options.listen_host) ? 'udp6' : 'udp4' });
  socket.on('message', (bytes, from) => {
    // Two empty lines only keep a NAT mapping open (RFC 5626 section 3.5.1).
    if (bytes.length > 4) options.onText(bytes.toString('utf8'), { address: from.address, port: from.port });
  });

  return {
    protocol: 'UDP',
    reliable: false,
    listen: () =>
      new Promise((resolve, reject) => {
        socket.once('error', reject);
        socket.bind({ port: options.listen_port, address: options.listen_host }, () => {
          socket.removeListener('error', reject);
          socket.on('error', () => {});
          resolve(socket.address().port);
        });
      }),
    transmit: (text, [hop]) =>
      new Promise((resolve, reject) => {
        socket.send(text, hop!.port, hop!.address, (error) => (error ? reject(error) : resolve()));
      }),
    close: () => new Promise((resolve) => socket.close(resolve)),
  };
}

// SIP over UDP: one socket for everything that is sent and heard.
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Link, LinkOptions } from './link.ts';

/** Answers on one datagram socket; who asks again after a loss is not decided here. */
export function datagrams(options: LinkOptions): Link {
  const socket = createSocket({ type: isIPv6(options.listen_host) ? 'udp6' : 'udp4' });
  socket.on('message', (bytes, from) => {
    // Two empty lines keep a translator's door open (RFC 5626 section 3.5.1) and say nothing.
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

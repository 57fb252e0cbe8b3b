// A UDP proxy between two peers that drops a part of the datagrams in both directions.
import { createSocket, type Socket } from 'node:dgram';
import { randomNumbers } from '../../../../../testing/random.ts';

function bound(): Promise<Socket> {
  const socket = createSocket('udp4');
  return new Promise((resolve) => socket.bind(0, '127.0.0.1', () => resolve(socket)));
}

export async function lossyProxy(options: { loss: number; seed: number }) {
  const { next: random } = randomNumbers(options.seed);
  const [near, far] = [await bound(), await bound()];
  const counts = { passed: 0, lost: 0 };
  let client_port = 0;
  let peer_port = 0;

  const pass = (bytes: Buffer, through: Socket, port: number) => {
    if (port === 0 || random() < options.loss) {
      counts.lost++;
      return;
    }
    counts.passed++;
    through.send(bytes, port, '127.0.0.1');
  };
  near.on('message', (bytes, from) => {
    client_port = from.port;
    pass(bytes, far, peer_port);
  });
  far.on('message', (bytes) => pass(bytes, near, client_port));

  return {
    /** The port for the calling side. */
    port: near.address().port,
    counts,
    /** Sets the port of the called side. */
    forwardTo(port: number): void {
      peer_port = port;
    },
    async close(): Promise<void> {
      await Promise.all(
        [near, far].map((socket) => new Promise<void>((resolve) => socket.close(() => resolve()))),
      );
    },
  };
}

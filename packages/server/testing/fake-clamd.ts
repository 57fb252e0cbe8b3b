// A clamd for tests: speaks INSTREAM, and finds what the content says. It needs no signatures and starts at once.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after } from 'node:test';

const virus = 'CONTENT-THAT-COUNTS-AS-A-VIRUS';
const failure = 'CONTENT-THAT-CANNOT-BE-SCANNED';

/** Closed at the end of the test file. */
export async function startFakeClamd() {
  const server = createServer((socket) => {
    let received = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      // The stream ends with a chunk of length zero.
      if (!received.subarray(-4).equals(Buffer.alloc(4))) return;
      const verdict = received.includes(virus)
        ? 'stream: Test FOUND'
        : received.includes(failure)
          ? 'stream: cannot scan ERROR'
          : 'stream: OK';
      socket.end(`${verdict}\0`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, virus, failure };
}

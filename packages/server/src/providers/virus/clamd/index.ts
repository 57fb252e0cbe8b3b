// Hands a message to clamd in pieces (zINSTREAM) and reads its one line of answer.
import { connect } from 'node:net';
import type { VirusScanner, VirusVerdict } from '../virus-scanner.ts';

const chunk_bytes = 64 * 1024;
const answer_bytes = 4096;

/** `address`: host:port, or the path of a socket. */
export function clamdScanner(settings: { address: string; timeout_ms: number }): VirusScanner {
  const colon = settings.address.lastIndexOf(':');
  const place = settings.address.startsWith('/')
    ? { path: settings.address }
    : { host: settings.address.slice(0, colon), port: Number(settings.address.slice(colon + 1)) };

  return {
    scan: (raw) =>
      new Promise<VirusVerdict>((resolve, reject) => {
        const socket = connect(place);
        let answer = '';
        socket.setTimeout(settings.timeout_ms, () =>
          socket.destroy(new Error('The virus scanner is too slow')),
        );
        socket.on('error', reject);
        socket.on('data', (chunk) => {
          answer = (answer + chunk.toString('latin1')).slice(0, answer_bytes);
        });
        socket.on('close', () => resolve(verdictOf(answer)));
        socket.on('connect', () => {
          socket.write('zINSTREAM\0');
          for (let at = 0; at < raw.length; at += chunk_bytes) {
            const piece = raw.subarray(at, at + chunk_bytes);
            const length = Buffer.alloc(4);
            length.writeUInt32BE(piece.length);
            socket.write(length);
            socket.write(piece);
          }
          socket.write(Buffer.alloc(4));
        });
      }),
  };
}

/** "stream: OK", "stream: <name> FOUND", or an error such as a limit. */
function verdictOf(answer: string): VirusVerdict {
  const line = answer.replaceAll('\0', '').trim();
  if (line.endsWith('FOUND')) return 'FAIL';
  return line === 'stream: OK' ? 'PASS' : 'PROCESSING_FAILED';
}

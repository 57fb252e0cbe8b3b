// Scans a message with clamd: sends it in chunks (zINSTREAM) and reads the one-line reply.
import { connect } from 'node:net';
import type { VirusScanner, VirusVerdict } from '../virus-scanner.ts';

const chunk_bytes = 64 * 1024;
const reply_max_bytes = 4096;

/** `address`: host:port, or the path of a Unix socket. */
export function clamdScanner(settings: { address: string; timeout_ms: number }): VirusScanner {
  const colon = settings.address.lastIndexOf(':');
  const target = settings.address.startsWith('/')
    ? { path: settings.address }
    : { host: settings.address.slice(0, colon), port: Number(settings.address.slice(colon + 1)) };

  return {
    scan: (raw) =>
      new Promise<VirusVerdict>((resolve, reject) => {
        const socket = connect(target);
        let reply = '';
        socket.setTimeout(settings.timeout_ms, () =>
          socket.destroy(new Error('The virus scanner timed out')),
        );
        socket.on('error', reject);
        socket.on('data', (chunk) => {
          reply = (reply + chunk.toString('latin1')).slice(0, reply_max_bytes);
        });
        socket.on('close', () => resolve(verdictOf(reply)));
        socket.on('connect', () => {
          socket.write('zINSTREAM\0');
          for (let at = 0; at < raw.length; at += chunk_bytes) {
            const chunk = raw.subarray(at, at + chunk_bytes);
            const length = Buffer.alloc(4);
            length.writeUInt32BE(chunk.length);
            socket.write(length);
            socket.write(chunk);
          }
          socket.write(Buffer.alloc(4));
        });
      }),
  };
}

/** The reply is "stream: OK", "stream: <name> FOUND", or an error such as a size limit. */
function verdictOf(reply: string): VirusVerdict {
  const line = reply.replaceAll('\0', '').trim();
  if (line.endsWith('FOUND')) return 'FAIL';
  return line === 'stream: OK' ? 'PASS' : 'PROCESSING_FAILED';
}

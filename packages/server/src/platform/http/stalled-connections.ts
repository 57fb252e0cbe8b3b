// Resets the connections of clients that stop reading: they would hold the response and its socket forever.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * A connection is stalled when data waits to be sent, or we ended our side and the client keeps it open, and nothing
 * was sent since the last check. A client that reads slowly is not stalled.
 */
export function endStalledConnections(server: Server, options: { stall_ms: number }): void {
  const { stall_ms } = options;
  const open = new Map<Socket, { sent_bytes: number; since_ms: number }>();
  server.on('connection', (socket) => {
    open.set(socket, { sent_bytes: 0, since_ms: performance.now() });
    socket.once('close', () => open.delete(socket));
  });
  const check = () => {
    const now_ms = performance.now();
    for (const [socket, seen] of open) {
      const is_waiting = socket.writableLength > 0 || socket.writableEnded;
      const sent_bytes = socket.bytesWritten - socket.writableLength;
      if (!is_waiting || sent_bytes !== seen.sent_bytes) {
        seen.sent_bytes = sent_bytes;
        seen.since_ms = now_ms;
      } else if (now_ms - seen.since_ms >= stall_ms) {
        // A reset makes the kernel drop its send buffer, too.
        socket.resetAndDestroy();
      }
    }
  };
  const timer = setInterval(check, Math.min(stall_ms / 4, 5000));
  timer.unref();
  server.once('close', () => clearInterval(timer));
}

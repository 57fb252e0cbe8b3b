// Ends the connections of clients that do not take their answer: they would hold it, and its socket, for ever.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * A connection is stalled while something waits to be sent, or we have said our last word and the client keeps it open.
 * What was not sent yet is compared from look to look: a client that reads slowly, but reads, is not stalled.
 */
export function endStalledConnections(server: Server, options: { stall_ms: number }): void {
  const { stall_ms } = options;
  const open = new Map<Socket, { taken: number; since_ms: number }>();
  server.on('connection', (socket) => {
    open.set(socket, { taken: 0, since_ms: performance.now() });
    socket.once('close', () => open.delete(socket));
  });
  const look = () => {
    const now_ms = performance.now();
    for (const [socket, seen] of open) {
      const is_waiting = socket.writableLength > 0 || socket.writableEnded;
      const taken = socket.bytesWritten - socket.writableLength;
      if (!is_waiting || taken !== seen.taken) {
        seen.taken = taken;
        seen.since_ms = now_ms;
      } else if (now_ms - seen.since_ms >= stall_ms) {
        // Resets: the kernel must not go on offering what the client does not take.
        socket.resetAndDestroy();
      }
    }
  };
  const looking = setInterval(look, Math.min(stall_ms / 4, 5000));
  looking.unref();
  server.once('close', () => clearInterval(looking));
}

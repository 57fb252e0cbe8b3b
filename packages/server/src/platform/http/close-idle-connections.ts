// Closes the connections of a stopping server as soon as they are idle, so that the stop waits only for requests.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const interval_ms = 50;

/** Call it before the first connection. The returned function starts closing. */
export function closeIdleConnections(server: Server): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const closeIdle = () => {
    server.closeIdleConnections();
    // Browsers open connections in advance. Node does not count one without a request as idle.
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
  return () => {
    // One call closes only what is idle at that moment; a busy connection becomes idle after its response.
    const timer = setInterval(closeIdle, interval_ms);
    server.once('close', () => clearInterval(timer));
    timer.unref();
  };
}

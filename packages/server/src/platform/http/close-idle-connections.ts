// Ends the connections of a server that stops as soon as no request is on them, so that the stop waits for requests alone.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const look_ms = 50;

/** Must see every connection from the first one on; what it returns begins the ending. */
export function closeIdleConnections(server: Server): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const look = () => {
    server.closeIdleConnections();
    // Opened in advance and never used, as browsers do: to Node its first request is only late.
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
  return () => {
    // Closing ends what is idle at that moment; what is busy becomes idle with its answer, and would be kept for the
    // client's next request.
    const looking = setInterval(look, look_ms);
    server.once('close', () => clearInterval(looking));
    looking.unref();
  };
}

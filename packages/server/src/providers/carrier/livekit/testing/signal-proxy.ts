// A TCP proxy in front of livekit-server that cuts the signal connections of rooms, and can refuse to resume them.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The request of a room's signal connection. */
const signal_request = /^GET \/rtc\/v1\?join_request=(\S+)/;
/** The client resumes as the participant that it is already; this request is not compressed. */
const isResume = (request: string) => Buffer.from(decodeURIComponent(request), 'base64').includes('PA_');

export async function startSignalProxy(server_url: string) {
  const { hostname, port } = new URL(server_url);
  const signals = new Set<Socket>();
  const opened = { joins: 0, resumes: 0 };
  let refuses_resume = false;
  const server = createServer((client) => {
    client.on('error', () => client.destroy());
    client.once('data', (first) => {
      const request = signal_request.exec(first.toString('latin1'))?.[1];
      const is_resume = request !== undefined && isResume(request);
      if (is_resume && refuses_resume) return client.destroy();
      if (request) {
        signals.add(client);
        opened[is_resume ? 'resumes' : 'joins']++;
      }
      const upstream = connect(Number(port), hostname);
      upstream.on('error', () => client.destroy());
      upstream.on('close', () => client.destroy());
      client.on('close', () => {
        signals.delete(client);
        upstream.destroy();
      });
      upstream.write(first);
      client.pipe(upstream).pipe(client);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    opened,
    /** Ends every signal connection. The clients resume it, or join again where they may not. */
    cut(clients: { may_resume: boolean }): void {
      refuses_resume = !clients.may_resume;
      for (const client of signals) client.destroy();
    },
    close(): void {
      server.close();
      for (const client of signals) client.destroy();
    },
  };
}

// What the servers of the agent journey share: they listen on a free port and report to their parent, line by line.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const report = (value: Record<string, unknown>): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`);
};

export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<ReturnType<typeof createServer>> {
  const server = createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  report({ listening: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  return server;
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

// Receives a carrier's callbacks in tests and collects the events that the carrier's own reader returns.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Carrier, CarrierEvent } from '../../src/providers/carrier/carrier.ts';

export type CallbackListener = {
  url: string;
  events: CarrierEvent[];
  statuses: number[];
  read(carrier: Carrier): void;
  close(): Promise<void>;
};

export async function startCallbackListener(): Promise<CallbackListener> {
  const events: CarrierEvent[] = [];
  const statuses: number[] = [];
  let reader: Carrier | null = null;
  let base = '';
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const reading = reader!.readCallback!({
      url: base + request.url,
      headers: request.headers,
      body: Buffer.concat(chunks),
    });
    const status = reading.outcome === 'authentic' ? 200 : 403;
    if (reading.outcome === 'authentic') events.push(...reading.events);
    statuses.push(status);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${base}/callbacks`,
    events,
    statuses,
    read(carrier) {
      reader = carrier;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

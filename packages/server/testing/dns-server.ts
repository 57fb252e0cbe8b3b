// A small authoritative DNS server on loopback, with records that a test sets and faults that it asks for.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after } from 'node:test';
import dns2 from 'dns2';

const { Packet } = dns2;
type Answer = { TXT?: string[]; MX?: { exchange: string; priority: number }[] };

export type TestDns = {
  /** For PARLEY_DNS_SERVERS. */
  address: string;
  records: Map<string, Answer>;
  /** Names that are answered with SERVFAIL. */
  failing: Set<string>;
};

export async function startDns(): Promise<TestDns> {
  const records = new Map<string, Answer>();
  const failing = new Set<string>();
  const server = dns2.createServer({
    udp: true,
    tcp: true,
    handle(request, send) {
      const response = Packet.createResponseFromRequest(request);
      const [question] = request.questions;
      const name = question!.name.toLowerCase();
      const found = records.get(name);
      if (failing.has(name) || failing.has('*')) response.header.rcode = 2;
      else if (!found) response.header.rcode = 3;
      else {
        const common = { name: question!.name, class: Packet.CLASS.IN, ttl: 1 };
        const { type } = question as unknown as { type: number };
        if (type === Packet.TYPE.TXT) {
          for (const data of found.TXT ?? [])
            response.answers.push({ ...common, type, data: data.match(/.{1,255}/g) } as never);
        }
        if (type === Packet.TYPE.MX) {
          for (const record of found.MX ?? []) response.answers.push({ ...common, type, ...record } as never);
        }
      }
      send(response);
    },
  });
  // A long answer is asked for again over TCP, at the same port.
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  const place = { port, address: '127.0.0.1' };
  await server.listen({ udp: place, tcp: place } as never);
  after(() => server.close());
  return { address: `127.0.0.1:${port}`, records, failing };
}

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
  /** Names that are never answered; whoever holds one is told that it was asked for. */
  held: Map<string, () => void>;
};

export async function startDns(): Promise<TestDns> {
  const records = new Map<string, Answer>();
  const failing = new Set<string>();
  const held = new Map<string, () => void>();
  const options: Parameters<typeof dns2.createServer>[0] = {
    udp: true,
    tcp: true,
    handle(request, send) {
      const response = Packet.createResponseFromRequest(request);
      const [question] = request.questions;
      const name = question!.name.toLowerCase();
      const asked = held.get(name);
      if (asked) return asked();
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
  };
  const address = await listen(() => dns2.createServer(options));
  return { address, records, failing, held };
}

/** A long answer is asked for again over TCP, at the same port; one that is free for both may take a few tries. */
async function listen(make: () => ReturnType<typeof dns2.createServer>): Promise<string> {
  for (let tries = 1; ; tries++) {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    probe.close();
    await once(probe, 'close');
    const place = { port, address: '127.0.0.1' };
    const server = make();
    const taken = once(server, 'error');
    const listening = server.listen({ udp: place, tcp: place } as never);
    const [error] = await Promise.race([taken, listening.then(() => [null])]);
    if (!error) {
      after(() => server.close());
      return `127.0.0.1:${port}`;
    }
    void server.close();
    if (tries === 10) throw error;
  }
}

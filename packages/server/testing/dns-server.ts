// A small authoritative DNS server on loopback, with records and failures that a test sets.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after } from 'node:test';
import dns2 from 'dns2';

const { Packet } = dns2;
type Records = {
  A?: string[];
  AAAA?: string[];
  TXT?: string[];
  MX?: { exchange: string; priority: number }[];
};

export type TestDns = {
  /** For PARLEY_DNS_SERVERS. */
  address: string;
  records: Map<string, Records>;
  /** Names whose queries fail with SERVFAIL; `*` means all. */
  failing: Set<string>;
  /** Names whose queries get no response. The callback is called for each query. */
  held: Map<string, () => void>;
};

export async function startDns(): Promise<TestDns> {
  const records = new Map<string, Records>();
  const failing = new Set<string>();
  const held = new Map<string, () => void>();
  const options: Parameters<typeof dns2.createServer>[0] = {
    udp: true,
    tcp: true,
    handle(request, send) {
      const response = Packet.createResponseFromRequest(request);
      const [question] = request.questions;
      const name = question!.name.toLowerCase();
      const onQuery = held.get(name);
      if (onQuery) return onQuery();
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
        if (type === Packet.TYPE.A)
          for (const address of found.A ?? []) response.answers.push({ ...common, type, address } as never);
        if (type === Packet.TYPE.AAAA)
          for (const address of found.AAAA ?? [])
            response.answers.push({ ...common, type, address } as never);
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

/** Clients repeat a query with a long response over TCP on the same port. A port that is free for both may need a few tries. */
async function listen(make: () => ReturnType<typeof dns2.createServer>): Promise<string> {
  for (let tries = 1; ; tries++) {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    probe.close();
    await once(probe, 'close');
    const endpoint = { port, address: '127.0.0.1' };
    const server = make();
    const failed = once(server, 'error');
    const listening = server.listen({ udp: endpoint, tcp: endpoint } as never);
    const [error] = await Promise.race([failed, listening.then(() => [null])]);
    if (!error) {
      after(() => server.close());
      return `127.0.0.1:${port}`;
    }
    void server.close();
    if (tries === 10) throw error;
  }
}

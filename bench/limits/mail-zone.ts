// A DNS server for the benchmark, with only the zone of one sender.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import dns2 from 'dns2';
import { answerQuestions } from '../side-process.ts';

const { Packet } = dns2;
export type MailZone = { records: Record<string, string> };

answerQuestions<MailZone, { address: string }>(async ({ records }) => {
  const server = dns2.createServer({
    udp: true,
    tcp: true,
    handle(request, send) {
      const response = Packet.createResponseFromRequest(request);
      const question = request.questions[0] as unknown as { name: string; type: number };
      const text = records[question.name.toLowerCase()];
      if (text === undefined) response.header.rcode = 3;
      else if (question.type === Packet.TYPE.TXT) {
        const answer = { name: question.name, class: Packet.CLASS.IN, ttl: 300, type: question.type };
        response.answers.push({ ...answer, data: text.match(/.{1,255}/g) } as never);
      }
      send(response);
    },
  });
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  const address = { port, address: '127.0.0.1' };
  await server.listen({ udp: address, tcp: address } as never);
  return { address: `127.0.0.1:${port}` };
});

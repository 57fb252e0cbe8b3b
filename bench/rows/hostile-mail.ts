// How long messages with hostile headers block the event loop of the service.
import { hostile_headers, hostileMessage } from '../../packages/server/testing/hostile-headers.ts';
import { deliver } from '../../packages/server/testing/smtp-client.ts';
import { constant, type Row, type Run } from '../harness.ts';
import type { Service } from '../stage.ts';
import { startReceiving } from './inbound-mail.ts';

const most_ms = 100;
/** With short lines the first size is just below the limit of lines; the last is just below the limit of bytes. */
const sizes = [7_900, 64_000, 250_000];
/** One of the addresses that `startReceiving` creates. */
const to = '1bob+bench@mail.localhost';

export const hostileMailRows: Row[] = [
  {
    name: 'inbound-hostile',
    subject: `longest block of the event loop by one of ${hostile_headers.length * sizes.length} messages with hostile headers`,
    limit: `${most_ms} ms`,
    unit: 'ms',
    target: { comparison: '<=', ratio: 1 },
    rounds: { quick: 1, normal: 3, full: 5 },
    prepare,
  },
];

async function prepare(run: Run) {
  const { service } = await startReceiving(run.stage, {});
  return {
    limit: constant(most_ms),
    subject: async () => {
      await longestBlock_ms(service);
      for (const header of hostile_headers) {
        const replies = await Promise.all(
          sizes.map((bytes) =>
            deliver(service.smtp_port, {
              from: 'a@sender.test',
              to,
              raw: hostileMessage(header, bytes, to),
            }),
          ),
        );
        const wrong = replies.find((reply) => !/^(250|552|554) /.test(reply));
        if (wrong) throw new Error(`${header.name}: ${wrong}`);
      }
      return { value: await longestBlock_ms(service) };
    },
  };
}

/** The service measures this itself and starts again with every scrape. */
async function longestBlock_ms(service: Service): Promise<number> {
  const response = await fetch(`${service.url}/metrics`, {
    headers: { authorization: `Bearer ${service.key}` },
  });
  const seconds = /^parley_nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(await response.text())?.[1];
  if (!seconds) throw new Error('/metrics has no delay of the event loop');
  return Number(seconds) * 1000;
}

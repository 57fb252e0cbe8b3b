// The cost of a request without a database query: authentication, rate limit, validation, response.
import { costing, type Row } from '../harness.ts';
import type { BareHttp } from '../limits/bare-http.ts';
import { sharedService } from './service.ts';

const connections = 32;
const path = '/v1/whoami';

export const httpRows: Row[] = [
  {
    name: 'whoami',
    subject: 'GET /v1/whoami',
    limit: `bare Fastify GET, ${connections} connections`,
    unit: 'requests/s',
    target: { comparison: '>=', ratio: 0.6 },
    async prepare(run) {
      const service = await sharedService(run);
      const headers = { authorization: `Bearer ${service.key}` };
      const answer = await fetch(`${service.url}${path}`, { headers });
      const body = await answer.text();
      if (answer.status !== 200) throw new Error(`whoami returned ${answer.status}: ${body}`);

      const bare = run.stage.startSide<BareHttp, { url: string }>(
        new URL('../limits/bare-http.ts', import.meta.url),
      );
      const { url: bare_url } = await bare.ask({ path, body });

      const side = (url: string, pid: number) => () =>
        costing([pid], async () => {
          const { requests, seconds } = await run.load({
            url,
            connections,
            duration_ms: run.window_ms,
            max_requests: 1_000_000,
            method: 'GET',
            paths: [path],
            headers,
            status: 200,
          });
          return { operations: requests, value: requests / seconds };
        });
      return { limit: side(bare_url, bare.pid), subject: side(service.url, service.pid) };
    },
  },
];

// An API with fixed responses and almost no cost, so that only the MCP server is measured.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerQuestions } from '../side-process.ts';

const body = JSON.stringify({
  auth_kind: 'shared_key',
  organization_id: '00000000-0000-0000-0000-000000000000',
  user_id: '00000000-0000-0000-0000-000000000000',
  email: null,
  name: 'Shared key',
  superadmin: true,
});

answerQuestions<null, { url: string }>(async () => {
  const server = createServer({ keepAliveTimeout: 60_000 }, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
});

// Limit of an HTTP response: a Fastify server that only returns a fixed JSON text.
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { answerQuestions } from '../side-process.ts';

export type BareHttp = { path: string; body: string };

answerQuestions<BareHttp, { url: string }>(async ({ path, body }) => {
  const app = fastify();
  app.route({
    method: ['GET', 'POST'],
    url: path,
    handler: (_, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(body),
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` };
});

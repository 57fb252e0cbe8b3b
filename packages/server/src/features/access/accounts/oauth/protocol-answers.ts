// The form of answers to programs: open to other origins, with the errors of OAuth.
import type { FastifyReply } from 'fastify';

/** Programs in browsers may call these routes too: none of them depends on a cookie. */
export const allowAllOrigins = (reply: FastifyReply) =>
  reply.headers({
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'authorization, content-type, mcp-protocol-version',
    'access-control-allow-methods': 'GET, POST, OPTIONS',
    'cache-control': 'no-store',
  });

/** The error response of RFC 6749 section 5.2. */
export const refuse = (reply: FastifyReply, error: string, error_description?: string) =>
  allowAllOrigins(reply)
    .code(400)
    .send({ error, ...(error_description ? { error_description } : {}) });

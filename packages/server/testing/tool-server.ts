// An HTTP endpoint for tools of agents: answers as the test says, verifies nothing by itself, and keeps every request.
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { standIn } from './stand-in.ts';

export type ToolServerRequest = {
  path: string;
  headers: IncomingHttpHeaders;
  raw: Buffer;
  /** The parsed body of a tool call. */
  body: {
    type: string;
    id: string;
    tool: string;
    arguments: Record<string, unknown>;
    [name: string]: unknown;
  };
};

export type ToolAnswer = (response: ServerResponse, request: ToolServerRequest) => void;

export const jsonAnswer =
  (value: unknown, status = 200): ToolAnswer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

/** Every path answers `{"result":"ok"}` unless the test sets another answer for it. */
export async function toolServer() {
  const requests: ToolServerRequest[] = [];
  const answers = new Map<string, ToolAnswer>();
  const { url } = await standIn(({ request, body }, response) => {
    const path = request.url!;
    const seen = { path, headers: request.headers, raw: body, body: JSON.parse(body.toString() || 'null') };
    requests.push(seen);
    (answers.get(path) ?? jsonAnswer({ result: 'ok' }))(response, seen);
  });
  return {
    url,
    requests,
    /** Of one path, oldest first. */
    at: (path: string) => requests.filter((request) => request.path === path),
    answer: (path: string, answer: ToolAnswer) => void answers.set(path, answer),
  };
}

/** Whether both signatures of a request match the secret. */
export function isSigned(
  { headers, raw }: Pick<ToolServerRequest, 'headers' | 'raw'>,
  secret: string,
): boolean {
  const id = String(headers['webhook-id']);
  const timestamp = String(headers['webhook-timestamp']);
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const own = createHmac('sha256', secret).update(`${timestamp}.`).update(raw).digest('hex');
  const standard = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(raw).digest('base64');
  const [first, ...signatures] = String(headers['x-service-signature']).split(',');
  return (
    first === `t=${timestamp}` &&
    signatures.includes(`v1=${own}`) &&
    String(headers['webhook-signature']).split(' ').includes(`v1,${standard}`)
  );
}

// The HTTP client of tests. It follows no redirects. `fetch` takes twice the processor time, and tests send thousands of requests.
import { type Dispatcher, request } from 'undici';

export type HttpAnswer = { status: number; headers: Headers; content_type: string; text: string };

export type HttpRequest = {
  method?: string;
  headers?: Record<string, string>;
  body?: string | undefined;
};

export async function sendHttp(
  url: string | URL,
  { method = 'GET', headers = {}, body }: HttpRequest = {},
): Promise<HttpAnswer> {
  const answer = await request(url, {
    method: method as Dispatcher.HttpMethod,
    headers,
    body: body ?? null,
  });
  const text = await answer.body.text();
  return {
    status: answer.statusCode,
    content_type: String(answer.headers['content-type'] ?? ''),
    /** Built only when a test reads it. */
    get headers() {
      return headersOf(answer.headers);
    },
    text,
  };
}

function headersOf(received: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers();
  for (const [name, value = []] of Object.entries(received))
    for (const each of Array.isArray(value) ? value : [value]) headers.append(name, each);
  return headers;
}

// Streams the events of the organization, and resumes after the last event when the connection breaks.
import { ApiError, ConnectionError, TimeoutError } from './errors.ts';
import { type OperationInfo, pause, type RequestOptions, type Transport } from './transport.ts';

export type StreamOptions = RequestOptions & {
  /** Start after this event instead of now. */
  last_event_id?: string;
  /** Called each time the stream opens, also after a reconnect. */
  onOpen?: () => void;
};

type Message = { id: string | null; data: string };

/** Parses server-sent events. Comments and other fields are ignored: they only keep the connection open. */
export async function* messagesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  // The types of Node and of browsers disagree on the input of a decoder; both accept these bytes.
  const reader = body.pipeThrough<string>(new TextDecoderStream() as never).getReader();
  let buffer = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      buffer += value.replaceAll('\r\n', '\n');
      for (let end = buffer.indexOf('\n\n'); end >= 0; end = buffer.indexOf('\n\n')) {
        const fields = buffer.slice(0, end).split('\n');
        buffer = buffer.slice(end + 2);
        const of = (name: string) =>
          fields
            .filter((line) => line.startsWith(`${name}:`))
            .map((line) => line.slice(name.length + 1).replace(/^ /, ''));
        const data = of('data');
        if (data.length > 0) yield { id: of('id').at(-1) ?? null, data: data.join('\n') };
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

const before_all = '00000000-0000-0000-0000-000000000000';

async function newestEvent(transport: Transport, { signal }: StreamOptions): Promise<string> {
  const path = '/v1/events';
  const page = await transport.json<{ items: { id: string }[] }>(
    { method: 'GET', path },
    path,
    { limit: 1 },
    signal ? { signal } : {},
  );
  return page.items[0]?.id ?? before_all;
}

/** Ends only when `signal` aborts or the server rejects the request with an error that a retry cannot fix. */
export async function* followEvents<Event>(
  transport: Transport,
  operation: OperationInfo,
  options: StreamOptions = {},
): AsyncGenerator<Event> {
  let last = options.last_event_id;
  let failures = 0;
  for (;;) {
    try {
      // Set before the first event, so that a connection that breaks earlier loses no event.
      last ??= await newestEvent(transport, options);
      const response = await transport.send(operation, operation.path, undefined, {
        ...options,
        // The request timeout does not apply to a stream.
        timeout_ms: 2_147_483_647,
        headers: {
          accept: 'text/event-stream',
          'last-event-id': last,
          ...options.headers,
        },
      });
      options.onOpen?.();
      for await (const message of messagesOf(response.body!)) {
        failures = 0;
        yield JSON.parse(message.data) as Event;
        last = message.id ?? last;
      }
    } catch (error) {
      if (options.signal?.aborted) return;
      const passing =
        error instanceof ConnectionError || error instanceof TimeoutError || error instanceof TypeError;
      if (!passing && !(error instanceof ApiError && error.status >= 500)) throw error;
    }
    if (options.signal?.aborted) return;
    await pause(Math.min(10_000, 250 * 2 ** failures++), options.signal).catch(() => {});
  }
}

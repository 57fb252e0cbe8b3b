// A reader of server-sent events for tests: collects messages and comments until it is closed.
import { waitFor } from './wait-for.ts';

export type Message = { id: string; event: string; data: string };

export type EventSource = {
  status: number;
  messages: Message[];
  comments: string[];
  /** Resolves when this many messages have arrived. */
  received(count: number): Promise<Message[]>;
  /** Resolves when the server ends the stream. */
  ended: Promise<void>;
  close(): void;
};

export async function openEventSource(
  url: string,
  headers: Record<string, string>,
): Promise<EventSource & { text: string }> {
  const stop = new AbortController();
  const response = await fetch(url, { headers, signal: stop.signal });
  const messages: Message[] = [];
  const comments: string[] = [];
  if (response.status !== 200) {
    const text = await response.text();
    return {
      status: response.status,
      text,
      messages,
      comments,
      received: async () => messages,
      ended: Promise.resolve(),
      close: () => {},
    };
  }

  const take = (block: string) => {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) comments.push(line.slice(1).trim());
      else fields.set(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2));
    }
    if (fields.has('data')) {
      messages.push({ id: fields.get('id')!, event: fields.get('event')!, data: fields.get('data')! });
    }
  };
  const read = async () => {
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      blocks.forEach(take);
    }
  };
  const ended = read().catch((error) => {
    if (!stop.signal.aborted) throw error;
  });

  return {
    status: response.status,
    text: '',
    messages,
    comments,
    async received(count) {
      await waitFor(`${count} messages`, () => messages.length >= count);
      return messages;
    },
    ended,
    close: () => stop.abort(),
  };
}

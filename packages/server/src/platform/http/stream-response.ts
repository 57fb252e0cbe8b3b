// Sends a response that is a stream of text, such as server-sent events, and ends all streams when the server stops.
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { TextStream } from '@parley/contract/operation';

/** The streams that are open. An open stream would keep the server from closing. */
export type OpenStreams = {
  /** `hold` ends the stream with the credential of its client. */
  open(response: ServerResponse, begin: TextStream, hold: (end: () => void) => () => void): Readable;
  endAll(): void;
};

export function openStreams(): OpenStreams {
  const streams = new Set<AbortController>();
  return {
    open(response, begin, hold) {
      const stop = new AbortController();
      streams.add(stop);
      const release = hold(() => stop.abort());
      stop.signal.addEventListener('abort', () => {
        // A client that does not read would never see the end of the stream.
        if (response.writableNeedDrain) response.destroy();
      });
      // At most one chunk ahead of the client: unread chunks are not buffered in memory.
      return Readable.from(begin(stop.signal), { highWaterMark: 1 }).on('close', () => {
        release();
        stop.abort();
        streams.delete(stop);
      });
    },
    endAll() {
      for (const stream of streams) stream.abort();
    },
  };
}

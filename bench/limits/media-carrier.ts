// The carrier's side of many media streams: sends a frame every 20 ms on each, plays received audio, and returns the marks.
import { once } from 'node:events';
import WebSocket from 'ws';
import { answerQuestions } from '../side-process.ts';

export type MediaCarrier = { url: string; tokens: (string | null)[] };

const frame_ms = 20;
const frame_bytes = 160;

answerQuestions<MediaCarrier, number>(async ({ url, tokens }) => {
  const frame = Buffer.alloc(frame_bytes, 0x55).toString('base64');
  const streams = await Promise.all(
    tokens.map(async (token) => {
      const socket = new WebSocket(token === null ? url : `${url}?token=${token}`, {
        perMessageDeflate: false,
      });
      await once(socket, 'open');
      /** Bytes to play, and the marks between them. */
      const waiting: (number | string)[] = [];
      socket.on('message', (bytes) => {
        const text = String(bytes);
        const payload = /"payload":"([^"]*)"/.exec(text)?.[1];
        if (payload !== undefined) waiting.push((payload.length * 3) / 4);
        else waiting.push(/"name":"([^"]*)"/.exec(text)?.[1] ?? '');
      });
      socket.send('{"event":"start","start":{}}');
      return { socket, waiting, chunk: 0 };
    }),
  );
  const started_ms = performance.now();
  let ticks = 0;
  setInterval(() => {
    for (; ticks < (performance.now() - started_ms) / frame_ms; ticks++) {
      for (const stream of streams) {
        const { socket, waiting } = stream;
        const timestamp = stream.chunk++ * frame_ms;
        socket.send(
          `{"event":"media","sequenceNumber":"${stream.chunk}","streamSid":"MZ","media":{"track":"inbound","chunk":"${stream.chunk}","timestamp":"${timestamp}","payload":"${frame}"}}`,
        );
        for (let left = frame_bytes; waiting.length > 0 && left > 0; ) {
          const [first] = waiting;
          if (typeof first === 'string') {
            socket.send(`{"event":"mark","streamSid":"MZ","mark":{"name":"${first}"}}`);
            waiting.shift();
          } else if (first! > left) {
            waiting[0] = first! - left;
            left = 0;
          } else {
            left -= first!;
            waiting.shift();
          }
        }
        while (typeof waiting[0] === 'string') {
          socket.send(`{"event":"mark","streamSid":"MZ","mark":{"name":"${waiting.shift()}"}}`);
        }
      }
    }
  }, 5);
  return streams.length;
});

// Many media sockets in one process: either our sessions, or bare sockets that read and write the same messages.
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { carrierSocket } from '../../packages/server/src/providers/carrier/media-socket-routes.ts';
import { mediaSockets } from '../../packages/server/src/providers/carrier/media-sockets.ts';
import { realTimeClock } from '../../packages/server/src/providers/media/media-clock.ts';
import { frame_samples } from '../../packages/server/src/providers/media/media-session.ts';
import { answerQuestions } from '../side-process.ts';

export type MediaSockets =
  | { do: 'listen'; kind: 'sessions' | 'bare'; calls: number }
  /** Since the last request. */
  | { do: 'count' };
export type MediaSocketsResult = {
  port: number;
  tokens: string[];
  received: number;
  sent: number;
  cpu_us: number;
};

const clock = realTimeClock();
const counts = { received: 0, sent: 0 };
let cpu = process.cpuUsage();

const dialect = {
  media: (payload: string) => ({ event: 'media', streamSid: 'MZ', media: { payload } }),
  mark: (name: string) => ({ event: 'mark', streamSid: 'MZ', mark: { name } }),
  clear: () => ({ event: 'clear', streamSid: 'MZ' }),
};

const second_of_speech = new Int16Array(50 * frame_samples).fill(3000);

/** Sends and receives audio all the time, like two people who talk at the same time. */
async function sessions(server: WebSocketServer, calls: number): Promise<string[]> {
  const sockets = mediaSockets({
    relay: null,
    announce: null,
    clock,
    log: { warn() {} },
    carrier: 'bench',
    opening: (_, query) => ({ token: query.get('token') ?? '', is_readable: true, dialect }),
    sendDigits: null,
    hangUp() {},
  });
  server.on('connection', (socket, request) => {
    const carrier = carrierSocket(socket, request.socket);
    const counted = {
      ...carrier,
      send(...texts: string[]) {
        counts.sent += texts.length;
        carrier.send(...texts);
      },
    };
    sockets.openMedia(counted, new URL(request.url!, 'ws://localhost').searchParams);
  });
  const connect = async (_: unknown, i: number) => {
    const expected = (await sockets.expect(`call-${i}`, 3600))!;
    expected.named(`call-${i}`);
    void sockets.media(`call-${i}`).then((session) => {
      if (!session) return;
      session.onFrame(() => counts.received++);
      const speak = async () => {
        session.write(second_of_speech);
        for (;;) {
          const played = session.mark();
          session.write(second_of_speech);
          if ((await played) === 'cleared') return;
        }
      };
      void speak();
    });
    return expected.token;
  };
  return Promise.all(Array.from({ length: calls }, connect));
}

/** The minimum for any program: parse each message and its audio, and send as many messages as a call needs. */
function bare(server: WebSocketServer): void {
  const sound = Buffer.alloc(5 * frame_samples, 0x55);
  server.on('connection', (socket, request) => {
    let piece = 0;
    const speak = () => {
      counts.sent += 2;
      request.socket.cork();
      socket.send(JSON.stringify(dialect.media(sound.toString('base64'))));
      socket.send(JSON.stringify(dialect.mark(`p${piece++}`)));
      request.socket.uncork();
    };
    socket.on('message', (bytes) => {
      const message = JSON.parse(String(bytes)) as { event: string; media?: { payload: string } };
      if (message.event === 'media')
        counts.received += Buffer.from(message.media!.payload, 'base64').length / frame_samples;
      else if (message.event === 'mark') speak();
      else if (message.event === 'start') for (let i = 0; i < 4; i++) speak();
    });
  });
}

answerQuestions<MediaSockets, MediaSocketsResult>(async (question) => {
  let port = 0;
  let tokens: string[] = [];
  if (question.do === 'listen') {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
    await new Promise((listening) => server.once('listening', listening));
    port = (server.address() as AddressInfo).port;
    if (question.kind === 'sessions') tokens = await sessions(server, question.calls);
    else bare(server);
  }
  const used = process.cpuUsage(cpu);
  cpu = process.cpuUsage();
  const result = { port, tokens, ...counts, cpu_us: used.user + used.system };
  counts.received = counts.sent = 0;
  return result;
});

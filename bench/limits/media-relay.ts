// A process that relays media sockets to another one: the only thing it does, so that its processor time is that of the relay.
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { mediaRelay } from '../../packages/server/src/providers/carrier/media-relay.ts';
import { carrierSocket } from '../../packages/server/src/providers/carrier/media-socket-routes.ts';
import { mediaSockets } from '../../packages/server/src/providers/carrier/media-sockets.ts';
import { realTimeClock } from '../../packages/server/src/providers/media/media-clock.ts';
import { answerQuestions } from '../side-process.ts';

export type MediaRelayQuestion =
  | { do: 'listen'; leader_port: number }
  /** Since the last request. */
  | { do: 'count' };
export type MediaRelayResult = { port: number; relayed: number; cpu_us: number };

const clock = realTimeClock();
const log = { warn() {} };
let leader_url = '';
const relay = mediaRelay({ locate: async () => leader_url, clock, log });
const sockets = mediaSockets({
  relay,
  announce: null,
  clock,
  log,
  carrier: 'bench',
  opening: (_, query) => ({
    token: query.get('token') ?? '',
    is_readable: true,
    dialect: { media: () => null, mark: () => null, clear: () => null },
  }),
  sendDigits: null,
  hangUp() {},
});
let cpu = process.cpuUsage();

answerQuestions<MediaRelayQuestion, MediaRelayResult>(async (question) => {
  let port = 0;
  if (question.do === 'listen') {
    leader_url = `http://127.0.0.1:${question.leader_port}`;
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
    server.on('connection', (socket, request) =>
      sockets.openMedia(
        carrierSocket(socket, request.socket),
        new URL(request.url!, 'ws://localhost').searchParams,
      ),
    );
    await new Promise((listening) => server.once('listening', listening));
    port = (server.address() as AddressInfo).port;
  }
  const used = process.cpuUsage(cpu);
  cpu = process.cpuUsage();
  return { port, relayed: relay.count(), cpu_us: used.user + used.system };
});

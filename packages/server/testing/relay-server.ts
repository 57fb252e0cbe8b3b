// A server that converses over ConversationRelay frames, written from the public frame tables and signature rule.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { after } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';
import { freePort } from './free-port.ts';

type Received = { type: string } & Record<string, unknown>;

export type RelaySession = {
  request: IncomingMessage;
  received: Received[];
  says(token: string, more?: object): void;
  send(frame: object): void;
  socket: WebSocket;
};

/** `converse` is called with every frame. Connections whose signature is wrong are refused, as servers for Twilio do. */
export async function relayServer(
  secret: string,
  converse: (frame: Received, session: RelaySession) => void,
): Promise<{ url: string; sessions: RelaySession[] }> {
  const port = await freePort();
  const url = `ws://127.0.0.1:${port}/relay?shop=7`;
  const signature = createHmac('sha1', secret).update(url).digest('base64');
  const sessions: RelaySession[] = [];
  const http = createServer();
  const sockets = new WebSocketServer({
    server: http,
    verifyClient: ({ req }: { req: IncomingMessage }) => req.headers['x-twilio-signature'] === signature,
  });
  sockets.on('connection', (socket, request) => {
    const send = (frame: object) => socket.send(JSON.stringify(frame));
    const session: RelaySession = {
      request,
      received: [],
      socket,
      send,
      says: (token, more = {}) => send({ type: 'text', token, last: true, ...more }),
    };
    sessions.push(session);
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as Received;
      session.received.push(frame);
      converse(frame, session);
    });
  });
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
  after(() => {
    for (const { socket } of sessions) socket.terminate();
    sockets.close();
    http.close();
  });
  return { url, sessions };
}

// A program with the frames of ConversationRelay: greets, answers each prompt, and ends after a goodbye.
import { createHmac } from 'node:crypto';
import { WebSocketServer } from 'ws';
import { listen, report } from './server.ts';

type Frame = {
  type: string;
  voicePrompt?: string;
  customParameters?: object;
  utteranceUntilInterrupt?: string;
};

const server = await listen((_request, response) => void response.writeHead(426).end());
const sockets = new WebSocketServer({ server });
sockets.on('connection', (socket, request) => {
  const url = `ws://${request.headers.host}${request.url}`;
  const expected = createHmac('sha1', process.env.RELAY_SECRET ?? '')
    .update(url)
    .digest('base64');
  report({ connected: true, is_signed: request.headers['x-twilio-signature'] === expected });
  const send = (frame: object) => socket.send(JSON.stringify(frame));
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data)) as Frame;
    report(frame);
    if (frame.type !== 'prompt') return;
    if (/goodbye/i.test(frame.voicePrompt ?? '')) {
      send({ type: 'text', token: 'Goodbye.', last: true });
      send({ type: 'end', handoffData: '{"reasonCode":"done"}' });
      return;
    }
    for (const token of ['You said ', frame.voicePrompt ?? '', '.'])
      send({ type: 'text', token, last: false });
    send({ type: 'text', token: '', last: true });
  });
});

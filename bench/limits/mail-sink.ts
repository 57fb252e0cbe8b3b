// A mail server that accepts and counts every message, with as little work as the protocol allows, because it runs on the
// measured machine.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { answerQuestions } from '../side-process.ts';

let accepted = 0;
let signed = 0;

const replies: Record<string, string> = {
  EHLO: '250-sink.test\r\n250-PIPELINING\r\n250-CHUNKING\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n',
  DATA: '354 Go on\r\n',
  QUIT: '221 Bye\r\n',
};
const end_of_message = '\r\n.\r\n';

function serve(socket: Socket): void {
  let unread = '';
  let in_message = false;
  socket.write('220 sink.test ESMTP\r\n');
  socket.on('error', () => {});
  const take = (start: number) => {
    accepted++;
    if (unread.startsWith('DKIM-Signature:', start)) signed++;
    return '250 OK: message queued\r\n';
  };
  socket.on('data', (chunk: Buffer) => {
    unread += chunk.toString('latin1');
    let reply = '';
    for (;;) {
      const end = unread.indexOf(in_message ? end_of_message : '\r\n');
      if (end === -1) break;
      let next = end + (in_message ? end_of_message.length : 2);
      const verb = in_message ? null : unread.slice(0, 4).toUpperCase();
      if (verb === null) reply += take(0);
      else if (verb === 'BDAT') {
        const start = next;
        next += Number.parseInt(unread.slice(5), 10);
        if (unread.length < next) break;
        reply += take(start);
      } else reply += replies[verb] ?? '250 OK\r\n';
      in_message = verb === 'DATA';
      unread = unread.slice(next);
    }
    if (reply !== '') socket.write(reply);
  });
}

const server = createServer({ noDelay: true }, serve).listen(0, '127.0.0.1');
await once(server, 'listening');

answerQuestions<Record<string, never>, { port: number; accepted: number; signed: number }>(async () => ({
  port: (server.address() as AddressInfo).port,
  accepted,
  signed,
}));

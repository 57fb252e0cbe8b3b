// A mail server that takes every message and counts it.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { answerQuestions } from '../side-process.ts';

let taken = 0;
let signed = 0;
const sink = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  onData(stream, _, done) {
    let first = true;
    stream.on('data', (chunk: Buffer) => {
      if (first && chunk.toString('latin1', 0, 15) === 'DKIM-Signature:') signed++;
      first = false;
    });
    stream.on('end', () => {
      taken++;
      done();
    });
  },
});
sink.listen(0, '127.0.0.1');
await once(sink.server, 'listening');

answerQuestions<Record<string, never>, { port: number; taken: number; signed: number }>(async () => ({
  port: (sink.server.address() as AddressInfo).port,
  taken,
  signed,
}));

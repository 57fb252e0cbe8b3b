// A relay for journeys that kill the service while it hands emails over: the test decides when each email gets its reply.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerEnvelope } from 'smtp-server';

export type ArrivedMail = {
  raw: string;
  envelope: SMTPServerEnvelope;
  /** Tells the service that the relay took the email. Without a call the service gets no reply. */
  accept(): void;
};

/** Returns the URL for `PARLEY_SMTP_URL`. */
export async function startMailSink(
  t: { after(done: () => Promise<void>): void },
  arrived: (mail: ArrivedMail) => void,
): Promise<string> {
  const relay = new SMTPServer({
    closeTimeout: 100,
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, { envelope }, done) {
      buffer(stream).then((raw) => arrived({ raw: raw.toString(), envelope, accept: () => done() }), done);
    },
  });
  // A process that is killed resets its connections.
  relay.on('error', () => {});
  relay.listen(0, '127.0.0.1');
  await once(relay.server, 'listening');
  t.after(() => new Promise((resolve) => relay.close(() => resolve())));
  return `smtp://127.0.0.1:${(relay.server.address() as AddressInfo).port}`;
}

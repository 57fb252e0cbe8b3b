// The address where a mail provider posts what became of emails.
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Log } from '../../platform/log.ts';
import type { MailTransport, ReceivedMail } from '../../providers/mail/transport.ts';
import type { Afterlife } from './afterlife.ts';
import type { EmailStore } from './store.ts';

const max_bytes = 512 * 1024;

export function addIntakeRoutes(
  app: FastifyInstance,
  deps: {
    transport: MailTransport | null;
    store: EmailStore;
    afterlife: Afterlife;
    log: Log;
    /** Mail that the provider received for us. */
    receive(mail: ReceivedMail, provider: string): Promise<void>;
  },
): void {
  const { transport } = deps;
  const intake = transport?.intake;
  if (!intake) return;
  void app.register(async (notices) => {
    // Providers call their JSON plain text; the signature covers what it says, so it is read by the transport.
    notices.removeAllContentTypeParsers();
    notices.addContentTypeParser('*', { parseAs: 'string', bodyLimit: max_bytes }, (_, body, done) =>
      done(null, body),
    );
    notices.post(intake.path, async (request, reply) => {
      const result = await intake.receive({ headers: request.headers, body: String(request.body ?? '') });
      if (!result.ok) throw new ApiError('notice_refused', { internal: new Error(result.reason) });
      if (result.received) await deps.receive(result.received, transport.name);
      for (const { provider_message_id, report } of result.reports) {
        const email = await deps.store.locate({ provider: transport.name, provider_message_id });
        // Not ours, or not yet known: asked again later, the provider tells once more.
        if (!email) throw new ApiError('not_found');
        await deps.afterlife.record(email.organization_id, email.id, report);
      }
      return reply.code(204).send();
    });
  });
}

// The pages behind tracking links: the picture, the redirect of a click, and unsubscribing. No cookies, no credential.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import type { DeliveryReports } from '../delivery-reports/delivery-reports.ts';
import { trackingPath } from '../send/outgoing-message.ts';
import type { EmailStore } from '../store.ts';
import { isMachine } from './bot-user-agents.ts';
import type { TrackingTokens } from './tokens.ts';

const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

type Visit = FastifyRequest<{ Params: { token: string } }>;

export function addTrackingRoutes(
  app: FastifyInstance,
  deps: { tokens: TrackingTokens; store: EmailStore; delivery_reports: DeliveryReports; ids: Ids; log: Log },
): void {
  const { tokens, store, deliveryReports, ids, log } = deps;

  /** A reader is answered whether or not the visit could be written down. */
  const note = async (kind: 'opened' | 'clicked', request: Visit, email_id: string, more: object) => {
    // HEAD is how programs look whether a link works.
    if (request.method === 'HEAD') return;
    const user_agent = request.headers['user-agent']?.slice(0, 500) ?? null;
    try {
      const found = await store.locate({ id: email_id });
      if (!found) return;
      await deliveryReports.visited({
        ...found,
        email_id,
        report: {
          kind,
          recipients: [],
          occurred_at: null,
          detail: { ip_address: request.ip, user_agent, machine: isMachine(user_agent), ...more },
          report_id: ids.next(),
        },
      });
    } catch (error) {
      log.warn({ err: error, email_id }, 'a visit was not recorded');
    }
  };

  const private_answer = (reply: FastifyReply) =>
    reply.headers({ 'cache-control': 'no-store, private', 'referrer-policy': 'no-referrer' });

  app.get(`${trackingPath.open}:token`, async (request: Visit, reply) => {
    const named = tokens.read('open', request.params.token);
    if (named) await note('opened', request, named.email_id, {});
    return private_answer(reply).header('content-type', 'image/gif').send(pixel);
  });

  app.get(`${trackingPath.click}:token`, async (request: Visit, reply) => {
    const named = tokens.read('click', request.params.token);
    // As a browser writes it: a header cannot hold every letter that a link may.
    const page = named && /^https?:\/\//i.test(named.target) ? URL.parse(named.target) : null;
    if (!named || !page) throw new ApiError('link_invalid');
    await note('clicked', request, named.email_id, { link: named.target });
    return private_answer(reply).redirect(page.href, 302);
  });

  const emailOf = async (request: Visit) => {
    const named = tokens.read('unsubscribe', request.params.token);
    const found = named && (await store.locate({ id: named.email_id }));
    if (!found) throw new ApiError('link_invalid');
    return found;
  };
  const page = (reply: FastifyReply, words: string) =>
    private_answer(reply)
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; form-action 'self'",
      })
      .send(
        `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Unsubscribe</title>${words}`,
      );

  // Scanners follow every link of a message: only a POST unsubscribes (RFC 8058 section 3.2).
  app.get(`${trackingPath.unsubscribe}:token`, async (request: Visit, reply) => {
    await emailOf(request);
    return page(reply, '<form method="post"><button>Unsubscribe</button></form>');
  });
  void app.register(async (forms) => {
    // What the form says is known already; any kind of it is read away.
    forms.removeAllContentTypeParsers();
    forms.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 4096 }, (_, __, done) =>
      done(null, null),
    );
    forms.post(`${trackingPath.unsubscribe}:token`, async (request: Visit, reply) => {
      const { organization_id, id } = await emailOf(request);
      await deliveryReports.unsubscribe(organization_id, id);
      return page(reply, '<p>You are unsubscribed.</p>');
    });
  });
}

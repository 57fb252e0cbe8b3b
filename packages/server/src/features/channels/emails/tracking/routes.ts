// The public URLs behind tracking links: the pixel, the redirect of a click, and unsubscribing. No cookies, no credentials.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { Log } from '../../../../platform/log.ts';
import type { DeliveryReports } from '../delivery-reports/delivery-reports.ts';
import type { EmailStore } from '../store.ts';
import { isBot } from './bot-user-agents.ts';
import { type TrackingTokens, trackingPath } from './tokens.ts';

const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

type TrackingDeps = {
  tokens: TrackingTokens;
  store: EmailStore;
  delivery_reports: DeliveryReports;
  ids: Ids;
  log: Log;
};
type Visit = FastifyRequest<{ Params: { token: string } }>;

export function addTrackingRoutes(app: FastifyInstance, deps: TrackingDeps): void {
  const { tokens } = deps;
  app.get(`${trackingPath.open}:token`, async (request: Visit, reply) => {
    const opened = tokens.read('open', request.params.token);
    if (opened) await recordVisit(deps, 'opened', request, opened.email_id, {});
    return notCached(reply).header('content-type', 'image/gif').send(pixel);
  });

  app.get(`${trackingPath.click}:token`, async (request: Visit, reply) => {
    const clicked = tokens.read('click', request.params.token);
    // Encoded as a browser would: a header cannot hold every character that a link may have.
    const page = clicked && /^https?:\/\//i.test(clicked.target) ? URL.parse(clicked.target) : null;
    if (!clicked || !page) throw new ApiError('link_invalid');
    await recordVisit(deps, 'clicked', request, clicked.email_id, { link: clicked.target });
    return notCached(reply).redirect(page.href, 302);
  });

  addUnsubscribeRoutes(app, deps);
}

function addUnsubscribeRoutes(app: FastifyInstance, deps: TrackingDeps): void {
  const emailOf = async (request: Visit) => {
    const token = deps.tokens.read('unsubscribe', request.params.token);
    const email = token && (await deps.store.locate({ id: token.email_id }));
    if (!email) throw new ApiError('link_invalid');
    return email;
  };

  // Scanners follow every link of a message: only a POST unsubscribes (RFC 8058 section 3.2).
  app.get(`${trackingPath.unsubscribe}:token`, async (request: Visit, reply) => {
    await emailOf(request);
    return sendPage(reply, '<form method="post"><button>Unsubscribe</button></form>');
  });
  void app.register(async (forms) => {
    // The token says everything, so a body of any type is accepted and ignored.
    forms.removeAllContentTypeParsers();
    forms.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 4096 }, (_, __, done) =>
      done(null, null),
    );
    forms.post(`${trackingPath.unsubscribe}:token`, async (request: Visit, reply) => {
      const { organization_id, id } = await emailOf(request);
      await deps.delivery_reports.unsubscribe(organization_id, id);
      return sendPage(reply, '<p>You are unsubscribed.</p>');
    });
  });
}

/** Never throws: the reader gets the pixel or the redirect even if the visit could not be stored. */
async function recordVisit(
  deps: TrackingDeps,
  kind: 'opened' | 'clicked',
  request: Visit,
  email_id: string,
  more: object,
): Promise<void> {
  // Programs use HEAD to check whether a link works; that is no visit.
  if (request.method === 'HEAD') return;
  const user_agent = request.headers['user-agent']?.slice(0, 500) ?? null;
  try {
    const email = await deps.store.locate({ id: email_id });
    if (!email) return;
    await deps.delivery_reports.recordVisit({
      ...email,
      email_id,
      report: {
        kind,
        recipients: [],
        occurred_at: null,
        detail: { ip_address: request.ip, user_agent, machine: isBot(user_agent), ...more },
        report_id: deps.ids.next(),
      },
    });
  } catch (error) {
    deps.log.warn({ err: error, email_id }, 'email visit not recorded');
  }
}

const notCached = (reply: FastifyReply) =>
  reply.headers({ 'cache-control': 'no-store, private', 'referrer-policy': 'no-referrer' });

const sendPage = (reply: FastifyReply, html: string) =>
  notCached(reply)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; form-action 'self'",
    })
    .send(
      `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Unsubscribe</title>${html}`,
    );

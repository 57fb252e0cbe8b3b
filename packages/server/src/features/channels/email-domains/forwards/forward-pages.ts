// The web pages of the links in a confirmation mail. Mail scanners open links, so only submitting the form changes anything.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ForwardAddresses, forward_paths } from './forward-addresses.ts';

type PageRequest = FastifyRequest<{ Params: { token: string } }>;

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (char) => escapes[char]!);

const sendPage = (reply: FastifyReply, page: { title: string; body: string; status?: number }) =>
  reply
    .code(page.status ?? 200)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store, private',
    })
    .send(
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${page.title}</title><main><h1>${page.title}</h1>${page.body}</main></html>`,
    );

/** The same page for links that were used, expired or never existed. */
const sendInvalid = (reply: FastifyReply) =>
  sendPage(reply, {
    status: 404,
    title: 'This link is no longer valid',
    body: '<p>It was used, has expired, or the address was removed. The sender of the request can send a new link.</p>',
  });

const how_to_stop =
  '<p>To stop it at any time, use the second link in the confirmation mail. Keep that mail.</p>';

export function addForwardPages(
  app: FastifyInstance,
  forwards: Pick<ForwardAddresses, 'open' | 'confirm' | 'stop'>,
): void {
  app.get(`${forward_paths.confirm}:token`, async (request: PageRequest, reply) => {
    const forward = await forwards.open('confirm', request.params.token);
    if (!forward) return sendInvalid(reply);
    const [from, to] = [escaped(forward.receives_at), escaped(forward.address)];
    return sendPage(reply, {
      title: 'Forward mail to you?',
      body: `<p>Mail that arrives at <strong>${from}</strong> would be forwarded to <strong>${to}</strong>.</p><form method="post"><button>Yes, forward it</button></form><p>If you do not want it, close this page.</p>${how_to_stop}`,
    });
  });
  app.get(`${forward_paths.stop}:token`, async (request: PageRequest, reply) => {
    const forward = await forwards.open('stop', request.params.token);
    if (!forward) return sendInvalid(reply);
    return sendPage(reply, {
      title: 'Stop forwarding?',
      body: `<p>Mail will no longer be forwarded to <strong>${escaped(forward.address)}</strong>.</p><form method="post"><button>Stop it</button></form>`,
    });
  });

  void app.register(async (forms) => {
    // The token is in the URL; the body of the form is ignored.
    forms.removeAllContentTypeParsers();
    forms.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 4096 }, (_, __, done) =>
      done(null, null),
    );
    forms.post(`${forward_paths.confirm}:token`, async (request: PageRequest, reply) =>
      (await forwards.confirm(request.params.token))
        ? sendPage(reply, {
            title: 'Confirmed',
            body: `<p>Mail will be forwarded to you.</p>${how_to_stop}`,
          })
        : sendInvalid(reply),
    );
    forms.post(`${forward_paths.stop}:token`, async (request: PageRequest, reply) =>
      (await forwards.stop(request.params.token))
        ? sendPage(reply, { title: 'Stopped', body: '<p>Mail is no longer forwarded to you.</p>' })
        : sendInvalid(reply),
    );
  });
}

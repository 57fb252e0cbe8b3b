// Previews: shows the HTML of an email in a browser, under its own URL and with headers that let nothing in it run.
import type { EmailPreview } from '@parley/contract/channels/emails/email-records';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../../../platform/clock.ts';
import { urlSigner } from '../../../../platform/crypto.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { EmailStore } from '../store.ts';

const prefix = '/mail-previews/';
const link_ms = 600_000;
/** Links open in a new tab, which is outside of the sandbox and gets no referrer. */
const sandbox = 'allow-popups allow-popups-to-escape-sandbox';

/** Also when opened directly, the page has no origin of ours, runs no scripts, submits no forms and sends no requests. */
const policy = (images: string) =>
  [
    "default-src 'none'",
    images === 'on' ? 'img-src data: https: http:' : 'img-src data:',
    "style-src 'unsafe-inline'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    `sandbox ${sandbox}`,
  ].join('; ');

export function mailPreviews(deps: {
  store: EmailStore;
  clock: Clock;
  preview_key: Buffer;
  baseUrl(): string;
}) {
  const { store, clock } = deps;
  const signer = urlSigner(deps.preview_key);
  const htmlOf = async (organization_id: string, id: string): Promise<string> => {
    const email = await store.find(organization_id, id);
    if (!email?.body_html) throw new ApiError('not_found');
    return email.body_html;
  };

  return {
    async link(
      organization_id: string,
      id: string,
      query: { remote_images?: 'true' | 'false' | undefined },
    ): Promise<EmailPreview> {
      await htmlOf(organization_id, id);
      const expires_at = new Date(clock.ms() + link_ms);
      const images = query.remote_images === 'true' ? 'on' : 'off';
      return {
        url: deps.baseUrl() + signer.sign(prefix + id, expires_at, { images, organization_id }),
        expires_at: expires_at.toISOString(),
      };
    },

    async open(path_with_query: string): Promise<{ html: string; images: string }> {
      const verdict = signer.verify(path_with_query, clock.now());
      if (!verdict.ok) throw new ApiError(verdict.reason === 'expired' ? 'link_expired' : 'link_invalid');
      const id = path_with_query.slice(prefix.length, path_with_query.indexOf('?'));
      const { organization_id, images } = verdict.claims as { organization_id: string; images: string };
      return { html: await htmlOf(organization_id, id), images };
    },
  };
}
export type MailPreviews = ReturnType<typeof mailPreviews>;

export function addPreviewRoutes(app: FastifyInstance, previews: MailPreviews): void {
  app.get(`${prefix}:email_id`, async (request: FastifyRequest, reply) => {
    const { html, images } = await previews.open(request.raw.url!);
    return (
      reply
        .headers({
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': policy(images),
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cross-origin-resource-policy': 'same-origin',
          'cache-control': 'private, no-store',
        })
        // The first <base> wins, so links open in a new tab even if the message has its own <base>.
        .send(`<!doctype html><meta charset="utf-8"><base target="_blank">${html}`)
    );
  });
}

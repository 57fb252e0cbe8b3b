// The response for a signed-in user who is not a member of any organization.
import type { FastifyReply } from 'fastify';
import { messagePage } from './account-pages.ts';
import type { PageDeps } from './page-tools.ts';
import { redirectTo, sendPage } from './web.ts';

/** Where sign-up is open the user creates an organization and then returns to `path`. */
export function sendNoOrganization(deps: PageDeps, reply: FastifyReply, path: string): FastifyReply {
  if (deps.sign_up === 'open') {
    return redirectTo(reply, `/auth/organizations/new?next=${encodeURIComponent(path)}`);
  }
  const text = 'You are not in an organization yet. Please ask for an invitation.';
  return sendPage(reply, messagePage('No organization', text), { status: 403 });
}

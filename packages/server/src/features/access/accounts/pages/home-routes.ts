// Serves the home page, the page for a new organization, the error page and the stylesheet.
import { errors } from '@parley/contract/errors';
import { limits } from '@parley/contract/limits';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../../../../platform/http/api-error.ts';
import { hasControls } from '../account-rules.ts';
import * as pages from './account-pages.ts';
import { actorOf, alert, type PageDeps, pageTools, query } from './page-tools.ts';
import { stylesheet } from './stylesheet.ts';
import { formOf, redirectTo, sendPage } from './web.ts';

export function addHomeRoutes(scope: FastifyInstance, deps: PageDeps): void {
  const may_create_organization = deps.sign_up === 'open';
  const { page } = pageTools(scope, deps);

  scope.get('/auth/style.css', (_, reply) =>
    reply
      .headers({ 'content-type': 'text/css; charset=utf-8', 'cache-control': 'max-age=3600' })
      .send(stylesheet),
  );

  page('/auth', async ({ user }, _, reply) =>
    sendPage(
      reply,
      pages.homePage({
        notice: null,
        name: user.name,
        email: user.email,
        organizations: await deps.organizations.ofUser(user.id),
        may_create_organization,
      }),
    ),
  );

  if (may_create_organization) addOrganizationRoutes(scope, deps);

  scope.get('/auth/error', (_, reply) =>
    sendPage(
      reply,
      pages.messagePage(
        'That did not work',
        'The program that sent you here made a request that this server does not support.',
      ),
      { status: 400 },
    ),
  );
}

function addOrganizationRoutes(scope: FastifyInstance, deps: PageDeps): void {
  const { attempts, organizations } = deps;
  const { next, page, userForm } = pageTools(scope, deps);
  const show = (reply: FastifyReply, notice: pages.Notice, target: string, status = 200) =>
    sendPage(reply, pages.newOrganizationPage({ notice, next: target }), { status });

  page('/auth/organizations/new', async (_, request, reply) =>
    show(reply, null, next(query(request, 'next'))),
  );

  userForm('/auth/organizations/new', async (user, request, reply) => {
    const field = formOf(request);
    const [name, target] = [field('organization').trim(), next(field('next'))];
    if (name === '' || name.length > limits.name_chars || hasControls(name)) {
      return show(reply, alert('Please enter a name for the organization.'), target, 422);
    }
    await attempts.countCreation(request.ip);
    try {
      await organizations.createOwn(actorOf(request, user), user.user, name);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'too_many_organizations') throw error;
      return show(reply, alert(`${error.message} ${errors.too_many_organizations.fix}`), target, 409);
    }
    return redirectTo(reply, target);
  });
}

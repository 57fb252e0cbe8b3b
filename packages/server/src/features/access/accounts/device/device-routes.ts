// Serves the pages on which a user enters the code of a device, and approves or denies it.
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { SignedIn } from '../engine.ts';
import { messagePage } from '../pages/account-pages.ts';
import { sendNoOrganization } from '../pages/no-organization.ts';
import { actorOf, alert, type PageDeps, pageTools, query } from '../pages/page-tools.ts';
import { formOf, sendPage } from '../pages/web.ts';
import { readUserCode } from './device-logins.ts';
import { deviceApprovalPage, deviceCodePage } from './device-pages.ts';

const unknown_code = 'This code does not exist or has expired. Please check it on the device.';

export function addDeviceRoutes(scope: FastifyInstance, deps: PageDeps): void {
  const { attempts, organizations, devices } = deps;
  const { page, userForm } = pageTools(scope, deps);

  const sendUnknownCode = (reply: FastifyReply) =>
    sendPage(reply, deviceCodePage({ notice: alert(unknown_code) }), { status: 404 });

  const showApproval = async (
    user: SignedIn,
    reply: FastifyReply,
    entered: string,
    opened_by_link: boolean,
  ): Promise<FastifyReply> => {
    const user_code = readUserCode(entered);
    await attempts.countDeviceCode(user.user.id);
    const login = user_code && (await devices.findUndecided(user_code));
    if (!login) return sendUnknownCode(reply);
    const choices = await organizations.ofUser(user.user.id);
    if (choices.length === 0) return sendNoOrganization(deps, reply, `/auth/device?user_code=${user_code}`);
    return sendPage(
      reply,
      deviceApprovalPage({ user_code, ...login, organizations: choices, opened_by_link }),
    );
  };

  page('/auth/device', async (user, request, reply) => {
    const entered = query(request, 'user_code');
    return entered === ''
      ? sendPage(reply, deviceCodePage({ notice: null }))
      : showApproval(user, reply, entered, true);
  });

  userForm('/auth/device', async (user, request, reply) => {
    const field = formOf(request);
    const [step, entered] = [field('step'), field('user_code')];
    if (step === 'enter') return showApproval(user, reply, entered, false);
    await attempts.countDeviceCode(user.user.id);
    const user_code = readUserCode(entered);
    const choices = await organizations.ofUser(user.user.id);
    const organization = choices.find((each) => each.id === field('organization_id'));
    const approved = step === 'approve';
    const is_decided =
      user_code &&
      organization &&
      (await devices.decide(actorOf(request, user), {
        user_code,
        organization_id: organization.id,
        approved,
      }));
    if (!is_decided) return sendUnknownCode(reply);
    return sendPage(
      reply,
      approved
        ? messagePage('Device connected', 'You can close this page and go back to the device.')
        : messagePage('Device denied', 'The device gets no key.'),
    );
  });
}

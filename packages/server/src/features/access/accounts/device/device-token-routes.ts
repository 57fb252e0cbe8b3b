// Serves the routes with which a device starts its login and polls for its key (RFC 8628).
import { admin_scope, decide_scope } from '@parley/contract/access/roles';
import { known_scopes } from '@parley/contract/scopes';
import { allowAllOrigins, refuse } from '../oauth/protocol-answers.ts';
import { fieldsOf, type ProtocolDeps, type ProtocolHttp } from '../oauth/protocol-http.ts';
import { anonymousActor } from '../pages/page-tools.ts';
import { device_clients, device_grant } from './device-logins.ts';

const max_scopes = 50;

/** A device never gets admin rights, even when a superadmin approves it, and never decides approvals. */
const isDeviceScope = (scope: string) =>
  scope !== admin_scope && scope !== decide_scope && known_scopes.includes(scope);

export function addDeviceTokenRoutes({ post }: ProtocolHttp, { devices, attempts }: ProtocolDeps): void {
  post('/auth/device/code', async (request, reply) => {
    await attempts.countCreation(request.ip);
    const field = fieldsOf(request);
    const client_id = field('client_id');
    if (!Object.hasOwn(device_clients, client_id)) return refuse(reply, 'invalid_client');
    const scopes = field('scope')
      .split(' ')
      .filter((scope) => scope !== '');
    if (scopes.length > max_scopes || !scopes.every(isDeviceScope)) return refuse(reply, 'invalid_scope');
    return allowAllOrigins(reply).send(await devices.start(client_id, scopes.length > 0 ? scopes : ['*']));
  });

  post('/auth/device/token', async (request, reply) => {
    const field = fieldsOf(request);
    if (field('grant_type') !== device_grant) return refuse(reply, 'unsupported_grant_type');
    const result = await devices.redeem(anonymousActor(request), field('client_id'), field('device_code'));
    if ('error' in result) return refuse(reply, result.error);
    return allowAllOrigins(reply).send({ ...result, token_type: 'Bearer' });
  });
}

// Identity: who a credential belongs to.
import { z } from 'zod';
import { Uuid } from './fields.ts';
import { nil_uuid } from './limits.ts';
import { defineOperations } from './operation.ts';

export const authKinds = ['shared_key', 'apikey', 'jwt'] as const;

export const Identity = z
  .strictObject({
    auth_kind: z.enum(authKinds).describe('How the credential was recognised.'),
    organization_id: Uuid.describe('The organization whose resources this credential sees.'),
    user_id: Uuid,
    email: z.string().nullable(),
    name: z.string().nullable(),
    superadmin: z
      .boolean()
      .describe(
        'Whether this credential may use the administration paths: the shared key, a fresh console session of a superadmin, or a superadmin’s key with the scope admin.',
      ),
  })
  .meta({ id: 'Identity' });
export type Identity = z.infer<typeof Identity>;

export const identity = defineOperations('identity', 'Who you are to this server.', {
  whoami: {
    method: 'GET',
    path: '/v1/whoami',
    summary: 'Tell who the credential belongs to',
    description: 'Works with every valid credential, whatever its scopes.',
    access: 'any_credential',
    success: {
      status: 200,
      body: Identity,
      example: {
        auth_kind: 'shared_key',
        organization_id: nil_uuid,
        user_id: nil_uuid,
        email: null,
        name: 'Shared key',
        superadmin: true,
      },
    },
  },
});

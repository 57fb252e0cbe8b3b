// Identity: the organization and person a credential belongs to.
import { z } from 'zod';
import { nil_uuid } from '../limits.ts';
import { defineOperations } from '../operation.ts';
import { Uuid } from '../schema/fields.ts';

export const authKinds = ['shared_key', 'operator_key', 'apikey', 'jwt', 'conversation_token'] as const;

export const Identity = z
  .strictObject({
    auth_kind: z.enum(authKinds).describe('The kind of the credential.'),
    organization_id: Uuid.describe('The organization whose records this credential can access.'),
    user_id: Uuid,
    email: z.string().nullable(),
    name: z.string().nullable(),
    superadmin: z
      .boolean()
      .describe(
        'true if this credential may use the administration endpoints: the shared key, the operator key, a recent console session of a superadmin, or a superadmin’s key with the scope admin.',
      ),
  })
  .meta({ id: 'Identity' });
export type Identity = z.infer<typeof Identity>;

export const identity = defineOperations('identity', 'The owner and the rights of your credential.', {
  whoami: {
    method: 'GET',
    path: '/v1/whoami',
    summary: 'Get the owner of the credential',
    description: 'Works with every valid credential, regardless of its scopes.',
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

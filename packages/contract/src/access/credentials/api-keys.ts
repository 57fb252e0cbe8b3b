// API keys: credentials that a person issues to programs, shown once and stored only as a hash.
import { z } from 'zod';
import { limits } from '../../limits.ts';
import { defineOperations } from '../../operation.ts';
import { pageOf, pageQuery, Timestamp, Uuid } from '../../schema/fields.ts';
import { Scope } from '../roles.ts';

/** Prefix of every issued key, so that people and secret scanners recognize it. */
export const api_key_prefix = 'parley_key_';

const fields = {
  id: Uuid,
  organization_id: Uuid,
  user_id: Uuid.describe(
    'The person who owns the key. The key works while that person is a member. The nil id for a key that the shared key or the operator key created.',
  ),
  parent_key_id: Uuid.nullable().describe(
    'The key that created this one; null when a person did. The budgets, rules and request limit of the parent apply to this key too, and it ends with its parent.',
  ),
  name: z.string(),
  start: z.string().describe('The first characters of the key, to identify it in a list.'),
  scopes: z.array(z.string()),
  grants_consent: z
    .boolean()
    .describe(
      'The key may send over SMTP submission and the compatible endpoints, which have no recipient_consent.',
    ),
  created_at: Timestamp,
  expires_at: Timestamp.nullable().describe('null: the key does not expire.'),
  last_used_at: Timestamp.nullable().describe('Accurate to the minute.'),
};

export const ApiKey = z.strictObject(fields).meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

export const NewApiKey = z
  .strictObject({
    ...fields,
    key: z.string().describe('The key itself. It is returned only in this response.'),
  })
  .meta({ id: 'NewApiKey' });
export type NewApiKey = z.infer<typeof NewApiKey>;

export const apiKeyFields = {
  name: z.string().trim().min(1).max(limits.name_chars).describe('What the key is for.'),
  scopes: z
    .array(Scope)
    .min(1)
    .max(50)
    .optional()
    .describe(
      'What the key may do. Default: *. A key cannot have more scopes than the credential that creates it. Only the shared key and a recent console session of a superadmin can grant admin.',
    ),
  grants_consent: z
    .boolean()
    .optional()
    .describe(
      'Confirms for everything that is sent with the key that the recipients agreed to be contacted. SMTP submission and the compatible endpoints need it, because their requests have no recipient_consent. Only a person can grant it. Default: false.',
    ),
  expires_at: z.iso
    .datetime({ offset: true })
    .nullish()
    .describe(
      'When the key stops working. Default: never. It cannot be later than the expiry of the credential that creates the key.',
    ),
};

export const ApiKeyCreate = z.strictObject(apiKeyFields).meta({ id: 'ApiKeyCreate' });
export type ApiKeyCreate = z.output<typeof ApiKeyCreate>;

export const apiKeyExample: ApiKey = {
  id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e70',
  organization_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e71',
  user_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e72',
  parent_key_id: null,
  name: 'Support agent',
  start: 'parley_key_Zk3v',
  scopes: ['*'],
  grants_consent: false,
  created_at: '2026-06-06T12:00:00.000Z',
  expires_at: null,
  last_used_at: null,
};
export const newApiKeyExample: NewApiKey = {
  ...apiKeyExample,
  key: 'parley_key_Zk3v0dYq1m8Jt2Qh5Wc9Xb4Nf7Ls6Pa3Re0Tu1Iy2Oe4',
};

export const apiKeys = defineOperations(
  'api_keys',
  'API keys for your programs. On a server with a shared key they belong to its organization and have fewer rights than it.',
  {
    create: {
      method: 'POST',
      path: '/v1/api-keys',
      summary: 'Create a key',
      description:
        'The response contains the key once; the server stores only its hash. A key that another key creates is its child: it has the budgets, rules and end of its parent.',
      body: ApiKeyCreate,
      body_example: { name: 'Support agent', scopes: ['contacts:read', 'contacts:write'] },
      success: { status: 201, body: NewApiKey, example: newApiKeyExample },
      errors: [
        'not_found',
        'operator_session_needed',
        'person_required',
        'credential_cannot_issue',
        'outlives_credential',
        'too_many_keys',
      ],
    },
    list: {
      method: 'GET',
      path: '/v1/api-keys',
      summary: 'List keys, newest first',
      description: 'Owners and admins see every key of the organization, members their own.',
      query: z.strictObject(pageQuery),
      success: {
        status: 200,
        body: pageOf(ApiKey, 'ApiKeyPage'),
        example: { items: [apiKeyExample], next_cursor: null },
      },
    },
    revoke: {
      method: 'DELETE',
      path: '/v1/api-keys/{api_key_id}',
      summary: 'Revoke a key',
      description:
        'The key stops working immediately, with every key that it created. Owners and admins may revoke every key, members their own.',
      params: z.strictObject({ api_key_id: Uuid }),
      success: { status: 204 },
    },
  },
);

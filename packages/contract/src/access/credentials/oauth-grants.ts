// OAuth grants: the programs that a person allowed to act for them, per organization.
import { z } from 'zod';
import { defineOperations } from '../../operation.ts';
import { pageOf, pageQuery, Timestamp, Uuid } from '../../schema/fields.ts';

export const OauthGrant = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    user_id: Uuid.describe('The person who allowed the program.'),
    client_id: z.string(),
    client_name: z.string().nullable().describe('The name that the program gave itself; it is not verified.'),
    redirect_uris: z.array(z.string()).describe('The redirect URIs of the program.'),
    scopes: z.array(z.string()),
    created_at: Timestamp.describe('When the person first allowed it.'),
    updated_at: Timestamp.describe('When the person last allowed it.'),
  })
  .meta({ id: 'OauthGrant' });
export type OauthGrant = z.infer<typeof OauthGrant>;

const example: OauthGrant = {
  id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e76',
  organization_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e71',
  user_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e72',
  client_id: 'Zk3v0dYq1m8Jt2Qh5Wc9Xb4Nf7Ls6Pa3',
  client_name: 'An agent’s client',
  redirect_uris: ['http://127.0.0.1:53117/callback'],
  scopes: ['parley', 'offline_access'],
  created_at: '2026-06-06T12:00:00.000Z',
  updated_at: '2026-06-06T12:00:00.000Z',
};

export const oauthGrants = defineOperations(
  'oauth_grants',
  'Programs that people connected with OAuth; managed mode only.',
  {
    list: {
      method: 'GET',
      path: '/v1/oauth-grants',
      summary: 'List connected programs, newest first',
      description: 'Owners and admins see every grant of the organization, members their own.',
      query: z.strictObject(pageQuery),
      success: {
        status: 200,
        body: pageOf(OauthGrant, 'OauthGrantPage'),
        example: { items: [example], next_cursor: null },
      },
    },
    revoke: {
      method: 'DELETE',
      path: '/v1/oauth-grants/{oauth_grant_id}',
      summary: 'Disconnect a program',
      description:
        'Its access and refresh tokens stop working: immediately in the process that handles this request, within a second in all others. Owners and admins may revoke every grant, members their own.',
      params: z.strictObject({ oauth_grant_id: Uuid }),
      success: { status: 204 },
    },
  },
);

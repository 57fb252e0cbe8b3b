// What the operator of the service steers and sees beyond organizations: the kill switch and the audit log.
import { z } from 'zod';
import { pageOf, pageQuery, Timestamp, Uuid } from './fields.ts';
import { defineOperations } from './operation.ts';

/** The ways to reach people that are capped by the hour and can be stopped. */
export const channels = ['calls', 'emails', 'sms'] as const;
export type Channel = (typeof channels)[number];

const Stopped = z.boolean().describe('true: nothing new goes out on this channel, for anybody.');

export const KillSwitch = z
  .strictObject({ calls: Stopped, emails: Stopped, sms: Stopped })
  .meta({ id: 'KillSwitch' });
export type KillSwitch = z.infer<typeof KillSwitch>;

export const KillSwitchPatch = z
  .strictObject({ calls: Stopped.optional(), emails: Stopped.optional(), sms: Stopped.optional() })
  .describe('A channel left out keeps its state.')
  .meta({ id: 'KillSwitchPatch' });
export type KillSwitchPatch = z.output<typeof KillSwitchPatch>;

export const killSwitch = defineOperations(
  'kill_switch',
  'Stops a channel for everybody; superadmins only.',
  {
    get: {
      method: 'GET',
      path: '/v1/admin/kill-switch',
      summary: 'Tell which channels are stopped',
      access: 'superadmin',
      success: { status: 200, body: KillSwitch, example: { calls: false, emails: false, sms: false } },
    },
    update: {
      method: 'PATCH',
      path: '/v1/admin/kill-switch',
      summary: 'Stop a channel or let it go on',
      description:
        'Takes effect on every process within a second. Requests are then answered 429 kill_switch; what is queued waits and ends with not_allowed when it waited too long; calls to your numbers are declined.',
      access: 'superadmin',
      body: KillSwitchPatch,
      body_example: { calls: true },
      success: { status: 200, body: KillSwitch, example: { calls: true, emails: false, sms: false } },
    },
  },
);

export const AuditEntry = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid.nullable().describe('Whose things were changed; null: the whole service.'),
    user_id: Uuid.nullable().describe('Who did it; null: the shared key or the service itself.'),
    credential_id: z.string().nullable(),
    action: z.string().describe('What was done, such as api_key.revoked.'),
    object_id: z.string().nullable().describe('To what it was done.'),
    ip: z.string().nullable(),
    request_id: z.string().nullable(),
    detail: z.record(z.string(), z.unknown()),
    created_at: Timestamp,
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;

const entry: AuditEntry = {
  id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e76',
  organization_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e71',
  user_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e72',
  credential_id: 'key:019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e70',
  action: 'api_key.revoked',
  object_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e70',
  ip: '203.0.113.7',
  request_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e77',
  detail: { name: 'Support agent' },
  created_at: '2026-06-06T12:00:00.000Z',
};

export const auditLog = defineOperations('audit_log', 'Who changed what; superadmins only.', {
  list: {
    method: 'GET',
    path: '/v1/admin/audit-log',
    summary: 'List what was done with credentials and by administrators, newest first',
    access: 'superadmin',
    query: z.strictObject({
      ...pageQuery,
      organization_id: Uuid.optional(),
      action: z.string().min(1).max(100).optional(),
    }),
    success: {
      status: 200,
      body: pageOf(AuditEntry, 'AuditEntryPage'),
      example: { items: [entry], next_cursor: null },
    },
  },
});

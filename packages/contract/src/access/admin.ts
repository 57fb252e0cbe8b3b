// Operator controls that apply to the whole service: the kill switch and the audit log.
import { z } from 'zod';
import { defineOperations } from '../operation.ts';
import { pageOf, pageQuery, Timestamp, Uuid } from '../schema/fields.ts';

/** The channels that have an hourly cap and a kill switch. */
export const channels = ['calls', 'emails', 'sms'] as const;
export type Channel = (typeof channels)[number];

const Stopped = z.boolean().describe('true: no organization can send anything new on this channel.');

export const KillSwitch = z
  .strictObject({ calls: Stopped, emails: Stopped, sms: Stopped })
  .meta({ id: 'KillSwitch' });
export type KillSwitch = z.infer<typeof KillSwitch>;

export const KillSwitchPatch = z
  .strictObject({ calls: Stopped.optional(), emails: Stopped.optional(), sms: Stopped.optional() })
  .describe('Channels that are left out keep their state.')
  .meta({ id: 'KillSwitchPatch' });
export type KillSwitchPatch = z.output<typeof KillSwitchPatch>;

export const killSwitch = defineOperations(
  'kill_switch',
  'Stops a channel for every organization; superadmins only.',
  {
    get: {
      method: 'GET',
      path: '/v1/admin/kill-switch',
      summary: 'Get which channels are stopped',
      access: 'superadmin',
      success: { status: 200, body: KillSwitch, example: { calls: false, emails: false, sms: false } },
    },
    update: {
      method: 'PATCH',
      path: '/v1/admin/kill-switch',
      summary: 'Stop or resume a channel',
      description:
        'Takes effect on every process within a second. While a channel is stopped, requests get 429 kill_switch, queued messages and calls wait (and fail with not_allowed if they wait too long), and calls to your numbers are declined. The shared key of a server with an operator key stops channels, and does not resume them.',
      access: 'superadmin',
      body: KillSwitchPatch,
      body_example: { calls: true },
      success: { status: 200, body: KillSwitch, example: { calls: true, emails: false, sms: false } },
      errors: ['person_required'],
    },
  },
);

const ChannelState = z
  .enum(['open', 'stopped'])
  .describe('stopped: a person stopped the channel for the whole service.');

export const Channels = z
  .strictObject({ calls: ChannelState, emails: ChannelState, sms: ChannelState })
  .meta({ id: 'Channels' });
export type Channels = z.infer<typeof Channels>;

export const channelStates = defineOperations(
  'channels',
  'Whether calls, emails and texts can be sent now, or a person stopped them.',
  {
    get: {
      method: 'GET',
      path: '/v1/channels',
      summary: 'Get which channels are open',
      description: 'For every credential: a program sees here why its requests get 429 kill_switch.',
      access: 'any_credential',
      success: { status: 200, body: Channels, example: { calls: 'open', emails: 'open', sms: 'stopped' } },
    },
  },
);

export const AuditEntry = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid.nullable().describe(
      'The organization whose records were changed; null: the whole service.',
    ),
    user_id: Uuid.nullable().describe('The person who did it; null: the shared key or the service itself.'),
    credential_id: z.string().nullable(),
    action: z.string().describe('The action, such as api_key.revoked.'),
    object_id: z.string().nullable().describe('The id of the record that was changed.'),
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
    summary: 'List actions on credentials and actions of administrators, newest first',
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

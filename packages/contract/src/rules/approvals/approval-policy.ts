// The approval policy: which messages and calls wait for a person, and the recipients that need no approval.
import { z } from 'zod';
import { channels } from '../../access/admin.ts';
import { roles } from '../../access/roles.ts';
import { limits } from '../../limits.ts';
import { defineOperations } from '../../operation.ts';
import { Timestamp, Uuid } from '../../schema/fields.ts';
import { exitChannels } from '../exits.ts';
import { purposes } from './hold.ts';

export const approvalSubjectKinds = ['any', 'api_key', 'oauth_grant', 'agent'] as const;
export const plainConditions = [
  'always',
  'new_recipient',
  'not_vouched',
  'has_attachment',
  'outside_hours',
] as const;
export const approvalActions = ['hold', 'refuse', 'allow'] as const;
/** What a rule can apply to: everything that is sent, and changes that cost money or let data leave in another way. */
export const approvalChannels = [...channels, 'number_purchase', 'forward_address', ...exitChannels] as const;
export type ApprovalChannel = (typeof approvalChannels)[number];
/** by_tool: what the tool itself says. */
export const agentApprovals = ['by_tool', 'all_acts'] as const;
export const decisionWays = ['console', 'link'] as const;

const Subject = z
  .strictObject({
    kind: z
      .enum(approvalSubjectKinds)
      .describe('any: every key, program and agent. People who are signed in need no approval.'),
    id: Uuid.nullish().describe('Only this key, OAuth grant or agent; left out: all of the kind.'),
  })
  .meta({ id: 'ApprovalSubject' });

const over = (max: number, description: string) => z.int().min(0).max(max).describe(description);
export const ApprovalCondition = z
  .union([
    z.enum(plainConditions),
    z.strictObject({
      recipients_over: over(limits.email_recipients, 'It has more recipients than this.'),
    }),
    z.strictObject({
      batch_over: over(limits.page_max, 'It is part of a batch of more messages than this.'),
    }),
    z.strictObject({
      amount_over_micros: over(1_000_000_000_000, 'It costs more than this, by the price list.'),
    }),
    z.strictObject({ purpose: z.enum(purposes) }),
  ])
  .describe(
    'always; new_recipient: no contact that a person vouched for, and no earlier message within a year; not_vouched: nobody vouched for a recipient, see Contact.is_vouched and trusted recipients; has_attachment; outside_hours: outside the quiet hours’ window of the recipient; or one limit such as {"recipients_over": 5}.',
  )
  .meta({ id: 'ApprovalCondition' });
export type ApprovalCondition = z.output<typeof ApprovalCondition>;

const Approver = z
  .strictObject({
    kind: z.enum(['role', 'member']),
    id: z
      .string()
      .min(1)
      .max(60)
      .describe(`A role (${roles.join(', ')}) or the id of a member.`),
  })
  .describe('Owners can always decide. A role includes the roles above it.')
  .meta({ id: 'ApprovalApprover' });

const ruleFields = {
  name: z.string().trim().min(1).max(limits.approval_rule_name_chars),
  subjects: z.array(Subject).min(1).max(20),
  channels: z
    .array(z.enum(approvalChannels))
    .min(1)
    .max(approvalChannels.length)
    .describe(
      'forward_address: a new address in forward_to of an email domain. webhooks, tools, mcp_servers, providers: requests that create, change or test one, or name an engine with an address of its own.',
    ),
  when: z.array(ApprovalCondition).min(1).max(10).describe('Applies when one of these is true.'),
  then: z.enum(approvalActions),
  approvers: z.array(Approver).min(1).max(20),
  decide_by: z
    .array(z.enum(decisionWays))
    .min(1)
    .max(decisionWays.length)
    .describe('console: signed in, or with the API. link: a link that is mailed to each approver.'),
  expires_in_seconds: z.int().min(300).max(604_800),
};

export const ApprovalRule = z.strictObject(ruleFields).meta({ id: 'ApprovalRule' });
export type ApprovalRule = z.output<typeof ApprovalRule>;

export const approval_rule_defaults = {
  subjects: [{ kind: 'any' as const }],
  channels: [...approvalChannels],
  approvers: [{ kind: 'role' as const, id: 'admin' }],
  decide_by: ['console' as const],
  expires_in_seconds: 86_400,
};

const ApprovalRuleInput = z
  .strictObject({
    ...ruleFields,
    subjects: ruleFields.subjects.optional().describe('Default: any.'),
    channels: ruleFields.channels.optional().describe('Default: all.'),
    approvers: ruleFields.approvers.optional().describe('Default: the role admin, which includes owners.'),
    decide_by: ruleFields.decide_by.optional().describe('Default: console.'),
    expires_in_seconds: ruleFields.expires_in_seconds.optional().describe('Default: 86400, a day.'),
  })
  .meta({ id: 'ApprovalRuleInput' });
export type ApprovalRuleInput = z.output<typeof ApprovalRuleInput>;

const rules = z
  .array(ApprovalRuleInput)
  .max(limits.approval_rules)
  .describe('The first rule that fits decides; without one it is allowed. An empty list ends the policy.');

const AgentApproval = z
  .enum(agentApprovals)
  .describe('all_acts: agents use tools that change something, or write to people, only after an approval.');

export const ApprovalPolicy = z
  .strictObject({
    version: z.int().describe('Grows with every change of the rules for sending.'),
    rules: z.array(ApprovalRule),
    agent_approval: AgentApproval,
  })
  .meta({ id: 'ApprovalPolicy' });
export type ApprovalPolicy = z.output<typeof ApprovalPolicy>;

export const ApprovalPolicySet = z
  .strictObject({
    rules,
    agent_approval: AgentApproval.optional().describe('Left out: as before. Default: by_tool.'),
    version: z
      .int()
      .min(0)
      .optional()
      .describe('The version that you read. When the rules changed since, 409 rules_changed.'),
  })
  .meta({ id: 'ApprovalPolicySet' });
export type ApprovalPolicySet = z.output<typeof ApprovalPolicySet>;

export const ApprovalDryRun = z
  .strictObject({
    since: Timestamp,
    considered: z.int().describe('Messages and calls since then, at most the newest 5000 of each channel.'),
    held: z.int(),
    refused: z.int(),
    by_rule: z.array(z.strictObject({ rule: z.string(), matched: z.int() })),
    examples: z.array(
      z.strictObject({
        noun: z.enum(['call', 'email', 'sms']),
        id: Uuid,
        to: z.array(z.string()),
        requested_at: Timestamp,
        rule: z.string(),
        outcome: z.enum(['hold', 'refuse']),
      }),
    ),
    unknown_subjects: z
      .int()
      .describe('Records whose sender is not stored: rules for one key, grant or agent do not match them.'),
  })
  .meta({ id: 'ApprovalDryRun' });
export type ApprovalDryRun = z.output<typeof ApprovalDryRun>;

export const TrustedRecipients = z
  .strictObject({
    recipients: z
      .array(z.string().trim().min(3).max(limits.email_address_chars))
      .max(limits.trusted_recipients)
      .describe('Email addresses, phone numbers in E.164 form, or domains such as example.com.'),
  })
  .meta({ id: 'TrustedRecipients' });
export type TrustedRecipients = z.output<typeof TrustedRecipients>;

export const ruleExample: ApprovalRule = {
  name: 'Strangers',
  subjects: [{ kind: 'any' }],
  channels: ['emails', 'sms'],
  when: ['not_vouched', { recipients_over: 5 }],
  then: 'hold',
  approvers: [{ kind: 'role', id: 'admin' }],
  decide_by: ['console', 'link'],
  expires_in_seconds: 86_400,
};
const example: ApprovalPolicy = { version: 7, rules: [ruleExample], agent_approval: 'by_tool' };
const bodyExample = { rules: [{ name: 'Strangers', when: ['not_vouched'], then: 'hold' }] };

export const approvalPolicy = defineOperations(
  'approval_policy',
  'Which messages and calls wait for a person, or are refused.',
  {
    get: {
      method: 'GET',
      path: '/v1/approval-policy',
      summary: 'Read the approval policy',
      success: { status: 200, body: ApprovalPolicy, example },
    },
    set: {
      method: 'PUT',
      path: '/v1/approval-policy',
      summary: 'Replace the approval policy',
      description:
        'Only owners and admins who are signed in, or the operator key. It applies on every process within a second, also to records that already wait. A rule that holds messages back without an approver is refused.',
      body: ApprovalPolicySet,
      body_example: bodyExample,
      success: { status: 200, body: ApprovalPolicy, example },
      errors: ['person_required', 'no_approver', 'rules_changed', 'address_received_here'],
    },
    dry_run: {
      method: 'POST',
      path: '/v1/approval-policy/dry-run',
      summary: 'Find out what a policy would have held',
      description:
        'Applies the rules to what was sent in the last 7 days and changes nothing. Whether a recipient is vouched for is judged as of now; new_recipient counts the first message of these days to each recipient that nobody vouched for; outside_hours never applies.',
      body: ApprovalPolicySet,
      body_example: bodyExample,
      success: {
        status: 200,
        body: ApprovalDryRun,
        example: {
          since: '2026-05-30T12:00:00.000Z',
          considered: 840,
          held: 12,
          refused: 0,
          by_rule: [{ rule: 'Strangers', matched: 12 }],
          examples: [
            {
              noun: 'email',
              id: '019a8c1e-8d20-7b55-a1c3-6e7f80911223',
              to: ['bob@example.org'],
              requested_at: '2026-06-06T12:00:00.000Z',
              rule: 'Strangers',
              outcome: 'hold',
            },
          ],
          unknown_subjects: 840,
        },
      },
    },
  },
);

export const trustedRecipients = defineOperations(
  'trusted_recipients',
  'Recipients that a person vouched for, beside contacts.',
  {
    get: {
      method: 'GET',
      path: '/v1/trusted-recipients',
      summary: 'Read the trusted recipients',
      success: { status: 200, body: TrustedRecipients, example: { recipients: ['example.com'] } },
    },
    set: {
      method: 'PUT',
      path: '/v1/trusted-recipients',
      summary: 'Replace the trusted recipients',
      description: 'Only owners and admins who are signed in, or the operator key.',
      body: TrustedRecipients,
      body_example: { recipients: ['example.com', 'ana@example.org', '+14155550123'] },
      success: {
        status: 200,
        body: TrustedRecipients,
        example: { recipients: ['example.com', 'ana@example.org', '+14155550123'] },
      },
      errors: ['person_required'],
    },
  },
);

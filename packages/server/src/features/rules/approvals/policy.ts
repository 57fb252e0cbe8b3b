// Reads and replaces the approval policy and the trusted recipients of an organization.
import {
  type ApprovalDryRun,
  type ApprovalPolicy,
  type ApprovalPolicySet,
  type ApprovalRule,
  approval_rule_defaults,
  type TrustedRecipients,
} from '@parley/contract/rules/approvals/approval-policy';
import { validationError } from '../../../platform/http/api-error.ts';
import type { Context } from '../../../platform/http/context.ts';
import type { SystemMailSender } from '../../../platform/system-mail.ts';
import type { SendingRulesFeature } from '../sending-rules/index.ts';
import type { ApproverStore } from './approvers/approver-store.ts';
import { requireApprovers } from './approvers/approvers.ts';
import { type DryRunDeps, dryRun } from './dry-run.ts';
import { readTrusted } from './parties/parties.ts';

export type PolicyDeps = DryRunDeps & {
  rules: SendingRulesFeature;
  approvers: ApproverStore;
  has_operator_key: boolean;
  canMail(): boolean;
  mail: Pick<SystemMailSender, 'isReceivedHere'>;
};

/** With `all_acts`, at least one person must be able to decide. */
const tools_rule: ApprovalRule = {
  ...approval_rule_defaults,
  name: 'Tools of agents',
  when: ['always'],
  then: 'hold',
};

export const policyService = (deps: PolicyDeps) => ({
  async get(organization_id: string): Promise<ApprovalPolicy> {
    const { version, approval_policy, agent_approval } = await deps.rules.current(organization_id);
    return { version, rules: [...(approval_policy ?? [])], agent_approval: agent_approval ?? 'by_tool' };
  },

  async set(context: Context, body: ApprovalPolicySet): Promise<ApprovalPolicy> {
    const { organization_id } = context;
    await deps.rules.requireEditor(context);
    const rules = completed(body);
    const { agent_approval } = body;
    const holding = agent_approval === 'all_acts' ? [...rules, tools_rule] : rules;
    await requireApprovers(deps, organization_id, holding);
    const policy = { approval_policy: rules.length > 0 ? rules : null };
    const of_agents = agent_approval && {
      agent_approval: agent_approval === 'all_acts' ? agent_approval : null,
    };
    await deps.rules.setAll(context, 'approval_policy.changed', { ...policy, ...of_agents }, body.version);
    return this.get(organization_id);
  },

  async dryRun({ organization_id }: Context, body: ApprovalPolicySet): Promise<ApprovalDryRun> {
    const { trusted_recipients } = await deps.rules.current(organization_id);
    return dryRun(deps, organization_id, completed(body), trusted_recipients ?? []);
  },

  async trusted(organization_id: string): Promise<TrustedRecipients> {
    const { trusted_recipients } = await deps.rules.current(organization_id);
    return { recipients: [...(trusted_recipients ?? [])] };
  },

  async setTrusted(context: Context, { recipients }: TrustedRecipients): Promise<TrustedRecipients> {
    const read = readTrusted(recipients);
    await deps.rules.set(context, 'trusted_recipients', read.length > 0 ? read : null);
    return { recipients: read };
  },
});
export type PolicyService = ReturnType<typeof policyService>;

/** With defaults. Names are unique, because records and results name the rule that applied. */
function completed({ rules }: ApprovalPolicySet): ApprovalRule[] {
  const names = rules.map(({ name }) => name);
  const repeated = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (repeated !== -1) {
    const message = `Two rules are called ${names[repeated]}`;
    throw validationError([{ path: `body.rules[${repeated}].name`, message, code: 'invalid' }]);
  }
  return rules.map((rule) => ({
    ...rule,
    subjects: rule.subjects ?? approval_rule_defaults.subjects,
    channels: rule.channels ?? approval_rule_defaults.channels,
    approvers: rule.approvers ?? approval_rule_defaults.approvers,
    decide_by: rule.decide_by ?? approval_rule_defaults.decide_by,
    expires_in_seconds: rule.expires_in_seconds ?? approval_rule_defaults.expires_in_seconds,
  }));
}

// A rule of the approval policy as the fields of a form, and as words.
import type { ApprovalCondition, ApprovalRule } from '@parley/sdk';
import { humanize } from '../../parts/badge.tsx';
import { money } from '../../parts/money.ts';

export type Option = { value: string; label: string };
type PlainCondition = Extract<ApprovalCondition, string>;

const condition_texts: Record<PlainCondition, string> = {
  always: 'Always',
  not_vouched: 'Nobody vouched for a recipient',
  new_recipient: 'A recipient is new',
  has_attachment: 'It has an attachment',
  outside_hours: 'It is outside the hours of the recipient',
};
export const condition_options: Option[] = Object.entries(condition_texts).map(([value, label]) => ({
  value,
  label,
}));

const channel_texts: Record<ApprovalRule['channels'][number], string> = {
  calls: 'Calls',
  emails: 'Emails',
  sms: 'Texts',
  number_purchase: 'Number purchases',
  forward_address: 'New forward addresses',
  webhooks: 'Webhooks',
  tools: 'Tools over HTTP',
  mcp_servers: 'MCP servers',
  providers: 'Providers and own engines',
};
export const channel_options: Option[] = Object.entries(channel_texts).map(([value, label]) => ({
  value,
  label,
}));
export const channelText = (channel: ApprovalRule['channels'][number]): string =>
  channel_texts[channel].toLowerCase();

export type RuleFields = {
  name: string;
  subjects: string[];
  channels: string[];
  conditions: string[];
  purposes: string[];
  recipients_over: string;
  batch_over: string;
  dollars_over: string;
  then: string;
  approvers: string[];
  decide_by: string[];
  hours: string;
};

export const new_rule: RuleFields = {
  name: '',
  subjects: ['any'],
  channels: Object.keys(channel_texts),
  conditions: ['not_vouched'],
  purposes: [],
  recipients_over: '',
  batch_over: '',
  dollars_over: '',
  then: 'hold',
  approvers: ['role:admin'],
  decide_by: ['console'],
  hours: '24',
};

const joined = ({ kind, id }: { kind: string; id?: string | null }) => (id ? `${kind}:${id}` : kind);
const split = (text: string) => {
  const [kind = '', id] = text.split(':');
  return id === undefined ? { kind } : { kind, id };
};

type Limit = 'recipients_over' | 'batch_over' | 'amount_over_micros';
/** One of the conditions is enough, so the smallest limit says it all. */
function smallest(when: readonly ApprovalCondition[], name: Limit): number | null {
  const values = when.flatMap((each) =>
    typeof each === 'object' && name in each ? [(each as Record<Limit, number>)[name]] : [],
  );
  return values.length === 0 ? null : Math.min(...values);
}

export function fieldsOf(rule: ApprovalRule): RuleFields {
  const { name, subjects, channels, when, then, approvers, decide_by, expires_in_seconds } = rule;
  const micros = smallest(when, 'amount_over_micros');
  return {
    name,
    subjects: subjects.map(joined),
    channels: [...channels],
    conditions: when.filter((each) => typeof each === 'string'),
    purposes: when.flatMap((each) => (typeof each === 'object' && 'purpose' in each ? [each.purpose] : [])),
    recipients_over: String(smallest(when, 'recipients_over') ?? ''),
    batch_over: String(smallest(when, 'batch_over') ?? ''),
    dollars_over: micros === null ? '' : String(micros / 1e6),
    then,
    approvers: approvers.map(joined),
    decide_by: [...decide_by],
    hours: String(expires_in_seconds / 3600),
  };
}

function conditionsOf(fields: RuleFields): ApprovalCondition[] {
  const { conditions, purposes, recipients_over, batch_over, dollars_over } = fields;
  return [
    ...(conditions as PlainCondition[]),
    ...(recipients_over === '' ? [] : [{ recipients_over: Number(recipients_over) }]),
    ...(batch_over === '' ? [] : [{ batch_over: Number(batch_over) }]),
    ...(dollars_over === '' ? [] : [{ amount_over_micros: Math.round(Number(dollars_over) * 1e6) }]),
    ...purposes.map((purpose) => ({ purpose }) as ApprovalCondition),
  ];
}

/** Throws a text for the person who fills in the form; the server checks the rest. */
export function ruleOf(fields: RuleFields): ApprovalRule {
  const when = conditionsOf(fields);
  const chosen = { subject: fields.subjects, channel: fields.channels, condition: when };
  for (const [noun, values] of Object.entries(chosen))
    if (values.length === 0) throw new Error(`Choose at least one ${noun}.`);
  // Only a rule that holds needs somebody who decides.
  if (fields.then === 'hold' && fields.approvers.length === 0) throw new Error('Choose who decides.');
  if (fields.then === 'hold' && fields.decide_by.length === 0) throw new Error('Choose how it is decided.');
  const or = (values: string[], fallback: string[]) => (values.length === 0 ? fallback : values);
  return {
    name: fields.name.trim(),
    subjects: fields.subjects.map(split),
    channels: fields.channels,
    when,
    then: fields.then,
    approvers: or(fields.approvers, new_rule.approvers).map(split),
    decide_by: or(fields.decide_by, new_rule.decide_by),
    expires_in_seconds: Math.round(Number(fields.hours) * 3600),
  } as ApprovalRule;
}

export function conditionText(condition: ApprovalCondition): string {
  if (typeof condition === 'string') return condition_texts[condition].toLowerCase();
  if ('recipients_over' in condition) return `more than ${condition.recipients_over} recipients`;
  if ('batch_over' in condition) return `in a batch of more than ${condition.batch_over}`;
  if ('amount_over_micros' in condition) return `costs more than ${money(condition.amount_over_micros)}`;
  return `its purpose is ${humanize(condition.purpose)}`;
}

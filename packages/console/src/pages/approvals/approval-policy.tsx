// The editor of the approval policy: its rules in order, a dry run over the last 7 days, and saving.
import { Button, Checkbox } from '@mantine/core';
import { ApiError, type ApprovalDryRun, type ApprovalPolicy, type ApprovalRule } from '@parley/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { humanize } from '../../parts/badge.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { PageLink } from '../../parts/link.tsx';
import { OperatorKeyField } from '../../parts/operator-key.tsx';
import { Card, Empty, Read } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import type { Column } from '../../parts/record-table.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { Time } from '../../parts/time.tsx';
import { parley, parleyAsPerson } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { channelText, conditionText } from './approval-rule-fields.ts';
import { RuleForm } from './approval-rule-form.tsx';

type Change = (rules: ApprovalRule[]) => void;

function Actions({ rules, rule, change }: { rules: ApprovalRule[]; rule: ApprovalRule; change: Change }) {
  const place = rules.indexOf(rule);
  return (
    <span className="row">
      <DialogButton size="row" label="Edit" title={`Edit ${rule.name}`}>
        {(close) => (
          <RuleForm
            rule={rule}
            save={(changed) => {
              change(rules.with(place, changed));
              close();
            }}
          />
        )}
      </DialogButton>
      {place > 0 && (
        <RowButton
          aria-label={`Move ${rule.name} up`}
          onClick={() => change(rules.with(place - 1, rule).with(place, rules[place - 1]!))}
        >
          Up
        </RowButton>
      )}
      <RowButton
        aria-label={`Remove ${rule.name}`}
        onClick={() => change(rules.filter((each) => each !== rule))}
      >
        Remove
      </RowButton>
    </span>
  );
}

const columnsWith = (rules: ApprovalRule[], change: Change): Column<ApprovalRule>[] => [
  { title: 'Rule', width: '20%', cell: ({ name }) => <strong className="break">{name}</strong> },
  {
    title: 'For',
    width: '15%',
    cell: ({ subjects }) =>
      subjects.map(({ kind, id }) => (id ? `one ${humanize(kind)}` : humanize(kind))).join(', '),
  },
  { title: 'Channels', width: '12%', cell: ({ channels }) => channels.map(channelText).join(', ') },
  { title: 'When', width: '28%', cell: ({ when }) => when.map(conditionText).join(', or ') },
  { title: 'Then', width: '5rem', cell: ({ then }) => then },
  {
    title: 'Actions',
    width: '12rem',
    cell: (rule) => <Actions rules={rules} rule={rule} change={change} />,
  },
];

const pages = { call: '/calls', email: '/emails', sms: '/sms' };

function DryRun({ result }: { result: ApprovalDryRun }) {
  const { held, refused, considered, by_rule, examples } = result;
  return (
    <Card title="The last 7 days">
      <div className="stack tight" role="status">
        <strong>
          Would have held {held.toLocaleString('en')} of {considered.toLocaleString('en')}
          {refused > 0 && ` and refused ${refused.toLocaleString('en')}`}.
        </strong>
        {by_rule.length > 0 && (
          <span>{by_rule.map(({ rule, matched }) => `${rule}: ${matched}`).join(' · ')}</span>
        )}
        <ul>
          {examples.map(({ noun, id, to, rule, outcome, requested_at }) => (
            <li key={id}>
              <PageLink to={noun === 'sms' ? pages.sms : `${pages[noun]}/${id}`}>{to.join(', ')}</PageLink>{' '}
              <span className="muted">
                {outcome} by {rule}, <Time at={requested_at} />
              </span>
            </li>
          ))}
        </ul>
      </div>
    </Card>
  );
}

type Content = Pick<ApprovalPolicy, 'rules' | 'agent_approval'>;
/** `base` is the policy that the person began to change. */
type Draft = Content & { base: ApprovalPolicy };

const isSame = (one: Content, other: Content) =>
  JSON.stringify([one.rules, one.agent_approval]) === JSON.stringify([other.rules, other.agent_approval]);

/**
 * The version also grows with other rules for sending, such as quiet hours. So only a policy that somebody else changed
 * since is a conflict.
 */
async function savePolicy({ rules, agent_approval, base }: Draft): Promise<ApprovalPolicy> {
  const current = await parley.approvalPolicy.get();
  const { version } = isSame(current, base) ? current : base;
  return parleyAsPerson.approvalPolicy.set({ rules, agent_approval, version });
}

function SaveForm({ draft, discard }: { draft: Draft; discard(): void }) {
  const save = useAction(() => savePolicy(draft), {
    changes: ['approval-policy'],
    message: 'The policy is saved. It applies within a second.',
    done: discard,
  });
  const is_outdated = save.error instanceof ApiError && save.error.code === 'rules_changed';
  return (
    <Form action={save} submit="Save policy">
      <OperatorKeyField error={save.error} />
      {is_outdated && (
        <div className="row">
          <span>Somebody else saved other rules while you changed these.</span>
          <Button variant="default" onClick={discard}>
            Discard changes and load the saved rules
          </Button>
        </div>
      )}
    </Form>
  );
}

function Editor({ stored }: { stored: ApprovalPolicy }) {
  const queries = useQueryClient();
  const [draft, setDraft] = useState<Draft | null>(null);
  const { rules, agent_approval } = draft ?? stored;
  const dry_run = useAction(() => parley.approvalPolicy.dryRun({ rules }));
  const edit = (next: Partial<Content>) => {
    setDraft({ rules, agent_approval, base: draft?.base ?? stored, ...next });
    dry_run.reset();
  };
  const discard = () => {
    setDraft(null);
    void queries.invalidateQueries({ queryKey: ['approval-policy'] });
  };
  const change: Change = (next) => edit({ rules: next });
  return (
    <div className="stack">
      <Card
        flush
        title="Rules"
        actions={
          <DialogButton label="Add a rule" variant="default">
            {(close) => (
              <RuleForm
                rule={null}
                save={(rule) => {
                  change([...rules, rule]);
                  close();
                }}
              />
            )}
          </DialogButton>
        }
      >
        <SmallTable
          label="Rules"
          items={rules}
          keyOf={({ name }) => name}
          columns={columnsWith(rules, change)}
          empty={<Empty title="No rules">Nothing waits for an approval.</Empty>}
        />
      </Card>
      <Checkbox
        label="Everything that agents do with tools waits for a person"
        description="Tools that only read stay free."
        checked={agent_approval === 'all_acts'}
        onChange={(event) => edit({ agent_approval: event.currentTarget.checked ? 'all_acts' : 'by_tool' })}
      />
      <div className="row">
        <Button variant="default" loading={dry_run.busy} onClick={() => dry_run.run(undefined)}>
          Try it on the last 7 days
        </Button>
        {draft && (
          <Button variant="subtle" onClick={discard}>
            Discard changes
          </Button>
        )}
      </div>
      {dry_run.error && <Problem error={dry_run.error} />}
      {dry_run.result && <DryRun result={dry_run.result} />}
      {draft && <SaveForm draft={draft} discard={discard} />}
    </div>
  );
}

export function ApprovalPolicyPart() {
  const policy = useQuery({ queryKey: ['approval-policy'], queryFn: () => parley.approvalPolicy.get() });
  return <Read query={policy}>{(stored) => <Editor stored={stored} />}</Read>;
}

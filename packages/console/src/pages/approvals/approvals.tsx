// The queue of messages and calls that wait for a person, decided with the keyboard or the mouse.
import { Button, Tabs } from '@mantine/core';
import type { Approval } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState } from 'react';
import { ExplainCard } from '../../parts/explain.tsx';
import { FillCommand } from '../../parts/fill-command.tsx';
import { OperatorKeyInUse } from '../../parts/operator-key.tsx';
import { Card, Empty, Page, Read } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { useApprovals } from '../../state/reads.ts';
import { useFilters } from '../../state/use-filters.ts';
import { useKeys } from '../../state/use-keys.ts';
import { DecisionDialog, type Verdict } from './approval-decision.tsx';
import { Cause, titleOf, WhatIsSent } from './approval-view.tsx';

const ApprovalPolicyPart = lazy(() =>
  import('./approval-policy.tsx').then(({ ApprovalPolicyPart }) => ({ default: ApprovalPolicyPart })),
);
const ApprovalHistoryPart = lazy(() =>
  import('./approval-history.tsx').then(({ ApprovalHistoryPart }) => ({ default: ApprovalHistoryPart })),
);
const TrustedRecipientsPart = lazy(() =>
  import('../rules/trusted-recipients.tsx').then(({ TrustedRecipientsPart }) => ({
    default: TrustedRecipientsPart,
  })),
);
const other_parts = [
  { value: 'decided', label: 'Decided', Part: ApprovalHistoryPart },
  { value: 'policy', label: 'Policy', Part: ApprovalPolicyPart },
  { value: 'trusted', label: 'Trusted recipients', Part: TrustedRecipientsPart },
];

const Entry = ({ approval }: { approval: Approval }) => (
  <>
    <strong className="clip" style={{ display: 'block' }}>
      {titleOf(approval)}
    </strong>
    <span className="clip muted" style={{ display: 'block' }}>
      {approval.shown.subject ?? approval.shown.body_text ?? approval.rule}
    </span>
    <span className="small muted">
      Expires <Time at={approval.expires_at} />
    </span>
  </>
);

type Decision = { approval: Approval; verdict: Verdict };

function Queue({ items, onDecide }: { items: Approval[]; onDecide(decision: Decision): void }) {
  const { id } = useFilters();
  // The place is kept as well: after a decision the next one takes the place of the decided one.
  const [chosen, setChosen] = useState({ id, place: 0 });
  const list = useRef<HTMLUListElement>(null);
  const position = items.findIndex((each) => each.id === chosen.id);
  const place = position >= 0 ? position : Math.min(chosen.place, items.length - 1);
  const approval = items[place]!;
  const choose = (next: number) => {
    if (!items[next]) return;
    setChosen({ id: items[next].id, place: next });
    list.current?.querySelectorAll('button')[next]?.focus();
  };
  const decide = (verdict: Verdict) => {
    setChosen({ id: approval.id, place });
    onDecide({ approval, verdict });
  };
  useKeys({
    j: () => choose(place + 1),
    k: () => choose(place - 1),
    a: () => decide('approve'),
    r: () => decide('reject'),
  });
  return (
    <div className="split">
      <section className="card flush" aria-label="Pending approvals">
        <ul className="side-list" ref={list}>
          {items.map((each, index) => (
            <li key={each.id}>
              <button type="button" aria-current={each === approval} onClick={() => choose(index)}>
                <Entry approval={each} />
              </button>
            </li>
          ))}
        </ul>
      </section>
      <Card
        title={titleOf(approval)}
        actions={
          <span className="row">
            <Button variant="default" onClick={() => decide('reject')} aria-keyshortcuts="r">
              Reject …
            </Button>
            <Button onClick={() => decide('approve')} aria-keyshortcuts="a">
              Approve …
            </Button>
          </span>
        }
      >
        <div className="stack" key={approval.id}>
          <Cause approval={approval} />
          <WhatIsSent approval={approval} rendered />
          <ExplainCard id={approval.id} />
        </div>
      </Card>
    </div>
  );
}

const nothing = (
  <section className="card flush">
    <Empty
      title="Nothing waits for an approval"
      command={
        <FillCommand
          method="PUT"
          path="/v1/approval-policy"
          body={{ rules: [{ name: 'Strangers', when: ['not_vouched'], then: 'hold' }] }}
        />
      }
    >
      A policy decides what waits. This one holds what is sent to people nobody vouched for:
    </Empty>
  </section>
);

export function ApprovalsPage() {
  const { part = 'queue' } = useFilters();
  const navigate = useNavigate();
  const approvals = useApprovals();
  // Outside of the queue: it stays open when somebody else decides meanwhile.
  const [decision, setDecision] = useState<Decision | null>(null);
  return (
    <Page
      title="Approvals"
      about={
        <>
          Messages and calls that wait for you. <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>a</kbd>{' '}
          approve, <kbd>r</kbd> reject.
        </>
      }
      actions={<OperatorKeyInUse />}
    >
      <Tabs
        value={part}
        onChange={(value) =>
          void navigate({ to: '/approvals', search: { part: value ?? 'queue' } as never, replace: true })
        }
        keepMounted={false}
      >
        <Tabs.List aria-label="Part" mb="md">
          <Tabs.Tab value="queue">Pending</Tabs.Tab>
          {other_parts.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="queue">
          <Read query={approvals}>
            {(items) => (items.length > 0 ? <Queue items={items} onDecide={setDecision} /> : nothing)}
          </Read>
        </Tabs.Panel>
        {other_parts.map(({ value, Part }) => (
          <Tabs.Panel key={value} value={value}>
            <Suspense fallback={<p className="muted">Loading …</p>}>
              <Part />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
      {decision && (
        <DecisionDialog
          first={decision.approval}
          verdict={decision.verdict}
          close={() => setDecision(null)}
        />
      )}
    </Page>
  );
}

// The dialog that confirms a decision: it shows what will be sent, and the decision is bound to exactly that.
import { Button, TextInput } from '@mantine/core';
import { ApiError, type Approval } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Dialog } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { money } from '../../parts/money.ts';
import { OperatorKeyField } from '../../parts/operator-key.tsx';
import { parley, parleyAsPerson } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { useForm } from '../../state/use-form.ts';
import { titleOf, WhatIsSent } from './approval-view.tsx';

export type Verdict = 'approve' | 'reject';

const texts = {
  approve: {
    title: 'Approve and send',
    about: 'This is sent, exactly as shown:',
    submit: 'Approve and send',
    done: 'Approved.',
  },
  reject: { title: 'Reject', about: 'This is canceled and never sent:', submit: 'Reject', done: 'Rejected.' },
};
/** What the server has is not what the dialog shows. */
const outdated = new Set(['approval_payload_changed', 'approval_price_changed']);

export function DecisionDialog({
  first,
  verdict,
  close,
}: {
  /** As it was on the screen: the dialog does not change by itself while a person reads it. */
  first: Approval;
  verdict: Verdict;
  close(): void;
}) {
  const [approval, setApproval] = useState(first);
  const queries = useQueryClient();
  const note = useRef<HTMLInputElement>(null);
  const { title, about, submit, done } = texts[verdict];
  const form = useForm(
    { note: '' },
    ({ note }, options) =>
      verdict === 'approve'
        ? parleyAsPerson.approvals.approve(
            approval.id,
            { payload_sha256: approval.payload_sha256, note: note || null },
            options,
          )
        : parleyAsPerson.approvals.reject(approval.id, { note: note || null }, options),
    {
      changes: ['approvals', 'calls', 'emails', 'sms'],
      message: done,
      done: close,
      failed: () => void queries.invalidateQueries({ queryKey: ['approvals'] }),
    },
  );
  const again = useAction(() => parley.approvals.get(approval.id), {
    done(now) {
      setApproval(now);
      form.reset();
    },
    toast_error: true,
  });
  // After the dialog has moved the focus to its first button.
  useEffect(() => note.current?.focus(), []);
  const is_outdated = form.error instanceof ApiError && outdated.has(form.error.code);
  return (
    <Dialog title={title} opened onClose={close}>
      <Form action={form} submit={submit}>
        <p style={{ margin: 0 }}>
          {about} <strong>{titleOf(approval)}</strong>, {money(approval.quoted_price_micros)}
        </p>
        <WhatIsSent approval={approval} rendered={false} />
        <TextInput
          ref={note}
          label="Note"
          description="Optional. Everyone who can read the approval sees it."
          maxLength={1000}
          {...form.field('note')}
        />
        <OperatorKeyField error={form.error} />
        {is_outdated && (
          <Button variant="default" loading={again.busy} onClick={() => again.run(undefined)}>
            Show it as it is now
          </Button>
        )}
      </Form>
    </Dialog>
  );
}

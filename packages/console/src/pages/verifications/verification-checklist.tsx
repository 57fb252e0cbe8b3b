// The checklist of a verification: what is missing, what was rejected and why, and what the carrier has.
import { Button } from '@mantine/core';
import type { Requirement, Verification } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { StatusBadge } from '../../parts/badge.tsx';
import { Read } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { DocumentList, DocumentUpload } from './verification-document.tsx';
import { patchOf, type Texts, VerificationField } from './verification-field.tsx';

type Item = Verification['requirements'][number];

const poll_ms = 5000;

/** Read again while the carrier must act. */
const isSettled = (state: Verification['state'] | undefined) => state === 'approved' || state === 'canceled';

export const useVerification = (id: string) =>
  useQuery({
    queryKey: ['verifications', id],
    queryFn: () => parley.verifications.get(id),
    // Also one that waits for answers: a submission is worked on after the response to it.
    refetchInterval: ({ state }) => (isSettled(state.data?.state) ? false : poll_ms),
  });

const isOpen = ({ status, required }: Item) => status === 'rejected' || (required && status === 'missing');

/** What must happen next, in one line. */
export function nextStep(verification: Verification): string {
  const open = verification.requirements.filter(isOpen);
  const days = verification.review_days;
  const usually = days ? ` It usually takes ${days.min} to ${days.max} business days.` : '';
  switch (verification.state) {
    case 'approved':
      return 'Approved.';
    case 'canceled':
      return 'Canceled.';
    case 'rejected':
      return verification.rejection_reason ?? 'Rejected. Correct it and submit it again.';
    case 'draft':
      if (verification.waiting_for === 'carrier') return 'Being handed over to the carrier.';
      return open.length > 0 ? `Missing: ${open.map(({ label }) => label).join(', ')}.` : 'Ready to submit.';
    default:
      return verification.waiting_for === 'contact'
        ? 'Your contact must confirm a message from the carrier.'
        : `The carrier reviews it.${usually}`;
  }
}

function Group({ title, items }: { title: string; items: readonly Item[] }) {
  if (items.length === 0) return null;
  return (
    <section className="stack tight" aria-label={title}>
      <strong>{title}</strong>
      {items.map(({ key, label, status, problem }) => (
        <div key={key} className="row spread">
          <span>
            {label}
            {problem && <span className="small"> — {problem.message}</span>}
          </span>
          <StatusBadge status={status} />
        </div>
      ))}
    </section>
  );
}

function AnswerForm({
  verification,
  requirements,
}: {
  verification: Verification;
  requirements: readonly Requirement[];
}) {
  const [texts, setTexts] = useState<Texts>({});
  const save = useAction(() => parley.verifications.update(verification.id, patchOf(requirements, texts)), {
    changes: ['verifications'],
    message: 'Saved.',
    done: () => setTexts({}),
  });
  const submit = useAction(() => parley.verifications.submit(verification.id), {
    changes: ['verifications'],
    message: 'Submitted to the carrier.',
  });
  const items = new Map(verification.requirements.map((item) => [item.key, item]));
  const open = verification.requirements.filter(isOpen);
  // What was answered is not shown again, so only open and optional items have a field.
  const open_requirements = requirements.filter(
    ({ key }) => items.get(key)?.status !== 'given' || texts[key] !== undefined,
  );
  const is_typed = Object.values(texts).some((text) => text.trim() !== '');
  return (
    <div className="stack">
      {open_requirements.map((requirement) => {
        const problem = items.get(requirement.key)?.problem?.message;
        return requirement.input === 'document' ? (
          <fieldset key={requirement.key} className="plain stack tight">
            <legend>{requirement.label}</legend>
            {problem && <p className="problem small">{problem}</p>}
            {requirement.description && <span className="small muted">{requirement.description}</span>}
            <DocumentUpload verification={verification} requirement={requirement} />
          </fieldset>
        ) : (
          <VerificationField
            key={requirement.key}
            requirement={requirement}
            texts={texts}
            problem={
              save.fieldError(`answers.${requirement.key}`) ?? save.fieldError(requirement.key) ?? problem
            }
            onChange={(changed) => setTexts((before) => ({ ...before, ...changed }))}
          />
        );
      })}
      {requirements
        .filter(({ input }) => input === 'document')
        .map((requirement) => (
          <DocumentList key={requirement.key} verification={verification} requirement={requirement} />
        ))}
      {save.error && <Problem error={save.error} />}
      {submit.error && <Problem error={submit.error} />}
      <div className="row end">
        <Button
          variant="default"
          disabled={!is_typed}
          loading={save.busy}
          onClick={() => save.run(undefined)}
        >
          Save answers
        </Button>
        <Button
          disabled={open.length > 0 || is_typed}
          loading={submit.busy}
          onClick={() => submit.run(undefined)}
        >
          {verification.state === 'rejected' ? 'Submit again' : 'Submit'}
        </Button>
      </div>
    </div>
  );
}

/** The whole work on one verification, on its page or beside an offer. */
export function VerificationChecklist({ verification }: { verification: Verification }) {
  const { kind, country_code, number_type, subject_type, requirements } = verification;
  const is_editable = verification.waiting_for === 'you';
  const requirements_query = useQuery({
    queryKey: ['verification-requirements', verification.id, requirements.length],
    queryFn: () => parley.verifications.requirements({ kind, country_code, number_type, subject_type }),
    enabled: is_editable,
  });
  const of = (...statuses: Item['status'][]) =>
    requirements.filter(({ status }) => statuses.includes(status));
  return (
    <div className="stack">
      <p role="status" style={{ margin: 0 }}>
        <StatusBadge status={verification.state} /> {nextStep(verification)}
      </p>
      <Group title="Missing from you" items={requirements.filter(isOpen)} />
      <Group title="Ready" items={of('given')} />
      <Group title="With the carrier" items={of('handed_over')} />
      <Group title="Accepted" items={of('accepted')} />
      {is_editable && (
        <Read query={requirements_query}>
          {(set) => <AnswerForm verification={verification} requirements={set.requirements} />}
        </Read>
      )}
    </div>
  );
}

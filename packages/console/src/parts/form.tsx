// The frame of every form: it submits once, shows the error above its button, and shows the progress.
import { Button } from '@mantine/core';
import { ApiError } from '@parley/sdk';
import type { FormEvent, ReactNode } from 'react';
import { Problem } from './problem.tsx';

type Sending = {
  run(input: undefined): void;
  busy: boolean;
  error: unknown;
  /** The fields of the form that show their own errors. */
  shown_fields?: ReadonlySet<string>;
  /** Changes that are kept in this tab and not saved. */
  unsaved?: { discard(): void } | null;
};

/** Whether every error is shown at its field, in words for people. Then the message of the API would only repeat it. */
const isShownAtFields = (error: unknown, shown: ReadonlySet<string>): boolean =>
  error instanceof ApiError &&
  (error.code === 'validation_failed' || error.code === 'consent_required') &&
  error.errors.length > 0 &&
  error.errors.every(({ path }) => shown.has(path.replace(/^body\./, '').replace(/[.[].*$/, '')));

const none: ReadonlySet<string> = new Set();

export function FormProblem({ error, shown_fields = none }: Pick<Sending, 'error' | 'shown_fields'>) {
  if (!error) return null;
  if (!isShownAtFields(error, shown_fields)) return <Problem error={error} />;
  return (
    <div className="problem" role="alert">
      <strong>Nothing was sent. Please check the marked field.</strong>
    </div>
  );
}

export function Form({
  action,
  submit,
  must_wait = false,
  children,
}: {
  action: Sending;
  submit: string;
  /** Something that belongs to the form is not complete yet, such as an upload. */
  must_wait?: boolean;
  children: ReactNode;
}) {
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!action.busy && !must_wait) action.run(undefined);
  };
  return (
    <form className="stack" onSubmit={send}>
      {children}
      <FormProblem {...action} />
      <div className="row end">
        {action.unsaved && (
          <>
            <span className="muted small" role="status">
              Not saved yet. The changes are kept in this tab.
            </span>
            <Button variant="default" onClick={action.unsaved.discard}>
              Discard changes
            </Button>
          </>
        )}
        <Button type="submit" loading={action.busy} disabled={must_wait}>
          {submit}
        </Button>
      </div>
    </form>
  );
}

/** For optional fields: an empty value is not sent. */
export const withoutEmpty = <T extends Record<string, unknown>>(fields: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== '' && value !== undefined && value !== null),
  ) as Partial<T>;

/** Splits a list that is separated by commas, semicolons or white space. */
export const splitList = (text: string) =>
  text
    .split(/[\s,;]+/)
    .map((each) => each.trim())
    .filter((each) => each !== '');

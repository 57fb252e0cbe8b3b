// The frame of every form: it submits once, shows the error above its button, and shows the progress.
import { Button } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { Problem } from './problem.tsx';

type Sending = { run(input: undefined): void; busy: boolean; error: unknown };

export function Form({ action, submit, children }: { action: Sending; submit: string; children: ReactNode }) {
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!action.busy) action.run(undefined);
  };
  return (
    <form className="stack" onSubmit={send}>
      {children}
      {action.error ? <Problem error={action.error} /> : null}
      <div className="row end">
        <Button type="submit" loading={action.busy}>
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

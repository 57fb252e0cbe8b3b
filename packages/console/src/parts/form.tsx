// What every form shares: it sends once, shows its problem above its button, and says what it is doing.
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

/** For fields that may be left out: an empty one is not sent. */
export const given = <T extends Record<string, unknown>>(fields: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== '' && value !== undefined && value !== null),
  ) as Partial<T>;

export const words = (text: string) =>
  text
    .split(/[\s,;]+/)
    .map((each) => each.trim())
    .filter((each) => each !== '');

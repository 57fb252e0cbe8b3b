// A form for a stored record: fields that nobody touched follow the record, so that saving does not undo what others changed.
import { useEffect, useState } from 'react';
import type { ActionOptions } from './use-action.tsx';
import { type SendOptions, useForm } from './use-form.ts';

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The fields of which the values are, or are not, those of another record. */
function select<Fields extends object>(fields: Fields, other: Fields, are_same: boolean): (keyof Fields)[] {
  return (Object.keys(fields) as (keyof Fields)[]).filter(
    (name) => isSame(fields[name], other[name]) === are_same,
  );
}

function pick<Fields extends object>(fields: Fields, names: readonly (keyof Fields)[]): Partial<Fields> {
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as Partial<Fields>;
}

/** `send` gets all fields, and those that the person changed. */
export function useStoredForm<Fields extends object, Output>(
  stored: Fields,
  send: (fields: Fields, changed: Partial<Fields>, options: SendOptions) => PromiseLike<Output>,
  options: ActionOptions<undefined, Output> = {},
) {
  const [base, setBase] = useState(stored);
  const form = useForm(
    stored,
    (fields, send_options) => send(fields, pick(fields, select(fields, base, false)), send_options),
    options,
  );
  useEffect(() => {
    if (isSame(base, stored)) return;
    form.set(pick(stored, select(form.fields, base, true)));
    setBase(stored);
  });
  return form;
}

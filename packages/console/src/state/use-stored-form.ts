// A form for a stored record: fields that nobody touched follow the record, so that saving does not undo what others changed.
import { useEffect, useRef, useState } from 'react';
import { keepFormDraft, readFormDraft } from './drafts.ts';
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

type StoredFormOptions<Fields, Output> = ActionOptions<undefined, Output> & {
  /** Unsaved changes are kept under this name while the person looks at other pages, and when the page is loaded again. */
  draft?: string;
  /** Secrets, which are not kept. */
  not_in_draft?: readonly (keyof Fields)[];
};

/** `send` gets all fields, and those that the person changed. */
export function useStoredForm<Fields extends object, Output>(
  stored: Fields,
  send: (fields: Fields, changed: Partial<Fields>, options: SendOptions) => PromiseLike<Output>,
  { draft, not_in_draft = [], ...options }: StoredFormOptions<Fields, Output> = {},
) {
  const [base, setBase] = useState(stored);
  const [first] = useState(() => ({ ...stored, ...(draft && readFormDraft<Fields>(draft)) }));
  const sent = useRef<Fields | null>(null);
  /** What the last save stored, until the record is read again. */
  const [saved, setSaved] = useState<Fields | null>(null);
  const form = useForm(
    first,
    (fields, send_options) => {
      sent.current = fields;
      return send(fields, pick(fields, select(fields, base, false)), send_options);
    },
    {
      ...options,
      done(output, input) {
        setSaved(sent.current);
        options.done?.(output, input);
      },
    },
  );
  const reference = saved ?? base;
  const changed = select(form.fields, reference, false);
  useEffect(() => {
    if (isSame(base, stored)) return;
    form.set(pick(stored, select(form.fields, reference, true)));
    setBase(stored);
    setSaved(null);
  });
  useEffect(() => {
    if (draft) {
      const names = changed.filter((name) => !not_in_draft.includes(name));
      keepFormDraft(draft, pick(form.fields, names));
    }
  });
  const discard = () => form.set(reference);
  return { ...form, unsaved: draft !== undefined && changed.length > 0 ? { discard } : null };
}

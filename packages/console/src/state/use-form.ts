// A form: what stands in its fields, the one thing that is done with them, and what the server says of each.
import { type ChangeEvent, useState } from 'react';
import { type ActionOptions, useAction } from './use-action.tsx';

/** The names of the fields that hold such a value. */
type Named<Fields, Value> = {
  [Name in keyof Fields]: Fields[Name] extends Value ? Name : never;
}[keyof Fields] &
  string;

/** Fields are called as in the body of the request, so that problems find them. */
export function useForm<Fields extends object, Output>(
  first: Fields,
  send: (fields: Fields) => PromiseLike<Output>,
  options: ActionOptions<undefined, Output> = {},
) {
  const [fields, setFields] = useState(first);
  const action = useAction((_: undefined) => send(fields), options);
  const set = (some: Partial<Fields>) => setFields((before) => ({ ...before, ...some }));
  return {
    ...action,
    fields,
    set,
    /** For a line, a text or a choice. */
    field: <Name extends Named<Fields, string>>(name: Name) => ({
      value: fields[name] as string,
      onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) =>
        set({ [name]: event.currentTarget.value } as Partial<Fields>),
      error: action.fieldError(name),
    }),
    /** For a box or a switch. */
    tick: (name: Named<Fields, boolean>) => ({
      checked: fields[name] as boolean,
      onChange: (event: ChangeEvent<HTMLInputElement>) =>
        set({ [name]: event.currentTarget.checked } as Partial<Fields>),
      error: action.fieldError(name),
    }),
  };
}

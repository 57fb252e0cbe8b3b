// A form: what stands in its fields, the one thing that is done with them, and what the server says of each.
import { ApiError } from '@parley/sdk';
import { type ChangeEvent, useRef, useState } from 'react';
import { type ActionOptions, useAction } from './use-action.tsx';

/** The names of the fields that hold such a value. */
type Named<Fields, Value> = {
  [Name in keyof Fields]: Fields[Name] extends Value ? Name : never;
}[keyof Fields] &
  string;

/** To be passed on to the request. */
export type SendOptions = { idempotency_key: string };

/**
 * Fields are called as in the body of the request, so that problems find them. One filled form has one idempotency key:
 * a double click, or a second try after a lost connection, sends once. Changed fields, or an error of the server, make
 * it a new request with a new key.
 */
export function useForm<Fields extends object, Output>(
  first: Fields,
  send: (fields: Fields, options: SendOptions) => PromiseLike<Output>,
  options: ActionOptions<undefined, Output> = {},
) {
  const [fields, setFields] = useState(first);
  const key = useRef(crypto.randomUUID());
  const renewKey = () => {
    key.current = crypto.randomUUID();
  };
  const action = useAction((_: undefined) => send(fields, { idempotency_key: key.current }), {
    ...options,
    failed(error) {
      if (error instanceof ApiError) renewKey();
      options.failed?.(error);
    },
  });
  const set = (some: Partial<Fields>) => {
    renewKey();
    setFields((before) => ({ ...before, ...some }));
  };
  return {
    ...action,
    fields,
    set,
    /** For what is sent along but is not a field. */
    renewKey,
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

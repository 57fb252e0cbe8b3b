// The state of a form: its fields, its action, and the validation error of each field.
import { ApiError } from '@parley/sdk';
import { type ChangeEvent, useRef, useState } from 'react';
import { type ActionOptions, useAction } from './use-action.tsx';

/** The names of the fields with this type of value. */
type Named<Fields, Value> = {
  [Name in keyof Fields]: Fields[Name] extends Value ? Name : never;
}[keyof Fields] &
  string;

/** Passed on to the request. */
export type SendOptions = { idempotency_key: string };

/**
 * Fields have the names of the request body, so that validation errors can be matched. One filled form has one
 * idempotency key: a double click, or a retry after a lost connection, sends once. Changed fields, or an error
 * response, create a new key.
 */
export function useForm<Fields extends object, Output>(
  first: Fields,
  send: (fields: Fields, options: SendOptions) => PromiseLike<Output>,
  options: ActionOptions<undefined, Output> = {},
) {
  const [fields, setFields] = useState(first);
  const key = useRef(crypto.randomUUID());
  const shown_fields = useRef(new Set<string>());
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
  const fieldError = (name: string) => {
    shown_fields.current.add(name);
    return action.fieldError(name);
  };
  return {
    ...action,
    fields,
    /** The fields that show their own errors. */
    shown_fields: shown_fields.current,
    set,
    /** For values that are sent but are not fields. */
    renewKey,
    /** For a line, a text or a choice. */
    field: <Name extends Named<Fields, string>>(name: Name) => ({
      value: fields[name] as string,
      onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) =>
        set({ [name]: event.currentTarget.value } as Partial<Fields>),
      error: fieldError(name),
    }),
    /** For a checkbox or a switch. */
    checkbox: (name: Named<Fields, boolean>) => ({
      checked: fields[name] as boolean,
      onChange: (event: ChangeEvent<HTMLInputElement>) =>
        set({ [name]: event.currentTarget.checked } as Partial<Fields>),
      error: fieldError(name),
    }),
  };
}

// Runs one action for the user: reloads what it changed, shows that it is done, and stores the error if there is one.
import { ApiError } from '@parley/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Problem } from '../parts/problem.tsx';
import { showToast } from '../parts/toasts.tsx';

export type ActionOptions<Input, Output> = {
  /** The lists that the action changes, by the first part of their query keys. */
  changes?: readonly string[];
  /** Shown when the action is done. */
  message?: string | ((output: Output) => string);
  done?: (output: Output, input: Input) => void;
  failed?: (error: Error) => void;
  /** Show the error as a notification: for buttons without space for it. */
  toast_error?: boolean;
};

export function useAction<Input, Output>(
  work: (input: Input) => PromiseLike<Output>,
  options: ActionOptions<Input, Output> = {},
) {
  const queries = useQueryClient();
  const mutation = useMutation({
    mutationFn: async (input: Input) => await work(input),
    onSuccess: async (output, input) => {
      options.done?.(output, input);
      if (options.message) {
        showToast(typeof options.message === 'string' ? options.message : options.message(output));
      }
      await Promise.all(
        (options.changes ?? []).map((name) => queries.invalidateQueries({ queryKey: [name] })),
      );
    },
    onError: (error) => {
      options.failed?.(error);
      if (options.toast_error) showToast(<Problem error={error} />, 12_000);
    },
  });
  return {
    run: mutation.mutate,
    busy: mutation.isPending,
    error: mutation.error,
    result: mutation.data,
    reset: mutation.reset,
    /** The validation error of one field of the body. */
    fieldError: (name: string) =>
      mutation.error instanceof ApiError
        ? mutation.error.errors
            .filter(({ path }) => new RegExp(`^body\\.${name}(\\[|\\.|$)`).test(path))
            .map(({ message }) => message)
            .join(' ') || undefined
        : undefined,
  };
}

// Does one thing for a person: reads again what it changed, says that it is done, and keeps the problem if there is one.
import { ApiError } from '@parley/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Problem } from '../parts/problem.tsx';
import { say } from '../parts/toasts.tsx';

export type ActionOptions<Input, Output> = {
  /** What was changed, by the first word of its name. */
  changes?: readonly string[];
  /** Said when it is done. */
  says?: string | ((output: Output) => string);
  done?: (output: Output, input: Input) => void;
  failed?: (error: Error) => void;
  /** Show the problem as a notification: for buttons that have no room of their own for it. */
  loud?: boolean;
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
      if (options.says) {
        say(typeof options.says === 'string' ? options.says : options.says(output));
      }
      await Promise.all(
        (options.changes ?? []).map((name) => queries.invalidateQueries({ queryKey: [name] })),
      );
    },
    onError: (error) => {
      options.failed?.(error);
      if (options.loud) say(<Problem error={error} />, 12_000);
    },
  });
  return {
    run: mutation.mutate,
    busy: mutation.isPending,
    error: mutation.error,
    result: mutation.data,
    reset: mutation.reset,
    /** What the server says of one field of the body. */
    fieldError: (name: string) =>
      mutation.error instanceof ApiError
        ? mutation.error.errors
            .filter(({ path }) => new RegExp(`^body\\.${name}(\\[|\\.|$)`).test(path))
            .map(({ message }) => message)
            .join(' ') || undefined
        : undefined,
  };
}

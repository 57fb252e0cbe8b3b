// Continues synchronously where the value is known already: awaiting a promise is expensive compared with a small request.
export const whenKnown = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value);

// Rejects when work takes too long. The work itself is not canceled.

export function within<T>(limit_ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${limit_ms / 1000} s`)), limit_ms);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

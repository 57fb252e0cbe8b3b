// Loads libraries of other vendors that tests compare our results with. They are not part of the default install.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);

/** The path of a file of an installed verifier, or null. */
export function verifierPath(name: string): string | null {
  try {
    return require.resolve(name);
  } catch {
    return null;
  }
}

/** `T` describes the part of the library that the test uses. Returns null when the library is not installed. */
export async function loadVerifier<T>(name: string): Promise<T | null> {
  const path = verifierPath(name);
  return path === null ? null : ((await import(pathToFileURL(path).href)) as T);
}

/** The `skip` option of a test that needs these libraries. In CI the test runner fails on it. */
export const skipWithout = (...names: string[]): string | false => {
  const missing = names.filter((name) => verifierPath(name) === null);
  return missing.length > 0 && `${missing.join(', ')} is not installed: scripts/install-test-packages`;
};

// Finds folders that are shipped with the server. In a checkout some of them are elsewhere in the repository.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** This file is in `src/platform` in a checkout and in `dist/platform` in the installed package. */
const folder = (path: string): string => fileURLToPath(new URL(`../../${path}/`, import.meta.url));

const shipped = (name: string, in_checkout: string): string =>
  existsSync(folder(name)) ? folder(name) : folder(in_checkout);

/** A checkout runs its TypeScript sources; an installed package contains compiled modules. */
export const is_checkout = import.meta.url.endsWith('.ts');
export const console_folder = shipped('console', '../console/dist');
export const guides_folder = shipped('guides', '../../docs/guides');
export const reference_folder = shipped('reference', '../../docs/reference');

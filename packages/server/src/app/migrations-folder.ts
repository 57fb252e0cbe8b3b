// The folder of the migrations. A module of its own: tests and scripts that only migrate need not load the whole service.
import { fileURLToPath } from 'node:url';

export const migrations_folder = fileURLToPath(new URL('../../migrations', import.meta.url));

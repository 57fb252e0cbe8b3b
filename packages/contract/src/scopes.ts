// Every scope that a key can have, derived from the operations.

import { admin_scope } from './access/roles.ts';
import { operationGroups } from './index.ts';

/** `<noun>:read` covers the GET operations of a noun, `<noun>:write` the others. */
export const known_scopes: readonly string[] = [
  '*',
  admin_scope,
  ...operationGroups.flatMap(({ noun, operations }) => {
    const methods = Object.values(operations).map(({ method }) => method);
    return [
      ...(methods.includes('GET') ? [`${noun}:read`] : []),
      ...(methods.some((method) => method !== 'GET') ? [`${noun}:write`] : []),
    ];
  }),
].filter((scope, index, all) => all.indexOf(scope) === index);

// The reference page of explanations: which verdicts explain can give, by subject and code.

import type { ErrorCode } from '../packages/contract/src/errors.ts';
import { errorCauses, explainError } from '../packages/contract/src/operations/explain/error-explanations.ts';
import type { ExplanationDefinition } from '../packages/contract/src/operations/explain/explanation-definition.ts';
import { explanations } from '../packages/contract/src/operations/explain/explanations.ts';

const table = (rows: [string, ExplanationDefinition][]) =>
  `| code | who | what happened | fix | retry |
|---|---|---|---|---|
${rows.map(([code, { who, summary, fix, retry }]) => `| \`${code}\` | ${who} | ${summary} | ${fix} | ${retry} |`).join('\n')}
`;

export const explanationsPage = () =>
  `# Explanations

The verdicts of \`GET /v1/explain/{object_id}\` and of the request log. See [the guide](../guides/explain.md).

${Object.entries(explanations)
  .map(([subject, rows]) => `## ${subject}\n\n${table(Object.entries(rows))}`)
  .join('\n')}
## error

Errors of requests that send something. For all others, 4xx is yours and 5xx is the service's.

${table((Object.keys(errorCauses) as ErrorCode[]).map((code) => [code, explainError(code)]))}`;

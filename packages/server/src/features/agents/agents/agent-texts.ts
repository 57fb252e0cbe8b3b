// The texts of an agent or call that may contain {{name}}, and the check that each name has a value.
import {
  type AgentDestination,
  type AgentToolEntry,
  reservedVariables,
} from '@parley/contract/agents/agent-fields';
import { missingNames, textsIn } from '@parley/contract/schema/templates';
import { ApiError, type FieldProblem } from '../../../platform/http/api-error.ts';

export type TemplatedFields = {
  system_prompt: string | null;
  first_message: string | null;
  voicemail: { message: string | null };
  destinations: readonly AgentDestination[];
  tools: readonly AgentToolEntry[];
};
export type TemplateText = { path: string; text: string };

/** `rootOf` returns where a field was given: body for the request, agent for the stored agent. */
export function textsOf(
  fields: TemplatedFields,
  rootOf: (field: keyof TemplatedFields) => string,
): TemplateText[] {
  const at = (field: keyof TemplatedFields, rest = '') => `${rootOf(field)}.${field}${rest}`;
  const client_tools = fields.tools.flatMap((tool, index) =>
    tool.type === 'client' ? textsIn(tool.speech ?? null, at('tools', `[${index}].speech`)) : [],
  );
  return [
    { path: at('system_prompt'), text: fields.system_prompt ?? '' },
    { path: at('first_message'), text: fields.first_message ?? '' },
    { path: at('voicemail', '.message'), text: fields.voicemail.message ?? '' },
    ...fields.destinations.flatMap(({ transfer }, index) => [
      { path: at('destinations', `[${index}].transfer.brief`), text: transfer.brief },
      { path: at('destinations', `[${index}].transfer.announce`), text: transfer.announce ?? '' },
    ]),
    ...client_tools,
  ];
}

/** Throws with every text that uses a name without value and without fallback. */
export function requireVariables(
  texts: readonly TemplateText[],
  variables: Readonly<Record<string, unknown>>,
): void {
  const isKnown = (name: string) =>
    (reservedVariables as readonly string[]).includes(name) || Object.hasOwn(variables, name);
  const problems = texts.flatMap(({ path, text }): FieldProblem[] =>
    missingNames(text, isKnown).map((name) => ({
      path,
      message: `{{${name}}} has no value and no fallback`,
      code: 'required',
    })),
  );
  const [first] = problems;
  if (!first) return;
  const detail =
    problems.length === 1 ? `${first.path}: ${first.message}` : `${problems.length} problems; see errors.`;
  throw new ApiError('variable_missing', { detail, errors: problems });
}

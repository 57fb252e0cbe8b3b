// The one check of who may change an input of a rule: everybody may make a rule stricter, the table says who may loosen it.
import { ApiError } from '../../../platform/http/api-error.ts';
import { type Caller, isPerson } from '../../../platform/http/context.ts';
import { type Loosener, rule_inputs } from './table.ts';

type Tables = typeof rule_inputs;
/** A column that callers change, such as `contacts.time_zone`. */
export type RuleInput = {
  [Table in keyof Tables & string]: `${Table}.${keyof Tables[Table] & string}`;
}[keyof Tables & string];

type Credential = Pick<Caller, 'credential_kind' | 'beside_operator_key'>;

type Change = { is_stricter?: boolean; path?: string; detail?: string; fix?: string };

const lifts: Record<Loosener, (caller: Credential) => boolean> = {
  program: () => true,
  person: isPerson,
  // Without accounts an agent has the shared key, so the operator key decides once there is one.
  operator: (caller) => caller.credential_kind !== 'shared_key' || caller.beside_operator_key !== true,
  service: () => false,
};

/** Instead of what the error says in general. */
const fixes: Partial<Record<Loosener, string>> = { operator: 'Use the operator key of the server.' };

/** Whether the caller may also loosen it. */
export function mayLoosen(caller: Credential, input: RuleInput): boolean {
  return lifts[looseningOf(input)](caller);
}

function looseningOf(input: RuleInput): Loosener {
  const [table, column] = input.split('.') as [keyof Tables, string];
  return (rule_inputs[table] as Record<string, { loosened_by: Loosener }>)[column]!.loosened_by;
}

/** Throws when the change loosens a rule and the caller may not do that. */
export function requireRight(
  caller: Credential,
  input: RuleInput,
  { is_stricter = false, path, detail, fix }: Change = {},
): void {
  if (is_stricter || mayLoosen(caller, input)) return;
  const way_out = fix ?? fixes[looseningOf(input)];
  throw new ApiError('person_required', {
    ...(path === undefined ? {} : { path }),
    ...(detail === undefined ? {} : { detail }),
    ...(way_out === undefined ? {} : { fix: way_out }),
  });
}

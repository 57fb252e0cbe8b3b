// What Telnyx must know before it sells a number of a country and type, read from its list of regulatory requirements.
import type { NumberType } from '@parley/contract/channels/numbers/numbers';
import type { Requirement, RequirementInput } from '@parley/contract/channels/numbers/verification-records';
import { keyedTtlCache } from '../../../../platform/ttl-cache.ts';
import type { CarrierFailure } from '../../carrier-failure.ts';
import { listField, textField } from '../../carrier-http.ts';
import { item } from '../../requirement-items.ts';
import { refused, type TelnyxApi } from '../api.ts';

type Place = { country_code: string; number_type: NumberType };

export async function regulatoryRequirements(
  api: TelnyxApi,
  { country_code, number_type }: Place,
): Promise<{ outcome: 'found'; requirements: Requirement[] } | CarrierFailure> {
  const response = await api.get('/regulatory_requirements', [
    ['filter[country_code]', country_code],
    ['filter[phone_number_type]', number_type],
    ['filter[action]', 'ordering'],
  ]);
  if (response.outcome !== 'response') return response;
  if (response.status !== 200) return refused(response.status, response.json);
  const listed = listField(response.json, 'data').flatMap((each) =>
    listField(each, 'regulatory_requirements'),
  );
  const by_id = new Map(listed.map((each) => [textField(each, 'id') ?? '', each]));
  by_id.delete('');
  return { outcome: 'found', requirements: [...by_id].map(([key, each]) => requirementOf(key, each)) };
}

const inputs: Readonly<Record<string, RequirementInput | undefined>> = {
  textual: 'text',
  datetime: 'date',
  date: 'date',
  address: 'address',
  address_id: 'address',
  document: 'document',
  document_id: 'document',
};

/** Of a person, so deleted after the carrier has it. */
const sensitive_names = /birth|passport|identity|identification|national id|social security/i;

function requirementOf(key: string, each: unknown): Requirement {
  const label = (textField(each, 'name') ?? key).slice(0, 300);
  const criteria = (name: string) => textField(each, 'acceptance_criteria', name)?.trim() || null;
  const values = listField(each, 'acceptance_criteria', 'acceptable_values').map(String);
  const field_input = inputs[textField(each, 'field_type') ?? ''] ?? 'text';
  const input = field_input === 'text' && values.length > 0 ? 'choice' : field_input;
  const lines = [
    textField(each, 'description'),
    textField(each, 'example') && `Example: ${textField(each, 'example')}`,
    criteria('time_limit') && `Age: ${criteria('time_limit')}`,
    input === 'address' && criteria('locality_limit') && `Place: ${criteria('locality_limit')}`,
    criteria('acceptable_characters') && `Characters: ${criteria('acceptable_characters')}`,
  ].filter((line) => typeof line === 'string' && line !== '');
  return item({
    key,
    label,
    description: lines.join('\n').slice(0, 2000) || null,
    input,
    sensitive: (input === 'text' || input === 'date') && sensitive_names.test(label),
    choices: input === 'choice' ? values.map((value) => ({ value, label: value })) : null,
    min_length: input === 'text' ? lengthOf(criteria('min_length')) : null,
    max_length: input === 'text' ? lengthOf(criteria('max_length')) : null,
    pattern: input === 'text' ? (criteria('regex')?.slice(0, 500) ?? null) : null,
    locality: input === 'address' && criteria('locality_limit') ? 'area' : null,
    accepted_documents: input === 'document' ? [{ type: 'document', label, fields: [] }] : null,
  });
}

/** Telnyx writes lengths as text. */
const lengthOf = (text: string | null): number | null =>
  text !== null && /^\d{1,5}$/.test(text) ? Number(text) : null;

const cache_ms = 24 * 3_600_000;

/** Whether numbers are sold without a verification. Every search asks, so the answer is kept for a day. */
export function readinessReader(api: TelnyxApi) {
  type Known = Awaited<ReturnType<typeof regulatoryRequirements>>;
  const cache = keyedTtlCache<Known>({ max_age_ms: cache_ms, max_entries: 500 });
  return async (
    place: Place,
  ): Promise<{ outcome: 'found'; readiness: 'ready' | 'verification_required' } | CarrierFailure> => {
    const key = `${place.country_code} ${place.number_type}`;
    const requirements = await cache.get(key, () => regulatoryRequirements(api, place));
    if (requirements.outcome !== 'found') {
      cache.forget(key);
      return requirements;
    }
    return {
      outcome: 'found',
      readiness: requirements.requirements.length === 0 ? 'ready' : 'verification_required',
    };
  };
}

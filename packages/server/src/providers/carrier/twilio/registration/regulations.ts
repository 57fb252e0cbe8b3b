// Twilio's regulations: who may use a number of a country and type, and the form that this becomes.
import type { NumberType } from '@parley/contract/channels/numbers/numbers';
import type { Requirement } from '@parley/contract/channels/numbers/verification-records';
import { keyedTtlCache } from '../../../../platform/ttl-cache.ts';
import type { CarrierFailure } from '../../carrier-failure.ts';
import { listField, textField } from '../../carrier-http.ts';
import { item } from '../../requirement-items.ts';
import { refused, type TwilioApi } from '../api.ts';

type SubjectType = 'individual' | 'business';

export type Field = { name: string; label: string; description: string | null };

export type AcceptedType = { type: string; label: string; fields: Field[] };

export type DocumentRule = {
  /** Twilio's name of the requirement; the key of ours. */
  key: string;
  label: string;
  description: string | null;
  is_required: boolean;
  accepted: AcceptedType[];
  /** The type that consists of an address and has no file; null where a file is needed. */
  address_type: string | null;
};

export type Regulation = {
  sid: string;
  subject_type: SubjectType;
  end_users: { type: string; key: string; fields: Field[] }[];
  documents: DocumentRule[];
};

export type RegulationQuery = { country_code: string; number_type: NumberType };
export type FoundRegulations = { outcome: 'found'; regulations: Regulation[] } | CarrierFailure;

const cache_ms = 3_600_000;

export const compliance_path = '/v2/RegulatoryCompliance';

/** The field of a document that names addresses of the account. */
export const address_field = 'address_sids';

/** Fields of Twilio that have a name in our records. */
const our_keys: Record<string, string> = {
  business_name: 'subject_name',
  business_registration_number: 'registration_number',
  [address_field]: 'address',
};
export const keyOf = (name: string): string => our_keys[name] ?? name;

/** Deleted here after Twilio has it. */
const sensitive_names = /birth|passport|national_id|id_number|document_number|social_security|ssn/;
const optional_names = new Set(['comments']);

export function regulationReader(api: TwilioApi) {
  const cache = keyedTtlCache<FoundRegulations>({ max_age_ms: cache_ms, max_entries: 500 });
  const keyFor = ({ country_code, number_type }: RegulationQuery) => `${country_code} ${number_type}`;
  async function known(query: RegulationQuery): Promise<FoundRegulations> {
    const regulations = await cache.get(keyFor(query), () => readRegulations(api, query));
    if (regulations.outcome !== 'found') cache.forget(keyFor(query));
    return regulations;
  }
  return {
    /** At most an hour old. */
    known,
    /** Asks Twilio: regulations change. */
    current(query: RegulationQuery): Promise<FoundRegulations> {
      cache.forget(keyFor(query));
      return known(query);
    },
  };
}
export type RegulationReader = ReturnType<typeof regulationReader>;

async function readRegulations(api: TwilioApi, query: RegulationQuery): Promise<FoundRegulations> {
  const response = await api.host('numbers').get(`${compliance_path}/Regulations`, {
    IsoCountry: query.country_code,
    NumberType: query.number_type.replace('_', '-'),
    IncludeConstraints: 'true',
  });
  if (response.outcome !== 'response') return response;
  if (response.status !== 200) return refused(response.status, response.json);
  const regulations = listField(response.json, 'results').flatMap(regulationOf);
  return { outcome: 'found', regulations };
}

function regulationOf(json: unknown): Regulation[] {
  const sid = textField(json, 'sid');
  const subject_type = textField(json, 'end_user_type');
  if (!sid || (subject_type !== 'individual' && subject_type !== 'business')) return [];
  const groups = listField(json, 'requirements', 'supporting_document');
  const end_users = listField(json, 'requirements', 'end_user');
  // A regulation that asks for nothing needs no verification.
  if (groups.length === 0 && end_users.length === 0) return [];
  // Twilio does not say whether several groups are alternatives. Its evaluation decides before anything is submitted.
  const is_required = groups.length === 1;
  return [
    {
      sid,
      subject_type,
      end_users: end_users.map((each) => ({
        type: textField(each, 'type') ?? subject_type,
        key: textField(each, 'requirement_name') ?? '',
        fields: fieldsOf(each),
      })),
      documents: groups
        .flatMap((group) => (Array.isArray(group) ? (group as unknown[]) : [group]))
        .flatMap((each) => documentRule(each, is_required)),
    },
  ];
}

function documentRule(json: unknown, is_required: boolean): DocumentRule[] {
  const key = textField(json, 'requirement_name');
  if (!key) return [];
  const accepted = listField(json, 'accepted_documents').flatMap((each): AcceptedType[] => {
    const type = textField(each, 'type');
    return type ? [{ type, label: textField(each, 'name') ?? type, fields: fieldsOf(each) }] : [];
  });
  const address = accepted.find(
    ({ type, fields }) => type === 'address' && fields.every(({ name }) => name === address_field),
  );
  return [
    {
      key,
      label: textField(json, 'name') ?? key,
      description: textField(json, 'description'),
      is_required,
      accepted,
      address_type: address?.type ?? null,
    },
  ];
}

function fieldsOf(json: unknown): Field[] {
  const detailed = listField(json, 'detailed_fields');
  const named = (name: string | null, label: string | null, description: string | null): Field[] =>
    name ? [{ name, label: label ?? name.replaceAll('_', ' '), description: description || null }] : [];
  if (detailed.length === 0)
    return listField(json, 'fields').flatMap((name) =>
      named(typeof name === 'string' ? name : null, null, null),
    );
  return detailed.flatMap((each) =>
    named(textField(each, 'machine_name'), textField(each, 'friendly_name'), textField(each, 'description')),
  );
}

// ---- the form

const inputOf = (name: string): Requirement['input'] => {
  if (/birth_?date|date_of_birth|_date$/.test(name)) return 'date';
  if (/email/.test(name)) return 'email';
  if (/phone/.test(name)) return 'phone';
  return /website|url/.test(name) ? 'url' : 'text';
};

const subjectName = (label: string) => item({ key: 'subject_name', label, input: 'text', max_length: 200 });

const addressItem = (description: string | null, required: boolean) =>
  item({ key: 'address', label: 'Address', description, input: 'address', required });

/** For numbers that need an address and nothing else. */
export const address_form: Requirement[] = [subjectName('Name'), addressItem(null, true)];

/** What the regulation asks for, with unique keys. */
export function formOf(regulation: Regulation): Requirement[] {
  const fields = endUserFields(regulation);
  const name = fields.find((each) => each.name === 'business_name');
  const answers = fields
    .filter((each) => each.name !== 'business_name')
    .map(({ name: field_name, label, description }) =>
      item({
        key: keyOf(field_name),
        label,
        description,
        input: inputOf(field_name),
        required: !optional_names.has(field_name),
        sensitive: sensitive_names.test(field_name),
        max_length: 500,
      }),
    );
  const items = [
    subjectName(name?.label ?? 'Name'),
    ...answers,
    ...addressOf(regulation),
    ...regulation.documents.flatMap((rule) => documentItem(regulation, rule)),
  ];
  return items.filter(({ key }, index) => items.findIndex((each) => each.key === key) === index);
}

export const endUserFields = ({ end_users }: Regulation): Field[] =>
  end_users.flatMap(({ fields }) => fields);

const namesAddress = ({ fields }: AcceptedType) => fields.some(({ name }) => name === address_field);

function addressOf({ documents }: Regulation): Requirement[] {
  const rules = documents.filter(({ accepted }) => accepted.some(namesAddress));
  if (rules.length === 0) return [];
  const required = rules.some(
    ({ is_required, address_type, accepted }) =>
      is_required && (address_type !== null || accepted.every(namesAddress)),
  );
  return [
    addressItem(rules.find(({ address_type }) => address_type !== null)?.description ?? null, required),
  ];
}

/** Empty where an address is enough: then no file is asked for. */
function documentItem(regulation: Regulation, rule: DocumentRule): Requirement[] {
  if (rule.address_type !== null) return [];
  const known_fields = new Set([address_field, ...endUserFields(regulation).map(({ name }) => name)]);
  return [
    item({
      key: rule.key,
      label: rule.label,
      description: rule.description,
      input: 'document',
      required: rule.is_required,
      // Fields that are answered in the form are copied, because Twilio wants the same text in both.
      accepted_documents: rule.accepted.map(({ type, label, fields }) => ({
        type,
        label,
        fields: fields
          .filter(({ name }) => !known_fields.has(name))
          .map(({ name, label: field_label }) => ({ value: name, label: field_label })),
      })),
    }),
  ];
}

// One requirement of a carrier as a form field, and the conversion of its text to an answer.
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { Requirement, VerificationPatch } from '@parley/sdk';

/** What a person typed, by the key of the requirement; the parts of an address have keys such as `address.city`. */
export type Texts = Record<string, string>;

const address_parts = [
  ['street', 'Street'],
  ['city', 'City'],
  ['region', 'State or region'],
  ['postal_code', 'Postal code'],
  ['country_code', 'Country code'],
] as const;

const input_types: Partial<Record<Requirement['input'], string>> = {
  date: 'date',
  url: 'url',
  email: 'email',
  phone: 'tel',
};

type FieldProps = {
  requirement: Requirement;
  texts: Texts;
  problem: string | undefined;
  onChange(changed: Texts): void;
};

export function VerificationField({ requirement, texts, problem, onChange }: FieldProps) {
  const { key, label, description, input, required, choices } = requirement;
  const set = (name: string) => (event: { currentTarget: { value: string } }) =>
    onChange({ [name]: event.currentTarget.value });
  const shared = {
    label: required ? label : `${label} (optional)`,
    description: description ?? undefined,
    error: problem,
    value: texts[key] ?? '',
    onChange: set(key),
  };
  if (input === 'address') {
    return (
      <fieldset className="plain stack tight">
        <legend>{shared.label}</legend>
        {problem && <p className="problem small">{problem}</p>}
        <div className="grid two">
          {address_parts.map(([part, name]) => (
            <TextInput
              key={part}
              label={name}
              value={texts[`${key}.${part}`] ?? ''}
              onChange={set(`${key}.${part}`)}
            />
          ))}
        </div>
      </fieldset>
    );
  }
  if (input === 'choice' || input === 'boolean') {
    const data =
      input === 'boolean'
        ? [
            { value: 'true', label: 'Yes' },
            { value: 'false', label: 'No' },
          ]
        : (choices ?? []);
    return <NativeSelect {...shared} data={[{ value: '', label: 'Choose…' }, ...data]} />;
  }
  if (input === 'text_list')
    return <Textarea {...shared} autosize minRows={2} description={description ?? 'One per line.'} />;
  if ((requirement.max_length ?? 0) > 300) return <Textarea {...shared} autosize minRows={2} />;
  return <TextInput {...shared} type={input_types[input] ?? 'text'} />;
}

type Answers = NonNullable<VerificationPatch['answers']>;
type Address = NonNullable<VerificationPatch['address']>;

function addressIn(texts: Texts, key: string): Address | null {
  const part = (name: string) => texts[`${key}.${name}`]?.trim() ?? '';
  if (!address_parts.some(([name]) => part(name) !== '')) return null;
  return {
    street: part('street'),
    city: part('city'),
    ...(part('region') && { region: part('region') }),
    postal_code: part('postal_code'),
    country_code: part('country_code'),
  };
}

function answerOf({ key, input }: Requirement, texts: Texts): Answers[string] {
  const text = texts[key]?.trim() ?? '';
  if (input === 'address') return addressIn(texts, key);
  if (text === '') return null;
  if (input === 'boolean') return text === 'true';
  if (input === 'text_list') return text.split('\n').flatMap((line) => line.trim() || []);
  return text;
}

/** The body of an update: only what was typed. What was answered before is never shown, so it is kept. */
export function patchOf(requirements: readonly Requirement[], texts: Texts): VerificationPatch {
  const patch: VerificationPatch = {};
  const answers: Answers = {};
  for (const requirement of requirements) {
    const answer = answerOf(requirement, texts);
    if (answer === null || requirement.input === 'document') continue;
    if (requirement.key === 'subject_name') patch.subject_name = String(answer);
    else if (requirement.key === 'registration_number') patch.registration_number = String(answer);
    else if (requirement.key === 'address') patch.address = answer as Address;
    else answers[requirement.key] = answer;
  }
  return Object.keys(answers).length > 0 ? { ...patch, answers } : patch;
}

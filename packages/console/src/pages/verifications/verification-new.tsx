// Starts a verification: three questions, then the carrier's own form.
import { NativeSelect, TextInput } from '@mantine/core';
import type { Verification } from '@parley/sdk';
import { Form } from '../../parts/form.tsx';
import { parley } from '../../session/client.ts';
import { useForm } from '../../state/use-form.ts';
import { useList } from '../../state/use-list.ts';

type Kind = Verification['kind'];
export type Prefill = { country_code: string; number_type: Verification['number_type'] };

const kinds: { value: Kind; label: string }[] = [
  { value: 'number', label: 'Use a number in a country' },
  { value: 'us_brand', label: 'Texts to the US: who you are (brand)' },
  { value: 'us_campaign', label: 'Texts to the US from local numbers (campaign)' },
  { value: 'toll_free', label: 'Texts to the US from a toll-free number' },
];

type Fields = {
  kind: Kind;
  country_code: string;
  number_type: Verification['number_type'];
  subject_type: Verification['subject_type'];
  subject_name: string;
  number_id: string;
  brand_verification_id: string;
};

/** A draft with only the fields of its kind; the checklist asks for the rest. */
const bodyOf = ({ kind, ...fields }: Fields) => {
  const { subject_type, subject_name } = fields;
  const shared = { kind, subject_type, subject_name, submit: false };
  if (kind === 'number')
    return { ...shared, country_code: fields.country_code, number_type: fields.number_type };
  if (kind === 'toll_free') return { ...shared, number_id: fields.number_id || null };
  if (kind === 'us_campaign')
    return { ...shared, brand_verification_id: fields.brand_verification_id || null };
  return shared;
};

export function NewVerification({
  prefill,
  onMade,
}: {
  prefill?: Prefill;
  onMade(made: Verification): void;
}) {
  const form = useForm<Fields, Verification>(
    {
      kind: 'number',
      country_code: prefill?.country_code ?? '',
      number_type: prefill?.number_type ?? 'local',
      subject_type: 'business',
      subject_name: '',
      number_id: '',
      brand_verification_id: '',
    },
    (fields) => parley.verifications.create(bodyOf(fields)),
    { changes: ['verifications'], done: onMade },
  );
  const { kind } = form.fields;
  return (
    <Form action={form} submit="Continue">
      {!prefill && <NativeSelect label="What for" {...form.field('kind')} data={kinds} />}
      <TextInput label="Name of the person or company" {...form.field('subject_name')} required />
      <NativeSelect
        label="Who uses it"
        {...form.field('subject_type')}
        data={[
          { value: 'business', label: 'A business' },
          { value: 'individual', label: 'A person' },
        ]}
      />
      {kind === 'number' && !prefill && (
        <>
          <TextInput label="Country code" placeholder="DE" {...form.field('country_code')} required />
          <NativeSelect
            label="Kind of number"
            {...form.field('number_type')}
            data={['local', 'mobile', 'national', 'toll_free'].map((value) => ({
              value,
              label: value.replace('_', ' '),
            }))}
          />
        </>
      )}
      {kind === 'us_campaign' && <BrandPick {...form.field('brand_verification_id')} />}
      {kind === 'toll_free' && <TollFreePick {...form.field('number_id')} />}
    </Form>
  );
}

type Pick = {
  value: string;
  onChange(event: React.ChangeEvent<HTMLSelectElement>): void;
  error: string | undefined;
};

function BrandPick(field: Pick) {
  const brands = useList(['verifications', 'brands'], (query) =>
    parley.verifications.list({ ...query, kind: 'us_brand' }),
  );
  const approved = brands.items.filter(({ state }) => state === 'approved');
  return (
    <NativeSelect
      label="Brand"
      description={
        approved.length === 0 ? 'Register a brand first; a campaign needs an approved one.' : undefined
      }
      {...field}
      data={[
        { value: '', label: 'Choose…' },
        ...approved.map(({ id, subject_name }) => ({ value: id, label: subject_name })),
      ]}
    />
  );
}

function TollFreePick(field: Pick) {
  const numbers = useList(['numbers', 'active'], (query) =>
    parley.numbers.list({ ...query, provisioning_state: 'active' }),
  );
  const fitting = numbers.items.filter(({ number_type }) => number_type === 'toll_free');
  return (
    <NativeSelect
      label="Toll-free number"
      {...field}
      data={[{ value: '', label: 'Choose…' }, ...fitting.map(({ id, e164 }) => ({ value: id, label: e164 }))]}
    />
  );
}

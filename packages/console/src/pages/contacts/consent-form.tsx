// The forms that record a consent with its proof, and revoke one.
import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { Consent, ConsentCreate } from '@parley/sdk';
import { humanize } from '../../parts/badge.tsx';
import { Form } from '../../parts/form.tsx';
import { OperatorKeyField } from '../../parts/operator-key.tsx';
import { parley, parleyAsPerson } from '../../session/client.ts';
import { useForm } from '../../state/use-form.ts';

export type ConsentChannel = Consent['channels'][number];
export const purposes: Consent['purposes'] = ['conversational', 'transactional', 'marketing'];
const bases: Consent['basis'][] = [
  'express',
  'express_written',
  'inbound_message',
  'contract',
  'legitimate_interest',
];
const sources: Consent['source']['kind'][] = ['web_form', 'verbal', 'paper', 'import', 'inbound', 'api'];

export const channelsFor = (recipient: string): ConsentChannel[] =>
  recipient.includes('@') ? ['email'] : ['call', 'sms'];
const options = (values: readonly string[]) => values.map((value) => ({ value, label: humanize(value) }));

type Fields = {
  recipient: string;
  channels: string[];
  purposes: string[];
  basis: string;
  kind: string;
  text_shown: string;
  url: string;
  captured_at: string;
  expires_at: string;
  file: File | null;
};

/** The browser gives a local time without a zone; the page shows and takes UTC. */
const utc = (time: string) => (time === '' ? null : new Date(`${time}Z`).toISOString());

async function upload(file: File): Promise<string> {
  const form = new FormData();
  form.append('file', file);
  const { attachments } = await parley.emailAttachments.upload(form);
  return attachments[0]!.id;
}

async function record(fields: Fields, request: { idempotency_key: string }): Promise<Consent> {
  const { recipient, basis, kind, text_shown, url, captured_at, expires_at, file } = fields;
  const offered = channelsFor(recipient);
  const body = {
    recipient,
    channels: offered.filter((channel) => offered.length === 1 || fields.channels.includes(channel)),
    purposes: fields.purposes,
    basis,
    source: {
      kind,
      text_shown: text_shown || null,
      url: url || null,
      captured_at: utc(captured_at),
    },
    expires_at: utc(expires_at),
    proof_attachment_id: file ? await upload(file) : null,
  };
  return parleyAsPerson.consents.create(body as ConsentCreate, request);
}

type ConsentForm = ReturnType<typeof useForm<Fields, Consent>>;

const Choices = ({
  form,
  name,
  label,
  values,
}: {
  form: ConsentForm;
  name: 'channels' | 'purposes';
  label: string;
  values: readonly string[];
}) => (
  <Checkbox.Group
    label={label}
    value={form.fields[name]}
    onChange={(chosen) => form.set({ [name]: chosen })}
    error={form.fieldError(name)}
  >
    <div className="row" style={{ marginTop: '0.35rem' }}>
      {values.map((value) => (
        <Checkbox key={value} value={value} label={value} />
      ))}
    </div>
  </Checkbox.Group>
);

const Proof = ({ form }: { form: ConsentForm }) => (
  <>
    <NativeSelect
      label="Where it comes from"
      {...form.field('kind')}
      error={form.fieldError('source\\.kind')}
      data={options(sources)}
    />
    <Textarea
      label="What the person read or heard"
      autosize
      minRows={2}
      maxLength={2000}
      {...form.field('text_shown')}
      error={form.fieldError('source\\.text_shown')}
    />
    {form.fields.kind === 'web_form' && (
      <TextInput label="Page with the form" {...form.field('url')} error={form.fieldError('source\\.url')} />
    )}
    <TextInput
      type="datetime-local"
      label="When the person agreed (UTC)"
      {...form.field('captured_at')}
      error={form.fieldError('source\\.captured_at')}
    />
    <TextInput
      type="datetime-local"
      label="Expires (UTC)"
      description="Empty: it does not expire."
      {...form.field('expires_at')}
    />
    <div className="stack tight">
      <label htmlFor="proof-file">File that proves it, such as a signed form</label>
      <input
        id="proof-file"
        type="file"
        onChange={(event) => form.set({ file: event.currentTarget.files?.[0] ?? null })}
      />
    </div>
  </>
);

export function RecordConsent({ recipient, close }: { recipient?: string; close(): void }) {
  const form: ConsentForm = useForm<Fields, Consent>(
    {
      recipient: recipient ?? '',
      channels: ['call', 'sms'],
      purposes: ['conversational'],
      basis: 'express',
      kind: 'verbal',
      text_shown: '',
      url: '',
      captured_at: '',
      expires_at: '',
      file: null,
    },
    record,
    {
      changes: ['consents', 'suppressions'],
      message: (made) => `The consent of ${made.recipient} is recorded.`,
      done: close,
    },
  );
  const offered = channelsFor(form.fields.recipient);
  return (
    <Form action={form} submit="Record consent">
      {recipient === undefined && (
        <TextInput label="Number or address" {...form.field('recipient')} required />
      )}
      {offered.length > 1 && <Choices form={form} name="channels" label="Channels" values={offered} />}
      <Choices form={form} name="purposes" label="Purposes" values={purposes} />
      <NativeSelect
        label="Basis"
        description="express and express written also lift an earlier revocation on these channels."
        {...form.field('basis')}
        data={options(bases)}
      />
      <Proof form={form} />
      <OperatorKeyField error={form.error} />
    </Form>
  );
}

export function RevokeConsent({ consent, close }: { consent: Consent; close(): void }) {
  const form = useForm(
    { reason: '' },
    ({ reason }) => parley.consents.revoke(consent.id, { reason: reason || null }),
    { changes: ['consents'], message: 'The consent is revoked.', done: close },
  );
  return (
    <Form action={form} submit="Revoke consent">
      <p style={{ margin: 0 }}>
        This entry no longer allows contact. It stays in the ledger. To stop all contact, suppress the
        recipient.
      </p>
      <TextInput
        label="Reason"
        description="Optional, for the audit log."
        maxLength={500}
        {...form.field('reason')}
      />
    </Form>
  );
}

// The form that erases a person: it counts first, and erases after a confirmation.
import { Button, Checkbox, Textarea } from '@mantine/core';
import type { Erasure } from '@parley/sdk';
import { humanize } from '../../parts/badge.tsx';
import { Form, FormProblem, splitList } from '../../parts/form.tsx';
import { OperatorKeyField } from '../../parts/operator-key.tsx';
import { parleyAsPerson } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { useForm } from '../../state/use-form.ts';

export const countsText = (counts: Erasure['counts']): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${humanize(name)}`)
    .join(', ') || 'nothing';

/** A name may have commas. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const PreviewNames = ({ preview: { names, display_names, settings } }: { preview: Erasure }) => (
  <>
    <p style={{ margin: 0 }}>
      Names that are replaced in messages that stay: <strong>{names?.join(', ') || 'none'}</strong>.
    </p>
    {display_names && display_names.length > 0 && (
      <p style={{ margin: 0 }} className="muted">
        The person wrote mail as: {display_names.join(', ')}. Go back to add real names.
      </p>
    )}
    {settings && settings.length > 0 && (
      <p style={{ margin: 0 }}>
        These settings name the person and stay as they are: {settings.map(humanize).join(', ')}.
      </p>
    )}
  </>
);

/** `contact_id`: the form asks for nobody. */
export function EraseForm({ contact_id, close }: { contact_id?: string; close(erasure: Erasure): void }) {
  const person = (parties: string) => (contact_id ? { contact_id } : { parties: splitList(parties) });
  const form = useForm<{ parties: string; names: string; keep_suppression: boolean }, Erasure>(
    { parties: '', names: '', keep_suppression: true },
    ({ parties, names, keep_suppression }) =>
      parleyAsPerson.erasures.create({
        ...person(parties),
        ...(names.trim() && { names: linesOf(names) }),
        ...{ keep_suppression, dry_run: true },
      }),
  );
  const { parties, keep_suppression } = form.fields;
  const preview = form.result;
  const erase = useAction(
    () => parleyAsPerson.erasures.create({ ...person(parties), names: preview?.names, keep_suppression }),
    { changes: ['erasures', 'contacts'], message: 'The person is being erased.', done: close },
  );
  if (preview)
    return (
      <div className="stack">
        <p style={{ margin: 0 }}>
          <strong>{preview.parties?.join(', ')}</strong>
        </p>
        <p style={{ margin: 0 }}>Found: {countsText(preview.counts)}.</p>
        <PreviewNames preview={preview} />
        <p style={{ margin: 0 }}>
          All of it is removed from messages, recordings, events, search and stored files. It cannot be
          undone.
        </p>
        <FormProblem error={erase.error} />
        <div className="row end">
          <Button variant="default" onClick={form.reset}>
            Back
          </Button>
          <Button color="red.9" loading={erase.busy} onClick={() => erase.run(undefined)}>
            Erase for ever
          </Button>
        </div>
      </div>
    );
  return (
    <Form action={form} submit="Preview">
      {!contact_id && (
        <Textarea
          label="Numbers and addresses of one person"
          description="Such as +14155550123 and ana@example.com, one in each line."
          autosize
          minRows={2}
          {...form.field('parties')}
          required
        />
      )}
      <Textarea
        label="Names"
        description="They are replaced in messages that stay. One in each line; empty: the name of the contact."
        autosize
        minRows={1}
        {...form.field('names')}
      />
      <Checkbox
        label="The person must not be contacted again"
        description="Kept as a keyed hash, without the number or address."
        {...form.checkbox('keep_suppression')}
      />
      <OperatorKeyField error={form.error} />
    </Form>
  );
}

// The recipients that a person vouched for beside contacts: a list with one entry per address, number or domain.
import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DialogButton } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { OperatorKeyField } from '../../parts/operator-key.tsx';
import { Card, Empty, Read } from '../../parts/page.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { parley, parleyAsPerson } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { useForm } from '../../state/use-form.ts';

/** The list is replaced as a whole, so it is read again first: somebody else may have changed it. */
async function change(edit: (recipients: string[]) => string[]) {
  const { recipients } = await parley.trustedRecipients.get();
  return parleyAsPerson.trustedRecipients.set({ recipients: edit(recipients) });
}

function AddForm({ close }: { close(): void }) {
  const form = useForm(
    { recipient: '' },
    ({ recipient }) => change((before) => [...before, recipient.trim()]),
    { changes: ['trusted-recipients'], message: 'The recipient is trusted.', done: close },
  );
  return (
    <Form action={form} submit="Trust">
      <TextInput
        label="Address, number or domain"
        description="Such as ana@example.org, +14155550123 or example.com. A domain stands for all addresses on it."
        {...form.field('recipient')}
        error={form.fieldError('recipients')}
        required
      />
      <OperatorKeyField error={form.error} />
    </Form>
  );
}

function RemoveForm({ recipient, close }: { recipient: string; close(): void }) {
  const action = useAction(() => change((before) => before.filter((each) => each !== recipient)), {
    changes: ['trusted-recipients'],
    message: `${recipient} is no longer trusted.`,
    done: close,
  });
  return (
    <Form action={action} submit="Remove">
      <p style={{ margin: 0 }}>
        What is sent to {recipient} can then wait for an approval, as the policy says.
      </p>
      <OperatorKeyField error={action.error} />
    </Form>
  );
}

export function TrustedRecipientsPart() {
  const trusted = useQuery({
    queryKey: ['trusted-recipients'],
    queryFn: () => parley.trustedRecipients.get(),
  });
  return (
    <Card
      flush
      title="Trusted recipients"
      actions={
        <DialogButton label="Add a recipient" variant="default">
          {(close) => <AddForm close={close} />}
        </DialogButton>
      }
    >
      <Read query={trusted}>
        {({ recipients }) => (
          <SmallTable
            label="Trusted recipients"
            items={recipients}
            keyOf={(recipient) => recipient}
            columns={[
              {
                title: 'Address, number or domain',
                width: '70%',
                cell: (recipient) => <strong className="break">{recipient}</strong>,
              },
              {
                title: 'Actions',
                width: '9rem',
                cell: (recipient) => (
                  <DialogButton size="row" label="Remove" title={`Remove ${recipient}`}>
                    {(close) => <RemoveForm recipient={recipient} close={close} />}
                  </DialogButton>
                ),
              },
            ]}
            empty={
              <Empty title="No trusted recipients">
                Contacts that a person made, members and your own domains are vouched for without an entry
                here.
              </Empty>
            }
          />
        )}
      </Read>
    </Card>
  );
}

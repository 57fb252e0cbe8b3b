// Invitations of new members: each is a link for one address, shown once.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import type { Invitation, NewInvitation } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { PlainBadge } from '../../parts/badge.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { ConfirmButton, DialogButton } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { OperatorKeyField } from '../../parts/operator-key.tsx';
import { Empty } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { useAheadMs } from '../../state/reads.ts';
import { useAction } from '../../state/use-action.tsx';
import { useForm } from '../../state/use-form.ts';
import { useList } from '../../state/use-list.ts';
import { mayManage, type Role, role_options } from './roles.ts';

/** The link of a new invitation. The server stores only its hash, so it cannot be shown again. */
function InvitationLink({ created, close }: { created: NewInvitation; close(): void }) {
  const subject = encodeURIComponent('Your invitation to Parley');
  const body = encodeURIComponent(`Please open this link to join:\n\n${created.accept_url}\n`);
  return (
    <div className="stack">
      <p style={{ margin: 0 }}>
        Send this link to <strong>{created.email}</strong>. It works once, until{' '}
        {new Date(created.expires_at).toLocaleDateString('en-GB', { dateStyle: 'long' })}, and is shown only
        now.
      </p>
      <CodeBlock code={created.accept_url} label="the link" />
      <div className="row end">
        <Button
          component="a"
          variant="default"
          href={`mailto:${encodeURIComponent(created.email)}?subject=${subject}&body=${body}`}
        >
          Write a mail
        </Button>
        <Button onClick={close}>Done</Button>
      </div>
    </div>
  );
}

function InviteForm({ own_role, close }: { own_role: Role | undefined; close(): void }) {
  const form = useForm({ email: '', role: 'member' as Role }, (fields) => parley.invitations.create(fields), {
    changes: ['invitations'],
  });
  if (form.result) return <InvitationLink created={form.result} close={close} />;
  return (
    <Form action={form} submit="Create invitation">
      <TextInput label="Email" type="email" {...form.field('email')} required />
      <NativeSelect
        label="Role"
        {...form.field('role')}
        data={role_options.filter(({ value }) => own_role === undefined || mayManage(own_role, value))}
      />
      <OperatorKeyField error={form.error} />
    </Form>
  );
}

/** Members may not invite; where the own role is unknown, the server decides. */
export const InviteButton = ({ own_role }: { own_role: Role | undefined }) =>
  own_role === 'member' ? null : (
    <DialogButton label="Invite a person">
      {(close) => <InviteForm own_role={own_role} close={close} />}
    </DialogButton>
  );

/** Creates the new invitation first, so that a failure leaves the old link valid. */
function NewLinkForm({ invitation, close }: { invitation: Invitation; close(): void }) {
  const queries = useQueryClient();
  const { id, email, role } = invitation;
  const renew = useAction(async () => {
    const created = await parley.invitations.create({ email, role });
    await parley.invitations.withdraw(id);
    return created;
  });
  const done = () => {
    close();
    // Only now: the row with this dialog disappears with the old invitation.
    void queries.invalidateQueries({ queryKey: ['invitations'] });
  };
  if (renew.result) return <InvitationLink created={renew.result} close={done} />;
  return (
    <Form action={renew} submit="Create a new link">
      <p style={{ margin: 0 }}>
        A new link for <strong>{email}</strong> replaces the old one, which stops working.
      </p>
      <OperatorKeyField error={renew.error} />
    </Form>
  );
}

function Withdraw({ invitation: { id, email } }: { invitation: Invitation }) {
  const withdraw = useAction(() => parley.invitations.withdraw(id), {
    changes: ['invitations'],
    message: `The invitation of ${email} was revoked.`,
    toast_error: true,
  });
  return (
    <ConfirmButton
      size="row"
      label="Revoke"
      question={`Revoke the invitation of ${email}? Its link stops working at once.`}
      busy={withdraw.busy}
      onConfirm={() => withdraw.run(undefined)}
    />
  );
}

function State({ invitation: { accepted_at, expires_at } }: { invitation: Invitation }) {
  const ahead_ms = useAheadMs();
  if (accepted_at) return <PlainBadge tone="good">accepted</PlainBadge>;
  return Date.parse(expires_at) < Date.now() + ahead_ms ? (
    <PlainBadge tone="still">expired</PlainBadge>
  ) : (
    <PlainBadge tone="warn">open</PlainBadge>
  );
}

const columns: Column<Invitation>[] = [
  { title: 'Email', width: 'minmax(9rem, 1.3fr)', cell: ({ email }) => <strong>{email}</strong> },
  { title: 'Role', width: '5rem', cell: ({ role }) => role },
  { title: 'State', width: '6.5rem', cell: (invitation) => <State invitation={invitation} /> },
  { title: 'Invited', width: '6.5rem', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Expires', width: '6.5rem', wide: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
  {
    title: 'Actions',
    width: '10rem',
    cell: (invitation) =>
      invitation.accepted_at ? null : (
        <span className="row" style={{ flexWrap: 'nowrap' }}>
          <DialogButton size="row" label="Resend" title={`Resend the invitation of ${invitation.email}`}>
            {(close) => <NewLinkForm invitation={invitation} close={close} />}
          </DialogButton>
          <Withdraw invitation={invitation} />
        </span>
      ),
  },
];

export function InvitationList() {
  const invitations = useList(['invitations'], (query) => parley.invitations.list(query));
  return (
    <RecordTable
      label="Invitations"
      query={invitations}
      columns={columns}
      empty={
        <Empty title="No invitations">
          An invitation is a link for one address. It works once, for seven days.
        </Empty>
      }
    />
  );
}

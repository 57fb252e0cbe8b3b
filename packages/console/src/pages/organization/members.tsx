// The people of the organization: their roles, and how they leave.
import { NativeSelect, Tabs } from '@mantine/core';
import type { Member } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { ConfirmButton, DialogButton } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { Time } from '../../parts/time.tsx';
import { parley } from '../../session/client.ts';
import { facts } from '../../session/facts.ts';
import { useIdentity } from '../../state/reads.ts';
import { useAction } from '../../state/use-action.tsx';
import { useFilters } from '../../state/use-filters.ts';
import { useForm } from '../../state/use-form.ts';
import { useList } from '../../state/use-list.ts';
import { InvitationList, InviteButton } from './invitations.tsx';
import { mayManage, type Role, role_options } from './roles.ts';

function RoleForm({ member, close }: { member: Member; close(): void }) {
  const form = useForm(
    { role: member.role as Role },
    ({ role }) => parley.members.update(member.id, { role }),
    {
      changes: ['members'],
      message: ({ name, role }) => `${name} is ${role} now.`,
      done: close,
    },
  );
  return (
    <Form action={form} submit="Save">
      <NativeSelect label="Role" {...form.field('role')} data={role_options} />
    </Form>
  );
}

function Remove({ member }: { member: Member }) {
  const remove = useAction(() => parley.members.remove(member.id), {
    changes: ['members'],
    message: `${member.name} was removed.`,
    toast_error: true,
  });
  return (
    <ConfirmButton
      size="row"
      label="Remove"
      question={`Remove ${member.name}? Their sessions and keys for this organization stop working at once.`}
      busy={remove.busy}
      onConfirm={() => remove.run(undefined)}
    />
  );
}

function Leave({ member }: { member: Member }) {
  const leave = useAction(() => parley.members.remove(member.id), {
    // The next page has another organization, or none.
    done: () => location.assign('/'),
    toast_error: true,
  });
  return (
    <ConfirmButton
      size="row"
      label="Leave"
      question="Leave this organization? Your keys for it stop working at once, and you need a new invitation to return."
      busy={leave.busy}
      onConfirm={() => leave.run(undefined)}
    />
  );
}

function Actions({ member, own }: { member: Member; own: Member | undefined }) {
  const is_self = member.id === own?.id;
  const may_manage = own !== undefined && mayManage(own.role, member.role);
  return (
    <span className="row" style={{ flexWrap: 'nowrap' }}>
      {may_manage && (
        <DialogButton size="row" label="Role" title={`Role of ${member.name}`}>
          {(close) => <RoleForm member={member} close={close} />}
        </DialogButton>
      )}
      {is_self ? <Leave member={member} /> : may_manage && <Remove member={member} />}
    </span>
  );
}

const columnsFor = (own: Member | undefined): Column<Member>[] => [
  {
    title: 'Name',
    width: 'minmax(8rem, 1fr)',
    cell: ({ id, name }) => (
      <strong>
        {name}
        {id === own?.id ? ' (you)' : ''}
      </strong>
    ),
  },
  { title: 'Email', width: 'minmax(9rem, 1.3fr)', cell: ({ email }) => email },
  { title: 'Role', width: '5rem', cell: ({ role }) => role },
  { title: 'Joined', width: '6.5rem', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Actions', width: '9rem', cell: (member) => <Actions member={member} own={own} /> },
];

function ManagedMembersPage() {
  const { part = 'members' } = useFilters();
  const navigate = useNavigate();
  const { data: who } = useIdentity();
  const members = useList(['members'], (query) => parley.members.list(query));
  const own_membership = members.items.find(({ user_id }) => user_id === who?.user_id);
  return (
    <Page
      title="Members"
      about="The people of this organization. Owners and admins invite, change and remove people; only an owner makes another owner."
      actions={<InviteButton own_role={own_membership?.role} />}
    >
      <Tabs
        value={part}
        onChange={(value) =>
          void navigate({ to: '/members', search: { part: value ?? 'members' } as never, replace: true })
        }
        keepMounted={false}
      >
        <Tabs.List aria-label="People" mb="md">
          <Tabs.Tab value="members">Members</Tabs.Tab>
          <Tabs.Tab value="invitations">Invitations</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="members">
          <RecordTable
            label="Members"
            query={members}
            columns={columnsFor(own_membership)}
            empty={
              <Empty title="No members">
                The organization of the shared key has no people. Create one under Admin, and add its first
                owner there.
              </Empty>
            }
          />
        </Tabs.Panel>
        <Tabs.Panel value="invitations">
          <InvitationList />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

export const MembersPage = () =>
  facts.is_managed ? (
    <ManagedMembersPage />
  ) : (
    <Page title="Members" about="The people of this organization.">
      <section className="card flush">
        <Empty title="Members need managed mode">
          This server has only the shared key. PARLEY_MANAGED=on adds accounts, organizations and members.
        </Empty>
      </section>
    </Page>
  );

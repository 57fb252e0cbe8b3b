// The form that adds or edits a contact, and the one by which a person vouches for it.
import { TextInput } from '@mantine/core';
import type { Contact } from '@parley/sdk';
import { Form } from '../../parts/form.tsx';
import { OperatorKeyField } from '../../parts/operator-key.tsx';
import { parley, parleyAsPerson } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';
import { useForm } from '../../state/use-form.ts';

type NewContact = Partial<Pick<Contact, 'name' | 'phone_e164' | 'email'>>;

export function ContactForm({
  contact,
  first,
  close,
}: {
  contact?: Contact;
  /** What is known of a new contact. */
  first?: NewContact;
  close(): void;
}) {
  const initial: Partial<Contact> = contact ?? first ?? {};
  const form = useForm(
    {
      name: initial.name ?? '',
      phone_e164: initial.phone_e164 ?? '',
      email: initial.email ?? '',
      role: initial.role ?? '',
      time_zone: initial.time_zone ?? '',
    },
    ({ name, phone_e164, email, role, time_zone }) => {
      const fields = {
        name,
        phone_e164: phone_e164 || null,
        email: email || null,
        role: role || null,
        time_zone: time_zone || null,
      };
      return contact ? parley.contacts.update(contact.id, fields) : parley.contacts.create(fields);
    },
    { changes: ['contacts', 'conversations'], message: ({ name }) => `${name} was saved.`, done: close },
  );
  return (
    <Form action={form} submit={contact ? 'Save contact' : 'Add contact'}>
      <TextInput label="Name" {...form.field('name')} required />
      <TextInput label="Phone" placeholder="+14155550123" {...form.field('phone_e164')} />
      <TextInput label="Email" inputMode="email" {...form.field('email')} />
      <TextInput label="Role" {...form.field('role')} />
      <TextInput
        label="Time zone"
        description="For quiet hours, such as Europe/Lisbon."
        {...form.field('time_zone')}
      />
    </Form>
  );
}

/** Stops all contact with the person, or allows it again. */
export function DoNotContactForm({ contact, close }: { contact: Contact; close(): void }) {
  const do_not_contact = !contact.do_not_contact;
  const action = useAction(() => parleyAsPerson.contacts.update(contact.id, { do_not_contact }), {
    changes: ['contacts', 'consents', 'suppressions'],
    message: do_not_contact
      ? `${contact.name} is not contacted any more.`
      : `${contact.name} may be contacted.`,
    done: close,
  });
  return (
    <Form action={action} submit={do_not_contact ? 'Stop contact' : 'Allow contact'}>
      <p style={{ margin: 0 }}>
        {do_not_contact
          ? `Calls, texts and emails to ${contact.name} are refused from now on.`
          : `You confirm that ${contact.name} agrees to be contacted again.`}
      </p>
      <OperatorKeyField error={action.error} />
    </Form>
  );
}

export function VouchForm({ contact, close }: { contact: Contact; close(): void }) {
  const action = useAction(() => parleyAsPerson.contacts.update(contact.id, { is_vouched: true }), {
    changes: ['contacts'],
    message: `You vouched for ${contact.name}.`,
    done: close,
  });
  return (
    <Form action={action} submit="Vouch">
      <p style={{ margin: 0 }}>
        You confirm that this number and address belong to {contact.name}. Rules with the condition “nobody
        vouched for a recipient” then let messages to them pass.
      </p>
      <OperatorKeyField error={action.error} />
    </Form>
  );
}

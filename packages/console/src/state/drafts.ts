// Drafts of replies and of forms, kept while the person looks at other pages and when the page is loaded again. They are stored
// for this tab only.

export type Draft = {
  channel: 'email' | 'sms';
  /** For a new message; an answer goes to the sender of the last received one. */
  to: string;
  subject: string;
  body: string;
  reply_all: boolean;
  recipient_consent: boolean;
};

const prefix = 'parley.draft.';

const form_name = (name: string) => `form:${name}`;

export const readDraft = (conversation_id: string) => read<Draft>(conversation_id);

export function keepDraft(conversation_id: string, draft: Draft): void {
  const { recipient_consent, subject, body } = draft;
  // Without a text only the consent is kept: the next answer is on the channel of the last message again.
  keep(conversation_id, body !== '' || subject !== '' ? draft : { recipient_consent });
}

/** The fields that the person changed in a form and did not save. */
export const readFormDraft = <Fields extends object>(name: string) => read<Fields>(form_name(name));

export function keepFormDraft(name: string, changed: object): void {
  if (Object.keys(changed).length > 0) keep(form_name(name), changed);
  else sessionStorage.removeItem(prefix + form_name(name));
}

function read<Fields extends object>(name: string): Partial<Fields> {
  try {
    return JSON.parse(sessionStorage.getItem(prefix + name) ?? '{}') as Partial<Fields>;
  } catch {
    return {};
  }
}

function keep(name: string, fields: object): void {
  try {
    sessionStorage.setItem(prefix + name, JSON.stringify(fields));
  } catch {
    // The storage is full: the draft lives as long as its form.
  }
}

/** The next person who signs in in this tab must not see them. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
}

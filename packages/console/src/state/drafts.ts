// Drafts of replies, kept while the person reads other conversations and when the page is loaded again. They are stored for this tab only.

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

export function readDraft(conversation_id: string): Partial<Draft> {
  try {
    return JSON.parse(sessionStorage.getItem(prefix + conversation_id) ?? '{}') as Partial<Draft>;
  } catch {
    return {};
  }
}

export function keepDraft(conversation_id: string, draft: Draft): void {
  const { recipient_consent, subject, body } = draft;
  // Without a text only the consent is kept: the next answer is on the channel of the last message again.
  const kept = body !== '' || subject !== '' ? draft : { recipient_consent };
  try {
    sessionStorage.setItem(prefix + conversation_id, JSON.stringify(kept));
  } catch {
    // The storage is full: the draft lives as long as its form.
  }
}

/** The next person who signs in in this tab must not see them. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
}

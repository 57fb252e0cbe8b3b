// The ids of a number verification at Twilio, as they are stored between two steps.
import type { Progress } from '../../registration.ts';

/** A document at Twilio. */
export type HeldDocument = {
  /** The key of the requirement; empty for a document that was made in the console. */
  requirement: string;
  attempt: number;
  /** Our id of the document; `address` for one that consists of an address. */
  id: string;
  sid: string;
};

export type NumberProgress = {
  address: string | null;
  /** In the order of the regulation. */
  end_users: string[];
  documents: HeldDocument[];
  bundle: string | null;
  /** Objects that are assigned to the bundle. */
  assigned: string[];
  /** Documents that were replaced and are to be deleted. */
  discarded: string[];
  /** Objects that have the current answers. Empty after a submission, because answers may be corrected afterwards. */
  current: string[];
  is_evaluated: boolean;
  /** The attempt that was submitted last; 0 before the first submission. */
  submitted_attempt: number;
  /** Bundles whose items are replaced with the items of this one after its approval, so that their numbers stay valid. */
  renews: string[];
};

const texts = (value: Progress[string] | undefined): string[] =>
  Array.isArray(value) ? (value as string[]) : [];
const text = (value: Progress[string] | undefined): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

export function readProgress(progress: Progress): NumberProgress {
  // Verifications of an earlier release have only the id of the bundle.
  const id = text(progress.id);
  return {
    address: text(progress.address) ?? (id?.startsWith('AD') ? id : null),
    end_users: texts(progress.end_users),
    documents: texts(progress.documents).map((entry) => {
      const [requirement = '', attempt = '', document = '', sid = ''] = entry.split('|');
      return { requirement, attempt: Number(attempt), id: document, sid };
    }),
    bundle: text(progress.bundle) ?? (id?.startsWith('BU') ? id : null),
    assigned: texts(progress.assigned),
    discarded: texts(progress.discarded),
    current: texts(progress.current),
    is_evaluated: progress.is_evaluated === true,
    submitted_attempt: Number(progress.submitted_attempt ?? 0),
    renews: texts(progress.renews),
  };
}

export const storedProgress = ({ documents, ...rest }: NumberProgress): Progress => ({
  ...rest,
  documents: documents.map(({ requirement, attempt, id, sid }) => [requirement, attempt, id, sid].join('|')),
});

/** Nothing is known to have the current answers: the organization may correct them before the next submission. */
export const toBeCorrected = (progress: NumberProgress): Progress =>
  storedProgress({ ...progress, current: [], is_evaluated: false });

// Phrases that usually, but not always, mean that the address does not exist.
import { phraseTable } from './phrase-table.ts';

/** Ambiguous phrases: used only if no other table matches. */
export const probably_unknown = phraseTable(`
does not exist
nie istnieje
mailbox unavailable
mailbox name not allowed
mailbox is unavailable
mailbox * unavailable
mailbox unavaiable
mailbox not available
mailbox is not available
account unavailable
account is unavailable
account is not available
user unavailable
recipient address rejected
recipient rejected
address rejected
recipient not accepted
recipient is not accepted
recipient not ok
recipient refused
rejected recipient
rejected recipients
rejects recipient
no valid recipients
no valid recipient
not accepted for this recipient
user is not local
user not local
invalid mailbox path
can not be delivered to this address
can not deliver to this address
address error
delivery address rejected
address was rejected
`);

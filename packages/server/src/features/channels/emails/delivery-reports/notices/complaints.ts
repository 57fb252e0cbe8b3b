// Phrases with which providers introduce the complaint of a user.
import { phraseTable } from '../../../../../protocols/mail/bounce-phrases/phrase-table.ts';

export const complaint_openings = phraseTable(`
complaint about message from
email abuse report
abuse report
abuse complaint
email feedback report
feedback report
spam complaint
spam report
feedback loop
marked * as spam
marked * as junk
reported * as spam
reported * as junk
junk mail report
junk email report
complaint from
`);

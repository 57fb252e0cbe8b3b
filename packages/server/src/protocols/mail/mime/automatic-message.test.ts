// A received message of a program is recognized as one, and a message of a person is not.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { automatic_mails, human_mails, rawMail } from '../../../../testing/automatic-mails.ts';
import { parseMessage } from './parse-message.ts';

const parsed = (mail: (typeof automatic_mails)[number]) =>
  parseMessage(Buffer.from(rawMail(mail, { to: 'desk@example.com', id: 'one' })));

describe('the header says that a program sent it:', () => {
  // The envelope says it for the others.
  for (const mail of automatic_mails.filter(({ mail_from }) => mail_from !== ''))
    test(mail.name, () => assert.equal(parsed(mail).is_automatic, true));
});

describe('the header does not say that a program sent it:', () => {
  for (const mail of human_mails) test(mail.name, () => assert.equal(parsed(mail).is_automatic, false));
});

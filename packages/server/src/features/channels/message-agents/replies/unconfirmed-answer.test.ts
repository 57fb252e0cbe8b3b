// An agent's email whose outcome is unknown may have arrived, so it is not reported as unanswered.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emailDesk, eventsOf, receiveEmail, sentEmails } from '../../../../../testing/message-desks.ts';
import { messageModel } from '../../../../../testing/message-model.ts';
import { startRelayedApp } from '../../../../../testing/relayed-app.ts';

test('an answer that the relay may have taken is sent for the conversation, with its own end', async () => {
  const { client, later } = await startRelayedApp(
    { answers: { '.': null } },
    { WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' },
  );
  const at = await emailDesk(await messageModel(() => 'It is on its way.'), client);
  await receiveEmail(at, 'When does it arrive?');
  await later(31);
  const [answer, ...more] = await sentEmails(at);
  assert.deepEqual([answer!.status, answer!.end_reason, more.length], ['failed', 'unconfirmed', 0]);
  assert.deepEqual(await eventsOf(at, 'email.not_answered'), []);
});

// Every end reason, error code, status, hold and admission check of the contract has an explanation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callEndReasons, callLifecycle } from '../../channels/calls/call-records.ts';
import { emailEndReasons, emailLifecycle } from '../../channels/emails/email-records.ts';
import { smsErrorCodeNames, smsLifecycle } from '../../channels/sms/sms.ts';
import { errors } from '../../errors.ts';
import { operationGroups } from '../../index.ts';
import { errorsOf } from '../../operation.ts';
import { checkNames } from '../../rules/admission-checks.ts';
import { approvalLifecycle } from '../../rules/approvals/approvals.ts';
import { holdKinds } from '../../rules/approvals/hold.ts';
import { webhookAttemptErrors, webhookDeliveryLifecycle } from '../webhooks/webhooks.ts';
import { errorCauses } from './error-explanations.ts';
import { explanationParties, explanationRetries } from './explanation-definition.ts';
import { type ExplainedSubject, explanations, findExplanation } from './explanations.ts';

const codes: [ExplainedSubject, readonly string[]][] = [
  ['call', [...callEndReasons, ...callLifecycle.states]],
  ['email', [...emailEndReasons, ...emailLifecycle.states]],
  ['sms', [...smsErrorCodeNames, ...smsLifecycle.states]],
  ['webhook_delivery', [...Object.keys(webhookAttemptErrors), ...webhookDeliveryLifecycle.states]],
  ['approval', approvalLifecycle.states],
  ['hold', holdKinds],
  ['check', checkNames],
  ['error', Object.keys(errors)],
];

for (const [subject, names] of codes)
  test(`every code of ${subject} has an explanation with a culprit, a fix and advice to repeat`, () => {
    for (const name of names) {
      const found = findExplanation(subject, name);
      assert.ok(
        found,
        `${subject} ${name} has no explanation in packages/contract/src/operations/explain/explanations.ts`,
      );
      assert.ok(explanationParties.includes(found.who), name);
      assert.ok(explanationRetries.includes(found.retry), name);
      assert.ok(found.summary.length > 5 && found.fix.length > 5, name);
    }
  });

test('no explanation is left for a code that does not exist any more', () => {
  for (const [subject, names] of codes) {
    if (subject === 'error') continue;
    // Outcomes of delivery reports, of timelines and of comparing sound with turns are no codes of the record.
    const outcomes: Partial<Record<ExplainedSubject, string[]>> = {
      call: ['message_left', 'speech_lost'],
      email: ['delivery_delayed', 'soft_bounce', 'delivered'],
    };
    const known = [...names, ...(outcomes[subject] ?? [])];
    const left = Object.keys(explanations[subject]).filter((name) => !known.includes(name));
    assert.deepEqual(left, [], subject);
  }
});

test('every error that a request to send something can get names its culprit itself', () => {
  const nouns = ['calls', 'emails', 'email_batches', 'sms', 'conversations'];
  const sends = operationGroups
    .filter(({ noun }) => nouns.includes(noun))
    .flatMap(({ operations }) => Object.values(operations))
    .filter(({ idempotent }) => idempotent);
  assert.ok(sends.length >= 8);
  for (const code of new Set(sends.flatMap(errorsOf)))
    assert.ok(
      Object.hasOwn(errorCauses, code),
      `${code} is missing in packages/contract/src/operations/explain/error-explanations.ts`,
    );
});

test('an unknown code has no explanation', () => {
  assert.equal(findExplanation('call', 'toString'), null);
  assert.equal(findExplanation('error', 'constructor'), null);
});

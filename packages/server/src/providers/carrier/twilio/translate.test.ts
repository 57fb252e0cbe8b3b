// What Twilio's error codes mean for a text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOutcome } from './translate.ts';

test('F9: a text that Twilio holds back because of a one-time code says so', () => {
  for (const status of ['undelivered', 'failed'])
    assert.deepEqual(textOutcome(status, '30038'), {
      status,
      error_code: 'code_withheld',
      provider_code: '30038',
    });
});

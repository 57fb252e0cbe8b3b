// Personal data is removed from log lines.
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { makeLog } from './log.ts';

function logged(show_personal_data: boolean): string {
  let lines = '';
  const destination = new Writable({
    write(chunk, _, done) {
      lines += chunk;
      done();
    },
  });
  const log = makeLog({ level: 'info', show_personal_data, destination });
  log.info({ to: '+14155550123', contact: { email: 'ana@example.com' }, request_id: 'r1' }, 'sent');
  return lines;
}

test('fields with personal data are replaced at every depth', () => {
  const lines = logged(false);
  assert.doesNotMatch(lines, /4155550123|ana@example/);
  assert.match(lines, /"to":"\[personal\]".*"request_id":"r1"/);
});

test('an operator can switch this off', () => {
  assert.match(logged(true), /\+14155550123.*ana@example\.com/);
});

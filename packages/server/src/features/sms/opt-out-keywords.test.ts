// Texts that mean STOP, START or HELP in common spellings, and texts that do not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { optOutKeyword } from './opt-out-keywords.ts';

const cases = {
  stop: [
    'STOP',
    'stop',
    ' Stop ',
    'stop.',
    'STOP!',
    '"STOP"',
    'STOPALL',
    'STOP ALL',
    'stop  all',
    'Unsubscribe',
    'CANCEL',
    'END',
    'QUIT',
    'REVOKE',
    'OPTOUT',
    'OPT-OUT',
    'opt out',
    'ARRET',
    'arrêt',
    'ＳＴＯＰ',
    'STOP 🛑',
    'stop\n',
    'Please stop texting me',
    "don't text me again",
    'Don’t message me',
    'do not contact me',
    'unsubscribe me please',
    'take me off your list',
    'Remove my number from this',
    'leave me alone!',
    'no more texts',
    'opt me out',
  ],
  start: ['START', 'start', 'Yes', 'UNSTOP', 'yes!'],
  help: ['HELP', 'help?', 'INFO'],
  none: [
    '',
    ' ',
    'Can you stop by at noon?',
    "Don't stop",
    'The bus stop is closed',
    'yes please',
    'Cancel my appointment',
    'I need help with my order',
    'The end',
    'when does it end',
    'STOPPED',
    'never stop texting me your offers',
    'start the engine',
    '🛑',
  ],
};

for (const [expected, texts] of Object.entries(cases)) {
  for (const text of texts) {
    test(`${JSON.stringify(text)} means ${expected}`, () => {
      assert.equal(optOutKeyword(text) ?? 'none', expected);
    });
  }
}

test('a very long text is read without delay', () => {
  assert.equal(optOutKeyword('stop '.repeat(100_000)), null);
});

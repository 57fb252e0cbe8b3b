// What the command line of `npm test` means.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOptions } from './options.ts';

const nothing = { all: false, verbose: false, watch: false, junit: null, words: [], flags: [] };

test('words, own options and those of node:test stand in any order', () => {
  assert.deepEqual(readOptions([]), nothing);
  assert.deepEqual(readOptions(['calls', '--watch', '--test-name-pattern=retry', 'webhooks', '--all']), {
    ...nothing,
    all: true,
    watch: true,
    words: ['calls', 'webhooks'],
    flags: ['--test-name-pattern=retry'],
  });
});

test('--junit takes the name of a file, and refuses to be without one', () => {
  assert.deepEqual(readOptions(['--junit', 'report.xml', 'calls']), {
    ...nothing,
    junit: 'report.xml',
    words: ['calls'],
  });
  assert.equal(readOptions(['--junit=build/report.xml']).junit, 'build/report.xml');
  for (const wrong of [['--junit'], ['--junit', '--all'], ['--junit=']])
    assert.throws(() => readOptions(wrong), /--junit needs the name of a file/);
});

// Settings are validated strictly, and all problems are reported together.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  choice,
  choices,
  describeSettings,
  integer,
  readSettings,
  type SettingsError,
  text,
  url,
} from './settings.ts';

const table = {
  PORT: integer({ default: 8080, min: 0, max: 65_535, meaning: 'Where.' }),
  X_KEY: text({ default: null, meaning: 'A key.', secret: true }),
  X_MODE: choice({ default: 'auto', of: ['auto', 'off'], meaning: 'How.' }),
  X_ROLES: choices({ default: ['a', 'b'], of: ['a', 'b'], meaning: 'Which.' }),
  X_URL: url({ default: null, protocols: ['https:'], meaning: 'Whither.' }),
} as const;

test('missing and empty settings have their defaults', () => {
  assert.deepEqual(readSettings(table, { PORT: '', OTHER: 'x' }, 'X_'), {
    PORT: 8080,
    X_KEY: null,
    X_MODE: 'auto',
    X_ROLES: ['a', 'b'],
    X_URL: null,
  });
});

test('all problems are listed together, with the expected value, and no secret is printed', () => {
  const environment = {
    PORT: '70000',
    X_MODE: 'on',
    X_ROLES: 'a,c',
    X_URL: 'ftp://x',
    X_KEE: 'typo',
    X_KEY: 'hush',
  };
  assert.throws(
    () => readSettings(table, environment, 'X_'),
    (error: SettingsError) => {
      assert.deepEqual(
        error.problems.map((problem) => problem.split(':')[0]),
        ['PORT', 'X_MODE', 'X_ROLES', 'X_URL', 'X_KEE'],
      );
      assert.match(error.message, /whole number from 0 to 65535/);
      assert.doesNotMatch(error.message, /hush/);
      return true;
    },
  );
});

test('secrets are described only as set or not set', () => {
  const values = readSettings(table, { X_KEY: 'hush' }, 'X_');
  assert.equal(describeSettings(table, values).X_KEY, 'set');
  assert.equal(describeSettings(table, { ...values, X_KEY: null }).X_KEY, 'not set');
});

test('an unknown name is answered with similar ones', () => {
  const problemOf = (name: string) => {
    try {
      readSettings(table, { [name]: '1' }, 'X_');
      return '';
    } catch (error) {
      return (error as SettingsError).problems[0];
    }
  };
  assert.equal(problemOf('X_PORT'), 'X_PORT: there is no such setting; similar names: PORT');
  assert.equal(problemOf('X_QUITE_OTHER_WORDS'), 'X_QUITE_OTHER_WORDS: there is no such setting');
});

// Secrets of the settings from files, as Docker and Kubernetes mount them.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readConfig, settings } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-secrets-'));
after(() => rmSync(folder, { recursive: true }));
function file(content: string): string {
  const path = join(folder, String(Math.random()));
  writeFileSync(path, content);
  return path;
}
const config = (environment: Record<string, string>) => readConfig(environment, folder);

test('F8: every secret setting is read from the file that NAME_FILE names, without its last line end', () => {
  const url = 'postgres://parley:p%40ss@127.0.0.1:5432/parley';
  for (const end of ['', '\n', '\r\n'])
    assert.equal(config({ DATABASE_URL_FILE: file(`${url}${end}`) }).DATABASE_URL, url);
  const secrets = Object.entries(settings).filter(([, setting]) => 'secret' in setting);
  assert.ok(secrets.length > 15);
  for (const [name] of secrets) {
    // An unreadable file is named in the problem, so the name is known for each of them.
    if (`${name}_FILE` in settings) continue;
    assert.throws(() => config({ [`${name}_FILE`]: join(folder, 'missing') }), new RegExp(`${name}_FILE: `));
  }
});

test('F8: a blank within a secret stays, and only one line end is removed', () => {
  const { TELNYX_API_KEY } = config({ TELNYX_API_KEY_FILE: file(' a b \n\n') });
  assert.equal(TELNYX_API_KEY, ' a b \n');
});

test('F8: a setting and its file together, a missing file, an empty file and a file for no secret are problems', () => {
  const both = { TELNYX_API_KEY: 'x', TELNYX_API_KEY_FILE: file('y') };
  assert.throws(() => config(both), /TELNYX_API_KEY: set either it or TELNYX_API_KEY_FILE, not both/);
  assert.throws(() => config({ TELNYX_API_KEY_FILE: folder }), /TELNYX_API_KEY_FILE: .*EISDIR/);
  assert.throws(() => config({ TELNYX_API_KEY_FILE: file('\n') }), /TELNYX_API_KEY_FILE: the file is empty/);
  const not_secret = ['PARLEY', 'BASE', 'URL', 'FILE'].join('_');
  assert.throws(() => config({ [not_secret]: file('x') }), /there is no such setting/);
});

test('F8: a wrong value of a file is a problem that does not show the value', () => {
  assert.throws(
    () => config({ DATABASE_URL_FILE: file('secret-words') }),
    ({ message }: Error) => /DATABASE_URL_FILE/.test(message) && !message.includes('secret-words'),
  );
});

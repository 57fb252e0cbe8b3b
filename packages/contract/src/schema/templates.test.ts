// Templates: what is replaced, what stays, and which names are missing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingNames, renderJson, renderText, textsIn, usesName } from './templates.ts';

test('a name is replaced by its value, and without a value by its fallback', () => {
  const values = { name: 'Ana', due: 40, paid: false, contact_name: null };
  assert.equal(renderText('Hello {{name}}, {{ due }} {{paid}}', values), 'Hello Ana, 40 false');
  assert.equal(renderText('Hello {{contact_name|there}}.', values), 'Hello there.');
  assert.equal(renderText('Hello {{unknown|you}}.', values), 'Hello you.');
  assert.equal(renderText('Hello {{contact_name}}.', values), 'Hello .');
  assert.equal(renderText('{{name|}}', {}), '');
});

test('a value is not read as a template again', () => {
  assert.equal(renderText('{{a}}{{b}}', { a: '{{b}}', b: '$&' }), '{{b}}$&');
});

test('anything else in braces stays as it is, also names of the prototype', () => {
  for (const text of ['{{ }}', '{{Name}}', '{name}', '{{a.b}}', '{{#if x}}', '{{constructor}}', '{{x', '}}'])
    assert.equal(renderText(text, {}), text);
});

test('missing names are those without value and fallback, each once', () => {
  const text = '{{a}} {{a}} {{b|x}} {{c}} {{d}}';
  assert.deepEqual(
    missingNames(text, (name) => name === 'd'),
    ['a', 'c'],
  );
  assert.equal(usesName(text, 'b'), true);
  assert.equal(usesName(text, 'e'), false);
});

test('the strings inside a JSON value are found with their paths and rendered', () => {
  const value = { a: ['{{x}}', 1], b: { c: '{{x}}!' }, d: null };
  assert.deepEqual(renderJson(value, { x: 'y' }), { a: ['y', 1], b: { c: 'y!' }, d: null });
  assert.deepEqual(
    textsIn(value, 'fixed').map(({ path }) => path),
    ['fixed.a[0]', 'fixed.b.c'],
  );
});

test('a long text of braces is read fast enough for any request', () => {
  const text = '{{a|'.repeat(8000);
  assert.equal(renderText(text, { a: 'x' }), text);
});

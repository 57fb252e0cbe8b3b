// The query language of search: what each form means, and that no text at all breaks the parser.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { randomNumbers, test_seed } from '../../../../server/testing/random.ts';
import { limits } from '../../limits.ts';
import { parseSearch, type SearchTerm } from './search-query.ts';
import { phoneWords, wordsIn, wordsOf } from './search-words.ts';

const words = (...list: string[]): SearchTerm => ({
  kind: 'words',
  words: list,
  is_prefix: false,
  field: 'any',
  is_negated: false,
});
const termsOf = (query: string): SearchTerm[] => {
  const parsed = parseSearch(query);
  assert.ok('terms' in parsed, JSON.stringify(parsed));
  return parsed.terms;
};
const problemOf = (query: string) => {
  const parsed = parseSearch(query);
  assert.ok('problem' in parsed, JSON.stringify(parsed));
  return parsed.problem;
};

describe('a query', () => {
  test('has words, phrases, beginnings of words and exclusions', () => {
    assert.deepEqual(termsOf(' Invoice  "on  Tuesday" '), [words('invoice'), words('on', 'tuesday')]);
    assert.deepEqual(termsOf('-spam inv*'), [
      { ...words('spam'), is_negated: true },
      { ...words('inv'), is_prefix: true },
    ]);
    assert.deepEqual(termsOf('-"not this"'), [{ ...words('not', 'this'), is_negated: true }]);
  });

  test('has operators, in any case', () => {
    const at = new Date('2026-06-06T00:00:00Z');
    assert.deepEqual(
      termsOf('from:ana@example.com TO:@acme.example subject:"Re: Order" in:email,sms has:attachment'),
      [
        { kind: 'from', value: 'ana@example.com', is_negated: false },
        { kind: 'to', value: '@acme.example', is_negated: false },
        { ...words('re', 'order'), field: 'subject' },
        { kind: 'in', nouns: ['email', 'sms'], is_negated: false },
        { kind: 'has_attachment', is_negated: false },
      ],
    );
    assert.deepEqual(termsOf('is:inbound before:2026-06-06 -after:2026-06-06 label:billing'), [
      { kind: 'direction', direction: 'inbound', is_negated: false },
      { kind: 'before', at, is_negated: false },
      { kind: 'after', at, is_negated: true },
      { kind: 'label', value: 'billing', is_negated: false },
    ]);
  });

  test('keeps a colon that belongs to the text', () => {
    assert.deepEqual(termsOf('12:30 re:order https://example.com/a'), [
      words('12', '30'),
      words('re', 'order'),
      words('https', 'example', 'com', 'a'),
    ]);
  });

  test('that cannot be read says where', () => {
    for (const [query, position] of [
      ['invoice "on', 8],
      ['a from:', 2],
      ['in:fax', 0],
      ['has:cheese', 0],
      ['is:unknown', 0],
      ['before:tuesday', 0],
      ['after:2026-13-01', 0],
      ['label:No!', 0],
      ['word !!!', 5],
      ['a*', 0],
      ['-', 0],
    ] as const) {
      const { code, position: at } = problemOf(query);
      assert.deepEqual([code, at], ['invalid_search', position], query);
    }
    const many = 'w '.repeat(limits.search_terms + 1);
    assert.equal(problemOf(many).code, 'too_many_terms');
    assert.equal(termsOf('w '.repeat(limits.search_terms)).length, limits.search_terms);
  });

  test('of any characters is read or refused with a position inside it', () => {
    const pieces = [
      '"',
      '-',
      ':',
      '*',
      ' ',
      'from:',
      'in:',
      'é',
      '東京',
      '\u0301',
      'a',
      '7',
      "'",
      '\\',
      '\ud800',
      '&',
      '|',
      '!',
      '(',
      ')',
      '<->',
      '\t',
      'before:',
      '2026-01-01',
    ];
    const random = randomNumbers(test_seed);
    for (let round = 0; round < 2000; round++) {
      const query = Array.from({ length: random.below(12) }, () => random.pick(pieces)).join('');
      const parsed = parseSearch(query);
      if ('problem' in parsed) {
        assert.ok(parsed.problem.position >= 0 && parsed.problem.position < query.length, query);
        continue;
      }
      for (const term of parsed.terms) {
        if (term.kind !== 'words') continue;
        assert.ok(term.words.length > 0, query);
        for (const word of term.words) assert.match(word, /^[\p{L}\p{N}\p{M}_]+$/u, query);
      }
    }
  });
});

describe('words', () => {
  test('ignore case, accents and the form of characters', () => {
    assert.deepEqual(wordsOf('Bücher, ÉTÉ ｆｕｌｌ O’Brien'), ['bucher', 'ete', 'full', 'o', 'brien']);
  });

  test('are single characters in scripts without spaces', () => {
    assert.deepEqual(wordsOf('東京タワー abc'), ['東', '京', 'タ', 'ワ', 'ー', 'abc']);
  });

  test('have their places in the text', () => {
    const text = 'Où est l’été ?';
    assert.deepEqual(
      Array.from(wordsIn(text), ({ start, end }) => text.slice(start, end)),
      ['Où', 'est', 'l', 'été'],
    );
  });

  test('of a number are its digits, whole and shortened', () => {
    assert.deepEqual(phoneWords('+14155550123'), ['14155550123', '4155550123', '5550123', '0123']);
  });
});

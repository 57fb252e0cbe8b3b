// The new words of a reply, as common mail programs write replies.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extractedText } from './extracted-text.ts';

const ofText = (body_text: string) => extractedText({ body_text, body_html: null });
const ofHtml = (body_html: string) => extractedText({ body_text: null, body_html });

const replies: Record<string, string> = {
  Gmail: 'Yes!\n\nOn Sat, Jun 6, 2026 at 12:00 PM Ana Sousa <ana@example.com> wrote:\n\n> Shall we?\n',
  'Gmail, wrapped':
    'Yes!\n\nOn Sat, Jun 6, 2026 at 12:00 PM Ana Sousa\n<ana@example.com> wrote:\n\n> Shall we?\n',
  'Apple Mail, German':
    'Yes!\n\nAm 06.06.2026 um 12:00 schrieb Ana Sousa <ana@example.com>:\n\n> Sollen wir?\n',
  'French client': 'Yes!\n\nLe 6 juin 2026 à 12:00, Ana Sousa <ana@example.com> a écrit :\n> On y va ?\n',
  Outlook:
    'Yes!\n\nFrom: Ana Sousa <ana@example.com>\nSent: Saturday, June 6, 2026 12:00 PM\nTo: Bob\nSubject: Shall we?\n\nShall we?\n',
  'Outlook with a line': `Yes!\n\n${'_'.repeat(32)}\nFrom: Ana\n`,
  'an original message': 'Yes!\n\n-----Original Message-----\nFrom: Ana\n\nShall we?\n',
  'a signature': 'Yes!\n\n-- \nBob\nHead of Things\n',
  'answers between the lines': '> Shall we?\nYes!\n> Sure?\n',
};
for (const [program, text] of Object.entries(replies)) {
  test(`of ${program}`, () => assert.match(ofText(text)!, /^Yes!$/));
}

test('of HTML leave quotations out', () => {
  assert.equal(
    ofHtml('<div>Yes!</div><div class="gmail_quote">On … wrote:<blockquote>Shall we?</blockquote></div>'),
    'Yes!',
  );
  assert.equal(ofHtml('<p>Yes!</p><div id="divRplyFwdMsg"><b>From:</b> Ana</div>'), 'Yes!');
});

test('of a message that quotes nothing are all its words', () => {
  const text = 'Dear Ana,\n\nOn Monday we wrote a letter.\nFrom: here to there.\n\nBob';
  assert.equal(ofText(text), text);
});

test('of nothing but a quotation are the quotation', () => {
  assert.equal(ofText('> Shall we?\n'), '> Shall we?');
  assert.equal(ofText(''), '');
  assert.equal(extractedText({ body_text: null, body_html: null }), null);
});

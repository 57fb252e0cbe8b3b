// The new text of replies, as common mail programs write them.
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
  test(`the new text of a reply from ${program}`, () => assert.match(ofText(text)!, /^Yes!$/));
}

test('HTML quotations are left out', () => {
  assert.equal(
    ofHtml('<div>Yes!</div><div class="gmail_quote">On … wrote:<blockquote>Shall we?</blockquote></div>'),
    'Yes!',
  );
  assert.equal(ofHtml('<p>Yes!</p><div id="divRplyFwdMsg"><b>From:</b> Ana</div>'), 'Yes!');
});

test('a message without a quotation is returned whole', () => {
  const text = 'Dear Ana,\n\nOn Monday we wrote a letter.\nFrom: here to there.\n\nBob';
  assert.equal(ofText(text), text);
});

test('a message that is only a quotation is returned whole', () => {
  assert.equal(ofText('> Shall we?\n'), '> Shall we?');
  assert.equal(ofText(''), '');
  assert.equal(extractedText({ body_text: null, body_html: null }), null);
});

test('the HTML part is read if the text part is empty or only refers to it (M3)', () => {
  const body_html = '<p>Yes, Friday.</p>';
  for (const body_text of [
    '',
    ' \n',
    'Your mail program does not support HTML.',
    'This is a multi-part message in MIME format.',
    'View this email in your browser: https://example.com/m/1',
    '[cid:image001.png@01D00000]',
    'https://example.com/track/open',
  ])
    assert.equal(extractedText({ body_text, body_html }), 'Yes, Friday.', body_text);
  assert.equal(extractedText({ body_text: 'No.', body_html }), 'No.', 'a short text is a text');
  assert.equal(extractedText({ body_text: '', body_html: '' }), '');
  assert.equal(
    extractedText({ body_text: 'Does not support HTML.', body_html: '<br>' }),
    'Does not support HTML.',
  );
});

test('the HTML part is read if only its markup shows the quotation (M3)', () => {
  const body_html =
    '<div>Yes, Friday.</div><div class="gmail_quote"><div class="gmail_attr">Pada 17/11 Ana mengirim</div><blockquote class="gmail_quote" style="border-left:1px solid">Bisa Jumat?</blockquote></div>';
  const body_text = 'Yes, Friday.\n\nPada 17/11 Ana mengirim\n\nBisa Jumat?\n';
  assert.equal(extractedText({ body_text, body_html }), 'Yes, Friday.');
  assert.equal(
    extractedText({ body_text: 'Something else.', body_html }),
    'Something else.',
    'only where both say the same',
  );
});

test('hidden HTML and invisible characters are left out (C1)', () => {
  assert.equal(
    ofHtml('<p>Yes</p><div style="display:none">obey</div><p style="font-size:0">obey</p><p>Bye</p>'),
    'Yes\n\nBye',
  );
  assert.equal(ofText('Yes\u{e0041}\u{e0042}\u200b!'), 'Yes!');
  assert.equal(ofHtml('<div style="display:none">obey</div>'), '');
});

test('extraction takes time linear in the size of the message, whatever its content', {
  timeout: 60_000,
}, () => {
  for (const piece of [
    'wrote:\n',
    'On Tue, Nov 17, 2026 at 12:00 PM Ana <ana@example.com> wrotx:\n',
    'From: a@example.com\n',
    '--\n',
    '-- x --\n',
    '____________________\n',
    'Sent from my \n',
    'a <\n',
    '\u{e0041}',
    '\u{1f3f4}',
    'x@y.',
    '> ',
    '\n',
    ' ',
  ]) {
    const body = piece.repeat(2_000_000 / piece.length);
    ofText(body);
    ofHtml(body);
    ofHtml(body.replaceAll('\n', '<br>'));
    extractedText({ body_text: body, body_html: `<div class="gmail_attr">${body}` });
  }
});

const forwarded = ['From: Ana <ana@example.org>', 'Subject: Broken heating', '', 'The heating is broken.'];
for (const [words, line] of [
  ['Please handle this.', '---------- Forwarded message ---------'],
  ['FYI', 'Begin forwarded message:'],
  ['Bitte kümmere dich um das.', '-------- Weitergeleitete Nachricht --------'],
  ['Peux-tu traiter ceci ?', '---------- Message transféré ---------'],
  ['¿Puedes ver esto?', '---------- Mensaje reenviado ---------'],
  ['Puoi occuparti di questo?', '---------- Messaggio inoltrato ---------'],
  ['Pode tratar disto? Ver abaixo.', '---------- Mensagem encaminhada ---------'],
  ['Zie hieronder', '---------- Doorgestuurd bericht ---------'],
  ['Se nedan', '-------- Vidarebefordrat meddelande --------'],
  ['Bunu halleder misin?', '-------- İletilen Mesaj --------'],
  ['请处理这个', '---------- 转发的邮件 ---------'],
] as const)
  test(`F15: "${words}" keeps the forwarded message that it is about`, () => {
    const text = [words, '', line, ...forwarded].join('\n');
    assert.equal(extractedText({ body_text: text, body_html: null }), text);
  });

test('F15: a reply keeps nothing of the quotation, whatever its words', () => {
  const text =
    'I agree with this.\n\nOn Mon, 16 Nov 2026 at 10:00, Ana <ana@example.org> wrote:\n> The heating is broken.';
  assert.equal(extractedText({ body_text: text, body_html: null }), 'I agree with this.');
});

const outlook = {
  en: [
    'please handle this',
    'From: Ana Sousa <ana@example.com>\nSent: Tuesday, November 17, 2026 12:00 PM\nTo: Bob <bob@example.org>\nSubject: Friday',
    'FW: Friday',
  ],
  de: [
    'Kannst du das bitte übernehmen?',
    'Von: Ana Sousa <ana@example.com>\nGesendet: Dienstag, 17. November 2026 12:00\nAn: Bob <bob@example.org>\nBetreff: Freitag',
    'WG: Freitag',
  ],
  fr: [
    'Merci de traiter ceci.',
    'De : Ana Sousa <ana@example.com>\nEnvoyé : mardi 17 novembre 2026 12:00\nÀ : Bob <bob@example.org>\nObjet : Vendredi',
    'TR : Vendredi',
  ],
  es: [
    'Por favor, encárgate de esto.',
    'De: Ana Sousa <ana@example.com>\nEnviado: martes, 17 de noviembre de 2026 12:00\nPara: Bob <bob@example.org>\nAsunto: Viernes',
    'RV: Viernes',
  ],
  pt: [
    'Por favor, trate disto.',
    'De: Ana Sousa <ana@example.com>\nEnviada: terça-feira, 17 de novembro de 2026 12:00\nPara: Bob <bob@example.org>\nAssunto: Sexta',
    'ENC: Sexta',
  ],
  it: [
    'Puoi occuparti di questo?',
    'Da: Ana Sousa <ana@example.com>\nInviato: martedì 17 novembre 2026 12:00\nA: Bob <bob@example.org>\nOggetto: Venerdì',
    'I: Venerdì',
  ],
  nl: [
    'Kun je dit afhandelen?',
    'Van: Ana Sousa <ana@example.com>\nVerzonden: dinsdag 17 november 2026 12:00\nAan: Bob <bob@example.org>\nOnderwerp: Vrijdag',
    'FW: Vrijdag',
  ],
} as const;
for (const [language, [words, headers, subject]] of Object.entries(outlook))
  test(`F15: a forward of Outlook keeps its message, a reply does not (${language})`, () => {
    const text = `${words}\n\n${headers}\n\nIs Friday fine?`;
    const escaped = headers.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br>');
    const rule = 'border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm';
    const html = `<p>${words}</p><div><div style="${rule}"><p>${escaped}</p></div></div><p>Is Friday fine?</p>`;
    for (const said of [subject, undefined]) {
      assert.equal(extractedText({ body_text: text, body_html: null, subject: said }), text);
      assert.match(extractedText({ body_text: null, body_html: html, subject: said })!, /Is Friday fine\?$/);
    }
    for (const body of [
      { body_text: text, body_html: null },
      { body_text: null, body_html: html },
    ])
      assert.equal(extractedText({ ...body, subject: `RE: ${subject}` }), words);
  });

test('F15: a reply of Outlook without a word in its subject gives only its own words', () => {
  const [, headers] = outlook.en;
  for (const words of [
    'This works for me.',
    'Yes, both seats please.',
    'Thanks for that, see you on Friday.',
  ]) {
    const body_text = `${words}\n\n${headers}\n\nIs Friday fine?`;
    assert.equal(extractedText({ body_text, body_html: null, subject: 'Friday' }), words);
  }
});

const polymail = ['On Tue, Nov 17, 2026 at 12:00 PM Ana Sousa', 'On Nov 17, 2026, at 12:00 pm, Ana Sousa'];
for (const start of polymail)
  for (const rest of [
    '\n<ana@example.com>\nwrote:',
    ' <\nana@example.com\n> wrote:',
    '\n\n<\n\nana@example.com\n\n> wrote:',
    '\n\n<ana@example.com> wrote:',
    ' <\nana@example.com\n<mailto:ana@example.com>\n> wrote:',
    '\n<ana@example.com <mailto:ana@example.com>>\nwrote:',
    '\n\n<mailto:ana@example.com>\n\nwrote:',
    ' < ana@example.com (\nmailto:ana@example.com ) > wrote:',
  ])
    test(`F15: an attribution that is broken around its address is one: ${JSON.stringify(start + rest)}`, () => {
      const own = 'Yes, both seats please.';
      for (const quoted of ['Shall I book two seats?', '> Shall I book two seats?\n> Ana'])
        assert.equal(ofText(`${own}\n\n${start}${rest}\n\n${quoted}\n`), own);
      const escaped = (start + rest).replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br>');
      assert.equal(
        ofHtml(`<div>${own}</div><div>${escaped}</div><blockquote>Shall I book?</blockquote>`),
        own,
      );
    });

test('F15: lines that only begin like an attribution stay', () => {
  for (const text of [
    'On 3 May we met at the station.\n\nana@example.com\n\nShe wrote: come.',
    'On 3 May at 12:00 I sent it to\n\nana@example.com\n\nand to Bob.',
  ])
    assert.equal(ofText(text), text);
});

// Texts that mean STOP, START or HELP in common spellings, and texts that do not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { segmentsOf } from '@parley/contract/channels/sms/sms-segments';
import { optOutKeyword, optOutLanguage } from './opt-out-keywords.ts';
import { opt_out_words } from './opt-out-words.ts';

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

const in_languages = {
  stop: [
    ...[
      'Stopp',
      'STOPP!',
      'ABMELDEN',
      'Abmelden.',
      'abbestellen',
      'BAJA',
      '¡Baja!',
      'PARAR',
      'Alto',
      'DARME DE BAJA',
    ],
    ...[
      'ARRÊT',
      'arrêt.',
      'Désabonner',
      'DESINSCRIRE',
      'STOP SMS',
      'Disiscrivimi',
      '«FERMA»',
      '停止',
      '配信停止。',
    ],
    ...[
      'ストップ',
      '解除',
      'Afmelden',
      'uitschrijven',
      'Wypisz mnie',
      'WYŁĄCZ',
      'wyłącz',
      'Rezygnuję',
      'Sair',
      'Pare!',
    ],
    ...[
      'Descadastrar',
      'Avsluta',
      'AVREGISTRERA',
      'İPTAL',
      'iptal',
      'RET',
      'Çık',
      'çıkış',
      '退订',
      '退訂！',
      'TD',
      'ｔｄ',
    ],
    ...['Cancelar inscrição', 'no mas mensajes', '(Stopp)', 'stopp 🛑', 'Stop-SMS'],
  ],
  start: [
    'Starten',
    'ALTA',
    'Démarrer',
    'inizia',
    '再開',
    'Aanmelden',
    'wznów',
    'Começar',
    'börja',
    'BAŞLAT',
    '开始',
  ],
  help: ['Hilfe', '¿Ayuda?', 'AIDE', 'aiuto', 'ヘルプ', 'hulp', 'Pomoc', 'Ajuda', 'hjälp', 'YARDIM', '帮助'],
  none: [
    ...[
      'Bitte nicht abmelden',
      'Ich möchte mich anmelden',
      'Kannst du kurz stoppen?',
      'Stoppuhr',
      'Ende',
      'nein',
      'ja',
    ],
    ...[
      'La baja médica',
      'Es alto',
      'No voy a parar',
      'para',
      'fin',
      'sí',
      'Arrêt de bus',
      "L'arrêt est fermé",
      'oui',
    ],
    ...[
      'Basta',
      'Ferma qui?',
      'Il treno ferma a Roma',
      '停止線',
      'いいえ',
      'はい',
      'Ik kom me afmelden aan de balie',
      'nee',
    ],
    ...[
      'Koniec',
      'Wyłącz światło',
      'tak',
      'Vou sair agora',
      'não',
      'sim',
      'Vi måste sluta',
      'Hållplatsen',
      'Durak',
      'evet',
    ],
    ...['İptal etme', '不要停止', '是', 'TD Bank', 'Alta velocidad', 'Ayuda a Ana', 'Hilfe ist da'],
  ],
};
for (const [expected, texts] of Object.entries(in_languages))
  for (const text of texts)
    test(`F9: ${JSON.stringify(text)} means ${expected}`, () => {
      assert.equal(optOutKeyword(text) ?? 'none', expected);
    });

test('F9: every language has words for all three, and no word has two meanings', () => {
  assert.equal(Object.keys(opt_out_words).sort().join(' '), 'de en es fr it ja nl pl pt sv tr zh');
  for (const [language, words] of Object.entries(opt_out_words))
    for (const keyword of ['stop', 'start', 'help'] as const)
      for (const word of words[keyword].split(', ')) {
        assert.equal(optOutKeyword(word), keyword, `${language} ${word}`);
        assert.equal(optOutKeyword(`“${word.toUpperCase()}!”`), keyword, `${language} ${word}`);
      }
});

test('F9: every answer is one segment, and names START or STOP', () => {
  for (const [language, { answers }] of Object.entries(opt_out_words))
    for (const [keyword, answer] of Object.entries(answers)) {
      assert.equal(segmentsOf(answer).segments, 1, `${language}: ${answer}`);
      assert.match(answer, keyword === 'stop' ? /START/ : /STOP/, language);
    }
});

test('F9: a word of several languages is answered in the language of the phone’s country', () => {
  const cases: [body: string, phone: string, language: string][] = [
    ['STOPP!', '+4915112345678', 'de'],
    ['stopp', '+46701234567', 'sv'],
    ['Stopp', '+14155552671', 'de'],
    ['stoppen', '+31612345678', 'nl'],
    ['Parar', '+5511912345678', 'pt'],
    ['PARAR', '+34612345678', 'es'],
    ['停止', '+819012345678', 'ja'],
    ['停止', '+8613800138000', 'zh'],
    ['ARRET', '+33612345678', 'fr'],
    ['arrêt.', '+41791234567', 'fr'],
    ['STOP', '+4915112345678', 'en'],
    ['please stop texting me', '+33612345678', 'en'],
  ];
  for (const [body, phone, language] of cases)
    assert.equal(optOutLanguage(body, phone), language, `${body} ${phone}`);
});

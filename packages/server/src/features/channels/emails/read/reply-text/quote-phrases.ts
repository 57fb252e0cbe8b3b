// The phrases with which mail programs introduce a quotation, in many languages.
// Add a new phrase here, with a case in testing/reply-cases.

/** "wrote", or the last word of a phrase with that meaning. */
export const verbs = [
  ...['wrote', 'writes', 'said', 'says'], // English
  ...['schrieb', 'schreibt', 'schrieben', 'geschrieben'], // German
  ...['écrit', 'ecrit', 'écrivait'], // French
  ...['escribió', 'escribio', 'escrito', 'escribía'], // Spanish
  ...['escreveu', 'escreveram'], // Portuguese
  ...['scritto', 'scrive', 'scriveva'], // Italian
  ...['schreef', 'geschreven'], // Dutch
  ...['skrev', 'skreiv', 'skrifaði'], // Swedish, Danish, Norwegian, Icelandic
  ...['kirjoitti', 'kirjutas'], // Finnish, Estonian
  ...['napisał', 'napisała', 'napisana', 'napisali', 'pisze', 'nadesłał'], // Polish
  ...['napsal', 'napsala', 'napísal', 'napísala', 'píše'], // Czech, Slovak
  ...['написал', 'написала', 'написали', 'пишет', 'писал', 'писала'], // Russian
  ...['написав', 'написала', 'пише', 'писав'], // Ukrainian
  ...['написа', 'напиша'], // Bulgarian
  ...['írta', 'ezt írta'], // Hungarian
  ...['scris'], // Romanian
  ...['yazdı', 'yazmış'], // Turkish
  ...['napisao', 'napisala', 'pisao', 'napisal', 'je napisal'], // Croatian, Serbian, Slovenian
  ...['rašė', 'rakstīja'], // Lithuanian, Latvian
  ...['έγραψε', 'escriure', 'escrigué', 'menulis', 'viết', 'כתב', 'כתבה', 'كتب', 'نوشت'], // Greek, Catalan, Indonesian, Vietnamese, Hebrew, Arabic, Persian
];

/** Verbs of languages without spaces between words. */
export const bound_verbs = [
  ...['写道', '寫道', '编写', '撰寫', '寫了', '写了', '写到'], // Chinese
  ...['のメッセージ', 'のメール', '書きました', '書いた', 'が書き込みました'], // Japanese
  ...['작성', '쓴 글', '님이 씀', '썼습니다', '보낸 메시지', '님의 말'], // Korean
  ...['เขียนว่า', 'เขียน'], // Thai
];

/** "Quoting Ana <ana@example.com>:" */
export const quoting = [
  'quoting',
  'zitat von',
  'citando a',
  'citando',
  'citation de',
  'quota di',
  'citeren',
  'citat från',
  'citat fra',
  'siteerattu',
  'cytowanie',
  'cituji',
  'цитирую',
  'quota',
];

/** The word before the date. */
export const openings = [
  ...['on', 'at', 'in message'],
  ...['am', 'an'],
  'le',
  ...['el', 'los'],
  ...['em', 'no dia', 'às', 'a'],
  ...['il', 'in data', 'nel messaggio'],
  'op',
  ...['den', 'på', 'den', 'vid'],
  ...['w dniu', 'dnia'],
  ...['dne', 'dňa', 'v'],
  ...['в', 'on', 'у', 'на'],
  ...['în', 'in data de', 'la', 'pe'],
  ...['na', 'dana', 'στις', 'kun'],
  ...['在', '于', '於'],
];

/** Between dashes, above the headers of the message that follows. */
export const dividers = [
  ...['original message', 'original email', 'original e-mail', 'reply message', 'forwarded message'],
  ...['forwarded mail', 'original appointment', 'forwarded by', 'original message processed by david'],
  ...['ursprüngliche nachricht', 'ursprungliche nachricht', 'originalnachricht', 'original-nachricht'],
  ...['antwort nachricht', 'weitergeleitete nachricht', 'ursprüngliche e-mail', 'weitergeleitete e-mail'],
  ...["message d'origine", 'message d’origine', 'message original', 'message initial', 'message transféré'],
  ...["e-mail d'origine", 'mail original', 'courriel original', 'message réexpédié', 'message transmis'],
  ...['mensaje original', 'mensaje reenviado', 'correo original'],
  ...['mensagem original', 'mensagem encaminhada', 'mensagem reencaminhada', 'e-mail original'],
  ...['messaggio originale', 'messaggio inoltrato', 'messaggio da inoltrare'],
  ...['oorspronkelijk bericht', 'origineel bericht', 'doorgestuurd bericht', 'doorgestuurde bericht'],
  ...['ursprungligt meddelande', 'originalmeddelande', 'vidarebefordrat meddelande', 'ursprungsmeddelande'],
  ...['oprindelig meddelelse', 'oprindelig besked', 'videresendt meddelelse', 'videresendt besked'],
  ...['opprinnelig melding', 'original melding', 'videresendt melding', 'opprinnelig e-post'],
  ...['alkuperäinen viesti', 'välitetty viesti', 'edelleenlähetetty viesti', 'välitetty viesti / fwd.msg'],
  ...['wiadomość oryginalna', 'oryginalna wiadomość', 'wiadomość pierwotna', 'pierwotna wiadomość'],
  ...[
    'wiadomość przekazana',
    'przekazana wiadomość',
    'wiadomość przesłana dalej',
    'treść przekazanej wiadomości',
  ],
  ...['původní zpráva', 'původní e-mail', 'přeposlaná zpráva', 'pôvodná správa', 'preposlaná správa'],
  ...['исходное сообщение', 'оригинальное сообщение', 'пересылаемое сообщение', 'перенаправленное сообщение'],
  ...['пересланное сообщение', 'исходное письмо', 'начало переадресованного сообщения'],
  ...[
    'вихідне повідомлення',
    'оригінальне повідомлення',
    'переслане повідомлення',
    'переадресоване повідомлення',
    'перенаправлене повідомлення',
  ],
  ...['eredeti üzenet', 'továbbított üzenet', 'eredeti levél'],
  ...['mesaj original', 'mesajul original', 'mesaj inițial', 'mesaj redirecționat'],
  ...[
    'özgün ileti',
    'orijinal mesaj',
    'orijinal ileti',
    'özgün mesaj',
    'iletilen mesaj',
    'iletilmiş mesaj',
    'iletilen ileti',
    'yönlendirilmiş ileti',
  ],
  ...['元のメッセージ', '転送メッセージ', '転送されたメッセージ', 'オリジナルメッセージ', 'メッセージを転送'],
  ...['proslijeđena poruka', 'izvorna poruka', 'originálna správa', 'originální zpráva'],
  ...[
    '原始邮件',
    '邮件原件',
    '转发邮件',
    '转发邮件信息',
    '转发的邮件',
    '原邮件',
    '回复的原邮件',
    '回复的邮件',
  ],
  ...['原始郵件', '原始訊息', '轉寄郵件', '轉寄的郵件', '轉寄訊息', '轉寄的訊息', '原郵件'],
  ...['원본 메시지', '원본 메일', '원본메시지', '전달된 메시지', '전달된 메일', '원본 이메일'],
];

/** Without dashes, ending in a colon: Apple Mail, Outlook for Mac. */
export const bare_dividers = [
  'begin forwarded message',
  'start of forwarded message',
  'anfang der weitergeleiteten nachricht',
  'anfang der weitergeleiteten e-mail',
  'début du message transféré',
  'début du message réexpédié',
  'inicio del mensaje reenviado',
  'início da mensagem reencaminhada',
  'início da mensagem encaminhada',
  'inizio messaggio inoltrato',
  'inizio del messaggio inoltrato',
  'begin doorgestuurd bericht',
  'vidarebefordrat brev',
  'vidarebefordrat mejl',
  'vidarebefordrat meddelande',
  'start på videresendt besked',
  'videresendt besked',
  'videresendt melding',
  'välitetty viesti alkaa',
  'początek przekazywanej wiadomości',
  'začátek přeposílané zprávy',
  'začiatok preposlanej správy',
  'započni proslijeđenu poruku',
  'начало переадресованного сообщения',
  'початок переадресованого повідомлення',
  'початок листа, що пересилається',
  'továbbított levél kezdete',
  'începutul mesajului redirecționat',
  'începe mesajul redirecționat',
  'iletilmiş e-postanın başlangıcı',
  'ileti başlangıcı',
  '転送されたメッセージ',
  '下面是被转发的邮件',
  '開始轉寄郵件',
  '以下是轉寄的郵件',
  '전달된 메시지 시작',
];

/** In the first person the line is text of the sender ("I wrote …"), not an introduction. */
export const first_person =
  /(?<![\p{L}\p{N}])(?:i|we|ich|wir|je|j’ai|j'ai|nous|yo|eu|io|ik|jag|jeg|я|мы|ja)(?![\p{L}\p{N}])/iu;

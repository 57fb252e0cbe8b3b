// Recognizes a message that its writer forwards with words about it, such as "please handle this".

/** The line above a forwarded message, as mail programs write it. Replies have another one. */
const forward_line = new RegExp(
  `^[>\\s|*_]{0,10}(?:[-=_*]{2,40}\\s?)?(?:${[
    '(?:begin )?forwarded (?:message|mail|by|from)',
    '(?:anfang der )?weitergeleiteten? (?:nachricht|e-?mail)',
    '(?:début du )?message transféré',
    'mensaje reenviado',
    '(?:inicio del )?mensaje reenviado',
    '(?:inizio )?messaggio inoltrato',
    'inizio messaggio inoltrato',
    'mensagem (?:encaminhada|reencaminhada)',
    '(?:begin )?doorgestuurd bericht',
    '(?:początek )?(?:treść )?przekazan(?:a|ej) wiadomoś(?:ć|ci)',
    'vidarebefordra[dt] (?:meddelande|brev|mejl)',
    'videresendt (?:meddelelse|melding)',
    'välitetty viesti',
    '[iİ]letilen (?:mesaj|ileti)',
    'пересылаемое (?:сообщение|письмо)',
    'пересланное сообщение',
    '转发的?(?:邮件|消息)',
    '轉寄的?郵件',
    '転送(?:された)?メッセージ',
    '전달된 메시지',
  ].join('|')})`,
  'imu',
);

/** Words that speak of the message below, whole words unless the language has no spaces. */
const pointing = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${[
    "this|these|that|it|below|following|forward\\w*|fyi|attached|see|what(?:'s| is) up",
    'dies\\p{L}{0,2}|das|es|unten|untenstehend\\p{L}*|folgende\\p{L}*|weiter\\p{L}*|anbei|siehe|zur info\\p{L}*',
    'ceci|cela|ça|cette|ce|ci-dessous|suivant\\p{L}*|transf\\p{L}*|pour info\\p{L}*',
    'esto|este|esta|eso|abajo|siguiente|reenv\\p{L}*',
    'questo|questa|sotto|seguente|inoltr\\p{L}*',
    'isto|isso|abaixo|seguinte|encaminh\\p{L}*',
    'dit|deze|onderstaand\\p{L}*|hieronder|doorgestuurd\\p{L}*|ter info\\p{L}*',
    'to|tym|tego|tę|poniżej|poniższ\\p{L}*|przesyłam|przekazuję',
    'detta|denna|det här|nedan\\p{L}*|följande|vidarebefordra\\p{L}*',
    'dette|denne|nedenfor|tämä\\p{L}*|alla|bu|bunu|buna|aşağıda\\p{L}*',
    'это|этим|этого|ниже|следующ\\p{L}*|пересыла\\p{L}*',
  ].join('|')})(?![\\p{L}\\p{N}])|[这這此]|以下|下面|如下|これ|この|下記|転送|转发|轉寄|이것|이거|아래`,
  'iu',
);

const max_words_chars = 500;

/**
 * Whether the whole text is meant: the words above a forwarded message speak of it, and alone they say nothing. `written` is
 * the text without quotations.
 */
export const pointsToForward = (written: string, text: string): boolean =>
  // Who also writes below the message comments on it, as in a reply.
  text.trimStart().startsWith(written) &&
  written.length <= max_words_chars &&
  pointing.test(written) &&
  forward_line.test(text);

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

const gap = '\\s(?:\\S+\\s){0,4}';
/** A request about the message below, or words that go only with a forward. A reply may say "this" about what it answers. */
const handing_over = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${[
    `(?:handle|take care of|deal with|look (?:at|into)|see to|process|follow up on|book|pay|answer|sort out)${gap}?(?:this|these|it|below)`,
    '(?:this|e-?mail|message|request|mail|thread)(?: \\w+)? below|below (?:e-?mail|message|request)|see below',
    'fyi|forward(?:ing|ed)?|for your (?:information|action|attention)|what do you think of this',
    `(?:kümmer|bearbeite|erledig|übern[ei]hm|übernimm|beantworte|prüf)\\p{L}*${gap}?(?:das|darum|dies\\p{L}{0,2}|es)`,
    `(?:das|darum|dies\\p{L}{0,2}|es)${gap}?(?:kümmer|bearbeit|erledig|übernehm|beantwort|prüf)\\p{L}*`,
    'zur (?:info|kenntnis)\\p{L}*|weiter(?:ge)?leite?t?\\p{L}*|untenstehend\\p{L}*|siehe unten',
    `(?:trait|gér|occup|répon|charg)\\p{L}*${gap}?(?:ceci|cela|ça|cette|ce)|t['’]en occuper|pour info\\p{L}*|ci-dessous`,
    'je te transf\\p{L}*|je vous transf\\p{L}*',
    `(?:encárga|encarg|ocúpa|ocup|gestion|atiend|tramit|respond)\\p{L}*${gap}?(?:esto|este|esta|eso)`,
    'para (?:tu|su) información|te reenvío|le reenvío|más abajo',
    `(?:trat|resolv|cuid|respond|ver)\\p{L}*${gap}?(?:d?isto|d?isso|deste|desta)|encaminho|abaixo`,
    'para (?:sua|tua|seu|teu) (?:informação|conhecimento)',
    `(?:occup|gest|rispond|gestisc)\\p{L}*${gap}?(?:questo|questa)|te ne occup\\p{L}*|inoltro|qui sotto`,
    'per (?:tua|sua|vostra) (?:informazione|conoscenza)',
    `(?:dit|deze|dat)${gap}?(?:af(?:te )?handel|op(?:te )?pak|regel|behandel|beantwoord)\\p{L}*|ter info\\p{L}*|hieronder`,
    `(?:handel|pak|regel|behandel|beantwoord)\\p{L}*${gap}?(?:dit|deze)|stuur (?:dit|deze)`,
  ].join('|')})(?![\\p{L}\\p{N}])`,
  'iu',
);

const forward_subject = /^\s*(?:fwd?|wg|tr|rv|enc|i|doorst|vb|pd|vl|ilt|пересл|转发|轉寄|転送)\s?[:：]/iu;
const reply_subject = /^\s*(?:re|aw|ref?|réf|rép|sv|antw|odp|ynt|ha|回复|回覆|答复)\s?(?:\[\d+\])?[:：]/iu;

const max_words_chars = 500;

export type Forward = {
  /** What the writer wrote, without quotations. */
  written: string;
  text: string;
  /** A quotation begins with the headers of its message, as Outlook writes them above replies and forwards. */
  has_headers: boolean;
  subject?: string | null | undefined;
};

/** Whether the whole text is meant: the words above a forwarded message speak of it, and alone they say nothing. */
export const pointsToForward = ({ written, text, ...more }: Forward): boolean =>
  // Who also writes below the message comments on it, as in a reply.
  text.trimStart().startsWith(written) &&
  written.length <= max_words_chars &&
  ((pointing.test(written) && forward_line.test(text)) ||
    (more.has_headers && isForward(written, more.subject)));

/** Of Outlook: the subject says what it is; without its word only words that go with a forward do. */
function isForward(written: string, subject: string | null | undefined): boolean {
  if (subject && reply_subject.test(subject)) return false;
  if (subject && forward_subject.test(subject)) return pointing.test(written) || handing_over.test(written);
  return handing_over.test(written);
}

// Recognizes signatures: the delimiter of RFC 3676 section 4.3, lines that phones and programs add, footers of mailing lists.
import type { Line } from './lines.ts';

const devices =
  'iphon\\p{L}*|ipad\\p{L}*|ipod|apple watch|android|samsung|galaxy|huawei|xiaomi|redmi|oneplus|pixel|nokia|motorola|sony|xperia|htc|lg|oppo|vivo|honor|windows|blackberry|mobile|mobil|mobilgerät|handy|smartphone|telefon|telefono|teléfono|téléphone|telefone|telefoon|telefonu|phone|cell|celular|móvil|movil|tablet|outlook|yahoo|gmail|mail|mailbox|spark|airmail|proton|protonmail|tutanota|tuta|superhuman|mail\\.ru|почты|почта|пошти|яндекс|yandex|thunderbird|k-9|fairemail|bluemail|hey|zoho|gmx|web\\.de|naver|qq|网易|foxmail|手机|手機|行動裝置|移动|スマートフォン|携帯|휴대폰|휴대전화|스마트폰|아이폰|mac|pc';
const device = `(?:${devices})`;

/** The device must follow within three words, so that an ordinary sentence with the same beginning does not match. */
const sent_first = new RegExp(
  `^(?:${[
    'sent (?:from|via|with|using|by)(?: my| the| a)?',
    'from my',
    'gesendet (?:von|mit|über)(?: meinem| meiner)?',
    'von meinem',
    'diese nachricht wurde von (?:meinem|meiner)',
    "envoyé (?:de|depuis|à partir de|avec)(?: mon| ma| l[’'])?",
    'enviado (?:desde|de|do|da|a partir d[oa]|via|com|con)(?: mi| meu| minha| o| el)?',
    'inviato (?:da|dal|con)(?: mio)?',
    '(?:verzonden|verstuurd) (?:vanaf|met|via|vanuit)(?: mijn)?',
    '(?:skickat|skickades) (?:från|via|med)(?: min)?',
    'sendt (?:fra|via|med)(?: min| mit)?',
    'lähetetty',
    'wysłan[oey] z(?:e)?(?: mojego)?',
    'odesláno z(?: mého)?',
    'odoslané z(?: môjho)?',
    'отправлено (?:с|из|со|через)(?: моего| мобильной)?',
    'надіслано (?:з|із)(?: мого)?',
    'trimis (?:de pe|din|de la)(?: meu)?',
    'poslano (?:s|z|iz)(?: mog| mojega)?',
    'εστάλη από(?: το)?',
  ].join('|')})\\s+(?:[^\\s,]+\\s+){0,3}?["'„“«(]*${device}`,
  'iu',
);
const sent_last = new RegExp(
  `(?:${device}\\S{0,12}\\s?(?:から送信|に送信|より送信)|(?:发自|發自|从|從|寄自|来自|透過)(?:我的)?\\s?\\S{0,12}\\s?${device}\\s?(?:传送|傳送|发送|發送|寄出)?|(?:나의|내)\\s.{0,20}${device}\\S{0,6}\\s?(?:에서|으로)\\s?(?:보냄|보냈습니다|작성)|${device}\\S{0,12}\\s(?:gönderildi|küldve|lähetetty|gesendet)|${device}.{0,20}에서 보냄)[。.]?$`,
  'iu',
);
/** "Sent from my", whatever follows. */
const sent_from_mine =
  /^(?:sent from my|from my|gesendet von meinem|von meinem|envoyé de(?:puis)? mon|enviado desde mi|enviado do meu|inviato dal mio|verzonden vanaf mijn|skickat från min|sendt fra min|odesláno z mého|wysłan[oey] z mojego|отправлено с моего|надіслано з мого|trimis de pe)\s+/iu;
/** "Sent from" above the link of a program. */
const sent_from =
  /^(?:sent (?:from|via|with)|gesendet (?:von|mit)|envoyé (?:de|depuis|avec)|enviado (?:desde|con|com|de)|inviato (?:da|con))\s+/iu;
/** "Alcatel Flash2": capitalized names of devices and programs, and nothing else. */
const product = /^(?:[\p{Lu}\d][\p{L}\d.+-]*)(?:\s[\p{Lu}\d(][\p{L}\d.+)-]*){0,4}$/u;

function namesProduct(line: string, has_link: boolean): boolean {
  const lead = sent_from_mine.exec(line)?.[0] ?? (has_link ? sent_from.exec(line)?.[0] : undefined);
  return lead !== undefined && product.test(line.slice(lead.length));
}

/** "Get Outlook for iOS" in any language. */
const outlook = /outlook.{0,24}(?:ios|android|mac)|(?:ios|android).{0,16}outlook/iu;
const url = /[<([]?https?:\/\/\S+[>)\]]?/giu;
const max_chars = 160;

/** A line that a phone or a mail program added below the text. */
export function isProgramSignature(text: string): boolean {
  if (text.length > max_chars) return false;
  const bare = text.replaceAll(url, '');
  const line = bare
    .replace(/^[\s(<[*_«"-]+/u, '')
    .replace(/[\s)>\]*_»"!.]+$/u, '')
    .trim();
  if (line === '' || line.length > 100) return false;
  if (sent_first.test(line) || sent_last.test(line) || namesProduct(line, bare !== text)) return true;
  return outlook.test(line) && line.split(/\s+/u).length <= 8;
}

const excuse =
  /(?:excuse (?:my|the) brevity|entschuldig\S{0,4}\s.{0,20}kürze|excuse[rz]?\s.{0,20}brièveté|disculp\S{0,3}\s.{0,20}brevedad|scus\S{0,3}\s.{0,20}brevità|desculp\S{0,3}\s.{0,20}brevidade)[.!]?$/iu;

/** K-9: "Sent from my Android device with K-9 Mail. Please" above "excuse my brevity.", broken anywhere. */
export const isTwoLineSignature = (above: string, last: string): boolean =>
  last.length <= max_chars &&
  excuse.test(`${above.slice(-max_chars)} ${last}`.trim()) &&
  isProgramSignature(above);

/** Such a line as a separate paragraph with at most three words after the device: it is removed in any position. */
export function isProgramLine(lines: readonly Line[], at: number): boolean {
  const isBlank = (line: Line | undefined) => line === undefined || line.is_quoted || line.text.trim() === '';
  if (!isBlank(lines[at - 1]) || !isBlank(lines[at + 1])) return false;
  const { text } = lines[at]!;
  if (text.length > max_chars || !isProgramSignature(text)) return false;
  const rest = text.replaceAll(url, '').trim().split(new RegExp(device, 'iu')).at(-1)!;
  return rest.trim().split(/\s+/u).length <= 3;
}

/** After a delimiter without its space, more lines than this may be the rest of the message. */
const loose_lines = 10;
const postscript = /^\s*p\.?\s?s\.?[\s:.]/iu;

/** Whether the signature of the sender begins on this line: "-- ", or "--" above a few lines. */
export function signatureBegins(lines: readonly Line[], at: number): boolean {
  const { text } = lines[at]!;
  if (!/^--\s*$/u.test(text)) return false;
  if (/^-- $/u.test(text)) return true;
  let count = 0;
  for (let below = at + 1; below < lines.length && count <= loose_lines; below++) {
    const { text: line, is_quoted } = lines[below]!;
    if (is_quoted) break;
    if (line.trim() === '') continue;
    if (count === 0 && postscript.test(line)) return false;
    if (line.length > 120) return false;
    count++;
  }
  return count <= loose_lines;
}

/** "_____" above "example mailing list", as list servers add it. */
export const isListFooter = (lines: readonly Line[], at: number): boolean =>
  /^_{2,}\s*$/u.test(lines[at]!.text) &&
  /mailing list|mailing-list|mailingliste|liste de diffusion|lista de correo|mailinglijst/iu.test(
    (lines[at + 1]?.text ?? '').slice(0, 200),
  );

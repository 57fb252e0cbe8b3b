// Lines that introduce the returned message in a report.
import { phraseTable } from '../../../../../protocols/mail/bounce-phrases/phrase-table.ts';

/** Clear in any position of a line. */
export const returned_below = phraseTable(`
this is a copy of the message
this is a copy of your message
this is a copy of the headers
copy of the message including all the headers
below this line is a copy
below the next line is a copy
below is a copy of
original message follows
original message is following
original message as follows
original message attached
original mail as follows
original headers follow
header of the original message is following
headers of the original message
header of the original message
copy of the message header
message header follows
message headers follow
message text follows
message follows
unsent message follows
unsent message below
undelivered message follows
undelivered message headers
returned mail follows
returned message follows
returned message below
start of returned message
here is your returned mail
your message reads
original message headers
original message header
mensaje original adjunto
encabezados de mensajes originales
encabezados del mensaje original
cabecalhos da mensagem original
cabecalhos de mensagem original
intestazioni originali del messaggio
intestazioni del messaggio originale
en tetes de message d origine
en tetes du message d origine
ursprungliche nachrichtenkopfzeilen
ursprungliche nachrichtenkopf~
kopfzeilen der ursprunglichen nachricht
kopfzeilen der originalnachricht
oorspronkelijke berichtkoppen
oorspronkelijke berichtenkoppen
ursprungshuvuden
oprindelige meddelelsesheadere
opprinnelige meldingshoder
alkuperaisen viestin otsikot
oryginalne naglowki wiadomosci
puvodni zahlavi zpravy
eredeti uzenetfejlecek
исходные заголовки сообщения
исходное сообщение
元のメッセージ ヘッダー
元のメッセージヘッダー
オリジナルメッセージ
原始邮件头
原始郵件標頭
原邮件
원본 메시지 머리글
원본 메시지 헤더
`);

/** Clear only as a title: between dashes or before a colon. */
export const returned_titles = phraseTable(`
original message
original mail
original email
original text
returned message
returned mail
returned text
message header
message headers
message contents
message text
unsent message
undelivered message
your original message
copy of message
copy of the message
copy of your message
old message
end of message
original message headers
ursprungliche nachricht
message original
message d origine
mensaje original
mensagem original
messaggio originale
oorspronkelijk bericht
`);

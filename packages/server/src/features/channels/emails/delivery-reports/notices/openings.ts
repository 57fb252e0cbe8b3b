// Opening phrases of reports, for those that have neither a clear subject nor status fields.
import { phraseTable } from '../../../../../protocols/mail/bounce-phrases/phrase-table.ts';

/** Sufficient even without a matching subject. */
export const plain_openings = phraseTable(`
mail sent on * could not be delivered to
message sent on * could not be delivered to
message could not be delivered to
message can not be delivered to
message was not delivered to
mail could not be delivered to
mail can not be delivered to
mail was not delivered to
email could not be delivered to
email was not delivered to
unable to deliver message to
unable to deliver your message to
unable to deliver your mail to
unable to deliver your email to
could not deliver your message to
failed to deliver your message to
`);

/** Terms that show that the text is about mail, not about parcels. */
export const mail_terms = phraseTable(`
message
messages
mail
email
recipient
recipients
nachricht
courriel
destinataire~
mensaje
correo
mensagem
messaggio
bericht
письмо
сообщение
メール
邮件
郵件
메일
`);

export const failure_openings = phraseTable(`
# Postfix, Exim, Sendmail, qmail and relatives
this is the mail system at host
this is the * program at
this is the mail delivery
this is the mailer daemon
this is the deliver program
this is the email server at
this is the machine generated message from mail service
hi this is the
the mta program at
message was created automatically by mail delivery software
message that you sent could not be delivered
message sent by * could not be delivered
message you sent could not be delivered
message could not be delivered
message was not delivered
message has not been delivered
message has been returned
message can not be delivered
message was undeliverable
message is undeliverable
message undeliverable
message not delivered
message did not reach
did not reach the following recipient
undelivered message
undeliverable message
undeliverable to the following
undeliverable recipient
undeliverable mail
unable to deliver
unable to be delivered
not able to be delivered
could not be delivered
can not be delivered
could not deliver
can not deliver
was not able to deliver
were not able to deliver
was not delivered
were not delivered
not been delivered
have not been delivered
failed to deliver
failed to send
failed to be delivered
failed recipients
failed addresses
failed permanently
following address failed
following addresses failed
following addresses had
following recipients
following recipient
the following address
address es failed
addresses had permanent fatal errors
addresses had permanent delivery errors
had permanent fatal errors
permanent fatal errors
transcript of session
session transcript
delivery to the following
delivery has failed
delivery failed
delivery failure
delivery attempt
delivery status notification
delivery notification
delivery report
delivery of your message
delivery problems
trouble delivering
error delivering
non delivery report
permanent error
permanent failure
fatal error
error occurred
error was encountered
giving up on
i have given up
tried to deliver your message
tried to send your message
bounced back
bounce message
returned to sender
being returned
is being returned
returned mail
is returned
mail you sent
you sent mail to
your mail sent on
your email could not
your mail could not
your mail to
your mail message to
your message to
your message can not
the email below could not
requested destination was not reachable
rejected by the recipient
was rejected by
could not be sent
sorry we were unable
sorry i could not
i am sorry to have to inform you
failure reasons
reason for failure
message delivery
message frozen
has been frozen
was frozen
was automatically rejected
automatically rejected
your message wasn't delivered
the recipient server
remote server returned
remote host said
intended recipient
each of the following recipients was rejected
user's mailbox is full
mailbox is full
user unknown
unknown user
no such user
invalid final delivery
failed recipient
based on the email preferences
reporting mta
final recipient
diagnostic code
diagnostic information for administrators
generating server
# German
konnte nicht zugestellt werden
konnten nicht zugestellt werden
kann nicht zugestellt werden
konnte an folgende
wurde nicht zugestellt
nicht zugestellt werden
fehler bei der nachrichten~
fehler bei der zustellung
zustellung * fehlgeschlagen
zustellung ist fehlgeschlagen
unzustellbar
folgende empfanger
ihre nachricht
diagnoseinformationen fur administratoren
# French
n a pas pu etre
n a pu etre
ne peut etre remis
n a pas ete remis
n a pas ete delivre
n est pas parvenu
echec de la remise
echec de remise
impossible de remettre
impossible de delivrer
les destinataires suivants
informations de diagnostic pour les administrateurs
serveur de generation
# Spanish and Portuguese
no pudo ser entregado
no se pudo entregar
no se ha podido entregar
no ha podido ser entregado
no se ha entregado
no fue entregado
no ha sido entregado
no se puede entregar
error en la entrega
los siguientes destinatarios
informacion de diagnostico para administradores
nao foi entregue
nao pode ser entregue
nao foi possivel entregar
nao puderam ser entregues
falha na entrega
erro na entrega
os seguintes destinatarios
informacoes de diagnostico para administradores
# Italian
non e stato recapitato
non e stato consegnato
non e stato possibile
non puo essere recapitato
non puo essere consegnato
impossibile recapitare
impossibile consegnare
recapito non riuscito
mancata consegna
errore nella consegna
informazioni di diagnostica per gli amministratori
# Dutch
kon niet worden bezorgd
kon niet worden afgeleverd
niet worden bezorgd
is niet bezorgd
niet bezorgd
bezorging is mislukt
bezorging mislukt
diagnostische gegevens voor beheerders
# Scandinavian and Finnish
kunde inte levereras
gick inte att leverera
leveransen * misslyckades
diagnostisk information
kunne ikke leveres
levering * mislykkedes
levering * mislyktes
ei voitu toimittaa
toimitus * epaonnistui
viestia ei
# Polish, Czech, Slovak, Hungarian, Romanian
nie mogla zostac dostarczona
nie zostala dostarczona
nie mozna dostarczyc
dostarczenie * nie powiodlo sie
nie powiodlo sie
nemohla byt dorucena
nebyla dorucena
nelze dorucit
doruceni * se nezdarilo
nebolo mozne dorucit
nem sikerult kezbesiteni
nem lehetett kezbesiteni
nu a putut fi livrat
nu a fost livrat
# Russian, Ukrainian, Bulgarian, Greek, Turkish
не может быть доставлен~
не могло быть доставлен~
не было доставлен~
не были доставлен~
не удалось доставить
не удалось выполнить доставку
письмо не доставлен~
сообщение не доставлен~
невозможно доставить
ваше сообщение
ваше письмо
сведения диагностики для администраторов
не вдалося доставити
не може да бъде доставен~
δεν ηταν δυνατη η παραδοση
teslim edilemedi
iletilemedi
gonderilemedi
# Japanese, Chinese, Korean
配信できません
配信することができません
配信されません
配信に失敗
送信できません
送信に失敗
送信されません
届けることができません
お届けできません
届きません
次の受信者
以下のメールアドレス
管理者向けの診断情報
管理者用診断情報
无法送达
无法投递
无法将
未能送达
未能投递
未能发送
投递失败
发送失败
被退回
退回
無法傳遞
無法投遞
無法送達
傳送失敗
寄送失敗
您发送的邮件
您發送的郵件
诊断信息
診斷資訊
배달하지 못했
배달되지
전송하지 못
전송되지
전송에 실패
전달되지
반송
발송되지
진단 정보
`);

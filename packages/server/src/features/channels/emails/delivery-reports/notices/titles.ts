// Subjects of failure reports, delay reports and automatic replies, in many languages.
import { phraseTable } from '../../../../../protocols/mail/bounce-phrases/phrase-table.ts';

export const failure_titles = phraseTable(`
undeliver~
non deliver~
not deliver~
delivery failure
delivery failed
delivery has failed
delivery error
delivery problem
delivery report
delivery notification
delivery status
delivery incomplete
delivery unsuccessful
failed delivery
failed mail
failed to deliver
failure delivery
failure notice
failure notification
mail failure
mail delivery
mail system error
mail error
mail could not be delivered
mail not delivered
email error
error in your email
error sending
error message from
error transporting
could not send
could not deliver
could not be delivered
could not be sent
can not deliver
can not be delivered
was not delivered
unable to deliver
unable to send
unsent
returned mail
returned message
returned to sender
returned email
returning message
return to sender
return receipt failure
message status
message frozen
message not
bounced
bounce notice
bounce notification
bounce message
bouncing
nondeliverable
non delivery
notdelivered
mail returned
user unknown
address not found
rejected mail
rejected message
message rejected
mail rejected
your message was rejected
report of undelivered
problem delivering
problems delivering
permanent failure
transient failure
invalid recipient
dsn
ndn
ndr
# German
unzustellbar~
unzustellbare
nicht zugestellt
nicht zustellbar
zustellung fehlgeschlagen
zustellung nicht moglich
zustellbericht
zustellfehler
zuruckgewiesen
fehler bei der zustellung
fehlgeschlagene zustellung
ubermittlung fehlgeschlagen
benachrichtigung zum ubermittlungsstatus
# French
non remis
non remise
non distribu~
non delivre
echec de la remise
echec de remise
echec de la livraison
echec de distribution
echec d envoi
retour a l envoyeur
message retourne
courrier non distribue
notification detat de remise
avis de non
# Spanish and Portuguese
no se puede entregar
no se pudo entregar
no entregado
no entregable
entrega fallida
error de entrega
error en la entrega
fallo en la entrega
fallo de entrega
correo devuelto
mensaje devuelto
notificacion de estado de entrega
nao entregue
nao e possivel entregar
nao foi possivel entregar
falha na entrega
falha de entrega
falha no envio
erro na entrega
mensagem devolvida
devolucao de
email devolvido
notificacao de status de entrega
# Italian
non recapitabile
non recapitat~
non consegnat~
mancato recapito
mancata consegna
recapito non riuscito
consegna fallita
consegna non riuscita
errore di consegna
impossibile recapitare
notifica sullo stato della consegna
# Dutch
onbestelbaar
onbestelbare
niet bezorgd
niet afgeleverd
bezorging mislukt
aflevering mislukt
bezorgfout
melding van bezorgingsstatus
# Scandinavian and Finnish
olevererbart
gar inte att leverera
kunde inte levereras
kan inte levereras
leveransfel
ej levererat
kan ikke leveres
kunne ikke leveres
ikke leveret
ikke levert
ikke leverbar
leveringsfejl
leveringsfeil
toimitus epaonnistui
toimittaminen epaonnistui
ei voi toimittaa
perille toimittamaton
# Polish, Czech, Slovak, Hungarian, Romanian
niedostarcz~
nie mozna dostarczyc
nie dostarczono
nie doreczono
niedoreczon~
zwrot poczty
wiadomosc zwrocona
blad dostarczenia
nedorucitel~
nedorucen~
nelze dorucit
nepodarilo se dorucit
vracena zprava
kezbesithetetlen
kezbesitesi hiba
sikertelen kezbesites
nem kezbesitheto
nelivrat
nelivrabil
livrare esuata
# Russian, Ukrainian, Bulgarian, Greek, Turkish
недостав~
не доставлен~
не удалось доставить
не удается доставить
невозможно доставить
ошибка доставки
сбой доставки
возврат почты
уведомление о доставке
не доставлено
не може да бъде доставен~
недоставен~
μη παραδοτεο
αποτυχια παραδοσης
teslim edilemedi
teslim edilemeyen
teslimat basarisiz
gonderilemedi
iletilemedi
# Hebrew, Arabic
לא ניתן למסירה
כשל במסירה
تعذر التسليم
فشل تسليم
لم يتم تسليم
# Japanese, Chinese, Korean
配信不能
配信できません
配信に失敗
配信エラー
配信失敗
送信できません
送信エラー
送信失敗
送信に失敗
届きません
不達
未配達
返送
エラー通知
メール送信エラー
无法送达
无法投递
無法傳遞
無法投遞
未送达
未传递
未傳遞
投递失败
投遞失敗
传递失败
发送失败
發送失敗
寄送失敗
退信
退件
邮件被退回
배달되지
배달할 수 없음
배달 실패
전송 실패
전송되지
발송 실패
발송실패
반송
수신 실패
수신실패
# Vietnamese, Indonesian, Thai
khong gui duoc
thu khong gui duoc
gagal dikirim
tidak terkirim
ไม่สามารถส่ง
`);

export const delay_titles = phraseTable(`
delayed
delay
warning message
warning could not send
warning mail
still being
will retry
delivery delayed
delivery notification delay
verzogert
verzogerung
retarde
differe
retrasad~
demora
atrasad~
ritardat~
vertraagd
forsenad
forsinket
opoznion~
zpozden~
задерж~
отложен~
遅延
延迟
延遲
지연
`);

export const answer_titles = phraseTable(`
out of office
out of the office
out of town
auto reply
autoreply
auto response
autoresponse
auto responder
autoresponder
automatic reply
automatic response
automated reply
automated response
automatically generated reply
vacation
on vacation
on leave
on holiday
away from
i am away
will be away
absence
maternity leave
thank you for contacting
thank you for your email
thank you for your message
we have received your
received your email
ticket
abwesenheit~
abwesend
automatische antwort
nicht im buro
im urlaub
absence du bureau
reponse automatique
en conges
respuesta automatica
fuera de la oficina
ausencia
resposta automatica
fora do escritorio
ausencia temporaria
risposta automatica
fuori sede
fuori ufficio
assenza
automatisch antwoord
afwezig
afwezigheid
autosvar
automatiskt svar
franvaro
automatisk svar
fravaer
automaattinen vastaus
poissa
automatyczna odpowiedz
odpowiedz automatyczna
nieobecnosc
automaticka odpoved
mimo kancelar
automatikus valasz
raspuns automat
автоответ
автоматический ответ
нет на месте
в отпуске
otomatik yanit
自動応答
自動返信
不在通知
自动回复
自動回覆
自动答复
자동 회신
자동응답
자동 응답
부재중
`);

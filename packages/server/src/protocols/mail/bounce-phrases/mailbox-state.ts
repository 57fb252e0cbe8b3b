// Phrases about the state of a mailbox: permanently disabled, temporarily suspended, or full.
import { phraseTable } from './phrase-table.ts';

/** Permanently closed by its owner or by the provider. */
export const mailbox_disabled = phraseTable(`
mailbox disabled
mailbox is disabled
mailbox has been disabled
mailbox * disabled
mailbox not active
mailbox is inactive
mailbox inactive
mailbox closed
mailbox is closed
mailbox is a deactivated
deactivated mailbox
mailbox deactivated
mailbox has been deactivated
mailbox no longer active
account disabled
account is disabled
account * is disabled
account * has been disabled
accounts disabled
account that you tried to reach is disabled
account that you tried to reach is inactive
account inactive
account is inactive
account is not active
account not active
account not activated
account * inactive
account closed
account is closed
account has been closed
account cancelled
account canceled
account has been cancelled
account has been canceled
account terminated
account has been terminated
account deactivated
account is deactivated
account has been deactivated
account discontinued
account * discontinued
disabled or discontinued
has been discontinued
disabled recipient
disabled user
disabled account
inactive account
inactive user
inactive mailbox
inactive recipient
inactive email
deactivated user
user disabled
user is disabled
user account is disabled
user * disabled
user or domain is disabled
user inactive
user is inactive
user not active
user is not active
user terminated
user is terminated
user is no longer active
user no longer active
user has been disabled
recipient disabled
recipient is disabled
recipient inactive
address disabled
address is disabled
address is inactive
address inactive
address has been disabled
address has been discontinued
address is administratively disabled
administratively disabled
administrativley disabled
administrativly disabled
mailaddress is admin~
no longer accepts mail
no longer accepts email
no longer accepting mail
is no longer active
mailbox is no longer available
account is no longer available
user is no longer available
address is no longer available
@ is no longer available
mail receiving disabled
archived recipient
boite du destinataire archivee
boite archivee
compte desactive
compte * desactive
compte ferme
konto deaktiviert
konto ist deaktiviert
konto * deaktiviert
postfach deaktiviert
postfach ist deaktiviert
postfach geschlossen
cuenta deshabilitada
cuenta * deshabilitada
cuenta desactivada
cuenta inactiva
usuario * inactivo
casilla ha expirado
cuenta cancelada
conta desativada
conta inativa
conta cancelada
conta encerrada
account disattivato
account * disattivato
casella disattivata
casella * disattivata
casella non attiva
utente disabilitato
utente disattivato
account is uitgeschakeld
kontot ar inaktiverat
konto nieaktywne
konto * nieaktywne
ящик отключен
ящик удален
аккаунт удален
учетная запись отключена
アカウントは無効
アカウントが無効
帐户已被禁用
帐号已被禁用
账户已停用
账号已停用
邮箱已停用
邮箱已注销
用户已被禁用
帳號已停用
계정이 비활성
휴면
`);

/** Temporarily closed: unpaid, locked, or the owner must act. */
export const mailbox_suspended = phraseTable(`
suspended
mailbox can not be accessed
temporarily disabled
temporarily inactive
temporarily limited
temporarily locked
temporary locked
temporarily blocked
temporarily closed
account disabled temporar~
account is locked
account locked
mailbox is locked
mailbox locked
mailbox is frozen
mailbox frozen
recipient suspend the service
recipient id refuse to receive mail
account is protected by
compte suspendu
compte bloque
konto gesperrt
konto zablokowane
ucet je zablokovan
пользователь заблокирован
cuenta suspendida
conta suspensa
account sospeso
casella sospesa
konto zawieszone
временно заблокирован
被暂停
已冻结
被冻结
`);

export const mailbox_full = phraseTable(`
mailbox full
mailbox is full
mailbox was full
mailbox too full
mailbox * full
full mailbox
inbox full
inbox is full
mailfolder is full
mailbox over quota
mailbox size limit
mailbox limit
mailbox exceeds
mailbox * exceeded
mailbox has exceeded
mailbox would exceed
mailbox quota
mailbox overflow
mailbox storage
mailbox is almost full
quota exceeded
quota exceed
quota exceeds
exceeded quota
exceeds quota
exceeding quota
exceed * quota
exceeded * quota
exceeds * quota
over quota
overquota
over the quota
over its quota
over his quota
over their quota
over storage quota
out of quota
quota violation
quota is full
quota full
quota reached
quota limit
quota usage
disk quota
disk full
disk is full
hard quota
maildir over
maildir quota
storage quota
storage limit
storage full
storage allocation
storage space
out of storage
out of memory
out of space
insufficient storage
insufficient disk
insufficient space
insufficient system storage
insufficient system resources
insufficient quota
not enough space
not have enough space
not enough storage
not enough disk
not enough free space
not enough * space
not sufficient disk
no space left
no more space
no space
no enough space
lack of space
space has been used up
space used up
exceeded storage
exceeds storage
exceeds allowed storage
exceeded allotted
exceeded the space
exceed the space
too much mail data
too many messages on the server
too many messages in the mailbox
too many messages in mailbox
has too many messages
user is over the limit
mailbox has reached
used all his storage
used all of its storage
account is full
account full
user is full
folder is full
user has exhausted
filesystem is full
file system full
# Other languages
postfach voll
postfach ist voll
postfach * voll
postfach uberfullt
postfach * uberfullt
speicherplatz * erschopft
speicherplatz uberschritten
quota uberschritten
kontingent
boite * pleine
boite aux lettres est pleine
boite pleine
espace * insuffisant
quota depasse
quota * depasse
messagerie pleine
buzon lleno
buzon * lleno
buzon esta lleno
cuenta llena
cuota excedida
cuota * excedida
excede la cuota
sin espacio
espacio insuficiente
caixa postal cheia
caixa * cheia
caixa de entrada cheia
quota excedida
espaco insuficiente
casella piena
casella * piena
casella e piena
quota superata
spazio insufficiente
spazio esaurito
mailbox is vol
postvak is vol
postvak vol
brevladan ar full
inkorgen ar full
brevladan full
postkassen er fuld
postkassen er full
postilaatikko on taynna
skrzynka pelna
skrzynka * pelna
przepelniona
schranka je plna
schranka * plna
megtelt
casuta * plina
ящик переполнен
ящик * переполнен
переполнен
превышена квота
квота превышена
posta kutusu dolu
kutusu dolu
kotasi dolu
メールボックスがいっぱい
メールボックスが一杯
メールボックスの容量
メールボックスが満杯
容量を超え
容量オーバー
容量が一杯
邮箱已满
郵箱已滿
信箱已滿
邮箱空间不足
空间不足
空間不足
容量已满
容量不足
配額
配额
사서함이 가득
용량을 초과
용량 초과
용량이 부족
`);

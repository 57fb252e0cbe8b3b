// Phrases about one message or a temporary problem, while the address itself works.
import { phraseTable } from './phrase-table.ts';

export const too_large = phraseTable(`
message too large
message is too large
message too big
message is too big
message * too large
message * too big
too large
too big
message size exceed~
message size * exceed~
size exceeds
message exceeds
exceeds * size
exceeded * size
exceeds * maximum
exceeds size limit
exceeds the maximum
exceeded maximum size
exceeds maximum
maximum message size
max message size
message length exceeds
message size limit
mail size limit
size limit exceeded
size limit
over size limit
message exeeded the maximum size
recipsizelimit
databytes limit
file too large
attachment is too
nachricht zu gross
nachricht ist zu gross
nachricht * zu gross
message trop volumineux
message * trop volumineux
taille du message
taille maximale
mensaje demasiado grande
mensaje * demasiado grande
tamano del mensaje
tamano maximo
mensagem muito grande
tamanho da mensagem
tamanho maximo
messaggio troppo grande
messaggio * troppo grande
dimensione del messaggio
bericht is te groot
za duza wiadomosc
wiadomosc jest za duza
слишком большой
размер сообщения превышает
размер письма
サイズが大きすぎ
サイズ制限
サイズを超え
邮件太大
郵件太大
邮件大小
郵件大小
메시지 크기
메일 크기
`);

export const rate = phraseTable(`
rate limit
rate limited
rate limiting
ratelimit~
rate that prevents
rate of mail
at a rate
sending rate
receiving limits
receiving limit
receiving mail at a rate
receiving mail too quickly
messages too quickly
too quickly
too fast
too many messages
too many emails
too many email
too many mails
too many recipients
too many recipient
too many connections
too many concurrent
too many simultaneous
too many sessions
too many invalid recipients
too many unknown
too many bad
too many errors
too many failed
too many attempts
too many hops
too many received
too many requests
too many transactions
too many deliveries
too many deferred
too much mail
too much email
too frequent~
per hour
per minute
per day
per second
this hour
messages per
recipients per
limit per
hourly limit
daily limit
daily quota
hourly quota
daily sending
daily * limit
message limit
sending limit
sending quota
connection limit
connection rate
connection frequency
recipient limit
reciplimit
recipients exceeded
exceeded the number of
exceeded the maximum number
exceeded the rate
exceeded the limit of
limit exceeded for this
volume of mail
unexpected volume
unusual rate
unusual amount
throttl~
flood
flooding
slow down
has exceeded * max emails
frequency limited
frequency limit
over the limit of
maximum number of recipients
maximum number of messages
maximum number of connections
concurrency
zu viele nachrichten
zu viele empfanger
zu viele verbindungen
trop de messages
trop de destinataires
trop de connexions
demasiados mensajes
demasiados destinatarios
demasiadas conexiones
muitas mensagens
muitos destinatarios
troppi messaggi
troppi destinatari
слишком много
送信数
连接过多
連線過多
发送频率
频率
頻率
`);

/** A server's retry period ended, or the network or a system failed. */
export const temporary = phraseTable(`
temporar~
try again later
try later
try again
will be retried
greylist~
graylist~
grey listed
gray listed
deferred
deferral
delivery delayed
has been delayed
message delayed
expired
delivery time expired
message expired
queue.expired
in the queue too long
in queue too long
retry timeout exceeded
retry time not reached
retry time
all hosts * have been failing
have been failing for a long time
could not be delivered for
not delivered within
delivery timed out
timed out
time out
timeout
connection refused
connection reset
connection dropped
connection was dropped
connection failed
connection lost
lost connection
connection closed
connection died
connection broken
connection aborted
connection error
connection timed out
connect to
could not connect
can not connect
unable to connect
unable to contact
failed to connect
did not accept our requests to connect
not able to establish an smtp connection
no smtp connection
smtp connection
no route to host
no route to
network is unreachable
network unreachable
network error
host unreachable
host not reachable
not reachable
host is unreachable
host is down
host down
remote host is not responding
not responding
did not respond
no response
no answer from host
server is down
server down
server error
server busy
server too busy
system busy
too busy
service unavailable try
service temporarily unavailable
service not available
service currently unavailable
system error
system not accepting
system is not accepting
system resources
internal error
internal server error
internal software error
processing error
local error
local problem
local configuration error
configuration error
mail system error
resources temporarily unavailable
unverified address
address verification in progress
address verification
can not verify
could not verify
verification failed
verify failed
callout
dns failure
dns error
dns timeout
dns lookup
name server timeout
name service error
name server failure
could not contact dns servers
server failure
loops back to myself
loops back to
mail loop
mail loops
loop detected
routing loop
mail forwarding loop
loop count
hop count
mxloopback
hopcount
too many hops
frozen
forced freeze
starttls
tls
ssl
certificate
no local delivery
mailer error
local delivery failed
ldap
unable to lock
can not lock
can not open
can not write
can not create
can not chdir
permission denied
file locked
command died
command time limit
unable to open
read error
write error
i o error
aborted
delayed
zu einem spateren zeitpunkt
vorubergehend
zeituberschreitung
temporaire
temporairement
plus tard
delai expire
delai depasse
temporal
temporalmente
mas tarde
tiempo de espera
temporario
temporariamente
tente novamente
mais tarde
temporaneo
temporaneamente
riprovare
tijdelijk
tillfalligt
midlertidig
tymczasow~
docasn~
временно
повторите попытку
попробуйте позже
一時的
タイムアウト
後ほど
稍后
稍後
暂时
暫時
超时
逾時
일시적
시간 초과
`);

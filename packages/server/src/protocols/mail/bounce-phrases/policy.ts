// Phrases of refusals by policy: spam filters, block lists, reputation, and the recipient's own rules.
import { phraseTable } from './phrase-table.ts';

/** Phrases long enough to be unambiguous anywhere in a text. */
export const policy = phraseTable(`
no valid recipients from
# Block lists
blocked using
blocked by spam~
blocked due to
blocked because
blocked for
blocked from
blocked by rbl
blocked by dnsbl
blocked by our
blocked at
been blocked
is blocked
are blocked
was blocked
message blocked
mail blocked
email blocked
connection blocked
envelope blocked
blocked see
refused see
block list
blocklist~
black list
blacklist~
black listed
deny list
denylist~
rejectlist
is listed at
is listed in
is listed by
is listed on
listed at
listed on
listed by
found in dnsbl
in a dnsbl
dnsbl
rbl
rbls
spamhaus
spamcop
# Sent twice, as the filter sees it.
email is redundant
message is redundant
sorbs
barracudacentral
barracudanetworks
uceprotect
abuseat
cloudmark
proofpoint * blocked
senderscore
sender score
senderbase
talosintelligence
trustedsource
spamrats
invaluement
mailspike
psbl
# Reputation
reputation
bad ip
low reputation
poor reputation
user complaints
spam complaints
has been reported
temporarily deferred due to
unsolicited
quarantine~
junk mail
junk email
bulk mail
bulk email
suspicious
suspected spam
suspiciously
spam
blocked
block for
spammer
spammers
spamming
spam source
spam message
spam messages
spam content
spam mail
spam score
spam detected
spam filter
spam check
spam policy
spam reasons
spamming not allowed
likely spam
probably spam
considered spam
considered as spam
classified as spam
detected as spam
identified as spam
marked as spam
flagged as spam
looks like spam
appears to be spam
seems to be spam
rejected as spam
refused as spam
is spam
as spam
possible spam
anti spam
antispam
spamassassin
no spam
content rejected
content filter
content filtered
content blocked
content * rejected
rejected by content
message content
unacceptable content
prohibited content
restricted content
inappropriate content
malicious content
message rejected by
message rejected due
message rejected for
message was rejected by
message has been rejected by
message refused by
message refused due
message filtered
mail rejected by
rejected by filter
rejected by policy
rejected by recipient policy
rejected by user
rejected due to
rejected for policy
rejected for spam
rejected for security
rejected for local policy
refused for policy
filtered by
virus
viruses
virus found
virus detected
malware
phishing
phish
dangerous
executable
attachment not allowed
attachments not allowed
attachment type
attachment rejected
attachment blocked
attachments are not accepted
with attachments
banned
prohibited
administrative prohibition
administratively prohibited
administratively denied
policy
policies
policy violation
violates
violation of
security reason~
security policy
security violation
local policy
company policy
not allowed by policy
does not comply
not compliant
rfc compliant
header error
header syntax
malformed header
missing header
invalid header
bare lf
bare newline
duplicate header
multiple from
message id header
from header
not rfc
rfc 5322
rfc 2822
rfc 822
transaction failed spam
url listed
urls listed
contains a url
contains url
blacklisted url
domain in message body
uribl
surbl
bounce address tag
batv
backscatter
null sender
bounces not accepted
# Rules of the recipient or of a mailing list
recipient preferences
email preferences of the person
recipient does not accept
recipient refuses
recipient has refused
refuses to accept
refuses to receive
user refuses
user rejects this
user rejected this
user rules
user filter
not accepting mail from
not accept mail from
not accepting any mail
only accepting mail from
only accepts mail from
only accepts messages from
does not accept mail from
does not accept messages from
do not accept mail from
does not accept email from
blocked by the recipient
blocked by recipient
blocked your
blocked you
recipient has blocked
has blocked
has been blocked by
restricted
isn't on the recipient's list
not on the recipient~
sender not pre approved
not allowed to post
not authorized to send
not authorised to send
not authorized to post
not permitted to send
not allowed to send
not allowed to email
not have permission to send
not have permission
do not have sufficient permission
no permission
delivery not authorized
not authorized
not authorised
unauthorized
notauthorized
authrequired
resolver.rst.authrequired
resolver.rst.notauthorized
moderat~
mailing list
mail filter
message was refused
message refused
messages rejected
message rejected
mail refused
mail is refused
refused by
rejected by a remote mail server
rejected by the domain filter
rejected by the user
access denied
access rejected
access refused
access not allowed
access forbidden
forbidden
delivery denied
denied by
denied
go away
not welcome
do not want
does not want
unwanted
unknown or missing encoding
language not accepted
country
geoblock
geographic
# Other languages
abgelehnt wegen
inhalt abgelehnt
blockiert
gesperrt wegen
richtlinie~
message rejete
message refuse
refuse pour
politique
contenu indesirable
indesirable
courrier indesirable
mensaje rechazado
rechazado por
bloqueado
politica
politicas
correo no deseado
mensagem rejeitada
rejeitada por
messaggio rifiutato
rifiutato
bloccato
geweigerd
geblokkeerd
odrzucona przez
odrzucono przez
zablokowan~
спам
отклонено
заблокирован~
политик~
подозрен~
拒否されました
スパム
迷惑メール
ブロック
被拒绝
拒收
拒絕
垃圾邮件
垃圾郵件
黑名单
黑名單
反垃圾
스팸
차단
거부되었
수신 거부
`);

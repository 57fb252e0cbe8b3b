// Phrases of refusals because of the sender's address or of the host that sent the message.
import { phraseTable } from './phrase-table.ts';

export const our_host = phraseTable(`
# The sender's address
sender address
sender domain
sender email
sender mail
sender verify
sender verification
sender callback
sender callout
sender reject~
sender was rejected
sender is rejected
sender refused
sender denied
sender blocked
sender not
sender is not
sender is in
sender is on
sender is spam~
sender unknown
sender invalid
sender ip
sender ips
sender host
sender hostname
sender id
sender policy
sender denied
sender access
sender authentication
senders domain
senders address
senders email
senders ip
senders mail
invalid sender
unknown sender
bad sender
bogus sender
unverified sender
unauthenticated sender
unauthorized sender
envelope sender
empty envelope sender~
domain of sender
domain of the sender
domain of your
domain does not resolve sender
unroutable sender
unrouteable sender
unresolvable sender
return path
reverse path
bogus mail from
after mail from
at mail from
reply to mail from
mail from domain
mailfrom domain
mail from command
mail from not owned
bad mail from
invalid mail from
from address
from domain
from field
from domain is invalid
from header
mail from address
fully qualified
not fqdn
need fully qualified
fqdn
# The host's name and address
reverse dns
reverse lookup
reverse hostname
reverse name
rdns
ptr
ptr record
ptr records
no ptr
fcrdns
forward confirmed
can not find your hostname
could not find your hostname
can not find your reverse
can not resolve your
your hostname
your host name
your host
your ip
your ips
your server
your mail server
your mta
your smtp server
your domain
your network
your email server
your isp
your access
your computer
your organization
client host
client ip
client address
client was not authenticated
client not allowed
client identity
remote host * not allowed
remotehost
connecting ip
connecting host
connection from
connections from
sending ip
sending host
sending server
sending mta
sending domain
source ip
originating ip
ip address * reject~
ip address * denied
ip address * refused
ip address * blocked
ip address * not allowed
ip address * listed
ip address * not permitted
ip * reject~
ip * denied
ip * blocked
ip * not allowed
dynamic ip
dynamic host
dynamic address
dynamic ips
generic reverse
dialup
dial up
residential
host network
host * refused to talk
helo
ehlo
helohost
my name was rejected
name was rejected
greeting failed
no access from mail server
may not be mail exchanger
not a mail server
mx record for your
mx record of sender
no mx for sender
dns records of your
# Authentication of the message
spf
dkim
dmarc
arc
domainkeys
senderid
not authenticated
unauthenticated
unauthenticated email
authentication required
authentication is required
authentication failed
authentication failure
authentication check
authentication error
authentication requirements
must authenticate
must be authenticated
requires authentication
require authentication
smtp auth
please authenticate
auth required
passed validation
not passed validation
email address is not verified
identity * not verified
impersonat~
spoof~
forged
forgery
# Relaying
open relay
open relays
open proxy
relay access denied
relay access
relaying denied
relaying not allowed
relaying not permitted
relaying prohibited
relaying is prohibited
relaying mail
relay not permitted
relay not allowed
relay denied
relay is prohibited
relay prohibited
not a relay
no relaying
no relay
not permitted to relay
not allowed to relay
unable to relay
can not relay
can not be relayed
we do not relay
does not relay
do not relay
third party relay
to relay
smtp relay error
allowed rcpthosts
that domain is not in my list of allowed rcpthosts
not in my list of allowed
not a gateway
use the smtp server of your isp
smtp authentication
expediteur
emetteur
absender
absenders
remitente
mittente
remetente
remitter
afzender
nadawc~
отправител~
送信者
送信元
差出人
发件人
寄件者
发送方
발신자
보낸 사람
`);

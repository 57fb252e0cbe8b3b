// Phrases of refusals because the domain of an address does not exist, or accepts no mail.
import { phraseTable } from './phrase-table.ts';

/** The DNS query got no answer, so it is unknown whether the domain exists. */
export const domain_unanswered = phraseTable(`
host not found try again
host name lookup failure try again
name service error * try again
name server * try again
lookup failed * try again
name server timeout
dns timeout
dns lookup timed out
server failure
servfail
malformed name server reply
malformed or unexpected name server reply
could not contact dns
dns server could not be reached
dns query failed
domain lookup temporarily
`);

export const domain_unknown = phraseTable(`
# Sendmail, Postfix, Exim, qmail
host unknown
unknown host
host not found
host * not found
host or domain name not found
domain name not found
domain not found
domain * not found
unknown domain
domain unknown
domain name * is unknown
domain mentioned in email address is unknown
host name is unknown
hostname is unknown
unroutable mail domain
unrouteable mail domain
unroutable domain
unrouteable domain
could not find any host
all host address lookups failed
unknown domain name
no such domain
no such host
domain does not exist
domain * does not exist
domain name does not exist
destination domain does not exist
remote domain does not exist
host does not exist
nonexistent domain
non existent domain
non existent hosts
nonexistentdomain
nxdomain
invalid domain
invalid domain name
invalid host
illegal host
illegal host domain name found
bad destination host
bad domain
domain is invalid
domain is not valid
domain has expired
domain expired
domain is inactive
domain not active
recipient domain must exist
domain must exist
mail domain * is unknown
could not find any host named
could not find any host by that name
could not find a mail exchanger or ip address
can not find your domain
can not find host
can not resolve domain
unresolvable domain
can not resolve * host name
domain could not be resolved
all relevant mx records point to non existent hosts
all host address lookups failed permanently
no mx record found
no mx records
no mail server * for domain
has no mail exchanger
domain has no mail
domain does not have * mail
name or service not known
smtpsend.dns.nonexistentdomain
dns error domain name not found
dns error dns server returned answer with no data
dns server returned answer with no data
mx lookup returned no
no data record of requested type
name service error * host not found
the domain * could not be found
domain of recipient * does not exist
unknown site
could not find a gateway
unknown address domain
domain part * unknown
sorry no such host
# Domains that declare that they accept no mail (RFC 7505)
nullmx
null mx
does not accept mail nullmx
domain does not accept mail
host does not accept mail
mx or srv record indicated no smtp service
no host found for existing smtp connection
domain of recipient has been disabled
# Other languages
domain nicht gefunden
domain existiert nicht
domain unbekannt
unbekannte domain
domaine inconnu
domaine inexistant
domaine introuvable
domaine * n existe pas
domaine * est introuvable
dominio desconocido
dominio no existe
dominio * no existe
dominio no encontrado
dominio inexistente
dominio sconosciuto
dominio non trovato
dominio * non esiste
dominio nao existe
dominio * nao existe
dominio * nao foi encontrado
dominio desconhecido
domein bestaat niet
domein niet gevonden
domanen finns inte
domanen hittades inte
domaenet findes ikke
nie znaleziono domeny
domena nie istnieje
domena neexistuje
domena * nebyla nalezena
домен не найден
домен не существует
домена не существует
ドメインが見つかりません
ドメインは存在しません
ドメインが存在しません
ドメイン名が見つかりません
域名不存在
找不到域
找不到網域
找不到域名
도메인을 찾을 수 없
존재하지 않는 도메인
`);

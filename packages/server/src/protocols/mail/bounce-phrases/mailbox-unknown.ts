// Phrases of refusals because the mailbox does not exist.
import { mailbox_unknown_translated } from './mailbox-unknown-translated.ts';
import { phraseTable } from './phrase-table.ts';

const english = `
# Sendmail, Postfix, Exim and most others
user unknown
unknown user
user + unknown
user * is unknown
users unknown
recipient unknown
unknown recipient
unknown local part
unknown local user
unknown mailbox
mailbox unknown
mailbox + unknown
mailbox * is unknown
unknown account
account unknown
unknown address
address unknown
unknown email
unknown virtual user
unknown or illegal user
unknown or illegal alias
addressee unknown
address is unknown
@ is unknown
account is unknown
unknown addressee
unknown in local recipient table
unknown in virtual mailbox table
unknown in virtual alias table
unknown in relay recipient table
no such user
no such mailbox
no such account
no such address
no such recipient
no such person
no such customer
no such local user
no such virtual user
no such email
no such alias
no such name
no such id
no such employee
no such local part
no such mail drop
no + such address
nonexistent user
nonexistent mailbox
nonexistent account
nonexistent address
nonexistent recipient
non existent user
non existent mailbox
non existent account
non existent address
non existent recipient
non existing user
non existing address
non existing recipient
user does not exist
user * does not exist
username does not exist
mailbox does not exist
mailbox * does not exist
mailbox * do not exist
account does not exist
account * does not exist
recipient does not exist
recipient * does not exist
recipients do not exist
address does not exist
address * does not exist
addressee does not exist
alias does not exist
email * does not exist
@ does not exist
@ do not exist
tried to reach does not exist
does not exist here
does not exist on this server
does not exist in * directory
no longer exists
user not exist
user not exists
recipient not exists
address not exists
@ not exists
@ not exist
user * not exist
user no exist
recipient not exist
account not exist
mailbox not exist
user not found
user * not found
userid not found
username not found
recipient not found
recipient * not found
recipients not found
recipient address not found
mailbox not found
mailbox * not found
account not found
account * not found
address not found
address was not found
@ not found
@ was not found
@ could not be found
was not found at
was not found in the recipient
could not find the address
could not be found in * directory
can not find user
can not find recipient
can not find your recipient
can not find mailbox
can not find * account
can not find * address
unable to find user
unable to find alias
not found in ldap
no one with that email
unable to find recipient
unable to find mailbox
unable to find * account
could not find user
could not find * mailbox
could not find the recipient
address could not be found
address you entered could not be found
address * could not be found
recipient could not be found
recipient * could not be found
user could not be found
account could not be found
mailbox could not be found
not a known user
not a known recipient
not known at this site
not known here
not known to this
user not known
recipient not known
user is not known
not a valid user
not a valid recipient
not a valid mailbox
not a valid email
not a valid address
not a valid local
not a valid account
is not valid here
not a user here
not an active user
not an active address
not a local user
not a local mailbox
not a local recipient
not a local address
not a registered user
not a member here
user is not registered
user not registered
mailbox not present
address not present in directory
invalid recipient
invalid recipients
invalid mailbox
invalid user
invalid username
invalid account
invalid address
invalid email address
invalid local address
invalid local part
invalid destination mailbox
invalid or unknown virtual user
invalid or unknown user
invalid or nonexistent
recipient invalid
recipient is invalid
recipient * is invalid
mailbox invalid
mailbox is invalid
user invalid
user is invalid
address is invalid
address * is invalid
address invalid
@ is invalid
@ invalid
wrong or no longer valid
address is no longer valid
address no longer valid
is no longer a valid
no longer valid
illegal user
illegal recipient
bad recipient
bad destination mailbox
bad destination
bad mailbox
bad address
bad user
wrong recipient
possibly incorrect
wrong email address
unroutable address
unrouteable address
unroutable mail address
unrouteable mail address
address unroutable
undeliverable address
address is undeliverable
undeliverable recipient
recipient address is not valid
# qmail and its relatives
no mailbox here by that name
no mailbox * by that name
mailbox not here
no mailbox here
sorry no mailbox
no mailbox for
no mailbox found
no mailbox at
no mailbox named
no mailbox matches
no mailbox available for this user
has no mailbox
does not have a mailbox
no user by that name
no account by that name
no one by that name
no one here by that name
no * here by that name
nobody here by that name
there is no user
there is no one at this address
there is no mailbox
there is no account
no user named
no user here
no local user
no local mailbox
no recipient by that name
in my badrcptto list
badrcptto
in my badrecipientto list
not in my validrcptto list
recipient is not on this system
envelope recipient has been denied
user missing home directory
vpopmail * not found
# Yahoo, AOL, Gmail, Microsoft, Mimecast, Comcast
does not have a * account
does not have an account
does not have an email
has no account
no account here
not our customer
does not handle mail for that user
does not handle mail for this user
the email account that you tried to reach does not exist
your message * because the address could not be found
address not found
the address you entered could not be found
recipnotfound
recipientnotfound
exrecipnotfound
resolver.adr.recipnotfound
resolver.adr.recipientnotfound
resolver.adr.exrecipnotfound
resolver.adr.recipient notfound
recipient not found by smtp address lookup
nosuchuser
mailbox not found in
recipient name is not recognized
recipient * not recognized
name is not recognized
address is not recognized
recipient does not seem to exist
email account does not exist
the email address wasn't found
the account does not exist
does not exist at the organization
destination addresses were unknown
unable to verify * recipient does not exist
# Lotus, Domino, GroupWise, X.400
not listed in * directory
not listed in * address book
not listed in * name
not in * address book
not in directory
not in the directory
not in name directory
no * in name directory
user * not listed
no match in * directory
unrecognized recipient
unrecognised recipient
unrecognized or name
unrecognised o r name
unrecognized o r name
unable to locate user
unable to locate recipient
no such object
unknown x400 address
# Others
verify the recipient address and
does not belong to any
no longer on server
no longer at this
no longer works here
no longer works for
no longer employed
has left the company
is no longer with
account has expired
user account is expired
account expired
address has expired
account has been removed
account has been deleted
account was deleted
account deleted
account is deleted
mailbox deleted
mailbox has been deleted
user has been deleted
user deleted
user removed
no longer in use
is not in use
mailbox has been removed
address has been removed
address removed
email address has been changed
invalid final delivery userid
not accepting any mail for user
email address could not be verified as existing
user has moved
recipient has moved
has been replaced by
user * has moved
mailbox has moved
account has moved
@ has moved
no longer a user
local recipient * not found
recipient + unknown
recipient * is unknown
rcpt * does not exist
rcpt does not exist
can't accept user
there is no recipient
specified recipient does not exist
mailbox name not found
`;

export const mailbox_unknown = phraseTable(english, mailbox_unknown_translated);

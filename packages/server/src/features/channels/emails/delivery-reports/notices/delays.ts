// Phrases in reports of mail servers that tell a delay from a failure.
import { phraseTable } from '../../../../../protocols/mail/bounce-phrases/phrase-table.ts';

/** The delivery has not failed yet. */
export const delay_openings = phraseTable(`
delivery * has been delayed
delivery * is delayed
has been delayed
been delayed
is delayed
message delayed
message is delayed
not yet been delivered
not been delivered yet
have not yet received
has not yet been delivered
still trying
still attempting
will keep trying
will continue trying
will continue to try
continue to attempt
attempts will continue
will be retried
will retry
will be tried
will try again
this is a warning message only
warning message only
this is only a warning
this is just a warning
do not need to resend
need to resend
no need to resend
no action is required on your part
you do not need to take any action
postponed
delay reason
temporary problem delivering
not yet received
wird weiterhin versucht
noch nicht zugestellt
verzogert
zustellung wird
n a pas encore ete
sera retente
aun no se ha entregado
todavia no
seguira intentando
ainda nao foi entregue
continuaremos tentando
non e ancora stato
nog niet bezorgd
annu inte
nie zostala jeszcze
еще не доставлен~
попытки будут продолжены
再送
再試行
重试
重試
`);

/** The server has given up, even if the text also mentions a delay. */
export const final_openings = phraseTable(`
permanent error
failed permanently
permanent failure
permanently
gave up
given up
giving up
have given up
will not be retried
no further attempts
not going to try again
could not be delivered for
has expired
been in the queue too long
message expired
timeout exceeded
has failed
delivery failed
returned to sender
being returned
undeliverable
`);

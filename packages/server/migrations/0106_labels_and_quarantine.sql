-- compatible-from: 0049
-- Labels of emails and texts, and the quarantine of received emails. Null: no labels, not in quarantine.
alter table emails add column labels text[], add column quarantine json;
alter table sms_messages add column labels text[];

create trigger queue_labels after update of labels, quarantine on emails
  for each row when ((old.labels, old.quarantine is null) is distinct from (new.labels, new.quarantine is null))
  execute function queue_projection('email');
create trigger queue_labels after update of labels on sms_messages
  for each row when (old.labels is distinct from new.labels)
  execute function queue_projection('sms');

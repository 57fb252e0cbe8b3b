-- compatible-from: 0049
-- owner: emails
-- Whether the sender of a received email is proven, as decided at receipt: alignment with the domain of From cannot be told from
-- the verdicts later. Null for emails of earlier releases, which are judged by their DMARC verdict alone.
alter table emails add column sender_proof text
  constraint emails_sender_proof_check check (sender_proof in ('proven', 'unproven', 'failed'));

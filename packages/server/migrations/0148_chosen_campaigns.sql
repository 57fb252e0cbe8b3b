-- compatible-from: 0049
-- When a person attached the number to a campaign or detached it. Such a number does not join a campaign by itself.
alter table numbers add column campaign_chosen_at timestamptz;

-- compatible-from: 0049
-- Lists show what became of an email. Null for emails of older releases: theirs is read from the timeline.
alter table emails add column last_outcome text;

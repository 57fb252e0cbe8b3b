-- compatible-from: 0049
-- The Content-ID of a file that the HTML body of an email shows, without angle brackets. Null for files that are attached.
alter table email_attachments add column content_id text;

-- compatible-from: 0049
-- Whether what is sent with a key needs no recipient_consent in the request. Null is false: keys of earlier releases.
alter table api_keys add column grants_consent boolean;

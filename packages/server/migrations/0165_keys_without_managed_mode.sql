-- compatible-from: 0049
-- contracts: the foreign key of api_keys.organization_id protected nothing, because organizations are never deleted
-- Keys that the shared key or the operator key issues belong to the nil organization, which has no row, and to no person.
-- owner: identity
alter table api_keys drop constraint api_keys_organization_id_fkey;
alter table api_keys alter column user_id drop not null;
-- The fingerprint of the shared key at the beginning of the lineage: its keys end when it is taken out of the settings.
alter table api_keys add column issued_with text;

-- compatible-from: 0191
-- The key of the caller's own language model, under the name that the code uses. Processes of the previous release read and
-- write brain_key_sealed, so both are written, and the older one is read where the newer one is null. One release later nothing
-- reads brain_key_sealed, and it is dropped.
alter table calls add column llm_key_sealed text;

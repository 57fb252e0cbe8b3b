-- compatible-from: 0049
-- The typed result and the summary of a call, and the secret of an agent's relay. Null is read as none: earlier releases insert inbound calls without a value.
alter table calls add column result_status text default 'none';
alter table calls add constraint calls_result_status_check
  check (result_status in ('none', 'pending', 'ready', 'failed', 'skipped')) not valid;
-- Only the run of this request may store a result.
alter table calls add column result_request_id uuid;
-- What a later request asked for, instead of the plan of the call.
alter table calls add column result_request json;
alter table calls add column result json;
alter table calls add column result_error text;
alter table calls add column result_engine text;
alter table calls add column evidence json;
alter table calls add column summary text;
alter table calls add column success boolean;
alter table calls add column success_reason text;
-- The secret with which connections to the agent's relay are signed, sealed.
alter table agents add column relay_secret_sealed text;

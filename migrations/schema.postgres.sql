access_token
  id bigint not null identity
  user_id bigint not null
  name text not null
  token_hash text not null
  last_eight text not null
  scopes text not null
  created_at bigint not null
  last_used_at bigint not null default 0
  expires_at bigint not null default 0
  only_repos text not null default ''::text
  CREATE UNIQUE INDEX access_token_pkey ON public.access_token USING btree (id)
  CREATE UNIQUE INDEX access_token_token_hash_key ON public.access_token USING btree (token_hash)
  CREATE UNIQUE INDEX access_token_user_id_name_key ON public.access_token USING btree (user_id, name)
  access_token_pkey PRIMARY KEY (id)
  access_token_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

action_artifact
  id bigint not null identity
  repo_id bigint not null
  run_id bigint not null
  task_id bigint not null
  name text not null
  path text not null default ''::text
  protocol text not null
  status text not null
  encoding text not null default ''::text
  hash text not null default ''::text
  size bigint not null default 0
  expires_at bigint not null
  created_at bigint not null
  updated_at bigint not null
  mime_type text not null default ''::text
  digest text not null default ''::text
  CREATE INDEX action_artifact_hash_idx ON public.action_artifact USING btree (hash)
  CREATE INDEX action_artifact_repo_id_id_idx ON public.action_artifact USING btree (repo_id, id)
  CREATE INDEX action_artifact_status_expires_at_idx ON public.action_artifact USING btree (status, expires_at)
  CREATE UNIQUE INDEX action_artifact_pkey ON public.action_artifact USING btree (id)
  CREATE UNIQUE INDEX action_artifact_run_id_name_path_key ON public.action_artifact USING btree (run_id, name, path)
  action_artifact_pkey PRIMARY KEY (id)
  action_artifact_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE
  action_artifact_run_id_fkey FOREIGN KEY (run_id) REFERENCES action_run(id) ON DELETE CASCADE

action_attempt
  run_id bigint not null
  attempt bigint not null
  trigger_actor_id bigint not null
  status text not null
  started_at bigint not null
  stopped_at bigint not null
  jobs text not null
  CREATE UNIQUE INDEX action_attempt_pk ON public.action_attempt USING btree (run_id, attempt)
  action_attempt_pk PRIMARY KEY (run_id, attempt)
  action_attempt_run_id_fkey FOREIGN KEY (run_id) REFERENCES action_run(id) ON DELETE CASCADE

action_cache
  id bigint not null identity
  repo_id bigint not null
  ref text not null
  version text not null
  key text not null
  hash text not null
  size bigint not null
  used_at bigint not null
  created_at bigint not null
  CREATE INDEX action_cache_hash_idx ON public.action_cache USING btree (hash)
  CREATE INDEX action_cache_repo_id_used_at_idx ON public.action_cache USING btree (repo_id, used_at)
  CREATE INDEX action_cache_used_at_idx ON public.action_cache USING btree (used_at)
  CREATE UNIQUE INDEX action_cache_pkey ON public.action_cache USING btree (id)
  CREATE UNIQUE INDEX action_cache_repo_id_ref_version_key_key ON public.action_cache USING btree (repo_id, ref, version, key)
  action_cache_pkey PRIMARY KEY (id)
  action_cache_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

action_id_token_key
  id bigint not null identity
  key_id text not null
  private_key text not null
  public_key text not null
  created_at bigint not null
  CREATE UNIQUE INDEX action_id_token_key_pkey ON public.action_id_token_key USING btree (id)
  action_id_token_key_pkey PRIMARY KEY (id)

action_job
  id bigint not null identity
  repo_id bigint not null
  run_id bigint not null
  key text not null
  name text not null
  needs text not null default '[]'::text
  labels text not null default '[]'::text
  payload text not null default ''::text
  has_condition integer not null default 0
  concurrency text not null default ''::text
  concurrency_group text not null default ''::text
  cancels_in_progress integer not null default 0
  attempt bigint not null default 0
  task_id bigint not null default 0
  status text not null
  started_at bigint not null default 0
  stopped_at bigint not null default 0
  created_at bigint not null
  updated_at bigint not null
  steps text not null default '[]'::text
  permissions text not null default ''::text
  late text not null default ''::text
  planned_from text not null default ''::text
  is_replaced integer not null default 0
  environment text not null default ''::text
  CREATE INDEX action_job_repo_id_concurrency_group_idx ON public.action_job USING btree (repo_id, concurrency_group)
  CREATE INDEX action_job_repo_id_status_id_idx ON public.action_job USING btree (repo_id, status, id)
  CREATE INDEX action_job_run_id_id_idx ON public.action_job USING btree (run_id, id)
  CREATE INDEX action_job_status_updated_at_id_idx ON public.action_job USING btree (status, updated_at, id)
  CREATE INDEX action_job_waiting_idx ON public.action_job USING btree (repo_id, labels, updated_at, id) WHERE (status = 'waiting'::text)
  CREATE UNIQUE INDEX action_job_pkey ON public.action_job USING btree (id)
  action_job_pkey PRIMARY KEY (id)
  action_job_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE
  action_job_run_id_fkey FOREIGN KEY (run_id) REFERENCES action_run(id) ON DELETE CASCADE

action_log
  task_id bigint not null
  first_line bigint not null
  text text not null
  CREATE UNIQUE INDEX action_log_pk ON public.action_log USING btree (task_id, first_line)
  action_log_pk PRIMARY KEY (task_id, first_line)
  action_log_task_id_fkey FOREIGN KEY (task_id) REFERENCES action_task(id) ON DELETE CASCADE

action_output
  task_id bigint not null
  name text not null
  value text not null
  CREATE UNIQUE INDEX action_output_pk ON public.action_output USING btree (task_id, name)
  action_output_pk PRIMARY KEY (task_id, name)
  action_output_task_id_fkey FOREIGN KEY (task_id) REFERENCES action_task(id) ON DELETE CASCADE

action_queue
  owner_id bigint
  repo_id bigint
  version bigint not null
  CREATE INDEX action_queue_owner_id_idx ON public.action_queue USING btree (owner_id)
  CREATE INDEX action_queue_repo_id_idx ON public.action_queue USING btree (repo_id)
  CREATE UNIQUE INDEX action_queue_place_key ON public.action_queue USING btree (COALESCE(owner_id, (0)::bigint), COALESCE(repo_id, (0)::bigint))
  action_queue_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES "user"(id) ON DELETE CASCADE
  action_queue_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

action_registration_token
  id bigint not null identity
  owner_id bigint
  repo_id bigint
  hash text not null
  sealed text not null
  is_active integer not null default 1
  created_at bigint not null
  CREATE INDEX action_registration_token_owner_id_idx ON public.action_registration_token USING btree (owner_id)
  CREATE INDEX action_registration_token_repo_id_idx ON public.action_registration_token USING btree (repo_id)
  CREATE UNIQUE INDEX action_registration_token_active_key ON public.action_registration_token USING btree (COALESCE(owner_id, (0)::bigint), COALESCE(repo_id, (0)::bigint)) WHERE (is_active = 1)
  CREATE UNIQUE INDEX action_registration_token_hash_key ON public.action_registration_token USING btree (hash)
  CREATE UNIQUE INDEX action_registration_token_pkey ON public.action_registration_token USING btree (id)
  action_registration_token_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES "user"(id) ON DELETE CASCADE
  action_registration_token_pkey PRIMARY KEY (id)
  action_registration_token_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

action_repo
  repo_id bigint not null
  last_run_number bigint not null default 0
  disabled_workflows text not null default '[]'::text
  CREATE UNIQUE INDEX action_repo_pk ON public.action_repo USING btree (repo_id)
  action_repo_pk PRIMARY KEY (repo_id)
  action_repo_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

action_run
  id bigint not null identity
  repo_id bigint not null
  number bigint not null
  workflow text not null
  workflow_path text not null
  title text not null
  event text not null
  ref text not null
  oid text not null
  actor_id bigint not null
  payload text not null default '{}'::text
  is_from_fork integer not null default 0
  needs_approval integer not null default 0
  approver_id bigint not null default 0
  concurrency_group text not null default ''::text
  cancels_in_progress integer not null default 0
  status text not null
  started_at bigint not null default 0
  stopped_at bigint not null default 0
  created_at bigint not null
  updated_at bigint not null
  depth bigint not null default 0
  source text not null default ''::text
  attempt bigint not null default 1
  trigger_actor_id bigint not null default 0
  workflow_name text not null default ''::text
  reported_oid text not null default ''::text
  CREATE INDEX action_run_approved_idx ON public.action_run USING btree (repo_id, actor_id) WHERE (approver_id > 0)
  CREATE INDEX action_run_repo_id_concurrency_group_idx ON public.action_run USING btree (repo_id, concurrency_group)
  CREATE INDEX action_run_repo_id_id_idx ON public.action_run USING btree (repo_id, id)
  CREATE INDEX action_run_repo_id_source_idx ON public.action_run USING btree (repo_id, source)
  CREATE INDEX action_run_repo_id_status_id_idx ON public.action_run USING btree (repo_id, status, id)
  CREATE INDEX action_run_repo_id_workflow_id_idx ON public.action_run USING btree (repo_id, workflow, id)
  CREATE UNIQUE INDEX action_run_pkey ON public.action_run USING btree (id)
  CREATE UNIQUE INDEX action_run_repo_id_number_key ON public.action_run USING btree (repo_id, number)
  action_run_pkey PRIMARY KEY (id)
  action_run_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

action_runner
  id bigint not null identity
  uuid text not null
  name text not null
  owner_id bigint
  repo_id bigint
  token_hash text not null
  version text not null default ''::text
  labels text not null default '[]'::text
  is_disabled integer not null default 0
  is_ephemeral integer not null default 0
  online_at bigint not null default 0
  active_at bigint not null default 0
  created_at bigint not null
  updated_at bigint not null
  description text not null default ''::text
  capabilities text not null default '[]'::text
  CREATE INDEX action_runner_online_at_id_idx ON public.action_runner USING btree (online_at, id)
  CREATE INDEX action_runner_owner_id_online_at_id_idx ON public.action_runner USING btree (owner_id, online_at, id)
  CREATE INDEX action_runner_repo_id_online_at_id_idx ON public.action_runner USING btree (repo_id, online_at, id)
  CREATE UNIQUE INDEX action_runner_pkey ON public.action_runner USING btree (id)
  CREATE UNIQUE INDEX action_runner_uuid_key ON public.action_runner USING btree (uuid)
  action_runner_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES "user"(id) ON DELETE CASCADE
  action_runner_pkey PRIMARY KEY (id)
  action_runner_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

action_schedule
  id bigint not null identity
  repo_id bigint not null
  workflow text not null
  workflow_path text not null
  cron text not null
  next_at bigint not null
  created_at bigint not null
  push text not null default ''::text
  CREATE INDEX action_schedule_next_at_id_idx ON public.action_schedule USING btree (next_at, id)
  CREATE INDEX action_schedule_repo_id_idx ON public.action_schedule USING btree (repo_id)
  CREATE UNIQUE INDEX action_schedule_pkey ON public.action_schedule USING btree (id)
  action_schedule_pkey PRIMARY KEY (id)
  action_schedule_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

action_step
  task_id bigint not null
  number bigint not null
  name text not null
  status text not null
  log_index bigint not null default 0
  log_length bigint not null default 0
  started_at bigint not null default 0
  stopped_at bigint not null default 0
  CREATE UNIQUE INDEX action_step_pk ON public.action_step USING btree (task_id, number)
  action_step_pk PRIMARY KEY (task_id, number)
  action_step_task_id_fkey FOREIGN KEY (task_id) REFERENCES action_task(id) ON DELETE CASCADE

action_stored_block
  id bigint not null identity
  file text not null
  position bigint not null
  hash text not null
  size bigint not null
  CREATE INDEX action_stored_block_hash_idx ON public.action_stored_block USING btree (hash)
  CREATE UNIQUE INDEX action_stored_block_file_position_key ON public.action_stored_block USING btree (file, "position")
  CREATE UNIQUE INDEX action_stored_block_pkey ON public.action_stored_block USING btree (id)
  action_stored_block_pkey PRIMARY KEY (id)

action_summary
  task_id bigint not null
  step bigint not null
  text text not null
  CREATE UNIQUE INDEX action_summary_pk ON public.action_summary USING btree (task_id, step)
  action_summary_pk PRIMARY KEY (task_id, step)
  action_summary_task_id_fkey FOREIGN KEY (task_id) REFERENCES action_task(id) ON DELETE CASCADE

action_task
  id bigint not null identity
  repo_id bigint not null
  job_id bigint not null
  runner_id bigint not null
  runner_name text not null
  attempt bigint not null
  status text not null
  token_hash text not null default ''::text
  log_hash text not null default ''::text
  log_size bigint not null default 0
  log_lines bigint not null default 0
  is_log_sealed integer not null default 0
  is_log_expired integer not null default 0
  started_at bigint not null default 0
  stopped_at bigint not null default 0
  created_at bigint not null
  updated_at bigint not null
  request_key text not null default ''::text
  cancel_requested_at bigint not null default 0
  log_encoding text not null default ''::text
  log_text_size bigint not null default 0
  CREATE INDEX action_task_is_log_expired_stopped_at_idx ON public.action_task USING btree (is_log_expired, stopped_at)
  CREATE INDEX action_task_job_id_id_idx ON public.action_task USING btree (job_id, id)
  CREATE INDEX action_task_log_hash_idx ON public.action_task USING btree (log_hash)
  CREATE INDEX action_task_repo_id_id_idx ON public.action_task USING btree (repo_id, id)
  CREATE INDEX action_task_runner_id_status_idx ON public.action_task USING btree (runner_id, status)
  CREATE INDEX action_task_status_updated_at_idx ON public.action_task USING btree (status, updated_at)
  CREATE INDEX action_task_token_hash_idx ON public.action_task USING btree (token_hash)
  CREATE UNIQUE INDEX action_task_pkey ON public.action_task USING btree (id)
  action_task_job_id_fkey FOREIGN KEY (job_id) REFERENCES action_job(id) ON DELETE CASCADE
  action_task_pkey PRIMARY KEY (id)
  action_task_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

action_upload
  id bigint not null identity
  repo_id bigint not null
  task_id bigint not null
  kind text not null
  name text not null
  variant text not null default ''::text
  encoding text not null default ''::text
  mime_type text not null default ''::text
  expires_at bigint not null default 0
  listed text not null default ''::text
  blocks bigint not null default 0
  size bigint not null default 0
  created_at bigint not null
  updated_at bigint not null
  CREATE INDEX action_upload_repo_id_idx ON public.action_upload USING btree (repo_id)
  CREATE INDEX action_upload_updated_at_idx ON public.action_upload USING btree (updated_at)
  CREATE UNIQUE INDEX action_upload_pkey ON public.action_upload USING btree (id)
  CREATE UNIQUE INDEX action_upload_task_id_kind_name_variant_key ON public.action_upload USING btree (task_id, kind, name, variant)
  action_upload_pkey PRIMARY KEY (id)
  action_upload_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE
  action_upload_task_id_fkey FOREIGN KEY (task_id) REFERENCES action_task(id) ON DELETE CASCADE

action_upload_block
  upload_id bigint not null
  name text not null
  position bigint not null
  hash text not null
  size bigint not null
  CREATE INDEX action_upload_block_hash_idx ON public.action_upload_block USING btree (hash)
  CREATE UNIQUE INDEX action_upload_block_pk ON public.action_upload_block USING btree (upload_id, name)
  action_upload_block_pk PRIMARY KEY (upload_id, name)
  action_upload_block_upload_id_fkey FOREIGN KEY (upload_id) REFERENCES action_upload(id) ON DELETE CASCADE

actions_secret
  id bigint not null identity
  repo_id bigint
  owner_id bigint
  name text not null
  description text not null default ''::text
  value text not null
  created_at bigint not null
  updated_at bigint not null
  CREATE UNIQUE INDEX actions_secret_owner_id_name_key ON public.actions_secret USING btree (owner_id, name)
  CREATE UNIQUE INDEX actions_secret_pkey ON public.actions_secret USING btree (id)
  CREATE UNIQUE INDEX actions_secret_repo_id_name_key ON public.actions_secret USING btree (repo_id, name)
  actions_secret_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES "user"(id) ON DELETE CASCADE
  actions_secret_pkey PRIMARY KEY (id)
  actions_secret_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

actions_variable
  id bigint not null identity
  repo_id bigint
  owner_id bigint
  name text not null
  description text not null default ''::text
  value text not null
  created_at bigint not null
  updated_at bigint not null
  CREATE UNIQUE INDEX actions_variable_owner_id_name_key ON public.actions_variable USING btree (owner_id, name)
  CREATE UNIQUE INDEX actions_variable_pkey ON public.actions_variable USING btree (id)
  CREATE UNIQUE INDEX actions_variable_repo_id_name_key ON public.actions_variable USING btree (repo_id, name)
  actions_variable_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES "user"(id) ON DELETE CASCADE
  actions_variable_pkey PRIMARY KEY (id)
  actions_variable_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

activity
  id bigint not null identity
  event_id bigint not null
  position bigint not null default 0
  op_type text not null
  actor_id bigint not null
  repo_id bigint not null
  ref_name text not null default ''::text
  content text not null default ''::text
  created_at bigint not null
  issue_id bigint not null default 0
  comment_id bigint not null default 0
  CREATE INDEX activity_actor_id_created_at_idx ON public.activity USING btree (actor_id, created_at)
  CREATE INDEX activity_actor_id_id_idx ON public.activity USING btree (actor_id, id)
  CREATE INDEX activity_issue_id_comment_id_idx ON public.activity USING btree (issue_id, comment_id)
  CREATE INDEX activity_repo_id_id_idx ON public.activity USING btree (repo_id, id)
  CREATE UNIQUE INDEX activity_event_id_position_key ON public.activity USING btree (event_id, "position")
  CREATE UNIQUE INDEX activity_pkey ON public.activity USING btree (id)
  activity_actor_id_fkey FOREIGN KEY (actor_id) REFERENCES "user"(id) ON DELETE CASCADE
  activity_pkey PRIMARY KEY (id)
  activity_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

archive_download
  repo_id bigint not null
  tag text not null
  zip bigint not null default 0
  tar_gz bigint not null default 0
  CREATE UNIQUE INDEX archive_download_pk ON public.archive_download USING btree (repo_id, tag)
  archive_download_pk PRIMARY KEY (repo_id, tag)
  archive_download_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

attachment
  id bigint not null identity
  uuid text not null
  repo_id bigint not null
  release_id bigint not null default 0
  issue_id bigint not null default 0
  comment_id bigint not null default 0
  uploader_id bigint not null
  name text not null
  size bigint not null default 0
  hash text not null default ''::text
  external_url text not null default ''::text
  download_count bigint not null default 0
  created_at bigint not null
  CREATE INDEX attachment_comment_id_idx ON public.attachment USING btree (comment_id)
  CREATE INDEX attachment_hash_idx ON public.attachment USING btree (hash)
  CREATE INDEX attachment_issue_id_comment_id_idx ON public.attachment USING btree (issue_id, comment_id)
  CREATE INDEX attachment_release_id_name_idx ON public.attachment USING btree (release_id, name)
  CREATE INDEX attachment_repo_id_idx ON public.attachment USING btree (repo_id)
  CREATE UNIQUE INDEX attachment_pkey ON public.attachment USING btree (id)
  CREATE UNIQUE INDEX attachment_uuid_key ON public.attachment USING btree (uuid)
  attachment_pkey PRIMARY KEY (id)
  attachment_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

audit_entry
  id bigint not null identity
  created_at bigint not null
  action text not null
  outcome text not null
  actor_id bigint not null
  actor_name text not null
  lower_actor_name text not null
  sudo_by_id bigint not null default 0
  sudo_by_name text not null default ''::text
  credential text not null
  credential_id bigint not null default 0
  credential_name text not null default ''::text
  address text not null default ''::text
  user_agent text not null default ''::text
  target_kind text not null
  target_id bigint not null
  target_name text not null
  lower_target_name text not null
  details text not null default '{}'::text
  CREATE INDEX audit_entry_action_id_idx ON public.audit_entry USING btree (action, id)
  CREATE INDEX audit_entry_created_at_idx ON public.audit_entry USING btree (created_at)
  CREATE INDEX audit_entry_lower_actor_name_id_idx ON public.audit_entry USING btree (lower_actor_name, id)
  CREATE INDEX audit_entry_lower_target_name_id_idx ON public.audit_entry USING btree (lower_target_name, id)
  CREATE UNIQUE INDEX audit_entry_pkey ON public.audit_entry USING btree (id)
  audit_entry_pkey PRIMARY KEY (id)

avatar
  hash text not null
  blob text not null
  media_type text not null
  created_at bigint not null
  CREATE INDEX avatar_blob_idx ON public.avatar USING btree (blob)
  CREATE UNIQUE INDEX avatar_pk ON public.avatar USING btree (hash)
  avatar_pk PRIMARY KEY (hash)

badge
  id bigint not null identity
  slug text not null
  description text not null default ''::text
  image_url text not null default ''::text
  CREATE UNIQUE INDEX badge_pkey ON public.badge USING btree (id)
  CREATE UNIQUE INDEX badge_slug_key ON public.badge USING btree (slug)
  badge_pkey PRIMARY KEY (id)

branch
  id bigint not null identity
  repo_id bigint not null
  name text not null
  oid text not null
  pusher_id bigint not null
  updated_at bigint not null
  pusher_restriction text not null default ''::text
  CREATE UNIQUE INDEX branch_pkey ON public.branch USING btree (id)
  CREATE UNIQUE INDEX branch_repo_id_name_key ON public.branch USING btree (repo_id, name)
  branch_pkey PRIMARY KEY (id)
  branch_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

branch_rule
  id bigint not null identity
  repo_id bigint not null
  name text not null
  priority bigint not null
  settings text not null
  created_at bigint not null
  updated_at bigint not null
  CREATE UNIQUE INDEX branch_rule_pkey ON public.branch_rule USING btree (id)
  CREATE UNIQUE INDEX branch_rule_repo_id_name_key ON public.branch_rule USING btree (repo_id, name)
  branch_rule_pkey PRIMARY KEY (id)
  branch_rule_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

branch_rule_team
  rule_id bigint not null
  list text not null
  team_id bigint not null
  CREATE INDEX branch_rule_team_team_id_idx ON public.branch_rule_team USING btree (team_id)
  CREATE UNIQUE INDEX branch_rule_team_pk ON public.branch_rule_team USING btree (rule_id, list, team_id)
  branch_rule_team_pk PRIMARY KEY (rule_id, list, team_id)
  branch_rule_team_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES branch_rule(id) ON DELETE CASCADE
  branch_rule_team_team_id_fkey FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE

branch_rule_user
  rule_id bigint not null
  list text not null
  user_id bigint not null
  CREATE INDEX branch_rule_user_user_id_idx ON public.branch_rule_user USING btree (user_id)
  CREATE UNIQUE INDEX branch_rule_user_pk ON public.branch_rule_user USING btree (rule_id, list, user_id)
  branch_rule_user_pk PRIMARY KEY (rule_id, list, user_id)
  branch_rule_user_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES branch_rule(id) ON DELETE CASCADE
  branch_rule_user_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

cluster_lock
  name text not null
  session_id bigint not null
  is_exclusive boolean not null
  fence bigint not null
  CREATE INDEX cluster_lock_session_id_idx ON public.cluster_lock USING btree (session_id)
  CREATE UNIQUE INDEX cluster_lock_pk ON public.cluster_lock USING btree (name, session_id)
  cluster_lock_pk PRIMARY KEY (name, session_id)

cluster_session
  id bigint not null
  node text not null
  expires_at timestamp with time zone not null
  member text not null default ''::text
  CREATE UNIQUE INDEX cluster_session_pkey ON public.cluster_session USING btree (id)
  cluster_session_pkey PRIMARY KEY (id)

code_blob
  id bigint not null identity
  oid text not null
  size bigint not null
  text text not null
  CREATE UNIQUE INDEX code_blob_oid_key ON public.code_blob USING btree (oid)
  CREATE UNIQUE INDEX code_blob_pkey ON public.code_blob USING btree (id)
  code_blob_pkey PRIMARY KEY (id)

code_file
  repo_id bigint not null
  path text not null
  oid text not null
  language text not null
  blob_id bigint
  CREATE INDEX code_file_blob_id_repo_id_idx ON public.code_file USING btree (blob_id, repo_id)
  CREATE UNIQUE INDEX code_file_pk ON public.code_file USING btree (repo_id, path)
  code_file_pk PRIMARY KEY (repo_id, path)

code_repo
  repo_id bigint not null
  oid text not null
  branch text not null
  is_partial integer not null default 0
  CREATE UNIQUE INDEX code_repo_pk ON public.code_repo USING btree (repo_id)
  code_repo_pk PRIMARY KEY (repo_id)

collaboration
  repo_id bigint not null
  user_id bigint not null
  mode bigint not null
  created_at bigint not null
  CREATE INDEX collaboration_user_id_repo_id_idx ON public.collaboration USING btree (user_id, repo_id)
  CREATE UNIQUE INDEX collaboration_pk ON public.collaboration USING btree (repo_id, user_id)
  collaboration_pk PRIMARY KEY (repo_id, user_id)
  collaboration_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE
  collaboration_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

commit_reference
  issue_id bigint not null
  oid text not null
  entry_id bigint not null
  is_settled integer not null default 0
  CREATE INDEX commit_reference_entry_id_idx ON public.commit_reference USING btree (entry_id)
  CREATE UNIQUE INDEX commit_reference_pk ON public.commit_reference USING btree (issue_id, oid)
  commit_reference_entry_id_fkey FOREIGN KEY (entry_id) REFERENCES timeline_entry(id) ON DELETE CASCADE
  commit_reference_issue_id_fkey FOREIGN KEY (issue_id) REFERENCES issue(id) ON DELETE CASCADE
  commit_reference_pk PRIMARY KEY (issue_id, oid)

commit_status
  id bigint not null identity
  repo_id bigint not null
  oid text not null
  number bigint not null
  state text not null
  context text not null
  description text not null
  target_url text not null
  creator_id bigint not null
  created_at bigint not null
  CREATE INDEX commit_status_repo_id_oid_context_number_idx ON public.commit_status USING btree (repo_id, oid, context, number)
  CREATE UNIQUE INDEX commit_status_pkey ON public.commit_status USING btree (id)
  CREATE UNIQUE INDEX commit_status_repo_id_oid_number_key ON public.commit_status USING btree (repo_id, oid, number)
  commit_status_pkey PRIMARY KEY (id)
  commit_status_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

container_blob
  id bigint not null identity
  package_id bigint not null
  digest text not null
  sha256 text not null
  size bigint not null
  created_at bigint not null
  CREATE INDEX container_blob_digest_idx ON public.container_blob USING btree (digest)
  CREATE INDEX container_blob_sha256_idx ON public.container_blob USING btree (sha256)
  CREATE UNIQUE INDEX container_blob_package_id_digest_key ON public.container_blob USING btree (package_id, digest)
  CREATE UNIQUE INDEX container_blob_pkey ON public.container_blob USING btree (id)
  container_blob_package_id_fkey FOREIGN KEY (package_id) REFERENCES package(id) ON DELETE CASCADE
  container_blob_pkey PRIMARY KEY (id)

container_chunk
  id bigint not null identity
  upload_id text not null
  position bigint not null
  sha256 text not null
  sha512 text not null
  size bigint not null
  CREATE INDEX container_chunk_sha256_idx ON public.container_chunk USING btree (sha256)
  CREATE UNIQUE INDEX container_chunk_pkey ON public.container_chunk USING btree (id)
  CREATE UNIQUE INDEX container_chunk_upload_id_position_key ON public.container_chunk USING btree (upload_id, "position")
  container_chunk_pkey PRIMARY KEY (id)

container_manifest
  id bigint not null identity
  package_id bigint not null
  digest text not null
  media_type text not null
  artifact_type text not null default ''::text
  subject text not null default ''::text
  annotations text not null default ''::text
  sha256 text not null
  size bigint not null
  creator_id bigint not null
  created_at bigint not null
  CREATE INDEX container_manifest_package_id_subject_idx ON public.container_manifest USING btree (package_id, subject)
  CREATE INDEX container_manifest_sha256_idx ON public.container_manifest USING btree (sha256)
  CREATE UNIQUE INDEX container_manifest_package_id_digest_key ON public.container_manifest USING btree (package_id, digest)
  CREATE UNIQUE INDEX container_manifest_pkey ON public.container_manifest USING btree (id)
  container_manifest_package_id_fkey FOREIGN KEY (package_id) REFERENCES package(id) ON DELETE CASCADE
  container_manifest_pkey PRIMARY KEY (id)

container_reference
  id bigint not null identity
  manifest_id bigint not null
  package_id bigint not null
  digest text not null
  is_manifest integer not null default 0
  CREATE INDEX container_reference_manifest_id_idx ON public.container_reference USING btree (manifest_id)
  CREATE INDEX container_reference_package_id_digest_idx ON public.container_reference USING btree (package_id, digest)
  CREATE UNIQUE INDEX container_reference_pkey ON public.container_reference USING btree (id)
  container_reference_manifest_id_fkey FOREIGN KEY (manifest_id) REFERENCES container_manifest(id) ON DELETE CASCADE
  container_reference_pkey PRIMARY KEY (id)

container_tag
  id bigint not null identity
  package_id bigint not null
  manifest_id bigint not null
  name text not null
  CREATE INDEX container_tag_manifest_id_idx ON public.container_tag USING btree (manifest_id)
  CREATE UNIQUE INDEX container_tag_package_id_name_key ON public.container_tag USING btree (package_id, name)
  CREATE UNIQUE INDEX container_tag_pkey ON public.container_tag USING btree (id)
  container_tag_manifest_id_fkey FOREIGN KEY (manifest_id) REFERENCES container_manifest(id) ON DELETE CASCADE
  container_tag_package_id_fkey FOREIGN KEY (package_id) REFERENCES package(id) ON DELETE CASCADE
  container_tag_pkey PRIMARY KEY (id)

container_upload
  id text not null
  package_id bigint not null
  size bigint not null default 0
  updated_at bigint not null
  CREATE INDEX container_upload_package_id_idx ON public.container_upload USING btree (package_id)
  CREATE UNIQUE INDEX container_upload_pk ON public.container_upload USING btree (id)
  container_upload_package_id_fkey FOREIGN KEY (package_id) REFERENCES package(id) ON DELETE CASCADE
  container_upload_pk PRIMARY KEY (id)

cron_task
  name text not null
  last_run_at bigint not null default 0
  runs_count bigint not null default 0
  CREATE UNIQUE INDEX cron_task_pk ON public.cron_task USING btree (name)
  cron_task_pk PRIMARY KEY (name)

cross_reference
  source_issue_id bigint not null
  source_comment_id bigint not null default 0
  issue_id bigint not null
  entry_id bigint not null
  action text not null
  restriction text not null default ''::text
  author_id bigint not null default 0
  CREATE INDEX cross_reference_entry_id_idx ON public.cross_reference USING btree (entry_id)
  CREATE INDEX cross_reference_issue_id_idx ON public.cross_reference USING btree (issue_id)
  CREATE UNIQUE INDEX cross_reference_pk ON public.cross_reference USING btree (source_issue_id, source_comment_id, issue_id)
  cross_reference_entry_id_fkey FOREIGN KEY (entry_id) REFERENCES timeline_entry(id) ON DELETE CASCADE
  cross_reference_issue_id_fkey FOREIGN KEY (issue_id) REFERENCES issue(id) ON DELETE CASCADE
  cross_reference_pk PRIMARY KEY (source_issue_id, source_comment_id, issue_id)
  cross_reference_source_issue_id_fkey FOREIGN KEY (source_issue_id) REFERENCES issue(id) ON DELETE CASCADE

deploy_key
  id bigint not null identity
  key_id bigint not null
  repo_id bigint not null
  title text not null
  comment text not null default ''::text
  is_read_only integer not null default 0
  created_at bigint not null
  last_used_at bigint not null default 0
  CREATE INDEX deploy_key_key_id_repo_id_idx ON public.deploy_key USING btree (key_id, repo_id)
  CREATE UNIQUE INDEX deploy_key_pkey ON public.deploy_key USING btree (id)
  CREATE UNIQUE INDEX deploy_key_repo_id_key_id_key ON public.deploy_key USING btree (repo_id, key_id)
  CREATE UNIQUE INDEX deploy_key_repo_id_title_key ON public.deploy_key USING btree (repo_id, title)
  deploy_key_key_id_fkey FOREIGN KEY (key_id) REFERENCES public_key(id) ON DELETE CASCADE
  deploy_key_pkey PRIMARY KEY (id)
  deploy_key_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

email_address
  id bigint not null identity
  user_id bigint not null
  email text not null
  lower_email text not null
  is_activated integer not null default 1
  is_primary integer not null default 0
  CREATE INDEX email_address_user_id_idx ON public.email_address USING btree (user_id)
  CREATE UNIQUE INDEX email_address_lower_email_key ON public.email_address USING btree (lower_email)
  CREATE UNIQUE INDEX email_address_pkey ON public.email_address USING btree (id)
  email_address_pkey PRIMARY KEY (id)
  email_address_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

event
  id bigint not null identity
  kind text not null
  repo_id bigint not null default 0
  actor_id bigint not null default 0
  payload text not null
  created_at bigint not null
  dispatched_at bigint not null default 0
  attempts bigint not null default 0
  next_attempt_at bigint not null default 0
  last_error text not null default ''::text
  CREATE INDEX event_dispatched_at_repo_id_id_idx ON public.event USING btree (dispatched_at, repo_id, id)
  CREATE INDEX event_repo_id_id_idx ON public.event USING btree (repo_id, id)
  CREATE UNIQUE INDEX event_pkey ON public.event USING btree (id)
  event_pkey PRIMARY KEY (id)

external_identity
  source_id bigint not null
  subject text not null
  user_id bigint not null
  login_name text not null default ''::text
  created_at bigint not null
  seen_at bigint not null default 0
  gone_at bigint not null default 0
  CREATE INDEX external_identity_source_id_seen_at_idx ON public.external_identity USING btree (source_id, seen_at)
  CREATE UNIQUE INDEX external_identity_pk ON public.external_identity USING btree (source_id, subject)
  CREATE UNIQUE INDEX external_identity_user_id_source_id_key ON public.external_identity USING btree (user_id, source_id)
  external_identity_pk PRIMARY KEY (source_id, subject)
  external_identity_source_id_fkey FOREIGN KEY (source_id) REFERENCES sign_in_source(id) ON DELETE CASCADE
  external_identity_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

follow
  user_id bigint not null
  followed_id bigint not null
  created_at bigint not null
  CREATE INDEX follow_followed_id_user_id_idx ON public.follow USING btree (followed_id, user_id)
  CREATE UNIQUE INDEX follow_pk ON public.follow USING btree (user_id, followed_id)
  follow_followed_id_fkey FOREIGN KEY (followed_id) REFERENCES "user"(id) ON DELETE CASCADE
  follow_pk PRIMARY KEY (user_id, followed_id)
  follow_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

former_text
  id bigint not null identity
  issue_id bigint not null
  comment_id bigint
  editor_id bigint not null
  replaced_at bigint not null
  body text not null
  CREATE INDEX former_text_comment_id_id_idx ON public.former_text USING btree (comment_id, id)
  CREATE INDEX former_text_issue_id_comment_id_id_idx ON public.former_text USING btree (issue_id, comment_id, id)
  CREATE UNIQUE INDEX former_text_pkey ON public.former_text USING btree (id)
  former_text_comment_id_fkey FOREIGN KEY (comment_id) REFERENCES timeline_entry(id) ON DELETE CASCADE
  former_text_issue_id_fkey FOREIGN KEY (issue_id) REFERENCES issue(id) ON DELETE CASCADE
  former_text_pkey PRIMARY KEY (id)

gpg_key
  id bigint not null identity
  user_id bigint not null
  key_id text not null
  primary_key_id text not null default ''::text
  packet text not null
  armored text not null default ''::text
  emails text not null default '[]'::text
  can_sign integer not null default 0
  can_encrypt integer not null default 0
  is_verified integer not null default 0
  created_at bigint not null
  expires_at bigint not null default 0
  CREATE INDEX gpg_key_user_id_primary_key_id_id_idx ON public.gpg_key USING btree (user_id, primary_key_id, id)
  CREATE UNIQUE INDEX gpg_key_key_id_key ON public.gpg_key USING btree (key_id)
  CREATE UNIQUE INDEX gpg_key_pkey ON public.gpg_key USING btree (id)
  gpg_key_pkey PRIMARY KEY (id)
  gpg_key_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

hook_delivery
  id bigint not null identity
  uuid text not null
  hook_id bigint not null
  message_id bigint not null
  state text not null default 'waiting'::text
  attempts bigint not null default 0
  queued_at bigint not null
  created_at bigint not null
  finished_at bigint not null default 0
  url text not null default ''::text
  request_headers text not null default '{}'::text
  request_body text not null default ''::text
  response_status bigint not null default 0
  response_headers text not null default '{}'::text
  response_body text not null default ''::text
  duration_ms bigint not null default 0
  error text not null default ''::text
  history text not null default '[]'::text
  CREATE INDEX hook_delivery_finished_at_idx ON public.hook_delivery USING btree (finished_at)
  CREATE INDEX hook_delivery_hook_id_state_id_idx ON public.hook_delivery USING btree (hook_id, state, id)
  CREATE INDEX hook_delivery_message_id_idx ON public.hook_delivery USING btree (message_id)
  CREATE INDEX hook_delivery_state_id_idx ON public.hook_delivery USING btree (state, id)
  CREATE UNIQUE INDEX hook_delivery_pkey ON public.hook_delivery USING btree (id)
  CREATE UNIQUE INDEX hook_delivery_uuid_key ON public.hook_delivery USING btree (uuid)
  hook_delivery_hook_id_fkey FOREIGN KEY (hook_id) REFERENCES webhook(id) ON DELETE CASCADE
  hook_delivery_message_id_fkey FOREIGN KEY (message_id) REFERENCES hook_message(id) ON DELETE CASCADE
  hook_delivery_pkey PRIMARY KEY (id)

hook_event
  event_id bigint not null
  attempts bigint not null default 0
  next_at bigint not null default 0
  lease_until bigint not null default 0
  holder text not null default ''::text
  messages text not null default ''::text
  CREATE UNIQUE INDEX hook_event_pk ON public.hook_event USING btree (event_id)
  hook_event_pk PRIMARY KEY (event_id)

hook_lane
  hook_id bigint not null
  origin text not null
  due_at bigint not null default 0
  lease_until bigint not null default 0
  holder text not null default ''::text
  failures bigint not null default 0
  last_status text not null default ''::text
  CREATE INDEX hook_lane_due_at_idx ON public.hook_lane USING btree (due_at)
  CREATE UNIQUE INDEX hook_lane_pk ON public.hook_lane USING btree (hook_id)
  hook_lane_hook_id_fkey FOREIGN KEY (hook_id) REFERENCES webhook(id) ON DELETE CASCADE
  hook_lane_pk PRIMARY KEY (hook_id)

hook_message
  id bigint not null identity
  event text not null
  event_type text not null
  action text not null default ''::text
  payload text not null
  created_at bigint not null
  CREATE UNIQUE INDEX hook_message_pkey ON public.hook_message USING btree (id)
  hook_message_pkey PRIMARY KEY (id)

hook_origin
  origin text not null
  failures bigint not null default 0
  retry_at bigint not null default 0
  error text not null default ''::text
  CREATE UNIQUE INDEX hook_origin_pk ON public.hook_origin USING btree (origin)
  hook_origin_pk PRIMARY KEY (origin)

import_key
  repo_id bigint not null
  kind text not null
  key text not null
  value bigint not null
  CREATE UNIQUE INDEX import_key_pk ON public.import_key USING btree (repo_id, kind, key)
  import_key_pk PRIMARY KEY (repo_id, kind, key)
  import_key_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

imported_author
  repo_id bigint not null
  origin text not null
  author_id bigint not null
  CREATE INDEX imported_author_origin_author_id_idx ON public.imported_author USING btree (origin, author_id)
  CREATE UNIQUE INDEX imported_author_pk ON public.imported_author USING btree (repo_id, author_id)
  imported_author_pk PRIMARY KEY (repo_id, author_id)
  imported_author_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

issue
  id bigint not null identity
  repo_id bigint not null
  number bigint not null
  is_pull integer not null default 0
  is_closed integer not null default 0
  poster_id bigint not null
  title text not null
  ref text not null default ''::text
  milestone_id bigint not null default 0
  due_at bigint not null default 0
  comments_count bigint not null default 0
  is_locked integer not null default 0
  pin_order bigint not null default 0
  content_version bigint not null default 0
  time_estimate bigint not null default 0
  created_at bigint not null
  updated_at bigint not null
  closed_at bigint not null default 0
  body text not null default ''::text
  reviews_counted bigint not null default 0
  original_author text not null default ''::text
  original_author_id bigint not null default 0
  CREATE INDEX issue_is_closed_created_at_id_repo_id_is_pull_idx ON public.issue USING btree (is_closed, created_at, id, repo_id, is_pull)
  CREATE INDEX issue_milestone_id_is_closed_created_at_id_is_pull_idx ON public.issue USING btree (milestone_id, is_closed, created_at, id, is_pull)
  CREATE INDEX issue_poster_id_is_closed_created_at_id_repo_id_is_pull_idx ON public.issue USING btree (poster_id, is_closed, created_at, id, repo_id, is_pull)
  CREATE INDEX issue_repo_id_comments_count_created_at_id_is_closed_is_pull_id ON public.issue USING btree (repo_id, comments_count, created_at, id, is_closed, is_pull)
  CREATE INDEX issue_repo_id_created_at_id_is_pull_idx ON public.issue USING btree (repo_id, created_at, id, is_pull)
  CREATE INDEX issue_repo_id_due_at_created_at_id_is_closed_is_pull_idx ON public.issue USING btree (repo_id, due_at, created_at, id, is_closed, is_pull)
  CREATE INDEX issue_repo_id_is_closed_created_at_id_is_pull_idx ON public.issue USING btree (repo_id, is_closed, created_at, id, is_pull)
  CREATE INDEX issue_repo_id_is_pull_pin_order_idx ON public.issue USING btree (repo_id, is_pull, pin_order)
  CREATE INDEX issue_repo_id_poster_id_is_closed_created_at_id_is_pull_idx ON public.issue USING btree (repo_id, poster_id, is_closed, created_at, id, is_pull)
  CREATE INDEX issue_repo_id_updated_at_created_at_id_is_closed_is_pull_idx ON public.issue USING btree (repo_id, updated_at, created_at, id, is_closed, is_pull)
  CREATE INDEX issue_updated_at_id_idx ON public.issue USING btree (updated_at, id)
  CREATE UNIQUE INDEX issue_pkey ON public.issue USING btree (id)
  CREATE UNIQUE INDEX issue_repo_id_number_key ON public.issue USING btree (repo_id, number)
  issue_pkey PRIMARY KEY (id)
  issue_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

issue_assignee
  issue_id bigint not null
  user_id bigint not null
  position bigint not null
  repo_id bigint not null
  is_closed integer not null default 0
  is_pull integer not null default 0
  created_at bigint not null
  CREATE INDEX issue_assignee_repo_id_user_id_is_closed_created_at_issue_id_is ON public.issue_assignee USING btree (repo_id, user_id, is_closed, created_at, issue_id, is_pull)
  CREATE INDEX issue_assignee_user_id_is_closed_created_at_issue_id_repo_id_is ON public.issue_assignee USING btree (user_id, is_closed, created_at, issue_id, repo_id, is_pull)
  CREATE UNIQUE INDEX issue_assignee_pk ON public.issue_assignee USING btree (issue_id, user_id)
  issue_assignee_issue_id_fkey FOREIGN KEY (issue_id) REFERENCES issue(id) ON DELETE CASCADE
  issue_assignee_pk PRIMARY KEY (issue_id, user_id)
  issue_assignee_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE
  issue_assignee_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

issue_dependency
  issue_id bigint not null
  depends_on_id bigint not null
  created_at bigint not null
  CREATE INDEX issue_dependency_depends_on_id_issue_id_idx ON public.issue_dependency USING btree (depends_on_id, issue_id)
  CREATE UNIQUE INDEX issue_dependency_pk ON public.issue_dependency USING btree (issue_id, depends_on_id)
  issue_dependency_depends_on_id_fkey FOREIGN KEY (depends_on_id) REFERENCES issue(id) ON DELETE CASCADE
  issue_dependency_issue_id_fkey FOREIGN KEY (issue_id) REFERENCES issue(id) ON DELETE CASCADE
  issue_dependency_pk PRIMARY KEY (issue_id, depends_on_id)

issue_label
  issue_id bigint not null
  label_id bigint not null
  repo_id bigint not null
  is_closed integer not null default 0
  is_pull integer not null default 0
  created_at bigint not null
  CREATE INDEX issue_label_label_id_repo_id_is_closed_created_at_issue_id_is_p ON public.issue_label USING btree (label_id, repo_id, is_closed, created_at, issue_id, is_pull)
  CREATE UNIQUE INDEX issue_label_pk ON public.issue_label USING btree (issue_id, label_id)
  issue_label_issue_id_fkey FOREIGN KEY (issue_id) REFERENCES issue(id) ON DELETE CASCADE
  issue_label_label_id_fkey FOREIGN KEY (label_id) REFERENCES label(id) ON DELETE CASCADE
  issue_label_pk PRIMARY KEY (issue_id, label_id)

issue_mention
  issue_id bigint not null
  user_id bigint not null
  repo_id bigint not null
  is_closed integer not null default 0
  is_pull integer not null default 0
  created_at bigint not null
  CREATE INDEX issue_mention_repo_id_user_id_is_closed_created_at_issue_id_is_ ON public.issue_mention USING btree (repo_id, user_id, is_closed, created_at, issue_id, is_pull)
  CREATE INDEX issue_mention_user_id_is_closed_created_at_issue_id_repo_id_is_ ON public.issue_mention USING btree (user_id, is_closed, created_at, issue_id, repo_id, is_pull)
  CREATE UNIQUE INDEX issue_mention_pk ON public.issue_mention USING btree (issue_id, user_id)
  issue_mention_issue_id_fkey FOREIGN KEY (issue_id) REFERENCES issue(id) ON DELETE CASCADE
  issue_mention_pk PRIMARY KEY (issue_id, user_id)
  issue_mention_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE
  issue_mention_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

issue_redirect
  repo_id bigint not null
  number bigint not null
  issue_id bigint not null
  CREATE INDEX issue_redirect_issue_id_idx ON public.issue_redirect USING btree (issue_id)
  CREATE UNIQUE INDEX issue_redirect_pk ON public.issue_redirect USING btree (repo_id, number)
  issue_redirect_issue_id_fkey FOREIGN KEY (issue_id) REFERENCES issue(id) ON DELETE CASCADE
  issue_redirect_pk PRIMARY KEY (repo_id, number)
  issue_redirect_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

issue_sequence
  repo_id bigint not null
  last bigint not null
  CREATE UNIQUE INDEX issue_sequence_pk ON public.issue_sequence USING btree (repo_id)
  issue_sequence_pk PRIMARY KEY (repo_id)
  issue_sequence_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

issue_text
  id bigint not null identity
  issue_id bigint not null
  part bigint not null
  repo_id bigint not null
  text text not null
  is_indexed integer not null default 1
  CREATE INDEX issue_text_repo_id_idx ON public.issue_text USING btree (repo_id)
  CREATE INDEX issue_text_text_idx ON public.issue_text USING gin (text gin_trgm_ops)
  CREATE UNIQUE INDEX issue_text_issue_id_part_key ON public.issue_text USING btree (issue_id, part)
  CREATE UNIQUE INDEX issue_text_pkey ON public.issue_text USING btree (id)
  issue_text_issue_id_fkey FOREIGN KEY (issue_id) REFERENCES issue(id) ON DELETE CASCADE
  issue_text_pkey PRIMARY KEY (id)

issue_watch
  issue_id bigint not null
  user_id bigint not null
  is_watching integer not null default 0
  created_at bigint not null
  CREATE INDEX issue_watch_user_id_idx ON public.issue_watch USING btree (user_id)
  CREATE UNIQUE INDEX issue_watch_pk ON public.issue_watch USING btree (issue_id, user_id)
  issue_watch_issue_id_fkey FOREIGN KEY (issue_id) REFERENCES issue(id) ON DELETE CASCADE
  issue_watch_pk PRIMARY KEY (issue_id, user_id)
  issue_watch_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

job
  id bigint not null identity
  kind text not null
  key text not null
  payload text not null
  state text not null default 'waiting'::text
  run_at bigint not null
  lease_until bigint not null default 0
  attempts bigint not null default 0
  last_error text not null default ''::text
  created_at bigint not null
  holder text not null default ''::text
  CREATE INDEX job_kind_key_state_idx ON public.job USING btree (kind, key, state)
  CREATE INDEX job_state_run_at_idx ON public.job USING btree (state, run_at)
  CREATE UNIQUE INDEX job_pkey ON public.job USING btree (id)
  job_pkey PRIMARY KEY (id)

label
  id bigint not null identity
  repo_id bigint
  org_id bigint
  name text not null
  color text not null
  description text not null default ''::text
  is_exclusive integer not null default 0
  archived_at bigint not null default 0
  issues_count bigint not null default 0
  created_at bigint not null
  updated_at bigint not null
  CREATE INDEX label_name_idx ON public.label USING btree (name)
  CREATE INDEX label_org_id_name_idx ON public.label USING btree (org_id, name)
  CREATE INDEX label_repo_id_name_idx ON public.label USING btree (repo_id, name)
  CREATE UNIQUE INDEX label_pkey ON public.label USING btree (id)
  label_org_id_fkey FOREIGN KEY (org_id) REFERENCES "user"(id) ON DELETE CASCADE
  label_pkey PRIMARY KEY (id)
  label_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

lfs_link
  id bigint not null identity
  repo_id bigint not null
  oid text not null
  size bigint not null
  created_at bigint not null
  CREATE INDEX lfs_link_oid_repo_id_idx ON public.lfs_link USING btree (oid, repo_id)
  CREATE UNIQUE INDEX lfs_link_pkey ON public.lfs_link USING btree (id)
  CREATE UNIQUE INDEX lfs_link_repo_id_oid_key ON public.lfs_link USING btree (repo_id, oid)
  lfs_link_pkey PRIMARY KEY (id)
  lfs_link_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

lfs_lock
  id bigint not null identity
  repo_id bigint not null
  owner_id bigint not null
  path text not null
  created_at bigint not null
  CREATE INDEX lfs_lock_repo_id_id_idx ON public.lfs_lock USING btree (repo_id, id)
  CREATE UNIQUE INDEX lfs_lock_pkey ON public.lfs_lock USING btree (id)
  CREATE UNIQUE INDEX lfs_lock_repo_id_path_key ON public.lfs_lock USING btree (repo_id, path)
  lfs_lock_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES "user"(id) ON DELETE CASCADE
  lfs_lock_pkey PRIMARY KEY (id)
  lfs_lock_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

merge_intent
  pull_id bigint not null
  repo_id bigint not null
  base_branch text not null
  oid text not null
  style text not null
  actor_id bigint not null
  is_auto integer not null default 0
  deletes_branch integer not null default 0
  created_at bigint not null
  server text not null default ''::text
  restriction text not null default ''::text
  CREATE INDEX merge_intent_repo_id_idx ON public.merge_intent USING btree (repo_id)
  CREATE UNIQUE INDEX merge_intent_pk ON public.merge_intent USING btree (pull_id)
  merge_intent_pk PRIMARY KEY (pull_id)
  merge_intent_pull_id_fkey FOREIGN KEY (pull_id) REFERENCES pull(id) ON DELETE CASCADE

merge_queue_batch
  id bigint not null identity
  repo_id bigint not null
  branch text not null
  state text not null
  base_oid text not null default ''::text
  oid text not null default ''::text
  built_at bigint not null default 0
  created_at bigint not null
  is_announced integer not null default 0
  CREATE INDEX merge_queue_batch_repo_id_oid_idx ON public.merge_queue_batch USING btree (repo_id, oid)
  CREATE UNIQUE INDEX merge_queue_batch_pkey ON public.merge_queue_batch USING btree (id)
  CREATE UNIQUE INDEX merge_queue_batch_repo_id_branch_key ON public.merge_queue_batch USING btree (repo_id, branch)
  merge_queue_batch_pkey PRIMARY KEY (id)
  merge_queue_batch_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

merge_queue_entry
  pull_id bigint not null
  issue_id bigint not null
  repo_id bigint not null
  branch text not null
  position bigint not null
  actor_id bigint not null
  style text not null
  title text not null
  message text not null
  deletes_branch text not null
  head_oid text not null
  batch_id bigint not null default 0
  oid text not null default ''::text
  suspect_id bigint not null default 0
  max_batch bigint not null default 0
  failure text not null default ''::text
  created_at bigint not null
  restriction text not null default ''::text
  CREATE INDEX merge_queue_entry_repo_id_branch_position_idx ON public.merge_queue_entry USING btree (repo_id, branch, "position")
  CREATE UNIQUE INDEX merge_queue_entry_pk ON public.merge_queue_entry USING btree (pull_id)
  merge_queue_entry_pk PRIMARY KEY (pull_id)
  merge_queue_entry_pull_id_fkey FOREIGN KEY (pull_id) REFERENCES pull(id) ON DELETE CASCADE
  merge_queue_entry_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

merge_schedule
  pull_id bigint not null
  issue_id bigint not null
  repo_id bigint not null
  actor_id bigint not null
  style text not null
  title text not null
  message text not null
  deletes_branch text not null
  created_at bigint not null
  head_oid text not null default ''::text
  restriction text not null default ''::text
  CREATE INDEX merge_schedule_repo_id_idx ON public.merge_schedule USING btree (repo_id)
  CREATE UNIQUE INDEX merge_schedule_pk ON public.merge_schedule USING btree (pull_id)
  merge_schedule_pk PRIMARY KEY (pull_id)
  merge_schedule_pull_id_fkey FOREIGN KEY (pull_id) REFERENCES pull(id) ON DELETE CASCADE

milestone
  id bigint not null identity
  repo_id bigint not null
  title text not null
  lower_title text not null
  description text not null default ''::text
  is_closed integer not null default 0
  due_at bigint not null
  open_issues bigint not null default 0
  closed_issues bigint not null default 0
  created_at bigint not null
  updated_at bigint not null
  closed_at bigint not null default 0
  CREATE INDEX milestone_lower_title_repo_id_idx ON public.milestone USING btree (lower_title, repo_id)
  CREATE INDEX milestone_repo_id_due_at_title_id_is_closed_idx ON public.milestone USING btree (repo_id, due_at, title, id, is_closed)
  CREATE UNIQUE INDEX milestone_pkey ON public.milestone USING btree (id)
  milestone_pkey PRIMARY KEY (id)
  milestone_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

mirror
  repo_id bigint not null
  interval bigint not null default 0
  is_pruning integer not null default 1
  synced_at bigint not null default 0
  next_sync_at bigint not null default 0
  remote_url text not null default ''::text
  credentials text not null default ''::text
  remote_head text not null default ''::text
  last_error text not null default ''::text
  has_wiki integer not null default 0
  has_lfs integer not null default 0
  lfs_endpoint text not null default ''::text
  lfs_pending integer not null default 0
  CREATE INDEX mirror_next_sync_at_idx ON public.mirror USING btree (next_sync_at)
  CREATE UNIQUE INDEX mirror_pk ON public.mirror USING btree (repo_id)
  mirror_pk PRIMARY KEY (repo_id)
  mirror_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

node
  instance text not null
  name text not null
  host text not null
  pid bigint not null
  version text not null
  schema text not null
  address text not null
  workers bigint not null
  started_at bigint not null
  heartbeat_at bigint not null
  clock_offset bigint not null
  sender_pid bigint not null
  CREATE UNIQUE INDEX node_pk ON public.node USING btree (instance)
  node_pk PRIMARY KEY (instance)

notification
  id bigint not null identity
  user_id bigint not null
  repo_id bigint not null
  issue_id bigint
  kind text not null
  status text not null
  reason text not null
  updated_at bigint not null
  CREATE INDEX notification_repo_id_user_id_status_updated_at_id_kind_idx ON public.notification USING btree (repo_id, user_id, status, updated_at, id, kind)
  CREATE INDEX notification_user_id_status_updated_at_id_kind_repo_id_idx ON public.notification USING btree (user_id, status, updated_at, id, kind, repo_id)
  CREATE UNIQUE INDEX notification_issue_id_user_id_key ON public.notification USING btree (issue_id, user_id)
  CREATE UNIQUE INDEX notification_pkey ON public.notification USING btree (id)
  notification_issue_id_fkey FOREIGN KEY (issue_id) REFERENCES issue(id) ON DELETE CASCADE
  notification_pkey PRIMARY KEY (id)
  notification_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE
  notification_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

oauth_application
  id bigint not null identity
  user_id bigint
  built_in text not null default ''::text
  name text not null
  client_id text not null
  secret_hash text not null default ''::text
  redirect_uris text not null default '[]'::text
  is_confidential integer not null default 0
  skips_consent integer not null default 0
  created_at bigint not null
  updated_at bigint not null
  CREATE INDEX oauth_application_user_id_id_idx ON public.oauth_application USING btree (user_id, id)
  CREATE UNIQUE INDEX oauth_application_client_id_key ON public.oauth_application USING btree (client_id)
  CREATE UNIQUE INDEX oauth_application_pkey ON public.oauth_application USING btree (id)
  oauth_application_pkey PRIMARY KEY (id)
  oauth_application_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

oauth_chain
  id bigint not null identity
  grant_id bigint not null
  counter bigint not null default 0
  rotated_at bigint not null
  expires_at bigint not null
  CREATE INDEX oauth_chain_expires_at_idx ON public.oauth_chain USING btree (expires_at)
  CREATE INDEX oauth_chain_grant_id_idx ON public.oauth_chain USING btree (grant_id)
  CREATE UNIQUE INDEX oauth_chain_pkey ON public.oauth_chain USING btree (id)
  oauth_chain_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES oauth_grant(id) ON DELETE CASCADE
  oauth_chain_pkey PRIMARY KEY (id)

oauth_code
  code_hash text not null
  grant_id bigint not null
  redirect_uri text not null
  challenge text not null default ''::text
  challenge_method text not null default ''::text
  nonce text not null default ''::text
  expires_at bigint not null
  chain_id bigint not null default 0
  CREATE INDEX oauth_code_expires_at_idx ON public.oauth_code USING btree (expires_at)
  CREATE INDEX oauth_code_grant_id_idx ON public.oauth_code USING btree (grant_id)
  CREATE UNIQUE INDEX oauth_code_pk ON public.oauth_code USING btree (code_hash)
  oauth_code_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES oauth_grant(id) ON DELETE CASCADE
  oauth_code_pk PRIMARY KEY (code_hash)

oauth_grant
  id bigint not null identity
  application_id bigint not null
  user_id bigint not null
  scope text not null default ''::text
  created_at bigint not null
  updated_at bigint not null
  CREATE INDEX oauth_grant_application_id_idx ON public.oauth_grant USING btree (application_id)
  CREATE UNIQUE INDEX oauth_grant_pkey ON public.oauth_grant USING btree (id)
  CREATE UNIQUE INDEX oauth_grant_user_id_application_id_key ON public.oauth_grant USING btree (user_id, application_id)
  oauth_grant_application_id_fkey FOREIGN KEY (application_id) REFERENCES oauth_application(id) ON DELETE CASCADE
  oauth_grant_pkey PRIMARY KEY (id)
  oauth_grant_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

org_member
  org_id bigint not null
  user_id bigint not null
  is_public integer not null default 0
  joined_at bigint not null default 0
  CREATE INDEX org_member_org_id_joined_at_user_id_idx ON public.org_member USING btree (org_id, joined_at, user_id)
  CREATE INDEX org_member_user_id_org_id_idx ON public.org_member USING btree (user_id, org_id)
  CREATE UNIQUE INDEX org_member_pk ON public.org_member USING btree (org_id, user_id)
  org_member_org_id_fkey FOREIGN KEY (org_id) REFERENCES "user"(id) ON DELETE CASCADE
  org_member_pk PRIMARY KEY (org_id, user_id)
  org_member_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

package
  id bigint not null identity
  owner_id bigint not null
  repo_id bigint not null default 0
  type text not null
  name text not null
  lower_name text not null
  metadata text not null default ''::text
  revision bigint not null default 0
  CREATE INDEX package_repo_id_idx ON public.package USING btree (repo_id)
  CREATE UNIQUE INDEX package_owner_id_type_lower_name_key ON public.package USING btree (owner_id, type, lower_name)
  CREATE UNIQUE INDEX package_pkey ON public.package USING btree (id)
  package_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES "user"(id) ON DELETE CASCADE
  package_pkey PRIMARY KEY (id)

package_cleanup_rule
  id bigint not null identity
  owner_id bigint not null
  type text not null
  is_enabled integer not null default 0
  keep_count bigint not null
  keep_pattern text not null
  remove_days bigint not null
  remove_pattern text not null
  matches_full_name integer not null default 0
  author_id bigint not null
  restriction text not null
  created_at bigint not null
  updated_at bigint not null
  CREATE UNIQUE INDEX package_cleanup_rule_owner_id_type_key ON public.package_cleanup_rule USING btree (owner_id, type)
  CREATE UNIQUE INDEX package_cleanup_rule_pkey ON public.package_cleanup_rule USING btree (id)
  package_cleanup_rule_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES "user"(id) ON DELETE CASCADE
  package_cleanup_rule_pkey PRIMARY KEY (id)

package_document
  id bigint not null identity
  package_id bigint not null
  name text not null
  revision bigint not null
  basis text not null
  sha256 text not null
  CREATE INDEX package_document_sha256_idx ON public.package_document USING btree (sha256)
  CREATE UNIQUE INDEX package_document_package_id_name_key ON public.package_document USING btree (package_id, name)
  CREATE UNIQUE INDEX package_document_pkey ON public.package_document USING btree (id)
  package_document_package_id_fkey FOREIGN KEY (package_id) REFERENCES package(id) ON DELETE CASCADE
  package_document_pkey PRIMARY KEY (id)

package_file
  id bigint not null identity
  version_id bigint not null
  name text not null
  size bigint not null
  md5 text not null
  sha1 text not null
  sha256 text not null
  sha512 text not null
  metadata text not null default ''::text
  created_at bigint not null default 0
  CREATE INDEX package_file_sha256_idx ON public.package_file USING btree (sha256)
  CREATE UNIQUE INDEX package_file_pkey ON public.package_file USING btree (id)
  CREATE UNIQUE INDEX package_file_version_id_name_key ON public.package_file USING btree (version_id, name)
  package_file_pkey PRIMARY KEY (id)
  package_file_version_id_fkey FOREIGN KEY (version_id) REFERENCES package_version(id) ON DELETE CASCADE

package_index
  id bigint not null identity
  owner_id bigint not null
  type text not null
  state text not null
  is_complete integer not null default 0
  CREATE INDEX package_index_owner_id_type_state_idx ON public.package_index USING btree (owner_id, type, state)
  CREATE UNIQUE INDEX package_index_pkey ON public.package_index USING btree (id)
  package_index_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES "user"(id) ON DELETE CASCADE
  package_index_pkey PRIMARY KEY (id)

package_index_file
  id bigint not null identity
  index_id bigint not null
  name text not null
  size bigint not null
  md5 text not null
  sha1 text not null
  sha256 text not null
  sha512 text not null
  CREATE INDEX package_index_file_sha256_idx ON public.package_index_file USING btree (sha256)
  CREATE UNIQUE INDEX package_index_file_index_id_name_key ON public.package_index_file USING btree (index_id, name)
  CREATE UNIQUE INDEX package_index_file_pkey ON public.package_index_file USING btree (id)
  package_index_file_index_id_fkey FOREIGN KEY (index_id) REFERENCES package_index(id) ON DELETE CASCADE
  package_index_file_pkey PRIMARY KEY (id)

package_signing_key
  id bigint not null identity
  owner_id bigint not null
  kind text not null
  private_key text not null
  public_key text not null
  created_at bigint not null
  CREATE UNIQUE INDEX package_signing_key_owner_id_kind_key ON public.package_signing_key USING btree (owner_id, kind)
  CREATE UNIQUE INDEX package_signing_key_pkey ON public.package_signing_key USING btree (id)
  package_signing_key_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES "user"(id) ON DELETE CASCADE
  package_signing_key_pkey PRIMARY KEY (id)

package_upstream
  id bigint not null identity
  owner_id bigint not null
  type text not null
  url text not null
  credentials text not null
  allowed text not null
  min_age_days bigint not null
  is_offline integer not null default 0
  created_at bigint not null
  updated_at bigint not null
  CREATE UNIQUE INDEX package_upstream_owner_id_type_key ON public.package_upstream USING btree (owner_id, type)
  CREATE UNIQUE INDEX package_upstream_pkey ON public.package_upstream USING btree (id)
  package_upstream_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES "user"(id) ON DELETE CASCADE
  package_upstream_pkey PRIMARY KEY (id)

package_upstream_file
  id bigint not null identity
  upstream_id bigint not null
  key text not null
  size bigint not null
  md5 text not null
  sha1 text not null
  sha256 text not null
  sha512 text not null
  source_sha256 text not null
  basis text not null
  etag text not null
  last_modified text not null
  fetched_at bigint not null
  used_at bigint not null
  CREATE INDEX package_upstream_file_sha256_idx ON public.package_upstream_file USING btree (sha256)
  CREATE INDEX package_upstream_file_source_sha256_idx ON public.package_upstream_file USING btree (source_sha256)
  CREATE INDEX package_upstream_file_used_at_idx ON public.package_upstream_file USING btree (used_at)
  CREATE UNIQUE INDEX package_upstream_file_pkey ON public.package_upstream_file USING btree (id)
  CREATE UNIQUE INDEX package_upstream_file_upstream_id_key_key ON public.package_upstream_file USING btree (upstream_id, key)
  package_upstream_file_pkey PRIMARY KEY (id)
  package_upstream_file_upstream_id_fkey FOREIGN KEY (upstream_id) REFERENCES package_upstream(id) ON DELETE CASCADE

package_version
  id bigint not null identity
  package_id bigint not null
  creator_id bigint not null
  version text not null
  lower_version text not null
  created_at bigint not null
  metadata text not null default ''::text
  download_count bigint not null default 0
  CREATE UNIQUE INDEX package_version_package_id_lower_version_key ON public.package_version USING btree (package_id, lower_version)
  CREATE UNIQUE INDEX package_version_pkey ON public.package_version USING btree (id)
  package_version_package_id_fkey FOREIGN KEY (package_id) REFERENCES package(id) ON DELETE CASCADE
  package_version_pkey PRIMARY KEY (id)

passkey
  id bigint not null identity
  user_id bigint not null
  name text not null
  credential_id text not null
  public_key text not null
  transports text not null
  user_handle text not null
  sign_count bigint not null default 0
  created_at bigint not null
  last_used_at bigint not null default 0
  CREATE INDEX passkey_user_id_idx ON public.passkey USING btree (user_id)
  CREATE UNIQUE INDEX passkey_credential_id_key ON public.passkey USING btree (credential_id)
  CREATE UNIQUE INDEX passkey_pkey ON public.passkey USING btree (id)
  passkey_pkey PRIMARY KEY (id)
  passkey_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

project
  id bigint not null identity
  repo_id bigint
  owner_id bigint
  creator_id bigint not null
  title text not null
  description text not null default ''::text
  template_type text not null
  card_type text not null
  is_closed integer not null default 0
  closed_at bigint not null default 0
  created_at bigint not null
  updated_at bigint not null
  CREATE INDEX project_owner_id_is_closed_id_idx ON public.project USING btree (owner_id, is_closed, id)
  CREATE INDEX project_repo_id_is_closed_id_idx ON public.project USING btree (repo_id, is_closed, id)
  CREATE UNIQUE INDEX project_pkey ON public.project USING btree (id)
  project_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES "user"(id) ON DELETE CASCADE
  project_pkey PRIMARY KEY (id)
  project_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

project_column
  id bigint not null identity
  project_id bigint not null
  creator_id bigint not null
  title text not null
  color text not null default ''::text
  is_default integer not null default 0
  sorting bigint not null
  created_at bigint not null
  updated_at bigint not null
  CREATE INDEX project_column_project_id_sorting_id_idx ON public.project_column USING btree (project_id, sorting, id)
  CREATE UNIQUE INDEX project_column_pkey ON public.project_column USING btree (id)
  project_column_pkey PRIMARY KEY (id)
  project_column_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE

project_issue
  project_id bigint not null
  issue_id bigint not null
  column_id bigint not null
  sorting bigint not null
  repo_id bigint not null
  is_pull integer not null default 0
  is_closed integer not null default 0
  CREATE INDEX project_issue_column_id_sorting_issue_id_idx ON public.project_issue USING btree (column_id, sorting, issue_id)
  CREATE INDEX project_issue_issue_id_idx ON public.project_issue USING btree (issue_id)
  CREATE INDEX project_issue_project_id_repo_id_is_pull_is_closed_idx ON public.project_issue USING btree (project_id, repo_id, is_pull, is_closed)
  CREATE UNIQUE INDEX project_issue_pk ON public.project_issue USING btree (project_id, issue_id)
  project_issue_column_id_fkey FOREIGN KEY (column_id) REFERENCES project_column(id) ON DELETE CASCADE
  project_issue_issue_id_fkey FOREIGN KEY (issue_id) REFERENCES issue(id) ON DELETE CASCADE
  project_issue_pk PRIMARY KEY (project_id, issue_id)
  project_issue_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE

public_key
  id bigint not null identity
  fingerprint text not null
  algorithm text not null
  blob text not null
  kind text not null
  CREATE UNIQUE INDEX public_key_fingerprint_key ON public.public_key USING btree (fingerprint)
  CREATE UNIQUE INDEX public_key_pkey ON public.public_key USING btree (id)
  public_key_pkey PRIMARY KEY (id)

pull
  id bigint not null identity
  issue_id bigint not null
  base_repo_id bigint not null
  base_branch text not null
  head_repo_id bigint not null
  head_branch text not null
  is_agit integer not null default 0
  head_oid text not null
  merge_base text not null
  mergeability text not null default 'checking'::text
  checked_base_oid text not null default ''::text
  checked_head_oid text not null default ''::text
  conflicts text not null default ''::text
  is_closed integer not null default 0
  is_draft integer not null default 0
  allows_maintainer_edit integer not null default 0
  is_merged integer not null default 0
  merged_oid text not null default ''::text
  merge_style text not null default ''::text
  merged_by_id bigint not null default 0
  merged_at bigint not null default 0
  CREATE INDEX pull_base_repo_id_is_closed_base_branch_idx ON public.pull USING btree (base_repo_id, is_closed, base_branch)
  CREATE INDEX pull_base_repo_id_merged_oid_idx ON public.pull USING btree (base_repo_id, merged_oid)
  CREATE INDEX pull_head_repo_id_is_closed_head_branch_idx ON public.pull USING btree (head_repo_id, is_closed, head_branch)
  CREATE UNIQUE INDEX pull_issue_id_key ON public.pull USING btree (issue_id)
  CREATE UNIQUE INDEX pull_pkey ON public.pull USING btree (id)
  pull_issue_id_fkey FOREIGN KEY (issue_id) REFERENCES issue(id) ON DELETE CASCADE
  pull_pkey PRIMARY KEY (id)

push
  id bigint not null identity
  repo_id bigint not null
  pusher_id bigint not null
  ref text not null
  old_oid text not null
  new_oid text not null
  created_at bigint not null
  CREATE INDEX push_repo_id_id_idx ON public.push USING btree (repo_id, id)
  CREATE UNIQUE INDEX push_pkey ON public.push USING btree (id)
  push_pkey PRIMARY KEY (id)
  push_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

push_mirror
  id bigint not null identity
  repo_id bigint not null
  remote_name text not null
  remote_url text not null
  credentials text not null default ''::text
  public_key text not null default ''::text
  private_key text not null default ''::text
  interval bigint not null
  is_on_commit integer not null default 0
  pushed_at bigint not null default 0
  next_sync_at bigint not null default 0
  last_error text not null default ''::text
  created_at bigint not null
  lfs_sent bigint not null default 0
  branch_filter text not null default ''::text
  CREATE INDEX push_mirror_next_sync_at_idx ON public.push_mirror USING btree (next_sync_at)
  CREATE UNIQUE INDEX push_mirror_pkey ON public.push_mirror USING btree (id)
  CREATE UNIQUE INDEX push_mirror_repo_id_remote_name_key ON public.push_mirror USING btree (repo_id, remote_name)
  push_mirror_pkey PRIMARY KEY (id)
  push_mirror_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

quota_group
  id bigint not null identity
  name text not null
  CREATE UNIQUE INDEX quota_group_name_key ON public.quota_group USING btree (name)
  CREATE UNIQUE INDEX quota_group_pkey ON public.quota_group USING btree (id)
  quota_group_pkey PRIMARY KEY (id)

quota_group_rule
  group_id bigint not null
  rule_id bigint not null
  CREATE INDEX quota_group_rule_rule_id_idx ON public.quota_group_rule USING btree (rule_id)
  CREATE UNIQUE INDEX quota_group_rule_pk ON public.quota_group_rule USING btree (group_id, rule_id)
  quota_group_rule_group_id_fkey FOREIGN KEY (group_id) REFERENCES quota_group(id) ON DELETE CASCADE
  quota_group_rule_pk PRIMARY KEY (group_id, rule_id)
  quota_group_rule_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES quota_rule(id) ON DELETE CASCADE

quota_group_user
  user_id bigint not null
  group_id bigint not null
  CREATE INDEX quota_group_user_group_id_idx ON public.quota_group_user USING btree (group_id)
  CREATE UNIQUE INDEX quota_group_user_pk ON public.quota_group_user USING btree (user_id, group_id)
  quota_group_user_group_id_fkey FOREIGN KEY (group_id) REFERENCES quota_group(id) ON DELETE CASCADE
  quota_group_user_pk PRIMARY KEY (user_id, group_id)
  quota_group_user_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

quota_rule
  id bigint not null identity
  name text not null
  size_limit bigint not null
  subjects text not null default '[]'::text
  CREATE UNIQUE INDEX quota_rule_name_key ON public.quota_rule USING btree (name)
  CREATE UNIQUE INDEX quota_rule_pkey ON public.quota_rule USING btree (id)
  quota_rule_pkey PRIMARY KEY (id)

reaction
  id bigint not null identity
  issue_id bigint not null
  comment_id bigint
  user_id bigint not null
  content text not null
  created_at bigint not null
  original_author text not null default ''::text
  original_author_id bigint not null default 0
  CREATE INDEX reaction_comment_id_id_idx ON public.reaction USING btree (comment_id, id)
  CREATE INDEX reaction_issue_id_comment_id_id_idx ON public.reaction USING btree (issue_id, comment_id, id)
  CREATE INDEX reaction_user_id_idx ON public.reaction USING btree (user_id)
  CREATE UNIQUE INDEX reaction_pkey ON public.reaction USING btree (id)
  reaction_comment_id_fkey FOREIGN KEY (comment_id) REFERENCES timeline_entry(id) ON DELETE CASCADE
  reaction_issue_id_fkey FOREIGN KEY (issue_id) REFERENCES issue(id) ON DELETE CASCADE
  reaction_pkey PRIMARY KEY (id)
  reaction_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

release
  id bigint not null identity
  repo_id bigint not null
  publisher_id bigint not null
  tag_name text not null
  lower_tag_name text not null
  target text not null default ''::text
  title text not null default ''::text
  body text not null default ''::text
  is_draft integer not null default 0
  is_prerelease integer not null default 0
  hide_archive_links integer not null default 0
  created_at bigint not null
  updated_at bigint not null
  original_author text not null default ''::text
  original_author_id bigint not null default 0
  CREATE INDEX release_repo_id_created_at_id_idx ON public.release USING btree (repo_id, created_at, id)
  CREATE UNIQUE INDEX release_pkey ON public.release USING btree (id)
  CREATE UNIQUE INDEX release_repo_id_lower_tag_name_key ON public.release USING btree (repo_id, lower_tag_name)
  release_pkey PRIMARY KEY (id)
  release_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

renamed_branch
  id bigint not null identity
  repo_id bigint not null
  from_name text not null
  to_name text not null
  created_at bigint not null
  CREATE INDEX renamed_branch_repo_id_to_name_idx ON public.renamed_branch USING btree (repo_id, to_name)
  CREATE UNIQUE INDEX renamed_branch_pkey ON public.renamed_branch USING btree (id)
  CREATE UNIQUE INDEX renamed_branch_repo_id_from_name_key ON public.renamed_branch USING btree (repo_id, from_name)
  renamed_branch_pkey PRIMARY KEY (id)
  renamed_branch_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

repo
  id bigint not null identity
  owner_id bigint not null
  name text not null
  lower_name text not null
  description text not null default ''::text
  website text not null default ''::text
  default_branch text not null
  wiki_branch text not null
  object_format text not null
  storage text not null
  is_private integer not null default 0
  is_archived integer not null default 0
  is_empty integer not null default 1
  is_mirror integer not null default 0
  is_fork integer not null default 0
  is_template integer not null default 0
  fork_id bigint not null default 0
  template_id bigint not null default 0
  original_url text not null default ''::text
  avatar text not null default ''::text
  units bigint not null
  settings text not null default '{}'::text
  trust_model text not null default 'default'::text
  topics text not null default '[]'::text
  licenses text not null default '[]'::text
  primary_language text not null default ''::text
  git_size bigint not null default 0
  lfs_size bigint not null default 0
  stars_count bigint not null default 0
  forks_count bigint not null default 0
  watchers_count bigint not null default 0
  branches_count bigint not null default 0
  releases_count bigint not null default 0
  open_issues_count bigint not null default 0
  closed_issues_count bigint not null default 0
  open_pulls_count bigint not null default 0
  closed_pulls_count bigint not null default 0
  created_at bigint not null
  updated_at bigint not null
  pushed_at bigint not null default 0
  archived_at bigint not null default 0
  suspended_units bigint not null default 0
  wiki_oid text not null default ''::text
  CREATE INDEX repo_avatar_idx ON public.repo USING btree (avatar)
  CREATE INDEX repo_fork_id_owner_id_idx ON public.repo USING btree (fork_id, owner_id)
  CREATE INDEX repo_id_is_private_owner_id_lower_name_topics_idx ON public.repo USING btree (id, is_private, owner_id, lower_name, topics)
  CREATE INDEX repo_is_private_owner_id_idx ON public.repo USING btree (is_private, owner_id)
  CREATE INDEX repo_updated_at_id_idx ON public.repo USING btree (updated_at, id)
  CREATE UNIQUE INDEX repo_owner_id_lower_name_key ON public.repo USING btree (owner_id, lower_name)
  CREATE UNIQUE INDEX repo_pkey ON public.repo USING btree (id)
  CREATE UNIQUE INDEX repo_storage_key ON public.repo USING btree (storage)
  repo_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES "user"(id) ON DELETE CASCADE
  repo_pkey PRIMARY KEY (id)

repo_flag
  repo_id bigint not null
  name text not null
  CREATE UNIQUE INDEX repo_flag_pk ON public.repo_flag USING btree (repo_id, name)
  repo_flag_pk PRIMARY KEY (repo_id, name)
  repo_flag_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

repo_import
  id bigint not null identity
  storage text not null
  reserved_name text not null
  state text not null
  is_async integer not null default 0
  is_canceled integer not null default 0
  actor_id bigint not null
  owner_id bigint not null
  name text not null
  repo_id bigint not null default 0
  phase text not null default ''::text
  cursor text not null default ''::text
  done text not null default '{}'::text
  total text not null default '{}'::text
  warnings text not null default '[]'::text
  warnings_count bigint not null default 0
  error text not null default ''::text
  request text not null default ''::text
  created_at bigint not null
  updated_at bigint not null
  ended_at bigint not null default 0
  CREATE INDEX repo_import_actor_id_idx ON public.repo_import USING btree (actor_id)
  CREATE INDEX repo_import_ended_at_idx ON public.repo_import USING btree (ended_at)
  CREATE UNIQUE INDEX repo_import_pkey ON public.repo_import USING btree (id)
  CREATE UNIQUE INDEX repo_import_reserved_name_key ON public.repo_import USING btree (reserved_name)
  CREATE UNIQUE INDEX repo_import_storage_key ON public.repo_import USING btree (storage)
  repo_import_pkey PRIMARY KEY (id)

repo_languages
  repo_id bigint not null
  oid text not null
  bytes text not null default '{}'::text
  CREATE UNIQUE INDEX repo_languages_pk ON public.repo_languages USING btree (repo_id)
  repo_languages_pk PRIMARY KEY (repo_id)
  repo_languages_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

repo_redirect
  owner_id bigint not null
  lower_name text not null
  repo_id bigint not null
  CREATE UNIQUE INDEX repo_redirect_pk ON public.repo_redirect USING btree (owner_id, lower_name)
  repo_redirect_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES "user"(id) ON DELETE CASCADE
  repo_redirect_pk PRIMARY KEY (owner_id, lower_name)
  repo_redirect_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

repo_topic
  repo_id bigint not null
  topic_id bigint not null
  CREATE INDEX repo_topic_topic_id_repo_id_idx ON public.repo_topic USING btree (topic_id, repo_id)
  CREATE UNIQUE INDEX repo_topic_pk ON public.repo_topic USING btree (repo_id, topic_id)
  repo_topic_pk PRIMARY KEY (repo_id, topic_id)
  repo_topic_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE
  repo_topic_topic_id_fkey FOREIGN KEY (topic_id) REFERENCES topic(id) ON DELETE CASCADE

repo_transfer
  repo_id bigint not null
  doer_id bigint not null
  recipient_id bigint not null
  team_ids text not null default '[]'::text
  created_at bigint not null
  CREATE INDEX repo_transfer_recipient_id_repo_id_idx ON public.repo_transfer USING btree (recipient_id, repo_id)
  CREATE UNIQUE INDEX repo_transfer_pk ON public.repo_transfer USING btree (repo_id)
  repo_transfer_doer_id_fkey FOREIGN KEY (doer_id) REFERENCES "user"(id) ON DELETE CASCADE
  repo_transfer_pk PRIMARY KEY (repo_id)
  repo_transfer_recipient_id_fkey FOREIGN KEY (recipient_id) REFERENCES "user"(id) ON DELETE CASCADE
  repo_transfer_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

review
  id bigint not null identity
  pull_id bigint not null
  issue_id bigint not null
  kind text not null
  reviewer_id bigint not null default 0
  team_id bigint not null default 0
  body text not null default ''::text
  commit_oid text not null default ''::text
  is_official integer not null default 0
  is_stale integer not null default 0
  is_dismissed integer not null default 0
  entry_id bigint not null default 0
  created_at bigint not null
  updated_at bigint not null
  submitted_at bigint not null default 0
  former_base text not null default ''::text
  original_author text not null default ''::text
  original_author_id bigint not null default 0
  CREATE INDEX review_pull_id_id_idx ON public.review USING btree (pull_id, id)
  CREATE INDEX review_reviewer_id_kind_issue_id_idx ON public.review USING btree (reviewer_id, kind, issue_id)
  CREATE INDEX review_team_id_kind_issue_id_idx ON public.review USING btree (team_id, kind, issue_id)
  CREATE UNIQUE INDEX review_pkey ON public.review USING btree (id)
  review_pkey PRIMARY KEY (id)
  review_pull_id_fkey FOREIGN KEY (pull_id) REFERENCES pull(id) ON DELETE CASCADE

review_comment
  entry_id bigint not null
  review_id bigint not null
  pull_id bigint not null
  path text not null
  side text not null
  line bigint not null
  start_line bigint not null
  commit_oid text not null
  base_oid text not null
  line_commit_oid text not null default ''::text
  diff_hunk text not null default ''::text
  is_outdated integer not null default 0
  resolver_id bigint not null default 0
  reply_to bigint not null default 0
  CREATE INDEX review_comment_pull_id_is_outdated_idx ON public.review_comment USING btree (pull_id, is_outdated)
  CREATE INDEX review_comment_review_id_entry_id_idx ON public.review_comment USING btree (review_id, entry_id)
  CREATE UNIQUE INDEX review_comment_pk ON public.review_comment USING btree (entry_id)
  review_comment_entry_id_fkey FOREIGN KEY (entry_id) REFERENCES timeline_entry(id) ON DELETE CASCADE
  review_comment_pk PRIMARY KEY (entry_id)
  review_comment_review_id_fkey FOREIGN KEY (review_id) REFERENCES review(id) ON DELETE CASCADE

schema_release
  id bigint not null identity
  oldest text not null default '26.11.0'::text
  newest text not null default '26.11.0'::text
  CREATE UNIQUE INDEX schema_release_pkey ON public.schema_release USING btree (id)
  schema_release_pkey PRIMARY KEY (id)

server_import
  source text not null
  kind text not null
  source_id text not null
  target text not null
  fingerprint text not null default ''::text
  target_fingerprint text not null default ''::text
  state text not null
  import_id bigint not null default 0
  read_at bigint not null default 0
  written_at bigint not null default 0
  CREATE UNIQUE INDEX server_import_pk ON public.server_import USING btree (source, kind, source_id)
  server_import_pk PRIMARY KEY (source, kind, source_id)

sign_in_source
  id bigint not null identity
  kind text not null
  name text not null
  lower_name text not null
  is_active integer not null default 1
  settings text not null default ''::text
  created_at bigint not null
  updated_at bigint not null
  synchronized_at bigint not null default 0
  sync_report text not null default ''::text
  CREATE UNIQUE INDEX sign_in_source_lower_name_key ON public.sign_in_source USING btree (lower_name)
  CREATE UNIQUE INDEX sign_in_source_pkey ON public.sign_in_source USING btree (id)
  sign_in_source_pkey PRIMARY KEY (id)

signing_key
  purpose text not null
  key_id text not null
  private_key text not null
  public_key text not null
  created_at bigint not null
  CREATE UNIQUE INDEX signing_key_pk ON public.signing_key USING btree (purpose)
  signing_key_pk PRIMARY KEY (purpose)

star
  user_id bigint not null
  repo_id bigint not null
  created_at bigint not null
  CREATE INDEX star_repo_id_user_id_idx ON public.star USING btree (repo_id, user_id)
  CREATE UNIQUE INDEX star_pk ON public.star USING btree (user_id, repo_id)
  star_pk PRIMARY KEY (user_id, repo_id)
  star_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE
  star_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

stopwatch
  user_id bigint not null
  issue_id bigint not null
  started_at bigint not null
  CREATE INDEX stopwatch_issue_id_idx ON public.stopwatch USING btree (issue_id)
  CREATE UNIQUE INDEX stopwatch_pk ON public.stopwatch USING btree (user_id)
  stopwatch_issue_id_fkey FOREIGN KEY (issue_id) REFERENCES issue(id) ON DELETE CASCADE
  stopwatch_pk PRIMARY KEY (user_id)
  stopwatch_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

tag_rule
  id bigint not null identity
  repo_id bigint not null
  pattern text not null
  created_at bigint not null
  updated_at bigint not null
  CREATE UNIQUE INDEX tag_rule_pkey ON public.tag_rule USING btree (id)
  CREATE UNIQUE INDEX tag_rule_repo_id_pattern_key ON public.tag_rule USING btree (repo_id, pattern)
  tag_rule_pkey PRIMARY KEY (id)
  tag_rule_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

tag_rule_team
  rule_id bigint not null
  team_id bigint not null
  CREATE INDEX tag_rule_team_team_id_idx ON public.tag_rule_team USING btree (team_id)
  CREATE UNIQUE INDEX tag_rule_team_pk ON public.tag_rule_team USING btree (rule_id, team_id)
  tag_rule_team_pk PRIMARY KEY (rule_id, team_id)
  tag_rule_team_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES tag_rule(id) ON DELETE CASCADE
  tag_rule_team_team_id_fkey FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE

tag_rule_user
  rule_id bigint not null
  user_id bigint not null
  CREATE INDEX tag_rule_user_user_id_idx ON public.tag_rule_user USING btree (user_id)
  CREATE UNIQUE INDEX tag_rule_user_pk ON public.tag_rule_user USING btree (rule_id, user_id)
  tag_rule_user_pk PRIMARY KEY (rule_id, user_id)
  tag_rule_user_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES tag_rule(id) ON DELETE CASCADE
  tag_rule_user_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

team
  id bigint not null identity
  org_id bigint not null
  name text not null
  lower_name text not null
  description text not null default ''::text
  mode bigint not null default 0
  includes_all_repositories integer not null default 0
  can_create_org_repo integer not null default 0
  created_at bigint not null
  visibility text not null default 'private'::text
  CREATE UNIQUE INDEX team_org_id_lower_name_key ON public.team USING btree (org_id, lower_name)
  CREATE UNIQUE INDEX team_pkey ON public.team USING btree (id)
  team_org_id_fkey FOREIGN KEY (org_id) REFERENCES "user"(id) ON DELETE CASCADE
  team_pkey PRIMARY KEY (id)

team_member
  team_id bigint not null
  org_id bigint not null
  user_id bigint not null
  CREATE INDEX team_member_user_id_org_id_idx ON public.team_member USING btree (user_id, org_id)
  CREATE UNIQUE INDEX team_member_pk ON public.team_member USING btree (team_id, user_id)
  team_member_org_id_fkey FOREIGN KEY (org_id) REFERENCES "user"(id) ON DELETE CASCADE
  team_member_pk PRIMARY KEY (team_id, user_id)
  team_member_team_id_fkey FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
  team_member_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

team_repo
  team_id bigint not null
  org_id bigint not null
  repo_id bigint not null
  CREATE INDEX team_repo_repo_id_team_id_idx ON public.team_repo USING btree (repo_id, team_id)
  CREATE UNIQUE INDEX team_repo_pk ON public.team_repo USING btree (team_id, repo_id)
  team_repo_org_id_fkey FOREIGN KEY (org_id) REFERENCES "user"(id) ON DELETE CASCADE
  team_repo_pk PRIMARY KEY (team_id, repo_id)
  team_repo_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE
  team_repo_team_id_fkey FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE

team_unit
  team_id bigint not null
  unit text not null
  mode bigint not null
  CREATE UNIQUE INDEX team_unit_pk ON public.team_unit USING btree (team_id, unit)
  team_unit_pk PRIMARY KEY (team_id, unit)
  team_unit_team_id_fkey FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE

timeline_entry
  id bigint not null identity
  issue_id bigint not null
  repo_id bigint not null
  kind text not null
  actor_id bigint not null
  target_id bigint not null default 0
  created_at bigint not null
  updated_at bigint not null
  payload text not null default ''::text
  body text not null default ''::text
  original_author text not null default ''::text
  original_author_id bigint not null default 0
  CREATE INDEX timeline_entry_actor_id_kind_id_idx ON public.timeline_entry USING btree (actor_id, kind, id)
  CREATE INDEX timeline_entry_issue_id_created_at_id_kind_idx ON public.timeline_entry USING btree (issue_id, created_at, id, kind)
  CREATE INDEX timeline_entry_issue_id_kind_actor_id_idx ON public.timeline_entry USING btree (issue_id, kind, actor_id)
  CREATE INDEX timeline_entry_repo_id_kind_created_at_id_idx ON public.timeline_entry USING btree (repo_id, kind, created_at, id)
  CREATE INDEX timeline_entry_target_id_kind_idx ON public.timeline_entry USING btree (target_id, kind)
  CREATE UNIQUE INDEX timeline_entry_pkey ON public.timeline_entry USING btree (id)
  timeline_entry_issue_id_fkey FOREIGN KEY (issue_id) REFERENCES issue(id) ON DELETE CASCADE
  timeline_entry_pkey PRIMARY KEY (id)

topic
  id bigint not null identity
  name text not null
  repo_count bigint not null default 0
  created_at bigint not null
  updated_at bigint not null
  CREATE INDEX topic_repo_count_name_idx ON public.topic USING btree (repo_count, name)
  CREATE UNIQUE INDEX topic_name_key ON public.topic USING btree (name)
  CREATE UNIQUE INDEX topic_pkey ON public.topic USING btree (id)
  topic_pkey PRIMARY KEY (id)

tracked_time
  id bigint not null identity
  issue_id bigint not null
  repo_id bigint not null
  user_id bigint not null
  seconds bigint not null
  created_at bigint not null
  original_author text not null default ''::text
  original_author_id bigint not null default 0
  CREATE INDEX tracked_time_issue_id_id_idx ON public.tracked_time USING btree (issue_id, id)
  CREATE INDEX tracked_time_repo_id_id_idx ON public.tracked_time USING btree (repo_id, id)
  CREATE INDEX tracked_time_user_id_id_idx ON public.tracked_time USING btree (user_id, id)
  CREATE UNIQUE INDEX tracked_time_pkey ON public.tracked_time USING btree (id)
  tracked_time_issue_id_fkey FOREIGN KEY (issue_id) REFERENCES issue(id) ON DELETE CASCADE
  tracked_time_pkey PRIMARY KEY (id)

two_factor
  user_id bigint not null
  secret text not null
  is_confirmed integer not null default 0
  last_step bigint not null default 0
  created_at bigint not null
  CREATE UNIQUE INDEX two_factor_pk ON public.two_factor USING btree (user_id)
  two_factor_pk PRIMARY KEY (user_id)
  two_factor_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

two_factor_recovery
  id bigint not null identity
  user_id bigint not null
  code_hash text not null
  CREATE UNIQUE INDEX two_factor_recovery_pkey ON public.two_factor_recovery USING btree (id)
  CREATE UNIQUE INDEX two_factor_recovery_user_id_code_hash_key ON public.two_factor_recovery USING btree (user_id, code_hash)
  two_factor_recovery_pkey PRIMARY KEY (id)
  two_factor_recovery_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

unfinished_import
  storage text not null
  started_at bigint not null
  holder text not null default ''::text
  CREATE UNIQUE INDEX unfinished_import_pk ON public.unfinished_import USING btree (storage)
  unfinished_import_pk PRIMARY KEY (storage)

used_passkey_challenge
  challenge_hash text not null
  expires_at bigint not null
  CREATE INDEX used_passkey_challenge_expires_at_idx ON public.used_passkey_challenge USING btree (expires_at)
  CREATE UNIQUE INDEX used_passkey_challenge_pk ON public.used_passkey_challenge USING btree (challenge_hash)
  used_passkey_challenge_pk PRIMARY KEY (challenge_hash)

user
  id bigint not null identity
  kind text not null
  name text not null
  lower_name text not null
  full_name text not null default ''::text
  email text not null default ''::text
  password_hash text not null default ''::text
  login_name text not null default ''::text
  source_id bigint not null default 0
  visibility text not null default 'public'::text
  description text not null default ''::text
  location text not null default ''::text
  website text not null default ''::text
  pronouns text not null default ''::text
  language text not null default ''::text
  avatar text not null default ''::text
  is_active integer not null default 1
  is_admin integer not null default 0
  is_restricted integer not null default 0
  is_login_prohibited integer not null default 0
  must_change_password integer not null default 0
  is_email_hidden integer not null default 0
  can_create_organization integer not null default 1
  max_repo_creation bigint not null default '-1'::integer
  repo_admin_change_team_access integer not null default 0
  followers_count bigint not null default 0
  following_count bigint not null default 0
  stars_count bigint not null default 0
  settings text not null default '{}'::text
  created_at bigint not null
  updated_at bigint not null
  last_login_at bigint not null default 0
  search_text text not null default ''::text
  are_pronouns_hidden integer not null default 0
  user_pkey PRIMARY KEY (id)
  CREATE INDEX user_avatar_idx ON public."user" USING btree (avatar)
  CREATE INDEX user_kind_id_idx ON public."user" USING btree (kind, id)
  CREATE INDEX user_kind_lower_name_visibility_search_text_id_idx ON public."user" USING btree (kind, lower_name, visibility, search_text, id)
  CREATE INDEX user_source_id_login_name_idx ON public."user" USING btree (source_id, login_name)
  CREATE INDEX user_visibility_kind_idx ON public."user" USING btree (visibility, kind)
  CREATE UNIQUE INDEX user_lower_name_key ON public."user" USING btree (lower_name)
  CREATE UNIQUE INDEX user_pkey ON public."user" USING btree (id)

user_badge
  user_id bigint not null
  badge_id bigint not null
  CREATE INDEX user_badge_badge_id_user_id_idx ON public.user_badge USING btree (badge_id, user_id)
  CREATE UNIQUE INDEX user_badge_pk ON public.user_badge USING btree (user_id, badge_id)
  user_badge_badge_id_fkey FOREIGN KEY (badge_id) REFERENCES badge(id) ON DELETE CASCADE
  user_badge_pk PRIMARY KEY (user_id, badge_id)
  user_badge_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

user_block
  blocker_id bigint not null
  blocked_id bigint not null
  note text not null default ''::text
  created_at bigint not null
  CREATE INDEX user_block_blocked_id_blocker_id_idx ON public.user_block USING btree (blocked_id, blocker_id)
  CREATE UNIQUE INDEX user_block_pk ON public.user_block USING btree (blocker_id, blocked_id)
  user_block_blocked_id_fkey FOREIGN KEY (blocked_id) REFERENCES "user"(id) ON DELETE CASCADE
  user_block_blocker_id_fkey FOREIGN KEY (blocker_id) REFERENCES "user"(id) ON DELETE CASCADE
  user_block_pk PRIMARY KEY (blocker_id, blocked_id)

user_key
  id bigint not null identity
  key_id bigint not null
  user_id bigint not null
  title text not null
  comment text not null default ''::text
  created_at bigint not null
  last_used_at bigint not null default 0
  source_id bigint not null default 0
  CREATE INDEX user_key_user_id_id_idx ON public.user_key USING btree (user_id, id)
  CREATE UNIQUE INDEX user_key_key_id_key ON public.user_key USING btree (key_id)
  CREATE UNIQUE INDEX user_key_pkey ON public.user_key USING btree (id)
  CREATE UNIQUE INDEX user_key_user_id_title_key ON public.user_key USING btree (user_id, title)
  user_key_key_id_fkey FOREIGN KEY (key_id) REFERENCES public_key(id) ON DELETE CASCADE
  user_key_pkey PRIMARY KEY (id)
  user_key_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

user_redirect
  lower_name text not null
  user_id bigint not null
  CREATE UNIQUE INDEX user_redirect_pk ON public.user_redirect USING btree (lower_name)
  user_redirect_pk PRIMARY KEY (lower_name)
  user_redirect_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

watch
  user_id bigint not null
  repo_id bigint not null
  mode text not null
  created_at bigint not null
  CREATE INDEX watch_repo_id_user_id_idx ON public.watch USING btree (repo_id, user_id)
  CREATE UNIQUE INDEX watch_pk ON public.watch USING btree (user_id, repo_id)
  watch_pk PRIMARY KEY (user_id, repo_id)
  watch_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE
  watch_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

web_session
  token_hash text not null
  user_id bigint not null
  created_at bigint not null
  expires_at bigint not null
  CREATE INDEX web_session_expires_at_idx ON public.web_session USING btree (expires_at)
  CREATE INDEX web_session_user_id_idx ON public.web_session USING btree (user_id)
  CREATE UNIQUE INDEX web_session_pk ON public.web_session USING btree (token_hash)
  web_session_pk PRIMARY KEY (token_hash)
  web_session_user_id_fkey FOREIGN KEY (user_id) REFERENCES "user"(id) ON DELETE CASCADE

webhook
  id bigint not null identity
  scope text not null
  repo_id bigint
  owner_id bigint
  type text not null
  name text not null default ''::text
  url text not null
  content_type text not null
  secret text not null default ''::text
  authorization_header text not null default ''::text
  events text not null default '[]'::text
  branch_filter text not null default ''::text
  settings text not null default '{}'::text
  is_active integer not null default 0
  created_at bigint not null
  updated_at bigint not null
  CREATE INDEX webhook_owner_id_id_idx ON public.webhook USING btree (owner_id, id)
  CREATE INDEX webhook_repo_id_id_idx ON public.webhook USING btree (repo_id, id)
  CREATE INDEX webhook_scope_id_idx ON public.webhook USING btree (scope, id)
  CREATE UNIQUE INDEX webhook_pkey ON public.webhook USING btree (id)
  webhook_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES "user"(id) ON DELETE CASCADE
  webhook_pkey PRIMARY KEY (id)
  webhook_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON DELETE CASCADE

CREATE TABLE "access_token" (
  "id" integer primary key autoincrement,
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "name" text not null,
  "token_hash" text not null,
  "last_eight" text not null,
  "scopes" text not null,
  "created_at" bigint not null,
  "last_used_at" bigint default 0 not null,
  "expires_at" bigint default 0 not null,
  "only_repos" text default '' not null);

CREATE UNIQUE INDEX "access_token_token_hash_key" on "access_token" (
  "token_hash");

CREATE UNIQUE INDEX "access_token_user_id_name_key" on "access_token" (
  "user_id",
  "name");

CREATE TABLE "action_artifact" (
  "id" integer primary key autoincrement,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "run_id" bigint not null references "action_run" ("id") on delete cascade,
  "task_id" bigint not null,
  "name" text not null,
  "path" text default '' not null,
  "protocol" text not null,
  "status" text not null,
  "encoding" text default '' not null,
  "hash" text default '' not null,
  "size" bigint default 0 not null,
  "expires_at" bigint not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "mime_type" text default '' not null,
  "digest" text default '' not null);

CREATE INDEX "action_artifact_hash_idx" on "action_artifact" (
  "hash");

CREATE INDEX "action_artifact_repo_id_id_idx" on "action_artifact" (
  "repo_id",
  "id");

CREATE UNIQUE INDEX "action_artifact_run_id_name_path_key" on "action_artifact" (
  "run_id",
  "name",
  "path");

CREATE INDEX "action_artifact_status_expires_at_idx" on "action_artifact" (
  "status",
  "expires_at");

CREATE TABLE "action_attempt" (
  "run_id" bigint not null references "action_run" ("id") on delete cascade,
  "attempt" bigint not null,
  "trigger_actor_id" bigint not null,
  "status" text not null,
  "started_at" bigint not null,
  "stopped_at" bigint not null,
  "jobs" text not null, constraint "action_attempt_pk" primary key ("run_id",
  "attempt"));

CREATE TABLE "action_cache" (
  "id" integer primary key autoincrement,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "ref" text not null,
  "version" text not null,
  "key" text not null,
  "hash" text not null,
  "size" bigint not null,
  "used_at" bigint not null,
  "created_at" bigint not null);

CREATE INDEX "action_cache_hash_idx" on "action_cache" (
  "hash");

CREATE UNIQUE INDEX "action_cache_repo_id_ref_version_key_key" on "action_cache" (
  "repo_id",
  "ref",
  "version",
  "key");

CREATE INDEX "action_cache_repo_id_used_at_idx" on "action_cache" (
  "repo_id",
  "used_at");

CREATE INDEX "action_cache_used_at_idx" on "action_cache" (
  "used_at");

CREATE TABLE "action_id_token_key" (
  "id" integer primary key autoincrement,
  "key_id" text not null,
  "private_key" text not null,
  "public_key" text not null,
  "created_at" bigint not null);

CREATE TABLE "action_job" (
  "id" integer primary key autoincrement,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "run_id" bigint not null references "action_run" ("id") on delete cascade,
  "key" text not null,
  "name" text not null,
  "needs" text default '[]' not null,
  "labels" text default '[]' not null,
  "payload" text default '' not null,
  "has_condition" integer default 0 not null,
  "concurrency" text default '' not null,
  "concurrency_group" text default '' not null,
  "cancels_in_progress" integer default 0 not null,
  "attempt" bigint default 0 not null,
  "task_id" bigint default 0 not null,
  "status" text not null,
  "started_at" bigint default 0 not null,
  "stopped_at" bigint default 0 not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "steps" text default '[]' not null,
  "permissions" text default '' not null,
  "late" text default '' not null,
  "planned_from" text default '' not null,
  "is_replaced" integer default 0 not null,
  "environment" text default '' not null);

CREATE INDEX "action_job_repo_id_concurrency_group_idx" on "action_job" (
  "repo_id",
  "concurrency_group");

CREATE INDEX "action_job_repo_id_status_id_idx" on "action_job" (
  "repo_id",
  "status",
  "id");

CREATE INDEX "action_job_run_id_id_idx" on "action_job" (
  "run_id",
  "id");

CREATE INDEX "action_job_status_updated_at_id_idx" on "action_job" (
  "status",
  "updated_at",
  "id");

CREATE INDEX action_job_waiting_idx on action_job (status, repo_id, labels, updated_at, id) where status = 'waiting';

CREATE TABLE "action_log" (
  "task_id" bigint not null references "action_task" ("id") on delete cascade,
  "first_line" bigint not null,
  "text" text not null, constraint "action_log_pk" primary key ("task_id",
  "first_line"));

CREATE TABLE "action_output" (
  "task_id" bigint not null references "action_task" ("id") on delete cascade,
  "name" text not null,
  "value" text not null, constraint "action_output_pk" primary key ("task_id",
  "name"));

CREATE TABLE "action_queue" (
  "owner_id" bigint references "user" ("id") on delete cascade,
  "repo_id" bigint references "repo" ("id") on delete cascade,
  "version" bigint not null);

CREATE INDEX "action_queue_owner_id_idx" on "action_queue" (
  "owner_id");

CREATE UNIQUE INDEX action_queue_place_key on action_queue (coalesce(owner_id, 0), coalesce(repo_id, 0));

CREATE INDEX "action_queue_repo_id_idx" on "action_queue" (
  "repo_id");

CREATE TABLE "action_registration_token" (
  "id" integer primary key autoincrement,
  "owner_id" bigint references "user" ("id") on delete cascade,
  "repo_id" bigint references "repo" ("id") on delete cascade,
  "hash" text not null,
  "sealed" text not null,
  "is_active" integer default 1 not null,
  "created_at" bigint not null);

CREATE UNIQUE INDEX action_registration_token_active_key on action_registration_token (coalesce(owner_id, 0), coalesce(repo_id, 0)) where is_active = 1;

CREATE UNIQUE INDEX "action_registration_token_hash_key" on "action_registration_token" (
  "hash");

CREATE INDEX "action_registration_token_owner_id_idx" on "action_registration_token" (
  "owner_id");

CREATE INDEX "action_registration_token_repo_id_idx" on "action_registration_token" (
  "repo_id");

CREATE TABLE "action_repo" (
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "last_run_number" bigint default 0 not null,
  "disabled_workflows" text default '[]' not null, constraint "action_repo_pk" primary key ("repo_id"));

CREATE TABLE "action_run" (
  "id" integer primary key autoincrement,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "number" bigint not null,
  "workflow" text not null,
  "workflow_path" text not null,
  "title" text not null,
  "event" text not null,
  "ref" text not null,
  "oid" text not null,
  "actor_id" bigint not null,
  "payload" text default '{}' not null,
  "is_from_fork" integer default 0 not null,
  "needs_approval" integer default 0 not null,
  "approver_id" bigint default 0 not null,
  "concurrency_group" text default '' not null,
  "cancels_in_progress" integer default 0 not null,
  "status" text not null,
  "started_at" bigint default 0 not null,
  "stopped_at" bigint default 0 not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "depth" bigint default 0 not null,
  "source" text default '' not null,
  "attempt" bigint default 1 not null,
  "trigger_actor_id" bigint default 0 not null,
  "workflow_name" text default '' not null,
  "reported_oid" text default '' not null);

CREATE INDEX action_run_approved_idx on action_run (repo_id, actor_id) where approver_id > 0;

CREATE INDEX "action_run_repo_id_concurrency_group_idx" on "action_run" (
  "repo_id",
  "concurrency_group");

CREATE INDEX "action_run_repo_id_id_idx" on "action_run" (
  "repo_id",
  "id");

CREATE UNIQUE INDEX "action_run_repo_id_number_key" on "action_run" (
  "repo_id",
  "number");

CREATE INDEX "action_run_repo_id_source_idx" on "action_run" (
  "repo_id",
  "source");

CREATE INDEX "action_run_repo_id_status_id_idx" on "action_run" (
  "repo_id",
  "status",
  "id");

CREATE INDEX "action_run_repo_id_workflow_id_idx" on "action_run" (
  "repo_id",
  "workflow",
  "id");

CREATE TABLE "action_runner" (
  "id" integer primary key autoincrement,
  "uuid" text not null,
  "name" text not null,
  "owner_id" bigint references "user" ("id") on delete cascade,
  "repo_id" bigint references "repo" ("id") on delete cascade,
  "token_hash" text not null,
  "version" text default '' not null,
  "labels" text default '[]' not null,
  "is_disabled" integer default 0 not null,
  "is_ephemeral" integer default 0 not null,
  "online_at" bigint default 0 not null,
  "active_at" bigint default 0 not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "description" text default '' not null,
  "capabilities" text default '[]' not null);

CREATE INDEX "action_runner_online_at_id_idx" on "action_runner" (
  "online_at",
  "id");

CREATE INDEX "action_runner_owner_id_online_at_id_idx" on "action_runner" (
  "owner_id",
  "online_at",
  "id");

CREATE INDEX "action_runner_repo_id_online_at_id_idx" on "action_runner" (
  "repo_id",
  "online_at",
  "id");

CREATE UNIQUE INDEX "action_runner_uuid_key" on "action_runner" (
  "uuid");

CREATE TABLE "action_schedule" (
  "id" integer primary key autoincrement,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "workflow" text not null,
  "workflow_path" text not null,
  "cron" text not null,
  "next_at" bigint not null,
  "created_at" bigint not null,
  "push" text default '' not null);

CREATE INDEX "action_schedule_next_at_id_idx" on "action_schedule" (
  "next_at",
  "id");

CREATE INDEX "action_schedule_repo_id_idx" on "action_schedule" (
  "repo_id");

CREATE TABLE "action_step" (
  "task_id" bigint not null references "action_task" ("id") on delete cascade,
  "number" bigint not null,
  "name" text not null,
  "status" text not null,
  "log_index" bigint default 0 not null,
  "log_length" bigint default 0 not null,
  "started_at" bigint default 0 not null,
  "stopped_at" bigint default 0 not null, constraint "action_step_pk" primary key ("task_id",
  "number"));

CREATE TABLE "action_stored_block" (
  "id" integer primary key autoincrement,
  "file" text not null,
  "position" bigint not null,
  "hash" text not null,
  "size" bigint not null);

CREATE UNIQUE INDEX "action_stored_block_file_position_key" on "action_stored_block" (
  "file",
  "position");

CREATE INDEX "action_stored_block_hash_idx" on "action_stored_block" (
  "hash");

CREATE TABLE "action_summary" (
  "task_id" bigint not null references "action_task" ("id") on delete cascade,
  "step" bigint not null,
  "text" text not null, constraint "action_summary_pk" primary key ("task_id",
  "step"));

CREATE TABLE "action_task" (
  "id" integer primary key autoincrement,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "job_id" bigint not null references "action_job" ("id") on delete cascade,
  "runner_id" bigint not null,
  "runner_name" text not null,
  "attempt" bigint not null,
  "status" text not null,
  "token_hash" text default '' not null,
  "log_hash" text default '' not null,
  "log_size" bigint default 0 not null,
  "log_lines" bigint default 0 not null,
  "is_log_sealed" integer default 0 not null,
  "is_log_expired" integer default 0 not null,
  "started_at" bigint default 0 not null,
  "stopped_at" bigint default 0 not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "request_key" text default '' not null,
  "cancel_requested_at" bigint default 0 not null,
  "log_encoding" text default '' not null,
  "log_text_size" bigint default 0 not null);

CREATE INDEX "action_task_is_log_expired_stopped_at_idx" on "action_task" (
  "is_log_expired",
  "stopped_at");

CREATE INDEX "action_task_job_id_id_idx" on "action_task" (
  "job_id",
  "id");

CREATE INDEX "action_task_log_hash_idx" on "action_task" (
  "log_hash");

CREATE INDEX "action_task_repo_id_id_idx" on "action_task" (
  "repo_id",
  "id");

CREATE INDEX "action_task_runner_id_status_idx" on "action_task" (
  "runner_id",
  "status");

CREATE INDEX "action_task_status_updated_at_idx" on "action_task" (
  "status",
  "updated_at");

CREATE INDEX "action_task_token_hash_idx" on "action_task" (
  "token_hash");

CREATE TABLE "action_upload" (
  "id" integer primary key autoincrement,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "task_id" bigint not null references "action_task" ("id") on delete cascade,
  "kind" text not null,
  "name" text not null,
  "variant" text default '' not null,
  "encoding" text default '' not null,
  "mime_type" text default '' not null,
  "expires_at" bigint default 0 not null,
  "listed" text default '' not null,
  "blocks" bigint default 0 not null,
  "size" bigint default 0 not null,
  "created_at" bigint not null,
  "updated_at" bigint not null);

CREATE INDEX "action_upload_repo_id_idx" on "action_upload" (
  "repo_id");

CREATE UNIQUE INDEX "action_upload_task_id_kind_name_variant_key" on "action_upload" (
  "task_id",
  "kind",
  "name",
  "variant");

CREATE INDEX "action_upload_updated_at_idx" on "action_upload" (
  "updated_at");

CREATE TABLE "action_upload_block" (
  "upload_id" bigint not null references "action_upload" ("id") on delete cascade,
  "name" text not null,
  "position" bigint not null,
  "hash" text not null,
  "size" bigint not null, constraint "action_upload_block_pk" primary key ("upload_id",
  "name"));

CREATE INDEX "action_upload_block_hash_idx" on "action_upload_block" (
  "hash");

CREATE TABLE "actions_secret" (
  "id" integer primary key autoincrement,
  "repo_id" bigint references "repo" ("id") on delete cascade,
  "owner_id" bigint references "user" ("id") on delete cascade,
  "name" text not null,
  "description" text default '' not null,
  "value" text not null,
  "created_at" bigint not null,
  "updated_at" bigint not null);

CREATE UNIQUE INDEX "actions_secret_owner_id_name_key" on "actions_secret" (
  "owner_id",
  "name");

CREATE UNIQUE INDEX "actions_secret_repo_id_name_key" on "actions_secret" (
  "repo_id",
  "name");

CREATE TABLE "actions_variable" (
  "id" integer primary key autoincrement,
  "repo_id" bigint references "repo" ("id") on delete cascade,
  "owner_id" bigint references "user" ("id") on delete cascade,
  "name" text not null,
  "description" text default '' not null,
  "value" text not null,
  "created_at" bigint not null,
  "updated_at" bigint not null);

CREATE UNIQUE INDEX "actions_variable_owner_id_name_key" on "actions_variable" (
  "owner_id",
  "name");

CREATE UNIQUE INDEX "actions_variable_repo_id_name_key" on "actions_variable" (
  "repo_id",
  "name");

CREATE TABLE "activity" (
  "id" integer primary key autoincrement,
  "event_id" bigint not null,
  "position" bigint default 0 not null,
  "op_type" text not null,
  "actor_id" bigint not null references "user" ("id") on delete cascade,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "ref_name" text default '' not null,
  "content" text default '' not null,
  "created_at" bigint not null,
  "issue_id" bigint default 0 not null,
  "comment_id" bigint default 0 not null);

CREATE INDEX "activity_actor_id_created_at_idx" on "activity" (
  "actor_id",
  "created_at");

CREATE INDEX "activity_actor_id_id_idx" on "activity" (
  "actor_id",
  "id");

CREATE UNIQUE INDEX "activity_event_id_position_key" on "activity" (
  "event_id",
  "position");

CREATE INDEX "activity_issue_id_comment_id_idx" on "activity" (
  "issue_id",
  "comment_id");

CREATE INDEX "activity_repo_id_id_idx" on "activity" (
  "repo_id",
  "id");

CREATE TABLE "archive_download" (
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "tag" text not null,
  "zip" bigint default 0 not null,
  "tar_gz" bigint default 0 not null, constraint "archive_download_pk" primary key ("repo_id",
  "tag"));

CREATE TABLE "attachment" (
  "id" integer primary key autoincrement,
  "uuid" text not null,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "release_id" bigint default 0 not null,
  "issue_id" bigint default 0 not null,
  "comment_id" bigint default 0 not null,
  "uploader_id" bigint not null,
  "name" text not null,
  "size" bigint default 0 not null,
  "hash" text default '' not null,
  "external_url" text default '' not null,
  "download_count" bigint default 0 not null,
  "created_at" bigint not null);

CREATE INDEX "attachment_comment_id_idx" on "attachment" (
  "comment_id");

CREATE INDEX "attachment_hash_idx" on "attachment" (
  "hash");

CREATE INDEX "attachment_issue_id_comment_id_idx" on "attachment" (
  "issue_id",
  "comment_id");

CREATE INDEX "attachment_release_id_name_idx" on "attachment" (
  "release_id",
  "name");

CREATE INDEX "attachment_repo_id_idx" on "attachment" (
  "repo_id");

CREATE UNIQUE INDEX "attachment_uuid_key" on "attachment" (
  "uuid");

CREATE TRIGGER audit_entry_append_only before update on audit_entry begin select raise(abort, 'audit entries are never changed'); end;

CREATE TABLE "audit_entry" (
  "id" integer primary key autoincrement,
  "created_at" bigint not null,
  "action" text not null,
  "outcome" text not null,
  "actor_id" bigint not null,
  "actor_name" text not null,
  "lower_actor_name" text not null,
  "sudo_by_id" bigint default 0 not null,
  "sudo_by_name" text default '' not null,
  "credential" text not null,
  "credential_id" bigint default 0 not null,
  "credential_name" text default '' not null,
  "address" text default '' not null,
  "user_agent" text default '' not null,
  "target_kind" text not null,
  "target_id" bigint not null,
  "target_name" text not null,
  "lower_target_name" text not null,
  "details" text default '{}' not null);

CREATE INDEX "audit_entry_action_id_idx" on "audit_entry" (
  "action",
  "id");

CREATE INDEX "audit_entry_created_at_idx" on "audit_entry" (
  "created_at");

CREATE INDEX "audit_entry_lower_actor_name_id_idx" on "audit_entry" (
  "lower_actor_name",
  "id");

CREATE INDEX "audit_entry_lower_target_name_id_idx" on "audit_entry" (
  "lower_target_name",
  "id");

CREATE TABLE "avatar" (
  "hash" text not null,
  "blob" text not null,
  "media_type" text not null,
  "created_at" bigint not null, constraint "avatar_pk" primary key ("hash"));

CREATE INDEX "avatar_blob_idx" on "avatar" (
  "blob");

CREATE TABLE "badge" (
  "id" integer primary key autoincrement,
  "slug" text not null,
  "description" text default '' not null,
  "image_url" text default '' not null);

CREATE UNIQUE INDEX "badge_slug_key" on "badge" (
  "slug");

CREATE TABLE "branch" (
  "id" integer primary key autoincrement,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "name" text not null,
  "oid" text not null,
  "pusher_id" bigint not null,
  "updated_at" bigint not null,
  "pusher_restriction" text default '' not null);

CREATE UNIQUE INDEX "branch_repo_id_name_key" on "branch" (
  "repo_id",
  "name");

CREATE TABLE "branch_rule" (
  "id" integer primary key autoincrement,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "name" text not null,
  "priority" bigint not null,
  "settings" text not null,
  "created_at" bigint not null,
  "updated_at" bigint not null);

CREATE UNIQUE INDEX "branch_rule_repo_id_name_key" on "branch_rule" (
  "repo_id",
  "name");

CREATE TABLE "branch_rule_team" (
  "rule_id" bigint not null references "branch_rule" ("id") on delete cascade,
  "list" text not null,
  "team_id" bigint not null references "team" ("id") on delete cascade, constraint "branch_rule_team_pk" primary key ("rule_id",
  "list",
  "team_id"));

CREATE INDEX "branch_rule_team_team_id_idx" on "branch_rule_team" (
  "team_id");

CREATE TABLE "branch_rule_user" (
  "rule_id" bigint not null references "branch_rule" ("id") on delete cascade,
  "list" text not null,
  "user_id" bigint not null references "user" ("id") on delete cascade, constraint "branch_rule_user_pk" primary key ("rule_id",
  "list",
  "user_id"));

CREATE INDEX "branch_rule_user_user_id_idx" on "branch_rule_user" (
  "user_id");

CREATE TABLE "collaboration" (
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "mode" bigint not null,
  "created_at" bigint not null, constraint "collaboration_pk" primary key ("repo_id",
  "user_id"));

CREATE INDEX "collaboration_user_id_repo_id_idx" on "collaboration" (
  "user_id",
  "repo_id");

CREATE TABLE "commit_reference" (
  "issue_id" bigint not null references "issue" ("id") on delete cascade,
  "oid" text not null,
  "entry_id" bigint not null references "timeline_entry" ("id") on delete cascade,
  "is_settled" integer default 0 not null, constraint "commit_reference_pk" primary key ("issue_id",
  "oid"));

CREATE INDEX "commit_reference_entry_id_idx" on "commit_reference" (
  "entry_id");

CREATE TABLE "commit_status" (
  "id" integer primary key autoincrement,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "oid" text not null,
  "number" bigint not null,
  "state" text not null,
  "context" text not null,
  "description" text not null,
  "target_url" text not null,
  "creator_id" bigint not null,
  "created_at" bigint not null);

CREATE INDEX "commit_status_repo_id_oid_context_number_idx" on "commit_status" (
  "repo_id",
  "oid",
  "context",
  "number");

CREATE UNIQUE INDEX "commit_status_repo_id_oid_number_key" on "commit_status" (
  "repo_id",
  "oid",
  "number");

CREATE TABLE "container_blob" (
  "id" integer primary key autoincrement,
  "package_id" bigint not null references "package" ("id") on delete cascade,
  "digest" text not null,
  "sha256" text not null,
  "size" bigint not null,
  "created_at" bigint not null);

CREATE INDEX "container_blob_digest_idx" on "container_blob" (
  "digest");

CREATE UNIQUE INDEX "container_blob_package_id_digest_key" on "container_blob" (
  "package_id",
  "digest");

CREATE INDEX "container_blob_sha256_idx" on "container_blob" (
  "sha256");

CREATE TABLE "container_chunk" (
  "id" integer primary key autoincrement,
  "upload_id" text not null,
  "position" bigint not null,
  "sha256" text not null,
  "sha512" text not null,
  "size" bigint not null);

CREATE INDEX "container_chunk_sha256_idx" on "container_chunk" (
  "sha256");

CREATE UNIQUE INDEX "container_chunk_upload_id_position_key" on "container_chunk" (
  "upload_id",
  "position");

CREATE TABLE "container_manifest" (
  "id" integer primary key autoincrement,
  "package_id" bigint not null references "package" ("id") on delete cascade,
  "digest" text not null,
  "media_type" text not null,
  "artifact_type" text default '' not null,
  "subject" text default '' not null,
  "annotations" text default '' not null,
  "sha256" text not null,
  "size" bigint not null,
  "creator_id" bigint not null,
  "created_at" bigint not null);

CREATE UNIQUE INDEX "container_manifest_package_id_digest_key" on "container_manifest" (
  "package_id",
  "digest");

CREATE INDEX "container_manifest_package_id_subject_idx" on "container_manifest" (
  "package_id",
  "subject");

CREATE INDEX "container_manifest_sha256_idx" on "container_manifest" (
  "sha256");

CREATE TABLE "container_reference" (
  "id" integer primary key autoincrement,
  "manifest_id" bigint not null references "container_manifest" ("id") on delete cascade,
  "package_id" bigint not null,
  "digest" text not null,
  "is_manifest" integer default 0 not null);

CREATE INDEX "container_reference_manifest_id_idx" on "container_reference" (
  "manifest_id");

CREATE INDEX "container_reference_package_id_digest_idx" on "container_reference" (
  "package_id",
  "digest");

CREATE TABLE "container_tag" (
  "id" integer primary key autoincrement,
  "package_id" bigint not null references "package" ("id") on delete cascade,
  "manifest_id" bigint not null references "container_manifest" ("id") on delete cascade,
  "name" text not null);

CREATE INDEX "container_tag_manifest_id_idx" on "container_tag" (
  "manifest_id");

CREATE UNIQUE INDEX "container_tag_package_id_name_key" on "container_tag" (
  "package_id",
  "name");

CREATE TABLE "container_upload" (
  "id" text not null,
  "package_id" bigint not null references "package" ("id") on delete cascade,
  "size" bigint default 0 not null,
  "updated_at" bigint not null, constraint "container_upload_pk" primary key ("id"));

CREATE INDEX "container_upload_package_id_idx" on "container_upload" (
  "package_id");

CREATE TABLE "cron_task" (
  "name" text not null,
  "last_run_at" bigint default 0 not null,
  "runs_count" bigint default 0 not null, constraint "cron_task_pk" primary key ("name"));

CREATE TABLE "cross_reference" (
  "source_issue_id" bigint not null references "issue" ("id") on delete cascade,
  "source_comment_id" bigint default 0 not null,
  "issue_id" bigint not null references "issue" ("id") on delete cascade,
  "entry_id" bigint not null references "timeline_entry" ("id") on delete cascade,
  "action" text not null,
  "restriction" text default '' not null,
  "author_id" bigint default 0 not null, constraint "cross_reference_pk" primary key ("source_issue_id",
  "source_comment_id",
  "issue_id"));

CREATE INDEX "cross_reference_entry_id_idx" on "cross_reference" (
  "entry_id");

CREATE INDEX "cross_reference_issue_id_idx" on "cross_reference" (
  "issue_id");

CREATE TABLE "deploy_key" (
  "id" integer primary key autoincrement,
  "key_id" bigint not null references "public_key" ("id") on delete cascade,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "title" text not null,
  "comment" text default '' not null,
  "is_read_only" integer default 0 not null,
  "created_at" bigint not null,
  "last_used_at" bigint default 0 not null);

CREATE INDEX "deploy_key_key_id_repo_id_idx" on "deploy_key" (
  "key_id",
  "repo_id");

CREATE UNIQUE INDEX "deploy_key_repo_id_key_id_key" on "deploy_key" (
  "repo_id",
  "key_id");

CREATE UNIQUE INDEX "deploy_key_repo_id_title_key" on "deploy_key" (
  "repo_id",
  "title");

CREATE TABLE "email_address" (
  "id" integer primary key autoincrement,
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "email" text not null,
  "lower_email" text not null,
  "is_activated" integer default 1 not null,
  "is_primary" integer default 0 not null);

CREATE UNIQUE INDEX "email_address_lower_email_key" on "email_address" (
  "lower_email");

CREATE INDEX "email_address_user_id_idx" on "email_address" (
  "user_id");

CREATE TABLE "event" (
  "id" integer primary key autoincrement,
  "kind" text not null,
  "repo_id" bigint default 0 not null,
  "actor_id" bigint default 0 not null,
  "payload" text not null,
  "created_at" bigint not null,
  "dispatched_at" bigint default 0 not null,
  "attempts" bigint default 0 not null,
  "next_attempt_at" bigint default 0 not null,
  "last_error" text default '' not null);

CREATE INDEX "event_dispatched_at_repo_id_id_idx" on "event" (
  "dispatched_at",
  "repo_id",
  "id");

CREATE INDEX "event_repo_id_id_idx" on "event" (
  "repo_id",
  "id");

CREATE TABLE "external_identity" (
  "source_id" bigint not null references "sign_in_source" ("id") on delete cascade,
  "subject" text not null,
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "login_name" text default '' not null,
  "created_at" bigint not null,
  "seen_at" bigint default 0 not null,
  "gone_at" bigint default 0 not null, constraint "external_identity_pk" primary key ("source_id",
  "subject"));

CREATE INDEX "external_identity_source_id_seen_at_idx" on "external_identity" (
  "source_id",
  "seen_at");

CREATE UNIQUE INDEX "external_identity_user_id_source_id_key" on "external_identity" (
  "user_id",
  "source_id");

CREATE TABLE "follow" (
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "followed_id" bigint not null references "user" ("id") on delete cascade,
  "created_at" bigint not null, constraint "follow_pk" primary key ("user_id",
  "followed_id"));

CREATE INDEX "follow_followed_id_user_id_idx" on "follow" (
  "followed_id",
  "user_id");

CREATE TABLE "former_text" (
  "id" integer primary key autoincrement,
  "issue_id" bigint not null references "issue" ("id") on delete cascade,
  "comment_id" bigint references "timeline_entry" ("id") on delete cascade,
  "editor_id" bigint not null,
  "replaced_at" bigint not null,
  "body" text not null);

CREATE INDEX "former_text_comment_id_id_idx" on "former_text" (
  "comment_id",
  "id");

CREATE INDEX "former_text_issue_id_comment_id_id_idx" on "former_text" (
  "issue_id",
  "comment_id",
  "id");

CREATE TABLE "gpg_key" (
  "id" integer primary key autoincrement,
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "key_id" text not null,
  "primary_key_id" text default '' not null,
  "packet" text not null,
  "armored" text default '' not null,
  "emails" text default '[]' not null,
  "can_sign" integer default 0 not null,
  "can_encrypt" integer default 0 not null,
  "is_verified" integer default 0 not null,
  "created_at" bigint not null,
  "expires_at" bigint default 0 not null);

CREATE UNIQUE INDEX "gpg_key_key_id_key" on "gpg_key" (
  "key_id");

CREATE INDEX "gpg_key_user_id_primary_key_id_id_idx" on "gpg_key" (
  "user_id",
  "primary_key_id",
  "id");

CREATE TABLE "hook_delivery" (
  "id" integer primary key autoincrement,
  "uuid" text not null,
  "hook_id" bigint not null references "webhook" ("id") on delete cascade,
  "message_id" bigint not null references "hook_message" ("id") on delete cascade,
  "state" text default 'waiting' not null,
  "attempts" bigint default 0 not null,
  "queued_at" bigint not null,
  "created_at" bigint not null,
  "finished_at" bigint default 0 not null,
  "url" text default '' not null,
  "request_headers" text default '{}' not null,
  "request_body" text default '' not null,
  "response_status" bigint default 0 not null,
  "response_headers" text default '{}' not null,
  "response_body" text default '' not null,
  "duration_ms" bigint default 0 not null,
  "error" text default '' not null,
  "history" text default '[]' not null);

CREATE INDEX "hook_delivery_finished_at_idx" on "hook_delivery" (
  "finished_at");

CREATE INDEX "hook_delivery_hook_id_state_id_idx" on "hook_delivery" (
  "hook_id",
  "state",
  "id");

CREATE INDEX "hook_delivery_message_id_idx" on "hook_delivery" (
  "message_id");

CREATE INDEX "hook_delivery_state_id_idx" on "hook_delivery" (
  "state",
  "id");

CREATE UNIQUE INDEX "hook_delivery_uuid_key" on "hook_delivery" (
  "uuid");

CREATE TABLE "hook_event" (
  "event_id" bigint not null,
  "attempts" bigint default 0 not null,
  "next_at" bigint default 0 not null,
  "lease_until" bigint default 0 not null,
  "holder" text default '' not null,
  "messages" text default '' not null, constraint "hook_event_pk" primary key ("event_id"));

CREATE TABLE "hook_lane" (
  "hook_id" bigint not null references "webhook" ("id") on delete cascade,
  "origin" text not null,
  "due_at" bigint default 0 not null,
  "lease_until" bigint default 0 not null,
  "holder" text default '' not null,
  "failures" bigint default 0 not null,
  "last_status" text default '' not null, constraint "hook_lane_pk" primary key ("hook_id"));

CREATE INDEX "hook_lane_due_at_idx" on "hook_lane" (
  "due_at");

CREATE TABLE "hook_message" (
  "id" integer primary key autoincrement,
  "event" text not null,
  "event_type" text not null,
  "action" text default '' not null,
  "payload" text not null,
  "created_at" bigint not null);

CREATE TABLE "hook_origin" (
  "origin" text not null,
  "failures" bigint default 0 not null,
  "retry_at" bigint default 0 not null,
  "error" text default '' not null, constraint "hook_origin_pk" primary key ("origin"));

CREATE TABLE "import_key" (
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "kind" text not null,
  "key" text not null,
  "value" bigint not null, constraint "import_key_pk" primary key ("repo_id",
  "kind",
  "key"));

CREATE TABLE "imported_author" (
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "origin" text not null,
  "author_id" bigint not null, constraint "imported_author_pk" primary key ("repo_id",
  "author_id"));

CREATE INDEX "imported_author_origin_author_id_idx" on "imported_author" (
  "origin",
  "author_id");

CREATE TABLE "issue" (
  "id" integer primary key autoincrement,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "number" bigint not null,
  "is_pull" integer default 0 not null,
  "is_closed" integer default 0 not null,
  "poster_id" bigint not null,
  "title" text not null,
  "ref" text default '' not null,
  "milestone_id" bigint default 0 not null,
  "due_at" bigint default 0 not null,
  "comments_count" bigint default 0 not null,
  "is_locked" integer default 0 not null,
  "pin_order" bigint default 0 not null,
  "content_version" bigint default 0 not null,
  "time_estimate" bigint default 0 not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "closed_at" bigint default 0 not null,
  "body" text default '' not null,
  "reviews_counted" bigint default 0 not null,
  "original_author" text default '' not null,
  "original_author_id" bigint default 0 not null);

CREATE INDEX "issue_is_closed_created_at_id_repo_id_is_pull_idx" on "issue" (
  "is_closed",
  "created_at",
  "id",
  "repo_id",
  "is_pull");

CREATE INDEX "issue_milestone_id_is_closed_created_at_id_is_pull_idx" on "issue" (
  "milestone_id",
  "is_closed",
  "created_at",
  "id",
  "is_pull");

CREATE INDEX "issue_poster_id_is_closed_created_at_id_repo_id_is_pull_idx" on "issue" (
  "poster_id",
  "is_closed",
  "created_at",
  "id",
  "repo_id",
  "is_pull");

CREATE INDEX "issue_repo_id_comments_count_created_at_id_is_closed_is_pull_idx" on "issue" (
  "repo_id",
  "comments_count",
  "created_at",
  "id",
  "is_closed",
  "is_pull");

CREATE INDEX "issue_repo_id_created_at_id_is_pull_idx" on "issue" (
  "repo_id",
  "created_at",
  "id",
  "is_pull");

CREATE INDEX "issue_repo_id_due_at_created_at_id_is_closed_is_pull_idx" on "issue" (
  "repo_id",
  "due_at",
  "created_at",
  "id",
  "is_closed",
  "is_pull");

CREATE INDEX "issue_repo_id_is_closed_created_at_id_is_pull_idx" on "issue" (
  "repo_id",
  "is_closed",
  "created_at",
  "id",
  "is_pull");

CREATE INDEX "issue_repo_id_is_pull_pin_order_idx" on "issue" (
  "repo_id",
  "is_pull",
  "pin_order");

CREATE UNIQUE INDEX "issue_repo_id_number_key" on "issue" (
  "repo_id",
  "number");

CREATE INDEX "issue_repo_id_poster_id_is_closed_created_at_id_is_pull_idx" on "issue" (
  "repo_id",
  "poster_id",
  "is_closed",
  "created_at",
  "id",
  "is_pull");

CREATE INDEX "issue_repo_id_updated_at_created_at_id_is_closed_is_pull_idx" on "issue" (
  "repo_id",
  "updated_at",
  "created_at",
  "id",
  "is_closed",
  "is_pull");

CREATE INDEX "issue_updated_at_id_idx" on "issue" (
  "updated_at",
  "id");

CREATE TABLE "issue_assignee" (
  "issue_id" bigint not null references "issue" ("id") on delete cascade,
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "position" bigint not null,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "is_closed" integer default 0 not null,
  "is_pull" integer default 0 not null,
  "created_at" bigint not null, constraint "issue_assignee_pk" primary key ("issue_id",
  "user_id"));

CREATE INDEX "issue_assignee_repo_id_user_id_is_closed_created_at_issue_id_is_pull_idx" on "issue_assignee" (
  "repo_id",
  "user_id",
  "is_closed",
  "created_at",
  "issue_id",
  "is_pull");

CREATE INDEX "issue_assignee_user_id_is_closed_created_at_issue_id_repo_id_is_pull_idx" on "issue_assignee" (
  "user_id",
  "is_closed",
  "created_at",
  "issue_id",
  "repo_id",
  "is_pull");

CREATE TABLE "issue_dependency" (
  "issue_id" bigint not null references "issue" ("id") on delete cascade,
  "depends_on_id" bigint not null references "issue" ("id") on delete cascade,
  "created_at" bigint not null, constraint "issue_dependency_pk" primary key ("issue_id",
  "depends_on_id"));

CREATE INDEX "issue_dependency_depends_on_id_issue_id_idx" on "issue_dependency" (
  "depends_on_id",
  "issue_id");

CREATE TABLE "issue_label" (
  "issue_id" bigint not null references "issue" ("id") on delete cascade,
  "label_id" bigint not null references "label" ("id") on delete cascade,
  "repo_id" bigint not null,
  "is_closed" integer default 0 not null,
  "is_pull" integer default 0 not null,
  "created_at" bigint not null, constraint "issue_label_pk" primary key ("issue_id",
  "label_id"));

CREATE INDEX "issue_label_label_id_repo_id_is_closed_created_at_issue_id_is_pull_idx" on "issue_label" (
  "label_id",
  "repo_id",
  "is_closed",
  "created_at",
  "issue_id",
  "is_pull");

CREATE TABLE "issue_mention" (
  "issue_id" bigint not null references "issue" ("id") on delete cascade,
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "is_closed" integer default 0 not null,
  "is_pull" integer default 0 not null,
  "created_at" bigint not null, constraint "issue_mention_pk" primary key ("issue_id",
  "user_id"));

CREATE INDEX "issue_mention_repo_id_user_id_is_closed_created_at_issue_id_is_pull_idx" on "issue_mention" (
  "repo_id",
  "user_id",
  "is_closed",
  "created_at",
  "issue_id",
  "is_pull");

CREATE INDEX "issue_mention_user_id_is_closed_created_at_issue_id_repo_id_is_pull_idx" on "issue_mention" (
  "user_id",
  "is_closed",
  "created_at",
  "issue_id",
  "repo_id",
  "is_pull");

CREATE TABLE "issue_redirect" (
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "number" bigint not null,
  "issue_id" bigint not null references "issue" ("id") on delete cascade, constraint "issue_redirect_pk" primary key ("repo_id",
  "number"));

CREATE INDEX "issue_redirect_issue_id_idx" on "issue_redirect" (
  "issue_id");

CREATE TABLE "issue_sequence" (
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "last" bigint not null, constraint "issue_sequence_pk" primary key ("repo_id"));

CREATE TRIGGER issue_text_deleted after delete on issue_text when old.is_indexed = 1 begin delete from issue_text_index where rowid = (old.repo_id << 32) | old.id; end;

CREATE TRIGGER issue_text_inserted after insert on issue_text when new.is_indexed = 1 begin insert into issue_text_index (rowid, text) values ((new.repo_id << 32) | new.id, new.text); end;

CREATE TRIGGER issue_text_updated after update of text, repo_id, is_indexed on issue_text begin delete from issue_text_index where old.is_indexed = 1 and rowid = (old.repo_id << 32) | old.id; insert into issue_text_index (rowid, text) select (new.repo_id << 32) | new.id, new.text where new.is_indexed = 1; end;

CREATE TABLE "issue_text" (
  "id" integer primary key autoincrement,
  "issue_id" bigint not null references "issue" ("id") on delete cascade,
  "part" bigint not null,
  "repo_id" bigint not null,
  "text" text not null,
  "is_indexed" integer default 1 not null);

CREATE UNIQUE INDEX "issue_text_issue_id_part_key" on "issue_text" (
  "issue_id",
  "part");

CREATE INDEX "issue_text_repo_id_idx" on "issue_text" (
  "repo_id");

CREATE INDEX issue_text_unindexed_idx on issue_text (id) where is_indexed = 0;

CREATE VIRTUAL TABLE issue_text_index using fts5( text, content='', contentless_delete=1, tokenize='trigram case_sensitive 1', detail=none);

CREATE TABLE 'issue_text_index_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE TABLE 'issue_text_index_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE 'issue_text_index_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);

CREATE TABLE 'issue_text_index_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;

CREATE TABLE "issue_watch" (
  "issue_id" bigint not null references "issue" ("id") on delete cascade,
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "is_watching" integer default 0 not null,
  "created_at" bigint not null, constraint "issue_watch_pk" primary key ("issue_id",
  "user_id"));

CREATE INDEX "issue_watch_user_id_idx" on "issue_watch" (
  "user_id");

CREATE TABLE "job" (
  "id" integer primary key autoincrement,
  "kind" text not null,
  "key" text not null,
  "payload" text not null,
  "state" text default 'waiting' not null,
  "run_at" bigint not null,
  "lease_until" bigint default 0 not null,
  "attempts" bigint default 0 not null,
  "last_error" text default '' not null,
  "created_at" bigint not null,
  "holder" text default '' not null);

CREATE INDEX "job_kind_key_state_idx" on "job" (
  "kind",
  "key",
  "state");

CREATE INDEX "job_state_run_at_idx" on "job" (
  "state",
  "run_at");

CREATE TABLE "label" (
  "id" integer primary key autoincrement,
  "repo_id" bigint references "repo" ("id") on delete cascade,
  "org_id" bigint references "user" ("id") on delete cascade,
  "name" text not null,
  "color" text not null,
  "description" text default '' not null,
  "is_exclusive" integer default 0 not null,
  "archived_at" bigint default 0 not null,
  "issues_count" bigint default 0 not null,
  "created_at" bigint not null,
  "updated_at" bigint not null);

CREATE INDEX "label_name_idx" on "label" (
  "name");

CREATE INDEX "label_org_id_name_idx" on "label" (
  "org_id",
  "name");

CREATE INDEX "label_repo_id_name_idx" on "label" (
  "repo_id",
  "name");

CREATE TABLE "lfs_link" (
  "id" integer primary key autoincrement,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "oid" text not null,
  "size" bigint not null,
  "created_at" bigint not null);

CREATE INDEX "lfs_link_oid_repo_id_idx" on "lfs_link" (
  "oid",
  "repo_id");

CREATE UNIQUE INDEX "lfs_link_repo_id_oid_key" on "lfs_link" (
  "repo_id",
  "oid");

CREATE TABLE "lfs_lock" (
  "id" integer primary key autoincrement,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "owner_id" bigint not null references "user" ("id") on delete cascade,
  "path" text not null,
  "created_at" bigint not null);

CREATE INDEX "lfs_lock_repo_id_id_idx" on "lfs_lock" (
  "repo_id",
  "id");

CREATE UNIQUE INDEX "lfs_lock_repo_id_path_key" on "lfs_lock" (
  "repo_id",
  "path");

CREATE TABLE "merge_intent" (
  "pull_id" bigint not null references "pull" ("id") on delete cascade,
  "repo_id" bigint not null,
  "base_branch" text not null,
  "oid" text not null,
  "style" text not null,
  "actor_id" bigint not null,
  "is_auto" integer default 0 not null,
  "deletes_branch" integer default 0 not null,
  "created_at" bigint not null,
  "server" text default '' not null,
  "restriction" text default '' not null, constraint "merge_intent_pk" primary key ("pull_id"));

CREATE INDEX "merge_intent_repo_id_idx" on "merge_intent" (
  "repo_id");

CREATE TABLE "merge_queue_batch" (
  "id" integer primary key autoincrement,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "branch" text not null,
  "state" text not null,
  "base_oid" text default '' not null,
  "oid" text default '' not null,
  "built_at" bigint default 0 not null,
  "created_at" bigint not null,
  "is_announced" integer default 0 not null);

CREATE UNIQUE INDEX "merge_queue_batch_repo_id_branch_key" on "merge_queue_batch" (
  "repo_id",
  "branch");

CREATE INDEX "merge_queue_batch_repo_id_oid_idx" on "merge_queue_batch" (
  "repo_id",
  "oid");

CREATE TABLE "merge_queue_entry" (
  "pull_id" bigint not null references "pull" ("id") on delete cascade,
  "issue_id" bigint not null,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "branch" text not null,
  "position" bigint not null,
  "actor_id" bigint not null,
  "style" text not null,
  "title" text not null,
  "message" text not null,
  "deletes_branch" text not null,
  "head_oid" text not null,
  "batch_id" bigint default 0 not null,
  "oid" text default '' not null,
  "suspect_id" bigint default 0 not null,
  "max_batch" bigint default 0 not null,
  "failure" text default '' not null,
  "created_at" bigint not null,
  "restriction" text default '' not null, constraint "merge_queue_entry_pk" primary key ("pull_id"));

CREATE INDEX "merge_queue_entry_repo_id_branch_position_idx" on "merge_queue_entry" (
  "repo_id",
  "branch",
  "position");

CREATE TABLE "merge_schedule" (
  "pull_id" bigint not null references "pull" ("id") on delete cascade,
  "issue_id" bigint not null,
  "repo_id" bigint not null,
  "actor_id" bigint not null,
  "style" text not null,
  "title" text not null,
  "message" text not null,
  "deletes_branch" text not null,
  "created_at" bigint not null,
  "head_oid" text default '' not null,
  "restriction" text default '' not null, constraint "merge_schedule_pk" primary key ("pull_id"));

CREATE INDEX "merge_schedule_repo_id_idx" on "merge_schedule" (
  "repo_id");

CREATE TABLE "milestone" (
  "id" integer primary key autoincrement,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "title" text not null,
  "lower_title" text not null,
  "description" text default '' not null,
  "is_closed" integer default 0 not null,
  "due_at" bigint not null,
  "open_issues" bigint default 0 not null,
  "closed_issues" bigint default 0 not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "closed_at" bigint default 0 not null);

CREATE INDEX "milestone_lower_title_repo_id_idx" on "milestone" (
  "lower_title",
  "repo_id");

CREATE INDEX "milestone_repo_id_due_at_title_id_is_closed_idx" on "milestone" (
  "repo_id",
  "due_at",
  "title",
  "id",
  "is_closed");

CREATE TABLE "mirror" (
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "interval" bigint default 0 not null,
  "is_pruning" integer default 1 not null,
  "synced_at" bigint default 0 not null,
  "next_sync_at" bigint default 0 not null,
  "remote_url" text default '' not null,
  "credentials" text default '' not null,
  "remote_head" text default '' not null,
  "last_error" text default '' not null,
  "has_wiki" integer default 0 not null,
  "has_lfs" integer default 0 not null,
  "lfs_endpoint" text default '' not null,
  "lfs_pending" integer default 0 not null, constraint "mirror_pk" primary key ("repo_id"));

CREATE INDEX "mirror_next_sync_at_idx" on "mirror" (
  "next_sync_at");

CREATE TABLE "node" (
  "instance" text not null,
  "name" text not null,
  "host" text not null,
  "pid" bigint not null,
  "version" text not null,
  "schema" text not null,
  "address" text not null,
  "workers" bigint not null,
  "started_at" bigint not null,
  "heartbeat_at" bigint not null,
  "clock_offset" bigint not null,
  "sender_pid" bigint not null, constraint "node_pk" primary key ("instance"));

CREATE TABLE "notification" (
  "id" integer primary key autoincrement,
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "issue_id" bigint references "issue" ("id") on delete cascade,
  "kind" text not null,
  "status" text not null,
  "reason" text not null,
  "updated_at" bigint not null);

CREATE UNIQUE INDEX "notification_issue_id_user_id_key" on "notification" (
  "issue_id",
  "user_id");

CREATE INDEX "notification_repo_id_user_id_status_updated_at_id_kind_idx" on "notification" (
  "repo_id",
  "user_id",
  "status",
  "updated_at",
  "id",
  "kind");

CREATE INDEX "notification_user_id_status_updated_at_id_kind_repo_id_idx" on "notification" (
  "user_id",
  "status",
  "updated_at",
  "id",
  "kind",
  "repo_id");

CREATE TABLE "oauth_application" (
  "id" integer primary key autoincrement,
  "user_id" bigint references "user" ("id") on delete cascade,
  "built_in" text default '' not null,
  "name" text not null,
  "client_id" text not null,
  "secret_hash" text default '' not null,
  "redirect_uris" text default '[]' not null,
  "is_confidential" integer default 0 not null,
  "skips_consent" integer default 0 not null,
  "created_at" bigint not null,
  "updated_at" bigint not null);

CREATE UNIQUE INDEX "oauth_application_client_id_key" on "oauth_application" (
  "client_id");

CREATE INDEX "oauth_application_user_id_id_idx" on "oauth_application" (
  "user_id",
  "id");

CREATE TABLE "oauth_chain" (
  "id" integer primary key autoincrement,
  "grant_id" bigint not null references "oauth_grant" ("id") on delete cascade,
  "counter" bigint default 0 not null,
  "rotated_at" bigint not null,
  "expires_at" bigint not null);

CREATE INDEX "oauth_chain_expires_at_idx" on "oauth_chain" (
  "expires_at");

CREATE INDEX "oauth_chain_grant_id_idx" on "oauth_chain" (
  "grant_id");

CREATE TABLE "oauth_code" (
  "code_hash" text not null,
  "grant_id" bigint not null references "oauth_grant" ("id") on delete cascade,
  "redirect_uri" text not null,
  "challenge" text default '' not null,
  "challenge_method" text default '' not null,
  "nonce" text default '' not null,
  "expires_at" bigint not null,
  "chain_id" bigint default 0 not null, constraint "oauth_code_pk" primary key ("code_hash"));

CREATE INDEX "oauth_code_expires_at_idx" on "oauth_code" (
  "expires_at");

CREATE INDEX "oauth_code_grant_id_idx" on "oauth_code" (
  "grant_id");

CREATE TABLE "oauth_grant" (
  "id" integer primary key autoincrement,
  "application_id" bigint not null references "oauth_application" ("id") on delete cascade,
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "scope" text default '' not null,
  "created_at" bigint not null,
  "updated_at" bigint not null);

CREATE INDEX "oauth_grant_application_id_idx" on "oauth_grant" (
  "application_id");

CREATE UNIQUE INDEX "oauth_grant_user_id_application_id_key" on "oauth_grant" (
  "user_id",
  "application_id");

CREATE TABLE "org_member" (
  "org_id" bigint not null references "user" ("id") on delete cascade,
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "is_public" integer default 0 not null,
  "joined_at" bigint default 0 not null, constraint "org_member_pk" primary key ("org_id",
  "user_id"));

CREATE INDEX "org_member_org_id_joined_at_user_id_idx" on "org_member" (
  "org_id",
  "joined_at",
  "user_id");

CREATE INDEX "org_member_user_id_org_id_idx" on "org_member" (
  "user_id",
  "org_id");

CREATE TABLE "package" (
  "id" integer primary key autoincrement,
  "owner_id" bigint not null references "user" ("id") on delete cascade,
  "repo_id" bigint default 0 not null,
  "type" text not null,
  "name" text not null,
  "lower_name" text not null,
  "metadata" text default '' not null,
  "revision" bigint default 0 not null);

CREATE UNIQUE INDEX "package_owner_id_type_lower_name_key" on "package" (
  "owner_id",
  "type",
  "lower_name");

CREATE INDEX "package_repo_id_idx" on "package" (
  "repo_id");

CREATE TABLE "package_cleanup_rule" (
  "id" integer primary key autoincrement,
  "owner_id" bigint not null references "user" ("id") on delete cascade,
  "type" text not null,
  "is_enabled" integer default 0 not null,
  "keep_count" bigint not null,
  "keep_pattern" text not null,
  "remove_days" bigint not null,
  "remove_pattern" text not null,
  "matches_full_name" integer default 0 not null,
  "author_id" bigint not null,
  "restriction" text not null,
  "created_at" bigint not null,
  "updated_at" bigint not null);

CREATE UNIQUE INDEX "package_cleanup_rule_owner_id_type_key" on "package_cleanup_rule" (
  "owner_id",
  "type");

CREATE TABLE "package_document" (
  "id" integer primary key autoincrement,
  "package_id" bigint not null references "package" ("id") on delete cascade,
  "name" text not null,
  "revision" bigint not null,
  "basis" text not null,
  "sha256" text not null);

CREATE UNIQUE INDEX "package_document_package_id_name_key" on "package_document" (
  "package_id",
  "name");

CREATE INDEX "package_document_sha256_idx" on "package_document" (
  "sha256");

CREATE TABLE "package_file" (
  "id" integer primary key autoincrement,
  "version_id" bigint not null references "package_version" ("id") on delete cascade,
  "name" text not null,
  "size" bigint not null,
  "md5" text not null,
  "sha1" text not null,
  "sha256" text not null,
  "sha512" text not null,
  "metadata" text default '' not null,
  "created_at" bigint default 0 not null);

CREATE INDEX "package_file_sha256_idx" on "package_file" (
  "sha256");

CREATE UNIQUE INDEX "package_file_version_id_name_key" on "package_file" (
  "version_id",
  "name");

CREATE TABLE "package_index" (
  "id" integer primary key autoincrement,
  "owner_id" bigint not null references "user" ("id") on delete cascade,
  "type" text not null,
  "state" text not null,
  "is_complete" integer default 0 not null);

CREATE INDEX "package_index_owner_id_type_state_idx" on "package_index" (
  "owner_id",
  "type",
  "state");

CREATE TABLE "package_index_file" (
  "id" integer primary key autoincrement,
  "index_id" bigint not null references "package_index" ("id") on delete cascade,
  "name" text not null,
  "size" bigint not null,
  "md5" text not null,
  "sha1" text not null,
  "sha256" text not null,
  "sha512" text not null);

CREATE UNIQUE INDEX "package_index_file_index_id_name_key" on "package_index_file" (
  "index_id",
  "name");

CREATE INDEX "package_index_file_sha256_idx" on "package_index_file" (
  "sha256");

CREATE TABLE "package_signing_key" (
  "id" integer primary key autoincrement,
  "owner_id" bigint not null references "user" ("id") on delete cascade,
  "kind" text not null,
  "private_key" text not null,
  "public_key" text not null,
  "created_at" bigint not null);

CREATE UNIQUE INDEX "package_signing_key_owner_id_kind_key" on "package_signing_key" (
  "owner_id",
  "kind");

CREATE TABLE "package_upstream" (
  "id" integer primary key autoincrement,
  "owner_id" bigint not null references "user" ("id") on delete cascade,
  "type" text not null,
  "url" text not null,
  "credentials" text not null,
  "allowed" text not null,
  "min_age_days" bigint not null,
  "is_offline" integer default 0 not null,
  "created_at" bigint not null,
  "updated_at" bigint not null);

CREATE UNIQUE INDEX "package_upstream_owner_id_type_key" on "package_upstream" (
  "owner_id",
  "type");

CREATE TABLE "package_upstream_file" (
  "id" integer primary key autoincrement,
  "upstream_id" bigint not null references "package_upstream" ("id") on delete cascade,
  "key" text not null,
  "size" bigint not null,
  "md5" text not null,
  "sha1" text not null,
  "sha256" text not null,
  "sha512" text not null,
  "source_sha256" text not null,
  "basis" text not null,
  "etag" text not null,
  "last_modified" text not null,
  "fetched_at" bigint not null,
  "used_at" bigint not null);

CREATE INDEX "package_upstream_file_sha256_idx" on "package_upstream_file" (
  "sha256");

CREATE INDEX "package_upstream_file_source_sha256_idx" on "package_upstream_file" (
  "source_sha256");

CREATE UNIQUE INDEX "package_upstream_file_upstream_id_key_key" on "package_upstream_file" (
  "upstream_id",
  "key");

CREATE INDEX "package_upstream_file_used_at_idx" on "package_upstream_file" (
  "used_at");

CREATE TABLE "package_version" (
  "id" integer primary key autoincrement,
  "package_id" bigint not null references "package" ("id") on delete cascade,
  "creator_id" bigint not null,
  "version" text not null,
  "lower_version" text not null,
  "created_at" bigint not null,
  "metadata" text default '' not null,
  "download_count" bigint default 0 not null);

CREATE UNIQUE INDEX "package_version_package_id_lower_version_key" on "package_version" (
  "package_id",
  "lower_version");

CREATE TABLE "passkey" (
  "id" integer primary key autoincrement,
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "name" text not null,
  "credential_id" text not null,
  "public_key" text not null,
  "transports" text not null,
  "user_handle" text not null,
  "sign_count" bigint default 0 not null,
  "created_at" bigint not null,
  "last_used_at" bigint default 0 not null);

CREATE UNIQUE INDEX "passkey_credential_id_key" on "passkey" (
  "credential_id");

CREATE INDEX "passkey_user_id_idx" on "passkey" (
  "user_id");

CREATE TABLE "project" (
  "id" integer primary key autoincrement,
  "repo_id" bigint references "repo" ("id") on delete cascade,
  "owner_id" bigint references "user" ("id") on delete cascade,
  "creator_id" bigint not null,
  "title" text not null,
  "description" text default '' not null,
  "template_type" text not null,
  "card_type" text not null,
  "is_closed" integer default 0 not null,
  "closed_at" bigint default 0 not null,
  "created_at" bigint not null,
  "updated_at" bigint not null);

CREATE INDEX "project_owner_id_is_closed_id_idx" on "project" (
  "owner_id",
  "is_closed",
  "id");

CREATE INDEX "project_repo_id_is_closed_id_idx" on "project" (
  "repo_id",
  "is_closed",
  "id");

CREATE TABLE "project_column" (
  "id" integer primary key autoincrement,
  "project_id" bigint not null references "project" ("id") on delete cascade,
  "creator_id" bigint not null,
  "title" text not null,
  "color" text default '' not null,
  "is_default" integer default 0 not null,
  "sorting" bigint not null,
  "created_at" bigint not null,
  "updated_at" bigint not null);

CREATE INDEX "project_column_project_id_sorting_id_idx" on "project_column" (
  "project_id",
  "sorting",
  "id");

CREATE TABLE "project_issue" (
  "project_id" bigint not null references "project" ("id") on delete cascade,
  "issue_id" bigint not null references "issue" ("id") on delete cascade,
  "column_id" bigint not null references "project_column" ("id") on delete cascade,
  "sorting" bigint not null,
  "repo_id" bigint not null,
  "is_pull" integer default 0 not null,
  "is_closed" integer default 0 not null, constraint "project_issue_pk" primary key ("project_id",
  "issue_id"));

CREATE INDEX "project_issue_column_id_sorting_issue_id_idx" on "project_issue" (
  "column_id",
  "sorting",
  "issue_id");

CREATE INDEX "project_issue_issue_id_idx" on "project_issue" (
  "issue_id");

CREATE INDEX "project_issue_project_id_repo_id_is_pull_is_closed_idx" on "project_issue" (
  "project_id",
  "repo_id",
  "is_pull",
  "is_closed");

CREATE TABLE "public_key" (
  "id" integer primary key autoincrement,
  "fingerprint" text not null,
  "algorithm" text not null,
  "blob" text not null,
  "kind" text not null);

CREATE UNIQUE INDEX "public_key_fingerprint_key" on "public_key" (
  "fingerprint");

CREATE TABLE "pull" (
  "id" integer primary key autoincrement,
  "issue_id" bigint not null references "issue" ("id") on delete cascade,
  "base_repo_id" bigint not null,
  "base_branch" text not null,
  "head_repo_id" bigint not null,
  "head_branch" text not null,
  "is_agit" integer default 0 not null,
  "head_oid" text not null,
  "merge_base" text not null,
  "mergeability" text default 'checking' not null,
  "checked_base_oid" text default '' not null,
  "checked_head_oid" text default '' not null,
  "conflicts" text default '' not null,
  "is_closed" integer default 0 not null,
  "is_draft" integer default 0 not null,
  "allows_maintainer_edit" integer default 0 not null,
  "is_merged" integer default 0 not null,
  "merged_oid" text default '' not null,
  "merge_style" text default '' not null,
  "merged_by_id" bigint default 0 not null,
  "merged_at" bigint default 0 not null);

CREATE INDEX "pull_base_repo_id_is_closed_base_branch_idx" on "pull" (
  "base_repo_id",
  "is_closed",
  "base_branch");

CREATE INDEX "pull_base_repo_id_merged_oid_idx" on "pull" (
  "base_repo_id",
  "merged_oid");

CREATE INDEX "pull_head_repo_id_is_closed_head_branch_idx" on "pull" (
  "head_repo_id",
  "is_closed",
  "head_branch");

CREATE UNIQUE INDEX "pull_issue_id_key" on "pull" (
  "issue_id");

CREATE TABLE "push" (
  "id" integer primary key autoincrement,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "pusher_id" bigint not null,
  "ref" text not null,
  "old_oid" text not null,
  "new_oid" text not null,
  "created_at" bigint not null);

CREATE INDEX "push_repo_id_id_idx" on "push" (
  "repo_id",
  "id");

CREATE TABLE "push_mirror" (
  "id" integer primary key autoincrement,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "remote_name" text not null,
  "remote_url" text not null,
  "credentials" text default '' not null,
  "public_key" text default '' not null,
  "private_key" text default '' not null,
  "interval" bigint not null,
  "is_on_commit" integer default 0 not null,
  "pushed_at" bigint default 0 not null,
  "next_sync_at" bigint default 0 not null,
  "last_error" text default '' not null,
  "created_at" bigint not null,
  "lfs_sent" bigint default 0 not null,
  "branch_filter" text default '' not null);

CREATE INDEX "push_mirror_next_sync_at_idx" on "push_mirror" (
  "next_sync_at");

CREATE UNIQUE INDEX "push_mirror_repo_id_remote_name_key" on "push_mirror" (
  "repo_id",
  "remote_name");

CREATE TABLE "quota_group" (
  "id" integer primary key autoincrement,
  "name" text not null);

CREATE UNIQUE INDEX "quota_group_name_key" on "quota_group" (
  "name");

CREATE TABLE "quota_group_rule" (
  "group_id" bigint not null references "quota_group" ("id") on delete cascade,
  "rule_id" bigint not null references "quota_rule" ("id") on delete cascade, constraint "quota_group_rule_pk" primary key ("group_id",
  "rule_id"));

CREATE INDEX "quota_group_rule_rule_id_idx" on "quota_group_rule" (
  "rule_id");

CREATE TABLE "quota_group_user" (
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "group_id" bigint not null references "quota_group" ("id") on delete cascade, constraint "quota_group_user_pk" primary key ("user_id",
  "group_id"));

CREATE INDEX "quota_group_user_group_id_idx" on "quota_group_user" (
  "group_id");

CREATE TABLE "quota_rule" (
  "id" integer primary key autoincrement,
  "name" text not null,
  "size_limit" bigint not null,
  "subjects" text default '[]' not null);

CREATE UNIQUE INDEX "quota_rule_name_key" on "quota_rule" (
  "name");

CREATE TABLE "reaction" (
  "id" integer primary key autoincrement,
  "issue_id" bigint not null references "issue" ("id") on delete cascade,
  "comment_id" bigint references "timeline_entry" ("id") on delete cascade,
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "content" text not null,
  "created_at" bigint not null,
  "original_author" text default '' not null,
  "original_author_id" bigint default 0 not null);

CREATE INDEX "reaction_comment_id_id_idx" on "reaction" (
  "comment_id",
  "id");

CREATE INDEX "reaction_issue_id_comment_id_id_idx" on "reaction" (
  "issue_id",
  "comment_id",
  "id");

CREATE INDEX "reaction_user_id_idx" on "reaction" (
  "user_id");

CREATE TABLE "release" (
  "id" integer primary key autoincrement,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "publisher_id" bigint not null,
  "tag_name" text not null,
  "lower_tag_name" text not null,
  "target" text default '' not null,
  "title" text default '' not null,
  "body" text default '' not null,
  "is_draft" integer default 0 not null,
  "is_prerelease" integer default 0 not null,
  "hide_archive_links" integer default 0 not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "original_author" text default '' not null,
  "original_author_id" bigint default 0 not null);

CREATE INDEX "release_repo_id_created_at_id_idx" on "release" (
  "repo_id",
  "created_at",
  "id");

CREATE UNIQUE INDEX "release_repo_id_lower_tag_name_key" on "release" (
  "repo_id",
  "lower_tag_name");

CREATE TABLE "renamed_branch" (
  "id" integer primary key autoincrement,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "from_name" text not null,
  "to_name" text not null,
  "created_at" bigint not null);

CREATE UNIQUE INDEX "renamed_branch_repo_id_from_name_key" on "renamed_branch" (
  "repo_id",
  "from_name");

CREATE INDEX "renamed_branch_repo_id_to_name_idx" on "renamed_branch" (
  "repo_id",
  "to_name");

CREATE TABLE "repo" (
  "id" integer primary key autoincrement,
  "owner_id" bigint not null references "user" ("id") on delete cascade,
  "name" text not null,
  "lower_name" text not null,
  "description" text default '' not null,
  "website" text default '' not null,
  "default_branch" text not null,
  "wiki_branch" text not null,
  "object_format" text not null,
  "storage" text not null,
  "is_private" integer default 0 not null,
  "is_archived" integer default 0 not null,
  "is_empty" integer default 1 not null,
  "is_mirror" integer default 0 not null,
  "is_fork" integer default 0 not null,
  "is_template" integer default 0 not null,
  "fork_id" bigint default 0 not null,
  "template_id" bigint default 0 not null,
  "original_url" text default '' not null,
  "avatar" text default '' not null,
  "units" bigint not null,
  "settings" text default '{}' not null,
  "trust_model" text default 'default' not null,
  "topics" text default '[]' not null,
  "licenses" text default '[]' not null,
  "primary_language" text default '' not null,
  "git_size" bigint default 0 not null,
  "lfs_size" bigint default 0 not null,
  "stars_count" bigint default 0 not null,
  "forks_count" bigint default 0 not null,
  "watchers_count" bigint default 0 not null,
  "branches_count" bigint default 0 not null,
  "releases_count" bigint default 0 not null,
  "open_issues_count" bigint default 0 not null,
  "closed_issues_count" bigint default 0 not null,
  "open_pulls_count" bigint default 0 not null,
  "closed_pulls_count" bigint default 0 not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "pushed_at" bigint default 0 not null,
  "archived_at" bigint default 0 not null,
  "suspended_units" bigint default 0 not null,
  "wiki_oid" text default '' not null);

CREATE INDEX "repo_avatar_idx" on "repo" (
  "avatar");

CREATE INDEX "repo_fork_id_owner_id_idx" on "repo" (
  "fork_id",
  "owner_id");

CREATE INDEX "repo_id_is_private_owner_id_lower_name_topics_idx" on "repo" (
  "id",
  "is_private",
  "owner_id",
  "lower_name",
  "topics");

CREATE INDEX "repo_is_private_owner_id_idx" on "repo" (
  "is_private",
  "owner_id");

CREATE UNIQUE INDEX "repo_owner_id_lower_name_key" on "repo" (
  "owner_id",
  "lower_name");

CREATE UNIQUE INDEX "repo_storage_key" on "repo" (
  "storage");

CREATE INDEX "repo_updated_at_id_idx" on "repo" (
  "updated_at",
  "id");

CREATE TABLE "repo_flag" (
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "name" text not null, constraint "repo_flag_pk" primary key ("repo_id",
  "name"));

CREATE TABLE "repo_import" (
  "id" integer primary key autoincrement,
  "storage" text not null,
  "reserved_name" text not null,
  "state" text not null,
  "is_async" integer default 0 not null,
  "is_canceled" integer default 0 not null,
  "actor_id" bigint not null,
  "owner_id" bigint not null,
  "name" text not null,
  "repo_id" bigint default 0 not null,
  "phase" text default '' not null,
  "cursor" text default '' not null,
  "done" text default '{}' not null,
  "total" text default '{}' not null,
  "warnings" text default '[]' not null,
  "warnings_count" bigint default 0 not null,
  "error" text default '' not null,
  "request" text default '' not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "ended_at" bigint default 0 not null);

CREATE INDEX "repo_import_actor_id_idx" on "repo_import" (
  "actor_id");

CREATE INDEX "repo_import_ended_at_idx" on "repo_import" (
  "ended_at");

CREATE UNIQUE INDEX "repo_import_reserved_name_key" on "repo_import" (
  "reserved_name");

CREATE UNIQUE INDEX "repo_import_storage_key" on "repo_import" (
  "storage");

CREATE TABLE "repo_languages" (
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "oid" text not null,
  "bytes" text default '{}' not null, constraint "repo_languages_pk" primary key ("repo_id"));

CREATE TABLE "repo_redirect" (
  "owner_id" bigint not null references "user" ("id") on delete cascade,
  "lower_name" text not null,
  "repo_id" bigint not null references "repo" ("id") on delete cascade, constraint "repo_redirect_pk" primary key ("owner_id",
  "lower_name"));

CREATE TABLE "repo_topic" (
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "topic_id" bigint not null references "topic" ("id") on delete cascade, constraint "repo_topic_pk" primary key ("repo_id",
  "topic_id"));

CREATE INDEX "repo_topic_topic_id_repo_id_idx" on "repo_topic" (
  "topic_id",
  "repo_id");

CREATE TABLE "repo_transfer" (
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "doer_id" bigint not null references "user" ("id") on delete cascade,
  "recipient_id" bigint not null references "user" ("id") on delete cascade,
  "team_ids" text default '[]' not null,
  "created_at" bigint not null, constraint "repo_transfer_pk" primary key ("repo_id"));

CREATE INDEX "repo_transfer_recipient_id_repo_id_idx" on "repo_transfer" (
  "recipient_id",
  "repo_id");

CREATE TABLE "review" (
  "id" integer primary key autoincrement,
  "pull_id" bigint not null references "pull" ("id") on delete cascade,
  "issue_id" bigint not null,
  "kind" text not null,
  "reviewer_id" bigint default 0 not null,
  "team_id" bigint default 0 not null,
  "body" text default '' not null,
  "commit_oid" text default '' not null,
  "is_official" integer default 0 not null,
  "is_stale" integer default 0 not null,
  "is_dismissed" integer default 0 not null,
  "entry_id" bigint default 0 not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "submitted_at" bigint default 0 not null,
  "former_base" text default '' not null,
  "original_author" text default '' not null,
  "original_author_id" bigint default 0 not null);

CREATE INDEX "review_pull_id_id_idx" on "review" (
  "pull_id",
  "id");

CREATE INDEX "review_reviewer_id_kind_issue_id_idx" on "review" (
  "reviewer_id",
  "kind",
  "issue_id");

CREATE INDEX "review_team_id_kind_issue_id_idx" on "review" (
  "team_id",
  "kind",
  "issue_id");

CREATE TABLE "review_comment" (
  "entry_id" bigint not null references "timeline_entry" ("id") on delete cascade,
  "review_id" bigint not null references "review" ("id") on delete cascade,
  "pull_id" bigint not null,
  "path" text not null,
  "side" text not null,
  "line" bigint not null,
  "start_line" bigint not null,
  "commit_oid" text not null,
  "base_oid" text not null,
  "line_commit_oid" text default '' not null,
  "diff_hunk" text default '' not null,
  "is_outdated" integer default 0 not null,
  "resolver_id" bigint default 0 not null,
  "reply_to" bigint default 0 not null, constraint "review_comment_pk" primary key ("entry_id"));

CREATE INDEX "review_comment_pull_id_is_outdated_idx" on "review_comment" (
  "pull_id",
  "is_outdated");

CREATE INDEX "review_comment_review_id_entry_id_idx" on "review_comment" (
  "review_id",
  "entry_id");

CREATE TABLE "schema_release" (
  "id" integer primary key autoincrement,
  "oldest" text default '26.11.0' not null,
  "newest" text default '26.11.0' not null);

CREATE TABLE "server_import" (
  "source" text not null,
  "kind" text not null,
  "source_id" text not null,
  "target" text not null,
  "fingerprint" text default '' not null,
  "target_fingerprint" text default '' not null,
  "state" text not null,
  "import_id" bigint default 0 not null,
  "read_at" bigint default 0 not null,
  "written_at" bigint default 0 not null, constraint "server_import_pk" primary key ("source",
  "kind",
  "source_id"));

CREATE TABLE "sign_in_source" (
  "id" integer primary key autoincrement,
  "kind" text not null,
  "name" text not null,
  "lower_name" text not null,
  "is_active" integer default 1 not null,
  "settings" text default '' not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "synchronized_at" bigint default 0 not null,
  "sync_report" text default '' not null);

CREATE UNIQUE INDEX "sign_in_source_lower_name_key" on "sign_in_source" (
  "lower_name");

CREATE TABLE "signing_key" (
  "purpose" text not null,
  "key_id" text not null,
  "private_key" text not null,
  "public_key" text not null,
  "created_at" bigint not null, constraint "signing_key_pk" primary key ("purpose"));

CREATE TABLE sqlite_sequence(name,seq);

CREATE TABLE "star" (
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "created_at" bigint not null, constraint "star_pk" primary key ("user_id",
  "repo_id"));

CREATE INDEX "star_repo_id_user_id_idx" on "star" (
  "repo_id",
  "user_id");

CREATE TABLE "stopwatch" (
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "issue_id" bigint not null references "issue" ("id") on delete cascade,
  "started_at" bigint not null, constraint "stopwatch_pk" primary key ("user_id"));

CREATE INDEX "stopwatch_issue_id_idx" on "stopwatch" (
  "issue_id");

CREATE TABLE "tag_rule" (
  "id" integer primary key autoincrement,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "pattern" text not null,
  "created_at" bigint not null,
  "updated_at" bigint not null);

CREATE UNIQUE INDEX "tag_rule_repo_id_pattern_key" on "tag_rule" (
  "repo_id",
  "pattern");

CREATE TABLE "tag_rule_team" (
  "rule_id" bigint not null references "tag_rule" ("id") on delete cascade,
  "team_id" bigint not null references "team" ("id") on delete cascade, constraint "tag_rule_team_pk" primary key ("rule_id",
  "team_id"));

CREATE INDEX "tag_rule_team_team_id_idx" on "tag_rule_team" (
  "team_id");

CREATE TABLE "tag_rule_user" (
  "rule_id" bigint not null references "tag_rule" ("id") on delete cascade,
  "user_id" bigint not null references "user" ("id") on delete cascade, constraint "tag_rule_user_pk" primary key ("rule_id",
  "user_id"));

CREATE INDEX "tag_rule_user_user_id_idx" on "tag_rule_user" (
  "user_id");

CREATE TABLE "team" (
  "id" integer primary key autoincrement,
  "org_id" bigint not null references "user" ("id") on delete cascade,
  "name" text not null,
  "lower_name" text not null,
  "description" text default '' not null,
  "mode" bigint default 0 not null,
  "includes_all_repositories" integer default 0 not null,
  "can_create_org_repo" integer default 0 not null,
  "created_at" bigint not null,
  "visibility" text default 'private' not null);

CREATE UNIQUE INDEX "team_org_id_lower_name_key" on "team" (
  "org_id",
  "lower_name");

CREATE TABLE "team_member" (
  "team_id" bigint not null references "team" ("id") on delete cascade,
  "org_id" bigint not null references "user" ("id") on delete cascade,
  "user_id" bigint not null references "user" ("id") on delete cascade, constraint "team_member_pk" primary key ("team_id",
  "user_id"));

CREATE INDEX "team_member_user_id_org_id_idx" on "team_member" (
  "user_id",
  "org_id");

CREATE TABLE "team_repo" (
  "team_id" bigint not null references "team" ("id") on delete cascade,
  "org_id" bigint not null references "user" ("id") on delete cascade,
  "repo_id" bigint not null references "repo" ("id") on delete cascade, constraint "team_repo_pk" primary key ("team_id",
  "repo_id"));

CREATE INDEX "team_repo_repo_id_team_id_idx" on "team_repo" (
  "repo_id",
  "team_id");

CREATE TABLE "team_unit" (
  "team_id" bigint not null references "team" ("id") on delete cascade,
  "unit" text not null,
  "mode" bigint not null, constraint "team_unit_pk" primary key ("team_id",
  "unit"));

CREATE TABLE "timeline_entry" (
  "id" integer primary key autoincrement,
  "issue_id" bigint not null references "issue" ("id") on delete cascade,
  "repo_id" bigint not null,
  "kind" text not null,
  "actor_id" bigint not null,
  "target_id" bigint default 0 not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "payload" text default '' not null,
  "body" text default '' not null,
  "original_author" text default '' not null,
  "original_author_id" bigint default 0 not null);

CREATE INDEX "timeline_entry_actor_id_kind_id_idx" on "timeline_entry" (
  "actor_id",
  "kind",
  "id");

CREATE INDEX "timeline_entry_issue_id_created_at_id_kind_idx" on "timeline_entry" (
  "issue_id",
  "created_at",
  "id",
  "kind");

CREATE INDEX "timeline_entry_issue_id_kind_actor_id_idx" on "timeline_entry" (
  "issue_id",
  "kind",
  "actor_id");

CREATE INDEX "timeline_entry_repo_id_kind_created_at_id_idx" on "timeline_entry" (
  "repo_id",
  "kind",
  "created_at",
  "id");

CREATE INDEX "timeline_entry_target_id_kind_idx" on "timeline_entry" (
  "target_id",
  "kind");

CREATE TABLE "topic" (
  "id" integer primary key autoincrement,
  "name" text not null,
  "repo_count" bigint default 0 not null,
  "created_at" bigint not null,
  "updated_at" bigint not null);

CREATE UNIQUE INDEX "topic_name_key" on "topic" (
  "name");

CREATE INDEX "topic_repo_count_name_idx" on "topic" (
  "repo_count",
  "name");

CREATE TABLE "tracked_time" (
  "id" integer primary key autoincrement,
  "issue_id" bigint not null references "issue" ("id") on delete cascade,
  "repo_id" bigint not null,
  "user_id" bigint not null,
  "seconds" bigint not null,
  "created_at" bigint not null,
  "original_author" text default '' not null,
  "original_author_id" bigint default 0 not null);

CREATE INDEX "tracked_time_issue_id_id_idx" on "tracked_time" (
  "issue_id",
  "id");

CREATE INDEX "tracked_time_repo_id_id_idx" on "tracked_time" (
  "repo_id",
  "id");

CREATE INDEX "tracked_time_user_id_id_idx" on "tracked_time" (
  "user_id",
  "id");

CREATE TABLE "two_factor" (
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "secret" text not null,
  "is_confirmed" integer default 0 not null,
  "last_step" bigint default 0 not null,
  "created_at" bigint not null, constraint "two_factor_pk" primary key ("user_id"));

CREATE TABLE "two_factor_recovery" (
  "id" integer primary key autoincrement,
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "code_hash" text not null);

CREATE UNIQUE INDEX "two_factor_recovery_user_id_code_hash_key" on "two_factor_recovery" (
  "user_id",
  "code_hash");

CREATE TABLE "unfinished_import" (
  "storage" text not null,
  "started_at" bigint not null,
  "holder" text default '' not null, constraint "unfinished_import_pk" primary key ("storage"));

CREATE TABLE "used_passkey_challenge" (
  "challenge_hash" text not null,
  "expires_at" bigint not null, constraint "used_passkey_challenge_pk" primary key ("challenge_hash"));

CREATE INDEX "used_passkey_challenge_expires_at_idx" on "used_passkey_challenge" (
  "expires_at");

CREATE TABLE "user" (
  "id" integer primary key autoincrement,
  "kind" text not null,
  "name" text not null,
  "lower_name" text not null,
  "full_name" text default '' not null,
  "email" text default '' not null,
  "password_hash" text default '' not null,
  "login_name" text default '' not null,
  "source_id" bigint default 0 not null,
  "visibility" text default 'public' not null,
  "description" text default '' not null,
  "location" text default '' not null,
  "website" text default '' not null,
  "pronouns" text default '' not null,
  "language" text default '' not null,
  "avatar" text default '' not null,
  "is_active" integer default 1 not null,
  "is_admin" integer default 0 not null,
  "is_restricted" integer default 0 not null,
  "is_login_prohibited" integer default 0 not null,
  "must_change_password" integer default 0 not null,
  "is_email_hidden" integer default 0 not null,
  "can_create_organization" integer default 1 not null,
  "max_repo_creation" bigint default -1 not null,
  "repo_admin_change_team_access" integer default 0 not null,
  "followers_count" bigint default 0 not null,
  "following_count" bigint default 0 not null,
  "stars_count" bigint default 0 not null,
  "settings" text default '{}' not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "last_login_at" bigint default 0 not null,
  "search_text" text default '' not null,
  "are_pronouns_hidden" integer default 0 not null);

CREATE INDEX "user_avatar_idx" on "user" (
  "avatar");

CREATE INDEX "user_kind_id_idx" on "user" (
  "kind",
  "id");

CREATE INDEX "user_kind_lower_name_visibility_search_text_id_idx" on "user" (
  "kind",
  "lower_name",
  "visibility",
  "search_text",
  "id");

CREATE UNIQUE INDEX "user_lower_name_key" on "user" (
  "lower_name");

CREATE INDEX "user_source_id_login_name_idx" on "user" (
  "source_id",
  "login_name");

CREATE INDEX "user_visibility_kind_idx" on "user" (
  "visibility",
  "kind");

CREATE TABLE "user_badge" (
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "badge_id" bigint not null references "badge" ("id") on delete cascade, constraint "user_badge_pk" primary key ("user_id",
  "badge_id"));

CREATE INDEX "user_badge_badge_id_user_id_idx" on "user_badge" (
  "badge_id",
  "user_id");

CREATE TABLE "user_block" (
  "blocker_id" bigint not null references "user" ("id") on delete cascade,
  "blocked_id" bigint not null references "user" ("id") on delete cascade,
  "note" text default '' not null,
  "created_at" bigint not null, constraint "user_block_pk" primary key ("blocker_id",
  "blocked_id"));

CREATE INDEX "user_block_blocked_id_blocker_id_idx" on "user_block" (
  "blocked_id",
  "blocker_id");

CREATE TABLE "user_key" (
  "id" integer primary key autoincrement,
  "key_id" bigint not null references "public_key" ("id") on delete cascade,
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "title" text not null,
  "comment" text default '' not null,
  "created_at" bigint not null,
  "last_used_at" bigint default 0 not null,
  "source_id" bigint default 0 not null);

CREATE UNIQUE INDEX "user_key_key_id_key" on "user_key" (
  "key_id");

CREATE INDEX "user_key_user_id_id_idx" on "user_key" (
  "user_id",
  "id");

CREATE UNIQUE INDEX "user_key_user_id_title_key" on "user_key" (
  "user_id",
  "title");

CREATE TABLE "user_redirect" (
  "lower_name" text not null,
  "user_id" bigint not null references "user" ("id") on delete cascade, constraint "user_redirect_pk" primary key ("lower_name"));

CREATE TABLE "watch" (
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "repo_id" bigint not null references "repo" ("id") on delete cascade,
  "mode" text not null,
  "created_at" bigint not null, constraint "watch_pk" primary key ("user_id",
  "repo_id"));

CREATE INDEX "watch_repo_id_user_id_idx" on "watch" (
  "repo_id",
  "user_id");

CREATE TABLE "web_session" (
  "token_hash" text not null,
  "user_id" bigint not null references "user" ("id") on delete cascade,
  "created_at" bigint not null,
  "expires_at" bigint not null, constraint "web_session_pk" primary key ("token_hash"));

CREATE INDEX "web_session_expires_at_idx" on "web_session" (
  "expires_at");

CREATE INDEX "web_session_user_id_idx" on "web_session" (
  "user_id");

CREATE TABLE "webhook" (
  "id" integer primary key autoincrement,
  "scope" text not null,
  "repo_id" bigint references "repo" ("id") on delete cascade,
  "owner_id" bigint references "user" ("id") on delete cascade,
  "type" text not null,
  "name" text default '' not null,
  "url" text not null,
  "content_type" text not null,
  "secret" text default '' not null,
  "authorization_header" text default '' not null,
  "events" text default '[]' not null,
  "branch_filter" text default '' not null,
  "settings" text default '{}' not null,
  "is_active" integer default 0 not null,
  "created_at" bigint not null,
  "updated_at" bigint not null);

CREATE INDEX "webhook_owner_id_id_idx" on "webhook" (
  "owner_id",
  "id");

CREATE INDEX "webhook_repo_id_id_idx" on "webhook" (
  "repo_id",
  "id");

CREATE INDEX "webhook_scope_id_idx" on "webhook" (
  "scope",
  "id");

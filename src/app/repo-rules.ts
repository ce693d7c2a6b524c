import type { Config } from '../config/index.ts'
import type { CodeDeps } from '../domain/code/index.ts'
import type { RepoRules } from '../domain/repos/index.ts'

/** The settings that repositories are made by. */
export function repoRules({ repository, service }: Config): RepoRules {
  return {
    defaultBranch: repository.default_branch,
    maxCreation: repository.max_creation_limit,
    forcePrivate: repository.force_private,
    autoWatch: service.auto_watch_new_repos,
    pushCreate: { forUsers: repository.enable_push_create_user, forOrgs: repository.enable_push_create_org, isPrivate: repository.default_push_create_private },
    noReplyDomain: service.no_reply_address,
  }
}

/** The settings by which code is read and written. */
export function codeSettings({ api, git, service }: Config): CodeDeps['settings'] {
  const noReplyDomain = service.no_reply_address
  return {
    noReplyDomain,
    maxBlobSize: api.default_max_blob_size,
    identity: { name: git.identity_name, email: git.identity_email || `ingot@${noReplyDomain}` },
  }
}

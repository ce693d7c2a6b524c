import { type DefaultUnits, namedUnits, type UnitSet, withUnit } from '../access/units.ts'
import type { Config } from '../config/index.ts'
import type { RepoRules } from '../subjects/repos/creation/create-repo.ts'
import type { CodeDeps } from './code.service.ts'

/** The settings that repositories are made by. */
export function repoRules({ repository, service }: Config): RepoRules {
  return {
    defaultBranch: repository.default_branch,
    maxCreation: repository.max_creation_limit,
    units: defaultUnits(repository),
    forcePrivate: repository.force_private,
    autoWatch: service.auto_watch_new_repos,
    pushCreate: {
      forUsers: repository.enable_push_create_user,
      forOrgs: repository.enable_push_create_org,
      isPrivate: repository.default_push_create_private,
    },
    noReplyDomain: service.no_reply_address,
  }
}

/** Units that the operator has switched off everywhere. */
export const disabledUnits = ({ repository }: Config): UnitSet => namedUnits(repository.disabled_repo_units)

/** Templates get those of ordinary repositories but Actions (reference repositories §4). */
function defaultUnits(repository: Config['repository']): DefaultUnits {
  const disabled = namedUnits(repository.disabled_repo_units)
  const normal = namedUnits(repository.default_repo_units, disabled)
  return {
    normal,
    template: withUnit(normal, 'repo.actions', false),
    fork: namedUnits(repository.default_fork_repo_units, disabled),
    mirror: namedUnits(repository.default_mirror_repo_units, disabled),
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

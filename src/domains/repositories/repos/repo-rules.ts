import type { DefaultUnits } from '../../../core/access/repo-access.ts'

/** The settings for new repositories. */
export interface RepoRules {
  readonly defaultBranch: string
  /** The maximum number of repositories of an owner without a limit of its own; -1 for no limit. */
  readonly maxCreation: number
  /** Units of new repositories. */
  readonly units: DefaultUnits
  /** Whether only site administrators may make repositories public. */
  readonly forcePrivate: boolean
  /** Whether creators watch their repositories. */
  readonly autoWatch: boolean
  /** Whether a push to a missing repository creates it. */
  readonly pushCreate: { readonly forUsers: boolean; readonly forOrgs: boolean; readonly isPrivate: boolean }
  /** The domain of the addresses that replace hidden ones. */
  readonly noReplyDomain: string
}

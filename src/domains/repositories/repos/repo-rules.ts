import type { DefaultUnits } from '../../../core/access/repo-access.ts'

/** The settings that repositories are created by. */
export interface RepoRules {
  readonly defaultBranch: string
  /** Largest number of repositories of an owner that has no limit of its own; -1 is none. */
  readonly maxCreation: number
  /** Units of new repositories. */
  readonly units: DefaultUnits
  /** Only site administrators make repositories public. */
  readonly forcePrivate: boolean
  /** Creators watch their repositories. */
  readonly autoWatch: boolean
  /** Whether a push to a missing repository creates it. */
  readonly pushCreate: { readonly forUsers: boolean; readonly forOrgs: boolean; readonly isPrivate: boolean }
  /** Of the addresses that are used in place of hidden ones. */
  readonly noReplyDomain: string
}

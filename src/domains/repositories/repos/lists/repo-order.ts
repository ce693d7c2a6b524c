import type { UserId } from '../../../../core/platform/crypto/ids.ts'

/** The supported orders of a list; sizes are bytes. */
const REPO_SORTS = [
  'id',
  'alpha',
  'name',
  'created',
  'updated',
  'size',
  'git_size',
  'lfs_size',
  'stars',
  'forks',
] as const
export type RepoSort = (typeof REPO_SORTS)[number]

export const isRepoSort = (text: string): text is RepoSort => REPO_SORTS.includes(text as RepoSort)

export interface RepoOrder {
  readonly by: RepoSort
  readonly direction: 'asc' | 'desc'
  /** Repositories of this owner sort first, the others by owner. */
  readonly priorityOwnerId?: UserId | undefined
}

export const BY_ID: RepoOrder = { by: 'id', direction: 'asc' }

import { AccessMode } from './access-mode.ts'
import { unitMode, type RepoAccess } from './repo-access.ts'

export interface PushFacts {
  readonly access: RepoAccess
  readonly isArchived: boolean
  readonly isMirror: boolean
  readonly defaultBranch: string
}

export interface PushedRef {
  readonly ref: string
  readonly kind: 'create' | 'update' | 'delete'
}

/** Why one ref of a push is refused, in the words clients know (reference git-data-and-transport §13); undefined: allowed. */
export function pushRefusal({ ref, kind }: PushedRef, facts: PushFacts): string | undefined {
  if (facts.isArchived) return 'This repo is archived. You can view files and clone it, but cannot push or open issues/pull-requests.'
  if (facts.isMirror) return 'mirror repository is read-only'
  if (ref.startsWith('refs/for/')) return 'Pull requests by refs/for are not available on this repository'
  if (unitMode(facts.access, 'repo.code') < AccessMode.write) return 'User permission denied for writing.'
  if (kind === 'delete' && ref === `refs/heads/${facts.defaultBranch}`) {
    return `branch ${facts.defaultBranch} is the default branch and cannot be deleted`
  }
  return undefined
}

/** The branch an empty repository gets as its default when these are pushed first: its own, else main or master, else the first. */
export function firstDefaultBranch(pushed: readonly string[], current: string): string | undefined {
  return [current, 'main', 'master'].find((name) => pushed.includes(name)) ?? pushed[0]
}

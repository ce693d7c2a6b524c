import { signedIn, siteAdmin } from '../../../core/http/guards/account.guards.ts'
import type { Guard } from '../../../core/http/guards/guard.ts'
import type { Area } from '../../../core/http/operation.ts'
import type { ScopeCategory } from '../../../core/access/viewer.ts'
import type { Guards } from '../../../core/module.ts'
import type { RepoId, UserId } from '../../../core/platform/crypto/ids.ts'

/** The level of runners: the site, a user or organization with all its repositories, or one repository. */
export type ActionsScope =
  | { readonly kind: 'site' }
  | { readonly kind: 'owner'; readonly ownerId: UserId }
  | { readonly kind: 'repository'; readonly repoId: RepoId }

/** A level as columns; both are null for the site. */
export interface ScopeColumns {
  readonly owner_id: number | null
  readonly repo_id: number | null
}

export const scopeColumns = (scope: ActionsScope): ScopeColumns => ({
  owner_id: scope.kind === 'owner' ? scope.ownerId : null,
  repo_id: scope.kind === 'repository' ? scope.repoId : null,
})

/** One of the four path prefixes of runners, runs and jobs. `Access` is the result of the guards. */
export interface ActionsLevel<Access> {
  /** A part of the operation ids, such as `repo` or `Org`. */
  readonly name: 'repo' | 'org' | 'user' | 'admin'
  readonly path: string
  readonly area: Area & ScopeCategory
  /** `owner`: may manage runners; `member`: may read runs and jobs. */
  readonly guards: Readonly<Record<'owner' | 'member', Guard<Access>>>
  scope(access: Access): ActionsScope
}

/** Builds values for a level with any result of its guards. */
type OfLevel<T> = <Access>(level: ActionsLevel<Access>) => readonly T[]

/** The required permissions at each level (behaviour/actions#guards-and-levels). */
export function forEachLevel<T>(guards: Pick<Guards, 'org' | 'repo'>, make: OfLevel<T>): T[] {
  return [
    ...make({
      name: 'repo',
      path: '/repos/{owner}/{repo}/actions',
      area: 'repository',
      guards: {
        owner: guards.repo('owner'),
        member: guards.repo('read', { unit: 'repo.actions', needsUser: true }),
      },
      scope: ({ repo }) => ({ kind: 'repository', repoId: repo.id }),
    }),
    ...make({
      name: 'org',
      path: '/orgs/{org}/actions',
      area: 'organization',
      guards: { owner: guards.org('owner'), member: guards.org('member') },
      scope: ({ org }) => ({ kind: 'owner', ownerId: org.id }),
    }),
    ...make({
      name: 'user',
      path: '/user/actions',
      area: 'user',
      guards: { owner: signedIn, member: signedIn },
      scope: ({ account }) => ({ kind: 'owner', ownerId: account.id }),
    }),
    ...make({
      name: 'admin',
      path: '/admin/actions',
      area: 'admin',
      guards: { owner: siteAdmin, member: siteAdmin },
      scope: () => ({ kind: 'site' }),
    }),
  ]
}

import { signedIn, siteAdmin } from '../../../core/http/guards/account.guards.ts'
import type { Guard } from '../../../core/http/guards/guard.ts'
import type { Area } from '../../../core/http/operation.ts'
import type { ScopeCategory } from '../../../core/access/viewer.ts'
import type { Guards } from '../../../core/module.ts'
import type { RepoId, UserId } from '../../../core/platform/crypto/ids.ts'

/** Whose runners: the site's, those of a user or organization for all its repositories, or those of one repository. */
export type ActionsPlace =
  | { readonly kind: 'site' }
  | { readonly kind: 'owner'; readonly ownerId: UserId }
  | { readonly kind: 'repository'; readonly repoId: RepoId }

/** A place in columns; both are null for the site. */
export interface PlaceColumns {
  readonly owner_id: number | null
  readonly repo_id: number | null
}

export const placeColumns = (place: ActionsPlace): PlaceColumns => ({
  owner_id: place.kind === 'owner' ? place.ownerId : null,
  repo_id: place.kind === 'repository' ? place.repoId : null,
})

/** One of the four addresses below which runners, runs and jobs are found. `Access` is what the guards resolve. */
export interface ActionsLevel<Access> {
  /** `repo`, `Org` and so on are part of the operation ids. */
  readonly name: 'repo' | 'org' | 'user' | 'admin'
  readonly path: string
  readonly area: Area & ScopeCategory
  /** `owner`: who manages runners; `member`: who reads runs and jobs. */
  readonly guards: Readonly<Record<'owner' | 'member', Guard<Access>>>
  place(access: Access): ActionsPlace
}

/** Makes something of each level, whatever its guards resolve. */
type OfLevel<T> = <Access>(level: ActionsLevel<Access>) => readonly T[]

/** Who may do what at each level (behaviour/actions#guards-and-levels). */
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
      place: ({ repo }) => ({ kind: 'repository', repoId: repo.id }),
    }),
    ...make({
      name: 'org',
      path: '/orgs/{org}/actions',
      area: 'organization',
      guards: { owner: guards.org('owner'), member: guards.org('member') },
      place: ({ org }) => ({ kind: 'owner', ownerId: org.id }),
    }),
    ...make({
      name: 'user',
      path: '/user/actions',
      area: 'user',
      guards: { owner: signedIn, member: signedIn },
      place: ({ account }) => ({ kind: 'owner', ownerId: account.id }),
    }),
    ...make({
      name: 'admin',
      path: '/admin/actions',
      area: 'admin',
      guards: { owner: siteAdmin, member: siteAdmin },
      place: () => ({ kind: 'site' }),
    }),
  ]
}

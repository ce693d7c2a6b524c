import { signedIn } from '../../../core/http/guards/account.guards.ts'
import type { Guard } from '../../../core/http/guards/guard.ts'
import type { Operation } from '../../../core/http/operation.ts'
import type { Guards } from '../../../core/module.ts'
import type { ActionsOwner } from './secret.store.ts'

/** The differences between the secrets and variables of repositories, organizations and users. */
export interface Level<Access> {
  /** The path of the owner's Actions. */
  readonly path: string
  readonly area: 'repository' | 'organization' | 'user'
  /** A part of the operation ids. */
  readonly word: 'Repo' | 'Org' | 'User'
  /** Used for reads and writes alike, because even names reveal information (behaviour/actions#guards-and-levels). */
  readonly guard: Guard<Access>
  owner(access: Access): ActionsOwner
}

type MakeOperations = <Access>(level: Level<Access>) => Operation[]

/** Builds the same operations for every level (behaviour/actions#guards-and-levels). */
export const operationsOfLevels = (guards: Pick<Guards, 'org' | 'repo'>, make: MakeOperations): Operation[] => [
  ...make({
    path: '/repos/{owner}/{repo}/actions',
    area: 'repository',
    word: 'Repo',
    guard: guards.repo('owner'),
    owner: ({ repo }) => ({ repoId: repo.id }),
  }),
  ...make({
    path: '/orgs/{org}/actions',
    area: 'organization',
    word: 'Org',
    guard: guards.org('owner'),
    owner: ({ org }) => ({ ownerId: org.id }),
  }),
  ...make({
    path: '/user/actions',
    area: 'user',
    word: 'User',
    guard: signedIn,
    owner: ({ account }) => ({ ownerId: account.id }),
  }),
]

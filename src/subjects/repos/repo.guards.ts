import { AccessMode } from '../../access/access-mode.ts'
import { isRepoAdmin, unitMode } from '../../access/repo-access.ts'
import { hasUnit, type Unit } from '../../access/units.ts'
import type { Guard } from '../../http/guards/guard.ts'
import { forbidden, locked, notFound } from '../../platform/errors.ts'
import { asId } from '../../platform/ids.ts'
import { parseInteger } from '../../platform/paging.ts'
import type { RepoInView } from './lookup.ts'
import type { Repos } from './repos.service.ts'

type Role = 'see' | 'read' | 'write' | 'admin' | 'owner'

interface RepoGuardOptions {
  /** The unit that `read` and `write` refer to. */
  readonly unit?: Unit
  /**
   * Refuse with 423 when the repository is archived; `refuse-first`, for files, says so to those without the role and
   * to anonymous callers too (behaviour/auth-and-access#request-pipeline, step 12).
   */
  readonly archived?: 'refuse' | 'refuse-first'
  /** With `refuse-first`: mirrors are refused in the same way (behaviour/git-data-and-transport#common-rules). */
  readonly mirror?: 'refuse'
  /** The text of the 423 after the name of the repository. */
  readonly lockedText?: string
  /** Anonymous callers get 401; implied by write, admin and owner. */
  readonly needsUser?: boolean
  /** Replaces the usual text of the 403; for write only. */
  readonly refusal?: string
  /**
   * COMPAT: below `/user` that 401 comes before the look-up, below `/repos` a hidden repository is 404 first
   * (test/api/social/watching.test.ts).
   */
  readonly signInFirst?: boolean
}

export type RepoGuard = (role: Role, options?: RepoGuardOptions) => Guard<RepoInView>

const READ = 'user should have specific read permission or be a repo admin or a site admin'
const WRITE = 'user should have a permission to write to a repo'
const ADMIN = 'user should be an owner or a collaborator with admin write of a repository'
const OWNER = 'user should be the owner of the repo'

/**
 * `{owner}/{repo}`: hidden or missing 404, renamed moved, then the role, then archived
 * (behaviour/auth-and-access#refusals).
 */
export function createRepoGuard(repos: Repos): RepoGuard {
  return (role, options = {}) => ({
    kind: 'repo',
    describe: `${role}${options.unit ? ` ${options.unit}` : ''}${options.archived ? ', not archived' : ''}`,
    needsUser: options.needsUser ?? !(role === 'see' || role === 'read'),
    looksUpFirst: options.signInFirst !== true,
    resolve: ({ viewer, params }) => repos.getInView(viewer, params['owner']!, params['repo']!),
    privacy: ({ repo }) =>
      repo.isPrivate || repo.owner.visibility !== 'public'
        ? `token scope is limited to public ${options.unit === 'repo.issues' ? 'issues' : 'repos'}`
        : undefined,
    requireOpen: ({ repo }) => {
      const isClosed = repo.isArchived || (options.mirror === 'refuse' && repo.isMirror)
      if (options.archived === 'refuse-first' && isClosed)
        throw locked(`${repo.fullName} ${options.lockedText ?? 'is archived'}`)
    },
    decide: ({ repo, access }) => {
      decideRole(role, options, { repo, access })
      if (options.archived === 'refuse' && repo.isArchived)
        throw locked(`${repo.fullName} ${options.lockedText ?? 'is archived'}`)
    },
    recheck: recheckIn(repos),
  })
}

/** `{id}`: hidden or missing 404. */
export function createRepoByIdGuard(repos: Repos): Guard<RepoInView> {
  return {
    kind: 'repo',
    describe: 'a signed-in user who may see the repository',
    needsUser: true,
    resolve: ({ viewer, params }) => repos.getInViewById(viewer, asId(parseInteger(params['id']))),
    privacy: publicOnlyRefusal,
    recheck: recheckIn(repos),
  }
}

const recheckIn =
  (repos: Repos) =>
  async ({ repo }: RepoInView): Promise<void> => {
    await repos.getById(repo.id)
  }

const publicOnlyRefusal = ({ repo }: RepoInView): string | undefined =>
  repo.isPrivate || repo.owner.visibility !== 'public' ? 'token scope is limited to public repos' : undefined

function decideRole(role: Role, { unit, refusal = WRITE }: RepoGuardOptions, { repo, access }: RepoInView): void {
  const mode = unit === undefined ? access.mode : unitMode(access, unit)
  switch (role) {
    case 'see':
      return
    case 'read':
      if (unit !== undefined && isHiddenWhenOff(unit) && mode < AccessMode.read)
        throw notFound(`${unit} is not readable`)
      if (mode < AccessMode.read && !isRepoAdmin(access)) throw forbidden(READ)
      return
    case 'write':
      if (unit !== undefined && isHiddenWhenOff(unit) && (!hasUnit(repo.units, unit) || mode < AccessMode.read))
        throw notFound(`${unit} is not readable`)
      if (mode < AccessMode.write && !isRepoAdmin(access)) throw forbidden(refusal)
      return
    case 'admin':
      if (!isRepoAdmin(access)) throw forbidden(ADMIN)
      return
    case 'owner':
      if (access.mode < AccessMode.owner) throw forbidden(OWNER)
  }
}

/** Issues, pulls and wiki are 404 when they are off or not readable; code, releases and actions are 403. */
function isHiddenWhenOff(unit: Unit): boolean {
  return unit === 'repo.issues' || unit === 'repo.pulls' || unit === 'repo.wiki'
}

import { authorizeRepo, type RepoLevel, type RepoRefusal } from '../../../core/access/authorize.ts'
import { hasUnit, type Unit, AccessMode, isRepoAdmin, unitMode } from '../../../core/access/repo-access.ts'
import type { Viewer } from '../../../core/access/viewer.ts'
import type { Guard, GuardInput } from '../../../core/http/guards/guard.ts'
import { type DomainError, engineErrors, forbidden } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { parseInteger } from '../../../core/platform/paging.ts'
import type { RepoInView } from './lookup.ts'
import type { Repo } from './repo.store.ts'
import type { Repos } from './repos.service.ts'

interface RepoGuardOptions {
  /** The unit that `read` and `write` refer to. */
  readonly unit?: Unit
  /**
   * Rejects requests with 423 if the repository is archived. `refuse-before-sign-in`, for files, does so before
   * checking the access of the requester (behaviour/auth-and-access#request-pipeline, step 12).
   */
  readonly archived?: 'refuse' | 'refuse-before-sign-in'
  /**
   * In addition to `archived`: pull mirrors are rejected in the same way
   * (behaviour/git-data-and-transport#common-rules).
   */
  readonly mirror?: 'refuse'
  /** Creates the 423 for a repository with this name. */
  readonly whenLocked?: (repo: string) => DomainError
  /** Anonymous callers get 401; implied by write, admin and owner. */
  readonly needsUser?: boolean
  /** Replaces the default message of the 403; only for write. */
  readonly refusal?: string
  /**
   * The objects that the 403 of public-only tokens names, after the scope of the operation; `issues` for their unit.
   */
  readonly what?: 'notifications'
  /**
   * COMPAT: below `/user` the 401 precedes the lookup, below `/repos` a hidden repository is 404 first
   * (test/repositories/social/watching.test.ts).
   */
  readonly signInBeforeLookup?: boolean
  /** Replaces the lookup by `{owner}/{repo}`. Throws NotFound and Moved. */
  find?(viewer: Viewer, params: GuardInput['params']): Promise<RepoInView>
}

export type RepoGuard = (level: RepoLevel, options?: RepoGuardOptions) => Guard<RepoInView>

const LEVELS = {
  known: errors.repoReadRequired,
  see: errors.repoReadRequired,
  read: errors.repoReadRequired,
  write: errors.repoWriteRequired,
  admin: errors.repoAdminRequired,
  owner: errors.repoOwnerRequired,
} as const

/**
 * Guards `{owner}/{repo}`: `access/authorize.ts` checks, this maps the result to the responses of the API. Hidden or
 * missing is 404, renamed is moved (behaviour/auth-and-access#refusals).
 */
export function createRepoGuard(repos: Repos): RepoGuard {
  return (level, options = {}) => {
    const { unit, archived, mirror, signInBeforeLookup = false } = options
    const needsUser = options.needsUser ?? !(level === 'known' || level === 'see' || level === 'read')
    const find = options.find ?? ((viewer, { owner, repo }) => repos.getInView(viewer, owner!, repo!))
    const need = {
      level,
      signIn: needsUser,
      adminWithoutUnit: unit !== undefined && !isHiddenWhenOff(unit),
      ...(unit && { unit }),
      ...(archived && { archived }),
      ...(mirror && { mirror }),
    } as const
    return {
      kind: 'repo',
      describe: `${level}${unit ? ` ${unit}` : ''}${archived ? ', not archived' : ''}`,
      needsUser,
      hideBeforeAuth: !signInBeforeLookup,
      async resolve({ viewer, params }) {
        const found = await find(viewer, params)
        const decision = authorizeRepo(viewer, { kind: 'found', ...found }, need)
        switch (decision.kind) {
          case 'allowed':
            return found
          case 'signIn':
            throw engineErrors.tokenRequired()
          case 'forbidden':
            throw refusalOf(decision.reason, { ...options, level, repo: found.repo })
          default:
            throw errors.repoNotFound()
        }
      },
      recheck: async ({ repo }) => void (await repos.getById(repo.id)),
    }
  }
}

/** Guards `{id}`: hidden or missing is 404. */
export function createRepoByIdGuard(repoGuard: RepoGuard, repos: Repos): Guard<RepoInView> {
  return {
    ...repoGuard('see', {
      needsUser: true,
      signInBeforeLookup: true,
      find: (viewer, { id }) => repos.getInViewById(viewer, asId(parseInteger(id))),
    }),
    describe: 'a signed-in user who may see the repository',
  }
}

type Refused = Pick<RepoGuardOptions, 'unit' | 'whenLocked' | 'refusal' | 'what'> & {
  readonly level: RepoLevel
  readonly repo: Repo
}

function refusalOf(reason: RepoRefusal, { unit, level, repo, whenLocked, refusal, what }: Refused): DomainError {
  switch (reason) {
    case 'public-only':
      return errors.tokenPublicOnly(what ?? (unit === 'repo.issues' ? 'issues' : 'repos'))
    case 'archived':
    case 'mirror':
      return (whenLocked ?? errors.repoArchived)(repo.fullName)
    default:
      if (unit !== undefined && reason !== 'level' && isHiddenWhenOff(unit)) return errors.unitNotReadable(unit)
      if (reason === 'unit-off' && refusal === undefined) return unreadableUnit(repo, unit!)
      return refusal === undefined ? LEVELS[level]() : forbidden(refusal)
  }
}

/** The 403 for a unit that cannot be read: it is disabled, or the requester has no access to it. */
export const unreadableUnit = (repo: Pick<Repo, 'units'>, unit: Unit): DomainError =>
  hasUnit(repo.units, unit) ? errors.repoReadRequired() : errors.unitDisabled(unit.slice('repo.'.length))

const HIDDEN_WHEN_OFF: readonly Unit[] = ['repo.issues', 'repo.projects', 'repo.pulls', 'repo.wiki']

/** These are 404 if they are disabled or not readable; code, releases and actions are 403. */
function isHiddenWhenOff(unit: Unit): boolean {
  return HIDDEN_WHEN_OFF.includes(unit)
}

export type TrackerGuard = (intent: 'read' | 'write') => Guard<RepoInView>

/**
 * Guards resources that issues and pull requests share, such as labels. Every viewer of `{owner}/{repo}` may read them,
 * even if both units are disabled; writers of either unit and administrators may change them, also in archived
 * repositories (behaviour/issues#labels, behaviour/auth-and-access#refusals).
 */
export function createTrackerGuard(repoGuard: RepoGuard): TrackerGuard {
  return (intent) => {
    const see = repoGuard('see', { unit: 'repo.issues', needsUser: intent === 'write' })
    if (intent === 'read') return { ...see, describe: 'callers that may see the repository' }
    return {
      ...see,
      describe: 'write repo.issues or repo.pulls',
      decide({ access }) {
        const mode = Math.max(unitMode(access, 'repo.issues'), unitMode(access, 'repo.pulls'))
        if (mode < AccessMode.write && !isRepoAdmin(access)) throw errors.repoWriteRequired()
      },
    }
  }
}

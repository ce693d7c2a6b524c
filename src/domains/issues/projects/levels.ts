import { AccessMode } from '../../../core/access/repo-access.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { signedIn } from '../../../core/http/guards/account.guards.ts'
import { type Guard, nested } from '../../../core/http/guards/guard.ts'
import type { Operation } from '../../../core/http/operation.ts'
import { forbidden } from '../../../core/platform/errors.ts'
import type { Guards } from '../../../core/module.ts'
import { errors } from '../../errors.ts'
import { userQueries } from '../../accounts/index.ts'
import type { RepoInView } from '../../repositories/index.ts'
import { allowsProjects } from './project.policy.ts'
import type { ProjectHome } from './project-views.ts'
import { loadOwnerModes } from './rights/load-rights.ts'

/** The repository, user or organization of the path. */
interface HomeInView {
  readonly home: ProjectHome
}

/** The differences between the projects of repositories, organizations and users. */
export interface Level {
  readonly path: string
  readonly area: 'repository' | 'organization' | 'user'
  /** A part of the operation ids. */
  readonly prefix: 'repo' | 'org' | 'userCurrent'
  readonly guards: Readonly<Record<'read' | 'write', Guard<HomeInView>>>
  /** Statuses that only writes in a repository answer. */
  readonly locked: readonly number[]
}

interface LevelDeps {
  readonly read: Db
  readonly guards: Pick<Guards, 'org' | 'repo'>
}

/** Builds the same operations for every level (behaviour/issues#projects). */
export const operationsOfLevels = (deps: LevelDeps, make: (level: Level) => Operation[]): Operation[] =>
  [repoLevel(deps), orgLevel(deps), userLevel(deps)].flatMap(make)

function repoLevel({ guards }: LevelDeps): Level {
  const homeOf = (guard: Guard<RepoInView>): Guard<HomeInView> =>
    nested(guard, {
      resolve({ repo }) {
        if (!allowsProjects(repo, 'repo')) throw errors.unitNotReadable('repo.projects')
        return { home: { repo } }
      },
    })
  const unit = 'repo.projects'
  return {
    path: '/repos/{owner}/{repo}/projects',
    area: 'repository',
    prefix: 'repo',
    guards: {
      read: homeOf(guards.repo('read', { unit })),
      write: homeOf(guards.repo('write', { unit, archived: 'refuse' })),
    },
    locked: [423],
  }
}

function orgLevel({ read, guards }: LevelDeps): Level {
  return {
    path: '/orgs/{org}/projects',
    area: 'organization',
    prefix: 'org',
    guards: {
      read: nested(guards.org('see'), { resolve: ({ org }) => ({ home: { account: org } }) }),
      write: nested(guards.org('see', { needsUser: true }), {
        describe: 'owners, and members of teams with write access to repo.projects',
        resolve: async ({ org }, { viewer }) => ({
          home: { account: org },
          mode: (await loadOwnerModes(read, viewer, [org])).get(org.id)!,
        }),
        decide({ mode }) {
          if (mode < AccessMode.write) throw forbidden('write access to the projects of the organization is required')
        },
      }),
    },
    locked: [],
  }
}

function userLevel({ read }: LevelDeps): Level {
  const own: Guard<SignedIn & HomeInView> = nested(signedIn, {
    async resolve({ account }) {
      const user = await userQueries.findById(read, account.id)
      if (user === undefined) throw errors.userNotFound()
      return { home: { account: user } }
    },
  })
  return {
    path: '/user/projects',
    area: 'user',
    prefix: 'userCurrent',
    guards: { read: own, write: own },
    locked: [],
  }
}

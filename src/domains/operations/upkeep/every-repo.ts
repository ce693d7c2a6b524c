import type { Core } from '../../../core/module.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import { type Repo, eachRepo, findRepoById } from '../../repositories/index.ts'

export type EveryRepoDeps = Pick<Core, 'database' | 'git' | 'log'>

interface Work {
  readonly signal: AbortSignal
  /** The log message for a repository on which git fails. */
  readonly failure: string
  /** All repositories where absent. */
  readonly ids?: readonly RepoId[] | undefined
  run(repo: Repo): Promise<void>
}

/** Looks for damage in every repository; what it finds is logged. */
export const checkEveryRepo = (deps: EveryRepoDeps, signal: AbortSignal): Promise<void> =>
  forEach(deps, {
    signal,
    failure: 'repository not checked',
    async run(repo) {
      const lines = await deps.git.check(repo, 'reachable')
      if (lines.length > 0)
        deps.log.error({ repo: repo.id, name: repo.fullName, lines }, 'git fsck found damage in a repository')
    },
  })

/** Packs repositories anew and expires what nothing reaches any more; all of them unless `ids` says which. */
export const collectGarbage = (deps: EveryRepoDeps, signal: AbortSignal, ids?: readonly RepoId[]): Promise<void> =>
  forEach(deps, {
    ids,
    signal,
    failure: 'repository not collected',
    async run(repo) {
      await deps.git.maintain(repo, 'full')
    },
  })

/** Deletes the programs in the hooks directories of repositories and wikis. */
export const deleteHooksOfEveryRepo = (deps: EveryRepoDeps, signal: AbortSignal): Promise<void> =>
  forEach(deps, {
    signal,
    failure: 'repository left out',
    async run({ storage }) {
      await deps.git.removeHooks(storage)
      await deps.git.removeHooks(`${storage}.wiki`)
    },
  })

const forEach = ({ database, log }: EveryRepoDeps, { run, ...options }: Work): Promise<void> =>
  eachRepo({ database, log, ...options }, async (id) => {
    const repo = await findRepoById(database.read, id)
    if (repo !== undefined) await run(repo)
  })

import type { Database } from '../../db/database.ts'
import { walkRepoIds } from '../../db/stores/repo-walk.store.ts'
import { findRepoById, type Repo } from '../../db/stores/repo.store.ts'
import type { Languages, Pushes } from '../../domain/code/index.ts'
import type { Git, PackCache } from '../../git/index.ts'
import type { Logger } from '../../platform/logger.ts'
import type { JobHandlers } from '../index.ts'
import { passing } from './site-upkeep.job.ts'

export interface OnDemandDeps {
  readonly database: Database
  readonly git: Git
  readonly languages: Languages
  readonly log: Logger
  readonly pushes: Pushes
  readonly archiveCache: PackCache | undefined
}

/** Work that administrators start when something on the machine is not as it should be; nothing starts it by the clock. */
export function onDemandJobs({ database, git, languages, log, pushes, archiveCache }: OnDemandDeps): Pick<JobHandlers, 'archives.clear' | 'repos.reinit' | 'repos.relicense' | 'repos.remove_hooks'> {
  const everyRepo = async (signal: AbortSignal, work: (repo: Repo) => Promise<void>): Promise<void> => {
    for await (const id of walkRepoIds(database.read)) {
      signal.throwIfAborted()
      const repo = await findRepoById(database.read, id)
      if (repo !== undefined) await passing(() => work(repo), (error) => log.error({ err: error, repo: id }, 'repository left out'))
    }
  }
  return {
    async 'archives.clear'() {
      archiveCache?.clear()
    },
    'repos.reinit': (_, signal) =>
      everyRepo(signal, async (repo) => {
        if (await git.repoExists(repo.storage)) return
        await git.createRepo(repo.storage, repo)
        log.warn({ repo: repo.id, name: repo.fullName }, 'the git data was missing; made an empty repository in its place')
        await pushes.reconcile(repo.id)
      }),
    'repos.relicense': (_, signal) => everyRepo(signal, (repo) => languages.refreshLicenses(repo.id)),
    'repos.remove_hooks': (_, signal) =>
      everyRepo(signal, async ({ storage }) => {
        await git.removeHooks(storage)
        await git.removeHooks(`${storage}.wiki`)
      }),
  }
}

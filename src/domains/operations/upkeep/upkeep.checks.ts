import type { Database } from '../../../core/db/database.ts'
import type { Git } from '../../../core/git/index.ts'
import { countJobs } from '../../../core/jobs/index.ts'
import type { DoctorCheck } from '../../../core/module.ts'
import { type CheckReposDeps, checkStoredRepos } from './check-repos.ts'
import { findWrongCounters } from './counter.store.ts'
import { recountWrong } from './recount.ts'

/** Checks the integrity of the database, and every repository against it. */
export const createUpkeepChecks = (deps: CheckReposDeps): DoctorCheck[] => [
  checkDatabase(deps.database),
  checkCounters(deps.database),
  { name: 'repositories', run: (options) => checkStoredRepos(deps, options) },
  checkJobs(deps.database),
  cleanUp(deps.git),
]

const checkDatabase = (database: Database): DoctorCheck => ({
  name: 'database',
  async *run() {
    try {
      await database.dialect.checkIntegrity(database.connections)
    } catch (error) {
      yield { what: `${(error as Error).message}. Restore a backup.`, state: 'problem' }
    }
  },
})

const checkCounters = (database: Database): DoctorCheck => ({
  name: 'counters',
  async *run({ fix }) {
    const wrong = await findWrongCounters(database.read)
    if (fix && wrong.length > 0) await recountWrong(database)
    for (const { table, column, id, stored, counted } of wrong)
      yield {
        what: `${table} ${id}: ${column} says ${stored}, there are ${counted}`,
        state: fix ? 'fixed' : 'problem',
      }
  },
})

const checkJobs = (database: Database): DoctorCheck => ({
  name: 'jobs',
  async *run() {
    const dead = await countJobs(database.read, ['dead'])
    if (dead > 0) yield { what: `${dead} background jobs were given up after their last attempt`, state: 'note' }
  },
})

const cleanUp = (git: Git): DoctorCheck => ({
  name: 'leftovers',
  fixOnly: true,
  async *run() {
    const { deleted, pools } = await git.cleanUp()
    if (deleted + pools > 0)
      yield { what: `removed ${deleted} leftover directories and ${pools} unused object pools`, state: 'fixed' }
  },
})

import type { Database } from '../../db/database.ts'
import type { Git } from '../../git/index.ts'
import { countJobs } from '../../jobs/job.store.ts'
import type { Pushes } from '../pushes/accept-push.ts'
import type { Wikis } from '../wiki/wikis.service.ts'
import { checkStoredBlobs, type StoredBlobs } from './check-blobs.ts'
import { checkStoredRepos, type RepoCheckOptions, type RepoFinding } from './check-repos.ts'
import { findWrongCounters } from './counter.store.ts'
import { recountWrong } from './recount.ts'

/** Something that a check found. */
export interface Finding {
  readonly what: string
  /** `note`: nothing is wrong, an operator may want to know. */
  readonly state: 'fixed' | 'note' | 'problem'
}

export interface CheckResult {
  readonly name: string
  readonly findings: readonly Finding[]
}

/** `fix` repairs what can be repaired without a choice: rows from refs, counters from rows, leftovers. */
export type DoctorOptions = RepoCheckOptions

export interface Doctor {
  /** One result a check, as soon as it is done. */
  examine(options: DoctorOptions): AsyncGenerator<CheckResult, void, undefined>
}

export interface DoctorDeps {
  readonly database: Database
  readonly git: Git
  readonly pushes: Pushes
  readonly wikis: Pick<Wikis, 'inspect' | 'reconcile'>
  readonly blobs: StoredBlobs
}

/** Integrity of the database, of every repository, and of one against the other. */
export function createDoctor(deps: DoctorDeps): Doctor {
  return {
    async *examine(options) {
      yield { name: 'database', findings: await checkDatabase(deps.database) }
      yield { name: 'counters', findings: await checkCounters(deps.database, options.fix) }
      yield { name: 'repositories', findings: (await checkStoredRepos(deps, options)).map(describe) }
      yield { name: 'files', findings: await checkFiles(deps, options.quick) }
      yield { name: 'jobs', findings: await checkJobs(deps.database) }
      if (options.fix) yield { name: 'leftovers', findings: await cleanUp(deps.git) }
    },
  }
}

async function checkDatabase(database: Database): Promise<Finding[]> {
  try {
    await database.dialect.checkIntegrity(database.connections)
    return []
  } catch (error) {
    return [{ what: `${(error as Error).message}. Restore a backup.`, state: 'problem' }]
  }
}

async function checkCounters(database: Database, fix: boolean): Promise<Finding[]> {
  const wrong = await findWrongCounters(database.read)
  if (fix && wrong.length > 0) await recountWrong(database)
  return wrong.map(({ table, column, id, stored, counted }) => ({
    what: `${table} ${id}: ${column} says ${stored}, there are ${counted}`,
    state: fix ? 'fixed' : 'problem',
  }))
}

async function checkFiles({ database, blobs }: DoctorDeps, quick: boolean): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const what of checkStoredBlobs(database.read, blobs, quick)) findings.push({ what, state: 'problem' })
  return findings
}

const describe = ({ repo, what, state }: RepoFinding): Finding => ({ what: `${repo}: ${what}`, state })

async function checkJobs(database: Database): Promise<Finding[]> {
  const dead = await countJobs(database.read, ['dead'])
  return dead === 0 ? [] : [{ what: `${dead} background jobs were given up after their last attempt`, state: 'note' }]
}

async function cleanUp(git: Git): Promise<Finding[]> {
  const { deleted, pools } = await git.cleanUp()
  return deleted + pools === 0
    ? []
    : [{ what: `removed ${deleted} leftover directories and ${pools} unused object pools`, state: 'fixed' }]
}

import { isSiteAdmin, type SignedIn } from '../../../core/access/viewer.ts'
import { forbidden, invalid } from '../../../core/platform/errors.ts'
import { type Repo, repoCreation, repoQueries } from '../../repositories/index.ts'
import { toDomainError } from './import-errors.ts'
import { requireQuota } from './import-rows.ts'
import { findMappedUsers } from './mapped-users.ts'
import type { ImportDeps, ImportOwner, NewImport } from './new-import.ts'
import { type ImportRequest, readRequest } from './read-request.ts'
import {
  countRunningImports,
  insertRepoImport,
  pruneRepoImports,
  type RepoImport,
} from './records/repo-import.store.ts'
import { insertUnfinishedImport } from './records/unfinished-import.store.ts'
import { sealRequest } from './request-box.ts'

const KEPT_MS = 30 * 24 * 3_600_000
const MAX_RUNNING = 20

interface Beginning extends ImportOwner {
  readonly input: NewImport
  /** A job imports; otherwise this process, for a request that waits. */
  readonly isAsync: boolean
}

/**
 * Checks the request and records the import, which takes its name. Sends no request. Throws Invalid, Forbidden and
 * Conflict with the messages of the API (behaviour/repositories#imports-and-pull-mirrors).
 */
export async function beginImport(deps: ImportDeps, { actor, owner, input, isAsync }: Beginning): Promise<RepoImport> {
  const { database, clock, jobs, processes, secrets } = deps
  try {
    const request = await readRequest(deps, input)
    repoCreation.requireName(input.name, 'RepoName')
    await findMappedUsers(database.read, actor, input)
    if (input.changed === undefined) await requireQuota(deps, actor, owner)
    const found = await repoQueries.findByName(database.read, owner, input.name)
    if (input.changed !== undefined) requireCopy(actor, request, found)
    else if (found !== undefined) throw repoCreation.nameConflict()
    if (isAsync && (await countRunningImports(database.read, actor.account.id)) >= MAX_RUNNING)
      throw invalid(`no more than ${MAX_RUNNING} imports of one account run at once`)
    const at = clock.now()
    const storage = repoCreation.newStorageKey()
    const warnings = request.leftOut === undefined ? [] : [request.leftOut]
    return await database.transaction(async (tx) => {
      await pruneRepoImports(tx, at - KEPT_MS)
      const begun = await insertRepoImport(tx, {
        storage,
        is_async: isAsync ? 1 : 0,
        actor_id: actor.account.id,
        owner_id: owner.id,
        name: input.name,
        request: isAsync ? sealRequest(secrets, actor, input) : '',
        warnings: JSON.stringify(warnings),
        warnings_count: warnings.length,
        at,
      })
      if (isAsync) await jobs.enqueue(tx, 'imports.run', { import_id: begun.id }, { key: String(begun.id) })
      else await insertUnfinishedImport(tx, { storage, started_at: at, holder: processes.self })
      return begun
    })
  } catch (error) {
    throw toDomainError(deps, error)
  }
}

/** Throws Forbidden and Invalid unless changes can be brought into the repository. */
function requireCopy(actor: SignedIn, { forge }: ImportRequest, found: Repo | undefined): void {
  if (!isSiteAdmin(actor)) throw forbidden('only site administrators may bring changes into a repository')
  if (found === undefined || found.isMirror || found.originalUrl === undefined)
    throw invalid('changes: there is no repository with this name that was imported')
  if (!CHANGES_FROM.has(forge.name)) throw invalid(`changes: they cannot be read from ${forge.name}`)
}

const CHANGES_FROM: ReadonlySet<string> = new Set(['forgejo', 'gitea'])

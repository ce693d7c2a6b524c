import { isOrgOwner } from '../../../core/access/repo-grants.store.ts'
import { isSiteAdmin, type SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { listUnfinishedJobs } from '../../../core/jobs/index.ts'
import { conflict, engineErrors, forbidden, invalid, isDomainError, notFound } from '../../../core/platform/errors.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { InFlight } from '../../../core/platform/concurrency/in-flight.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { type User, userQueries, ownerQueries } from '../../accounts/index.ts'
import { beginImport } from './begin-import.ts'
import { isInterruption, runImport } from './import-repo.ts'
import { abandonImport } from './import-rows.ts'
import { createImportRuns } from './import-runs.ts'
import type { ImportedRepo, ImportDeps, ImportOwner, NewImport } from './new-import.ts'
import {
  cancelRepoImport,
  findRepoImport,
  listRepoImports,
  listRunningImports,
  type RepoImport,
} from './records/repo-import.store.ts'
import { listUnfinishedImports } from './records/unfinished-import.store.ts'
import { openRequest } from './request-box.ts'

/** The maximum duration of an import; older records belong to imports that have ended in any process. */
const LONGEST_MS = 24 * 3_600_000
/** Milliseconds after which a canceled import that no process runs is deleted. */
const CANCEL_DELAY = 2_000

interface ImportTarget {
  /** Name of the owner; if absent `ownerId`, if both are absent the actor. */
  readonly owner?: string | undefined
  readonly ownerId?: number | undefined
}

export type Imports = ReturnType<typeof createImports>

export function createImports(deps: ImportDeps) {
  const { database, jobs, log } = deps
  const inFlight = new InFlight()
  const runs = createImportRuns(deps.processes)

  /** Administrators see every import, others those that they started. */
  async function find(viewer: SignedIn, id: number): Promise<RepoImport | undefined> {
    const found = await findRepoImport(database.read, id)
    return found !== undefined && (isSiteAdmin(viewer) || found.actorId === viewer.account.id) ? found : undefined
  }
  async function get(viewer: SignedIn, id: number): Promise<RepoImport> {
    const found = await find(viewer, id)
    if (found === undefined) throw notFound('the import does not exist')
    return found
  }

  return {
    /**
     * Imports a repository; resolves when the import is complete. It continues if the client disconnects and is aborted
     * if the server stops. Throws Invalid, Forbidden, Conflict and Unavailable.
     */
    async importRepo(actor: SignedIn, target: ImportTarget, input: NewImport): Promise<ImportedRepo> {
      const owner = await chooseOwner(deps, actor, target)
      const begun = await beginImport(deps, { actor, owner, input, isAsync: false })
      const renew = async (): Promise<ImportOwner> => {
        const renewed = await userQueries.reloadActing(database.read, actor)
        if (renewed === undefined) throw engineErrors.tokenRequired()
        return { actor: renewed, owner: await chooseOwner(deps, renewed, { ownerId: owner.id }) }
      }
      try {
        return await inFlight.run((stopping) =>
          runs.run(begun, stopping, (signal) => runImport(deps, { actor, owner, input, begun, signal, renew })),
        )
      } catch (error) {
        throw inFlight.isStopping ? engineErrors.serverStopping() : error
      }
    },
    /** Starts an import that a job runs, which continues after a restart of the server. */
    async start(actor: SignedIn, target: ImportTarget, input: NewImport): Promise<RepoImport> {
      const owner = await chooseOwner(deps, actor, target)
      return beginImport(deps, { actor, owner, input, isAsync: true })
    },
    /** Runs an asynchronous import to its end, with the present rights of the account and the token that started it. */
    async run(id: number, stopping: AbortSignal): Promise<void> {
      const begun = await findRepoImport(database.read, id)
      if (begun?.state !== 'running') return
      if (begun.isCanceled) return abandonImport(deps, begun.storage, endOf(begun, undefined))
      try {
        const started = await renewRights(deps, begun)
        const renew = (): Promise<ImportOwner> => renewRights(deps, begun)
        await runs.run(begun, stopping, (signal) => runImport(deps, { ...started, begun, signal, renew }))
      } catch (error) {
        if (isInterruption(stopping, error)) throw error
        log[isDomainError(error) ? 'info' : 'error']({ err: error, import: id }, 'import of a repository failed')
        await abandonImport(deps, begun.storage, { state: 'failed', error: messageOf(error) })
      }
    },
    /** Ends an asynchronous import whose job was given up. Does nothing if it has ended. */
    async fail(id: number, error: unknown): Promise<void> {
      const begun = await findRepoImport(database.read, id)
      if (begun?.state === 'running') await abandonImport(deps, begun.storage, endOf(begun, error))
    },
    find,
    get,
    list: (actor: SignedIn, paging: Paging): Promise<Page<RepoImport>> =>
      listRepoImports(database.read, actor.account.id, paging),
    /** Cancels a running import and deletes what it has imported. Throws NotFound, and Conflict if it has ended. */
    async cancel(actor: SignedIn, id: number): Promise<void> {
      const { state, isAsync } = await get(actor, id)
      if (state !== 'running') throw conflict('the import has ended')
      await database.transaction(async (tx) => {
        await cancelRepoImport(tx, id)
        const options = { key: `cancel ${id}`, delay: CANCEL_DELAY }
        if (isAsync) await jobs.enqueue(tx, 'imports.run', { import_id: id }, options)
      })
      runs.cancel(id)
    },
    /** Names of the owners of the new repositories, by id. */
    async ownerNames(imports: readonly RepoImport[]): Promise<ReadonlyMap<number, string>> {
      const ids = [...new Set(imports.map(({ ownerId }) => ownerId))]
      return new Map((await userQueries.listByIds(database.read, ids)).map(({ id, name }) => [id, name]))
    },
    /**
     * Deletes the remains of killed synchronous imports that began before this time, and asynchronous ones that no
     * longer have a job. True if there were any.
     */
    async deleteUnfinished(startedBefore: number): Promise<boolean> {
      const unfinished = await listUnfinishedImports(database.read, startedBefore)
      const ended = new Set(deps.processes.ended(unfinished.map(({ holder }) => holder)))
      const isKilled = ({ holder, started_at }: (typeof unfinished)[number]): boolean =>
        ended.has(holder) ||
        (holder === '' && !deps.processes.acrossMachines) ||
        started_at < deps.clock.now() - LONGEST_MS
      // NOTE: if the clock was set back, the list includes running imports of this process.
      const dead = unfinished.filter((row) => !runs.has(row.storage) && isKilled(row))
      for (const { storage } of dead)
        await abandonImport(deps, storage, { state: 'failed', error: 'the server was stopped during the import' })
      const givenUp = await listWithoutJob(database.read)
      for (const begun of givenUp) await abandonImport(deps, begun.storage, endOf(begun, undefined))
      return dead.length + givenUp.length > 0
    },
    /** Aborts running imports and waits for them. */
    async close(): Promise<void> {
      runs.close()
      await inFlight.close()
    },
  }
}

/** Asynchronous imports that no job will end: it is dead, and its process was killed before it ended the import. */
async function listWithoutJob(db: Db): Promise<RepoImport[]> {
  // NOTE: first, because jobs are deleted after their imports have ended.
  const imports = await listRunningImports(db)
  const jobs = await listUnfinishedJobs(db, ['imports.run'])
  const ids = new Set(jobs.map(({ payload }) => (JSON.parse(payload) as { readonly import_id: number }).import_id))
  return imports.filter(({ id }) => !ids.has(id))
}

const endOf = ({ isCanceled }: RepoImport, error: unknown) =>
  isCanceled ? ({ state: 'canceled', error: '' } as const) : ({ state: 'failed', error: messageOf(error) } as const)

const messageOf = (error: unknown): string =>
  isDomainError(error) ? error.message : 'the import failed because of an error of this server'

/** The request of an asynchronous import with its account, as they are now. Throws Forbidden and Invalid. */
async function renewRights(deps: ImportDeps, { actorId, ownerId, request }: RepoImport) {
  const { input, restriction } = openRequest(deps.secrets, request)
  const actor = await userQueries.loadActing(deps.database.read, actorId, restriction)
  if (actor === undefined) throw forbidden('the account that started the import may not use the server any more')
  return { actor, owner: await chooseOwner(deps, actor, { ownerId }), input }
}

/**
 * Administrators import for every account; others for themselves and the organizations that they own
 * (behaviour/repositories#imports-and-pull-mirrors).
 */
async function chooseOwner(
  { database: { read } }: ImportDeps,
  actor: SignedIn,
  { owner: name = '', ownerId = 0 }: ImportTarget,
): Promise<User> {
  const own = name === '' && ownerId === 0
  const byId = name === '' ? await userQueries.findById(read, own ? actor.account.id : asId(ownerId)) : undefined
  const owner = await ownerQueries.getInView(read, actor, byId?.name ?? name).catch((error: unknown) => {
    throw isDomainError(error) ? invalid(`user does not exist [uid: ${ownerId}, name: ${name}]`) : error
  })
  if (isSiteAdmin(actor) || owner.id === actor.account.id) return owner
  if (owner.kind !== 'organization') throw forbidden('Given user is not an organization.')
  if (!(await isOrgOwner(read, owner.id, actor.account.id))) throw forbidden('Given user is not owner of organization.')
  return owner
}

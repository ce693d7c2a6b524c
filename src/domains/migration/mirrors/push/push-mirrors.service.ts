import type { Core } from '../../../../core/module.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { badRequest, forbidden, notFound, unavailable } from '../../../../core/platform/errors.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { InFlight } from '../../../../core/platform/concurrency/in-flight.ts'
import { KeyedMutex } from '../../../../core/platform/concurrency/keyed-mutex.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import type { LfsTransfers } from '../../../code/index.ts'
import { type Repo, findRepoById } from '../../../repositories/index.ts'
import { type NewPushMirror, planPushMirror } from './plan-push-mirror.ts'
import { pushAll } from './push-all.ts'
import {
  deletePushMirror,
  findPushMirror,
  findPushMirrorByName,
  insertPushMirror,
  listPushMirrorIds,
  listPushMirrors,
  type PushMirror,
  updatePushMirror,
} from './push-mirror.store.ts'
import type { RemoteAccess } from '../remote-access.ts'
import type { SharedLocks } from '../../../../core/platform/concurrency/lock-table.ts'

interface PushMirrorDeps extends Pick<Core, 'database' | 'git' | 'jobs' | 'clock' | 'log'> {
  readonly access: RemoteAccess
  /** Of all processes; undefined where this is the only one. */
  readonly locks: SharedLocks | undefined
  /** Undefined if LFS is disabled. */
  readonly lfsTransfers: LfsTransfers | undefined
  readonly settings: {
    readonly enabled: boolean
    readonly creationEnabled: boolean
    /** Milliseconds. */
    readonly minInterval: number
  }
}

export type PushMirrors = ReturnType<typeof createPushMirrors>

/**
 * Push mirrors: remote copies of a repository (behaviour/repositories#push-mirrors). Methods for requests throw
 * BadRequest if mirrors are disabled.
 */
export function createPushMirrors(deps: PushMirrorDeps) {
  const { database, settings } = deps
  const inFlight = new InFlight()
  const pushing = new KeyedMutex({ name: 'push mirrors', locks: deps.locks })
  const requireEnabled = (): void => {
    if (!settings.enabled) throw badRequest('Mirror feature is disabled')
  }
  const sync = (id: number, signal: AbortSignal): Promise<string> =>
    pushing.run(String(id), () => push(deps, id, signal))
  return {
    /** Pushes to one mirror; stores and returns the failure, empty for none. For jobs. */
    sync: (id: number, signal: AbortSignal): Promise<string> =>
      settings.enabled ? sync(id, signal) : Promise.resolve(''),
    /** Aborts the pushes that requests wait for. */
    close: (): Promise<void> => inFlight.close(),
    /** Enqueues pushes to the mirrors that receive every change. For events. */
    async enqueuePushes(tx: Tx, repoId: RepoId): Promise<void> {
      if (!settings.enabled) return
      for (const id of await listPushMirrorIds(tx, repoId, { onCommit: true }))
        await deps.jobs.enqueue(tx, 'push_mirror.sync', { push_mirror_id: id }, { key: String(id) })
    },
    async list(repo: Repo, paging: Paging): Promise<Page<PushMirror>> {
      requireEnabled()
      return listPushMirrors(database.read, repo.id, paging)
    },
    /** Throws NotFound. */
    async get(repo: Repo, remoteName: string): Promise<PushMirror> {
      requireEnabled()
      const mirror = await findPushMirrorByName(database.read, repo.id, remoteName)
      if (mirror === undefined) throw notFound('push mirror does not exist')
      return mirror
    },
    /** Throws BadRequest for a bad address or interval, Unauthenticated for a host that is not allowed. */
    async create(repo: Repo, input: NewPushMirror): Promise<PushMirror> {
      requireEnabled()
      if (!settings.creationEnabled)
        throw forbidden('the site administrator has disabled the creation of new push mirrors')
      const plan = await planPushMirror({ ...deps, minInterval: settings.minInterval }, input)
      const at = deps.clock.now()
      // The next scheduled run does the first push.
      const row = { ...plan, repo_id: repo.id, next_sync_at: plan.interval === 0 ? 0 : at, created_at: at }
      const id = await database.transaction((tx) => insertPushMirror(tx, row))
      return (await findPushMirror(database.read, id))!
    },
    /** Does nothing if there is no such mirror. */
    async delete(repo: Repo, remoteName: string): Promise<void> {
      requireEnabled()
      await database.transaction((tx) => deletePushMirror(tx, repo.id, remoteName))
    },
    /** Pushes to all mirrors in turn and returns their number; throws Unavailable at the first failure. */
    async syncAll(repo: Repo): Promise<number> {
      requireEnabled()
      const ids = await listPushMirrorIds(database.read, repo.id)
      for (const id of ids) {
        const problem = await inFlight
          .run((signal) => sync(id, signal))
          .catch((error: unknown) => {
            throw inFlight.isStopping ? unavailable('the server is stopping') : error
          })
        if (problem !== '') throw unavailable(`The push to a mirror failed: ${problem}`)
      }
      return ids.length
    },
  }
}

async function push(deps: PushMirrorDeps, id: number, signal: AbortSignal): Promise<string> {
  const { database, clock, log } = deps
  const mirror = await findPushMirror(database.read, id)
  const repo = mirror && (await findRepoById(database.read, mirror.repoId))
  if (mirror === undefined || repo === undefined || repo.isArchived) return ''
  const { isPushed, lfsSent, problem } = await pushAll(deps, { repo, mirror, signal })
  if (problem !== '') log.warn({ repo: repo.id, pushMirror: id, problem }, 'push mirror not updated')
  const now = clock.now()
  const times = { ...(isPushed && { pushed_at: now }), next_sync_at: mirror.interval === 0 ? 0 : now + mirror.interval }
  await database.transaction((tx) => updatePushMirror(tx, id, { ...times, lfs_sent: lfsSent, last_error: problem }))
  return problem
}

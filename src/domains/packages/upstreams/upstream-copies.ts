import { buffer } from 'node:stream/consumers'
import type { Core } from '../../../core/module.ts'
import { KeyedMutex } from '../../../core/platform/concurrency/lock-table.ts'
import { unavailable } from '../../../core/platform/errors.ts'
import { TaskError, type TaskKind } from '../../../core/platform/isolation/index.ts'
import { errors } from '../../errors.ts'
import type { User } from '../../accounts/index.ts'
import type { PackageContents, ReceivedFile } from '../packages/package-contents.service.ts'
import type { IndexAnswer, IndexToRead } from './read-index.task.ts'
import type { UpstreamClient } from './upstream-client.ts'
import type { IndexContext, UpstreamDocument } from './upstream-format.ts'
import { saveUpstreamFile, type UpstreamFile } from './upstream-file.store.ts'
import type { Upstream } from './upstream.store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const READ_INDEX: TaskKind<IndexToRead, IndexAnswer> = {
  url: new URL('read-index.task.ts', import.meta.url).href,
  deadline: 10_000,
}

/** An upstream with its owner, whose registry has the address `base`. */
export interface OwnedUpstream {
  readonly owner: User
  readonly upstream: Upstream
  readonly base: string
}

export interface CopyDeps extends Pick<Core, 'database' | 'clock' | 'log' | 'processes' | 'taskPool'> {
  readonly contents: PackageContents
  readonly client: UpstreamClient
  /** Bytes. */
  readonly maxFileSize: number
}

type NewCopy = Partial<UpstreamFile> & Pick<UpstreamFile, 'key' | 'source_sha256'>

export type UpstreamCopies = ReturnType<typeof createUpstreamCopies>

/** Stores and reads documents and files of upstreams. */
export function createUpstreamCopies({ database, clock, contents, processes, taskPool }: CopyDeps) {
  const locks = new KeyedMutex({ name: 'package upstreams', locks: processes.locks })
  return {
    /** Runs a task while no other process runs one for this copy. */
    alone: <T>({ upstream }: OwnedUpstream, key: string, task: () => Promise<T>): Promise<T> =>
      locks.run(`${upstream.id} ${key}`, task),

    /** Throws NotFound if the upstream was deleted. */
    async save({ upstream }: OwnedUpstream, content: ReceivedFile, copy: NewCopy): Promise<UpstreamFile> {
      const at = clock.now()
      const { size, md5, sha1, sha256, sha512 } = content
      const sums = { size, md5, sha1, sha256, sha512 }
      const row = { basis: '', etag: '', last_modified: '', fetched_at: at, used_at: at, ...sums, ...copy }
      const saved = await contents.whileStored([sha256, copy.source_sha256], () =>
        database.transaction((tx) => saveUpstreamFile(tx, { ...row, upstream_id: upstream.id })),
      )
      if (saved === undefined) throw errors.packageNotFound()
      return saved
    },

    bytesOf: async (sha256: string): Promise<Buffer> => buffer(await contents.open({ sha256 })),

    /** Reads an index, or finds `file` in it. Throws Unavailable for another document. */
    async readIndex(
      { owner, upstream, base }: OwnedUpstream,
      document: UpstreamDocument,
      { source, ...more }: { readonly source: Buffer; readonly file?: string; readonly config?: string },
    ): Promise<IndexAnswer> {
      const { file, config = '' } = more
      const context: IndexContext = {
        name: document.name ?? '',
        url: addressIn(upstream, document.path),
        base,
        newest: upstream.minAgeDays === 0 ? 0 : clock.now() - upstream.minAgeDays * DAY_MS,
        variant: document.variant ?? '',
        config,
      }
      const input = { type: upstream.type, text: source.toString('utf8'), context, ...(file !== undefined && { file }) }
      try {
        return await taskPool.run(READ_INDEX, input, `upstream ${owner.id}`)
      } catch (error) {
        if (!(error instanceof TaskError)) throw error
        throw unavailable('the index of the upstream registry cannot be read').causedBy(error)
      }
    },
  }
}

/** Throws NotFound for a path that an address would not have: with segments such as `..`. */
export function addressIn({ url }: Upstream, path: string): string {
  const { href } = new URL(`${url}/${path}`)
  if (href !== `${url}/${path}`) throw errors.packageNotFound()
  return href
}

import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory } from '../../platform/files/durable.ts'
import { Semaphore } from '../../platform/concurrency/lock-table.ts'
import { createOnDisk, writeBasics } from '../disk/create.ts'
import type { Layout } from '../disk/layout.ts'
import type { ObjectFormat } from '../engine/object/format.ts'
import { isValidBranchName, isValidRefName } from '../engine/refs/refs.ts'
import { RefReader, type RefSnapshot } from '../engine/refs/ref-store.ts'
import type { GitRepo } from '../repo.ts'
import {
  clean,
  RemoteError,
  remoteError,
  type Remote,
  type RemoteRun,
  runRemote,
  withSshFiles,
  sshArguments,
} from './remote.ts'
import { ProcessError, runProcess } from '../../platform/process/process.ts'

/** The address to which large files of a repository are uploaded, and the header that authorizes it. */
interface LargeFileGrant {
  readonly url: string
  readonly authorization: string | undefined
}

const MAX_ANSWER = 64 * 1024
const DEADLINE_MS = 60_000

/** Runs git-lfs-authenticate for an upload. Throws RemoteError. */
function askForLargeFiles(
  layout: Layout,
  { url: text, addresses, privateKey }: Remote,
  { signal }: { readonly signal: AbortSignal },
): Promise<LargeFileGrant> {
  const url = new URL(text)
  return withSshFiles(layout, privateKey, async (files) => {
    if (files === undefined) throw new RemoteError('auth', 'SSH needs a key')
    const args = sshArguments(url, addresses[0], { files, command: (path) => `git-lfs-authenticate ${path} upload` })
    const { code, stdout, stderr } = await runProcess('ssh', args, {
      signal,
      deadline: DEADLINE_MS,
      maxOutput: MAX_ANSWER,
    }).catch((error: unknown) => {
      signal.throwIfAborted()
      throw error instanceof ProcessError
        ? new RemoteError('failed', 'the other server did not say where large files (LFS) go', { cause: error })
        : error
    })
    if (code !== 0) throw remoteError(stderr)
    return readGrant(stdout.toString('utf8'))
  })
}

function readGrant(text: string): LargeFileGrant {
  try {
    const { href, header } = JSON.parse(text) as { href?: unknown; header?: Record<string, unknown> }
    const [, authorization] =
      Object.entries(header ?? {}).find(([name]) => name.toLowerCase() === 'authorization') ?? []
    if (typeof href === 'string' && URL.canParse(href))
      return {
        url: href.replace(/(?<!\/)\/+$/, ''),
        authorization: typeof authorization === 'string' ? authorization : undefined,
      }
  } catch {
    // Said below.
  }
  throw new RemoteError('failed', 'the other server did not say where large files (LFS) go')
}

const LOOK_MS = 1_000

/**
 * Runs a fetch into an objects directory and ends it when its packs exceed `maxBytes`, as git itself has no such limit.
 * Throws RemoteError then. The limit may be exceeded by what arrives in one second.
 */
export async function withinSize<T>(
  objects: string,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (!Number.isFinite(maxBytes)) return task(signal)
  const tooLarge = new AbortController()
  const refusal = (): RemoteError =>
    new RemoteError(
      'failed',
      `the repository is larger than the ${Math.round(maxBytes / 1024 / 1024)} MiB that this server takes`,
    )
  const check = async (): Promise<void> => {
    if ((await packBytes(objects)) > maxBytes) tooLarge.abort()
  }
  const timer = setInterval(() => void check().catch(() => {}), LOOK_MS)
  try {
    const result = await task(AbortSignal.any([signal, tooLarge.signal]))
    await check()
    if (tooLarge.signal.aborted) throw refusal()
    return result
  } catch (error) {
    throw tooLarge.signal.aborted && !signal.aborted ? refusal() : error
  } finally {
    clearInterval(timer)
  }
}

/** Bytes of finished and growing packs. */
async function packBytes(objects: string): Promise<number> {
  const folder = join(objects, 'pack')
  const names = await readdir(folder).catch(() => [])
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The branches, tags and notes of a remote. */
export interface RemoteRefs {
  /** The branch its HEAD names, without `refs/heads/`. */
  readonly head: string | undefined
  readonly objectFormat: ObjectFormat
  /** Ids by full name. */
  readonly refs: ReadonlyMap<string, string>
}

export interface TransferOptions {
  readonly signal: AbortSignal
  /** Timeout in milliseconds. */
  readonly deadline: number
  /** Maximum bytes of a fetch; Infinity for any size. */
  readonly maxBytes: number
}

const FOLLOWED = ['refs/heads/', 'refs/tags/', 'refs/notes/']
const LIST_DEADLINE_MS = 120_000
const FETCH = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--end-of-options']
const everything = (prefix: string): string => `+${prefix}*:${prefix}*`

/** The same checks as for pushes, see wire/unpack.ts. */
const CHECKED = [
  ['fetch.fsckObjects', 'true'],
  ['fetch.fsck.zeroPaddedFilemode', 'ignore'],
  ['fetch.fsck.badTimezone', 'ignore'],
  ['fetch.fsck.missingSpaceBeforeDate', 'ignore'],
  ['core.bigFileThreshold', '128m'],
] as const

type FetchRun = RemoteRun & { readonly objects: string; readonly maxBytes: number; readonly specs?: readonly string[] }

/** A ref of a temporary repository that received `sources[index]`. */
const receivedRef = (source: string, index: number): string => `refs/in/${index}/${source.at(-1)}`

/**
 * NOTE: a pattern, because git refuses the whole fetch when the remote lacks a ref that is named in full. Other refs
 * that it matches are longer than that name; they are ignored.
 */
const optional = (source: string, index: number): string => `+${source.slice(0, -1)}*:refs/in/${index}/*`

export interface ReceivedRefs {
  /** Ids by the name at the remote; absent for refs that it does not have. */
  readonly oids: ReadonlyMap<string, string>
  /** Size of the fetched packs. */
  readonly bytes: number
}

/** Repositories on other servers. All methods throw RemoteError for failures of the other side. */
export type Remotes = ReturnType<typeof createRemotes>

/** At most `limit` transfers run at once; others wait. */
export function createRemotes(layout: Layout, limit = 4) {
  const slots = new Semaphore(limit)
  const fetch = async (remote: Remote, run: FetchRun): Promise<void> => {
    const args = (url: string): string[] => [...FETCH, url, ...(run.specs ?? FOLLOWED.map(everything))]
    // The size watch would not see loose objects.
    const settings = Number.isFinite(run.maxBytes) ? [...CHECKED, ['fetch.unpackLimit', '1'] as const] : CHECKED
    const { code, stderr } = await withinSize(run.objects, run, (signal) =>
      runRemote(remote, args, { ...run, signal, settings, env: { GIT_ALLOC_LIMIT: '1g', ...run.env } }),
    )
    if (code !== 0) throw remoteError(stderr, remote.credentials !== undefined)
  }
  const receive = (
    remote: Remote,
    repo: GitRepo,
    { deadline, ...options }: TransferOptions & Pick<FetchRun, 'specs'>,
    move: (incoming: RefSnapshot, bytes: number) => Promise<void>,
  ): Promise<void> =>
    slots.run(() =>
      repo.writing(async () => {
        const quarantine = await repo.quarantine()
        try {
          const path = join(quarantine.path, 'incoming')
          await mkdir(join(path, 'refs'), { recursive: true })
          await writeBasics(path, { objectFormat: repo.objectFormat, defaultBranch: 'none' })
          // NOTE: without git's quarantine variable, which would prevent writing refs of this temporary directory.
          const env = { GIT_OBJECT_DIRECTORY: quarantine.path }
          await fetch(remote, { ...options, path, objects: quarantine.path, deadlineMs: deadline, env })
          const incoming = await new RefReader(path).current()
          const bytes = await packBytes(quarantine.path)
          await quarantine.migrate()
          await move(incoming, bytes)
        } finally {
          await quarantine.discard()
        }
      }),
    )
  return {
    /**
     * Asks an SSH server for the address of large files and the authorization for it (git-lfs-authenticate of the
     * git-lfs specification).
     */
    askForLargeFiles: (remote: Remote, options: TransferOptions): Promise<LargeFileGrant> =>
      askForLargeFiles(layout, remote, options),
    /** Makes one or two requests; fetches no objects. */
    async list(remote: Remote, { signal, deadline }: TransferOptions): Promise<RemoteRefs> {
      const patterns = ['HEAD', ...FOLLOWED.map((prefix) => `${prefix}*`)]
      const run = { signal, deadlineMs: Math.min(deadline, LIST_DEADLINE_MS) }
      const { code, stdout, stderr } = await runRemote(
        remote,
        (url) => ['ls-remote', '--quiet', '--symref', '--end-of-options', url, ...patterns],
        run,
      )
      if (code !== 0) throw remoteError(stderr, remote.credentials !== undefined)
      return parseRefs(stdout)
    },
    /**
     * Creates a repository under a new key with all branches, tags and notes of the remote. After a crash it does not
     * exist.
     */
    import: (
      remote: Remote,
      { objectFormat }: RemoteRefs,
      {
        storage,
        defaultBranch,
        signal,
        deadline,
        maxBytes,
      }: TransferOptions & { readonly storage: string; readonly defaultBranch: string },
    ): Promise<void> =>
      slots.run(() =>
        createOnDisk(layout, storage, { objectFormat, defaultBranch }, async (path, written) => {
          await written
          await fetch(remote, { path, objects: join(path, 'objects'), maxBytes, signal, deadlineMs: deadline })
          await packRefs(remote, { path, signal, deadlineMs: deadline })
          await syncDirectory(join(path, 'objects', 'pack'))
        }),
      ),
    /**
     * Fetches missing objects, checked and durable, then calls `move` with the remote's refs to update the repository's
     * own. Other pushes continue in the meantime.
     */
    receive: (
      remote: Remote,
      repo: GitRepo,
      { move, ...options }: TransferOptions & { readonly move: (refs: RemoteRefs['refs']) => Promise<void> },
    ): Promise<void> =>
      receive(remote, repo, options, (refs) => move(new Map(refs.list('refs/').map(({ name, oid }) => [name, oid])))),
    /**
     * Like `receive`, for refs of any name that the remote may have, such as those of pull requests; at most some 100.
     */
    receiveRefs: (
      remote: Remote,
      repo: GitRepo,
      {
        sources,
        move,
        ...options
      }: TransferOptions & {
        readonly sources: readonly string[]
        readonly move: (received: ReceivedRefs) => Promise<void>
      },
    ): Promise<void> =>
      receive(remote, repo, { ...options, specs: sources.map(optional) }, (refs, bytes) => {
        const oids = sources.flatMap((source, index) => {
          const ref = refs.get(receivedRef(source, index))
          return ref === undefined ? [] : [[source, ref.oid] as const]
        })
        return move({ oids: new Map(oids), bytes })
      }),
    /**
     * Makes the refs of the remote equal to those of the repository: forces updates and deletes extra refs. `sources`
     * are full names, each with at most one `*`.
     */
    push: (
      remote: Remote,
      repo: GitRepo,
      { sources, signal, deadline }: TransferOptions & { readonly sources: readonly string[] },
    ): Promise<void> =>
      slots.run(async () => {
        const specs = sources.map((source) => `+${source}:${source}`)
        const args = (url: string): string[] => [
          'push',
          '--quiet',
          '--porcelain',
          '--prune',
          '--no-verify',
          '--recurse-submodules=no',
          '--end-of-options',
          url,
          ...specs,
        ]
        const { code, stdout, stderr } = await withSshFiles(layout, remote.privateKey, (ssh) =>
          runRemote(remote, args, { path: repo.path, ssh, signal, deadlineMs: deadline }),
        )
        if (code !== 0) throw rejection(stdout) ?? remoteError(stderr, remote.credentials !== undefined)
      }),
  }
}

/** Packs many small ref files into one. */
async function packRefs(remote: Remote, run: RemoteRun): Promise<void> {
  const { code, stderr } = await runRemote(remote, () => ['pack-refs', '--all'], run)
  if (code !== 0) throw remoteError(stderr, remote.credentials !== undefined)
}

function parseRefs(text: string): RemoteRefs {
  const refs = new Map<string, string>()
  let head: string | undefined
  let objectFormat: ObjectFormat = 'sha1'
  for (const line of text.split('\n')) {
    const [value = '', name = ''] = line.split('\t')
    if (name === 'HEAD' && value.startsWith('ref: refs/heads/')) head = value.slice('ref: refs/heads/'.length)
    if (!FOLLOWED.some((prefix) => name.startsWith(prefix)) || !isValidRefName(name)) continue
    if (value.length === 64) objectFormat = 'sha256'
    refs.set(name, value)
  }
  return { head: head !== undefined && isValidBranchName(head) ? head : undefined, objectFormat, refs }
}

/** Porcelain lines are `flag TAB from:to TAB summary`; the flag `!` means rejected. */
function rejection(stdout: string): RemoteError | undefined {
  const refused = stdout.split('\n').filter((line) => line.startsWith('!'))
  if (refused.length === 0) return undefined
  const shown = refused.slice(0, 3).map((line) => {
    const [, spec = '', summary = ''] = line.split('\t')
    return `${spec.split(':').at(-1)} ${summary}`
  })
  return new RemoteError(
    'rejected',
    clean(`${shown.join('; ')}${refused.length > shown.length ? `; and ${refused.length - shown.length} more` : ''}`),
  )
}

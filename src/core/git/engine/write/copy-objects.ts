import { pipeline } from 'node:stream/promises'
import { GitError } from '../../errors.ts'
import type { GitRepo } from '../../repo.ts'
import { isOid } from '../object/format.ts'

export interface ObjectChoice {
  /** Commits or trees; everything reachable from them is copied too, except submodules. */
  readonly wants: readonly string[]
  /** Objects reachable from these are already in the target; ids that the source lacks are ignored. */
  readonly haves?: readonly string[]
}

const DEADLINE = 600_000

/** Copies objects from one repository to another as one streamed pack; use within `writing` of the target. */
export async function copyObjects(from: GitRepo, to: GitRepo, { wants, haves = [] }: ObjectChoice): Promise<void> {
  if (from.objectFormat !== to.objectFormat)
    throw new GitError('invalid', 'the repositories have different object formats')
  for (const oid of [...wants, ...haves])
    if (!isOid(oid, from.objectFormat)) throw new GitError('invalid', `bad object id: ${oid.slice(0, 80)}`)
  const existing = []
  for (const oid of haves) if (await from.objects.findInfo(oid)) existing.push(oid)
  const input = [...wants, ...existing.map((oid) => `^${oid}`)].join('\n')
  const pack = from.command.stream(['pack-objects', '--revs', '--thin', '--stdout', '-q', '--delta-base-offset'], {
    input: `${input}\n`,
    deadline: DEADLINE,
    maxMemory: Number.POSITIVE_INFINITY,
    paced: true,
  })
  const child = to.command.start(['index-pack', '--stdin', '--fix-thin'])
  const timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE)
  let stderr = ''
  const ended = new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null))
    child.on('close', resolve)
  })
  child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString('utf8')).slice(-2000)))
  child.stdout.resume()
  try {
    await pipeline(pack, child.stdin).catch(ignoreClosed)
    if ((await ended) !== 0) throw new GitError('failed', `git index-pack could not read the objects: ${stderr.trim()}`)
  } finally {
    clearTimeout(timer)
    child.kill('SIGKILL')
    await ended
  }
}

/** NOTE: git detects the end of a pack itself and may exit before the pipe is closed: its exit status counts. */
function ignoreClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE' && error.code !== 'EPIPE') throw error
}

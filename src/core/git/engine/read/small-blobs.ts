import type { GitRepo } from '../../repo.ts'
import { lines } from './lines.ts'
import { isOid } from '../object/format.ts'

export interface SmallBlobQuery {
  /** Larger files are skipped. */
  readonly maxBytes: number
  /** Only objects reachable from these; all refs if absent. */
  readonly from?: readonly string[]
  /** Excludes objects reachable from these; missing ones are ignored. */
  readonly without?: readonly string[]
  readonly signal: AbortSignal
}

const BATCH = 500
const DEADLINE = 3_600_000

/**
 * Yields the contents of small files in the whole history, each once, in batches. Two processes read the history, which
 * is never in memory as a whole.
 */
export async function* smallBlobs(
  repo: GitRepo,
  { maxBytes, from, without = [], signal }: SmallBlobQuery,
): AsyncGenerator<readonly Buffer[], void, undefined> {
  const { command, objectFormat } = repo
  const filter = `--filter=combine:object:type=blob+blob:limit=${maxBytes + 1}`
  const excluded = without.filter((oid) => isOid(oid, objectFormat))
  const input = [...(from ?? []), ...excluded.map((oid) => `^${oid}`)].map((oid) => `${oid}\n`).join('')
  const args = [
    'rev-list',
    '--objects',
    '--no-object-names',
    '--ignore-missing',
    '--filter-provided-objects',
    filter,
    ...(from === undefined ? ['--all'] : []),
    '--stdin',
  ]
  let oids: string[] = []
  for await (const oid of lines(command.stream(args, { input, deadline: DEADLINE, paced: true, signal }))) {
    if (!isOid(oid, objectFormat)) continue
    oids.push(oid)
    if (oids.length < BATCH) continue
    yield await contents(repo, oids, signal)
    oids = []
  }
  if (oids.length > 0) yield await contents(repo, oids, signal)
}

async function contents({ command }: GitRepo, oids: readonly string[], signal: AbortSignal): Promise<Buffer[]> {
  const { stdout } = await command.run(['cat-file', '--batch', '--buffer'], {
    input: oids.map((oid) => `${oid}\n`).join(''),
    signal,
  })
  const found: Buffer[] = []
  for (let at = 0; at < stdout.length;) {
    const end = stdout.indexOf(0x0a, at)
    const [, type, size] = stdout.toString('latin1', at, end).split(' ')
    if (type === 'missing') {
      at = end + 1
      continue
    }
    found.push(stdout.subarray(end + 1, end + 1 + Number(size)))
    at = end + 2 + Number(size)
  }
  return found
}

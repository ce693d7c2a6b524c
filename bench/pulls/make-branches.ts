import type { TempDir } from '../system/processes.ts'
import type { LargeRepo } from '../data/large-repo.ts'
import { BASES, HEADS, PUSHED, WIDE_FILES } from './plan.ts'

/** How many branches of each kind. */
export interface BranchCounts {
  readonly topic: number
  readonly wide: number
  readonly create: number
  /** Number of branches of each style. */
  readonly merge: number
  readonly busyBases: number
}

interface MadeBranch {
  readonly branch: string
  readonly oid: string
  /** The commit of `main` that it stands on. */
  readonly mergeBase: string
}

/** How far topics may be behind the tip of `main`, in commits of its first-parent line. */
const BEHIND = 500
const MAX_FILE_BYTES = 4_000
const LINES = 20
const TIME = 2_000_000_000

interface Place {
  readonly branch: string
  readonly from: string
  readonly files: readonly string[]
}

/**
 * Branches of one commit each on recent commits of `main`, made in the local repository. A commit replaces small
 * files; the same at each run.
 */
export async function makePullBranches(
  tempDir: TempDir,
  { path }: LargeRepo,
  counts: BranchCounts,
): Promise<MadeBranch[]> {
  const read = async (...args: string[]): Promise<string[]> =>
    (await tempDir.read('git', args, { cwd: path })).trim().split('\n').filter(Boolean)
  const line = await read('rev-list', '--first-parent', `--max-count=${BEHIND}`, 'main')
  // Files that `main` has changed since would be conflicts.
  const changed = new Set(await read('diff', '--name-only', '--no-renames', line.at(-1)!, line[0]!))
  const files = (await read('ls-tree', '-r', '-l', line.at(-1)!)).flatMap((entry) => {
    const [meta, name] = entry.split('\t') as [string, string]
    const [mode, , , size] = meta.split(/ +/)
    const isFit = mode === '100644' && Number(size) < MAX_FILE_BYTES && /^[\w./-]+$/.test(name)
    return isFit && !changed.has(name) ? [name] : []
  })
  const places = plan(counts, line, files)
  await tempDir.run('git', ['fast-import', '--quiet', '--force'], {
    cwd: path,
    async feed(write) {
      for (const [i, place] of places.entries()) await write(commitOf(place, i))
    },
  })
  const tips = new Map(
    (await read('for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/heads')).map(
      (ref) => ref.split(' ') as [string, string],
    ),
  )
  return places.map(({ branch, from }) => ({ branch, oid: tips.get(branch)!, mergeBase: from }))
}

function plan(counts: BranchCounts, line: readonly string[], files: readonly string[]): Place[] {
  const some = (i: number, count: number): string[] =>
    Array.from({ length: count }, (_, n) => files[(i * 7919 + n * 31) % files.length]!)
  const places: Place[] = []
  const add = (name: string, count: number, { files: changed = 1, behind = 1 } = {}): void => {
    for (let i = 0; i < count; i++)
      places.push({
        branch: `${name}-${i}`,
        from: line[(i * behind) % line.length]!,
        files: some(places.length, changed),
      })
  }
  add(HEADS.topic, counts.topic, { behind: 7 })
  add(HEADS.wide, counts.wide, { files: WIDE_FILES, behind: 7 })
  for (const name of [HEADS.create, HEADS.merge, HEADS.rebase, HEADS['rebase-merge'], HEADS.squash])
    add(name, name === HEADS.create ? counts.create : counts.merge, { behind: 7 })
  add(HEADS['fast-forward-only'], counts.merge, { behind: 0 })
  for (const branch of Object.values(PUSHED)) places.push({ branch, from: line[0]!, files: some(places.length, 1) })
  for (const [base, count] of [
    [BASES.forward, counts.merge],
    [BASES.merged, 1],
    [BASES.busy, counts.busyBases],
  ] as const)
    for (let i = 0; i < count; i++) places.push({ branch: `${base}-${i}`, from: line[0]!, files: [] })
  return places
}

function commitOf({ branch, from, files }: Place, i: number): string {
  const reset = `reset refs/heads/${branch}\nfrom ${from}\n\n`
  if (files.length === 0) return reset
  const changes = [...new Set(files)].map((name) => `M 100644 inline ${name}\n${data(`${branch}\n`.repeat(LINES))}`)
  const author = `Author ${i % 50} <author${i % 50}@example.org> ${TIME + i} +0000`
  return `${reset}commit refs/heads/${branch}\ncommitter ${author}\n${data(`Change ${branch}`)}${changes.join('')}\n`
}

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`

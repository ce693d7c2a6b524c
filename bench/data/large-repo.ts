import { join } from 'node:path'
import type { TempDir } from '../system/processes.ts'
import { fileSize, listFileNames, WIDE } from './large-files.ts'
import { createChooser, createText } from './large-text.ts'

export interface LargeRepo {
  /** A bare repository on disk. */
  readonly path: string
  readonly commits: number
  readonly files: number
  readonly branches: number
  readonly tags: number
  /** A file in its tree. */
  readonly file: string
  /** Directories: with more than 1,000 entries at full scale, and twelve levels deep. */
  readonly wide: string
  readonly deep: string
  /** Branches: `head` is fifty commits ahead of `base`. */
  readonly compared: { readonly base: string; readonly head: string }
}

const FULL = { commits: 80_000, branches: 300, tags: 600 }
const COMPARED = { base: 'fifty-back', head: 'main' }
const APART = 50
const EPOCH_SECONDS = 1_500_000_000
/** Size of a file that a commit changes. */
const CHANGED_BYTES = 1_200
/** Every so many commits a side branch of one commit is merged. */
const MERGE_EVERY = 5

/** The same at each run with the same scale. Shaped like the repository of git itself. */
export function planLargeRepo(tempDir: TempDir, scale: number): LargeRepo {
  const of = (full: number): number => Math.max(4, Math.round(full * scale))
  const names = listFileNames(scale)
  return {
    path: join(tempDir.dir, 'large.git'),
    commits: Math.max(2 * APART, of(FULL.commits)),
    files: names.length,
    branches: of(FULL.branches),
    tags: of(FULL.tags),
    file: names.at(-1)!,
    wide: WIDE,
    deep: names.find((name) => name.startsWith('deep/'))!.replace(/\/[^/]*$/, ''),
    compared: COMPARED,
  }
}

/**
 * The commit graph is what a well-kept repository has: without it the commands that endpoints are compared with would
 * be slower.
 */
export async function makeLargeRepo(tempDir: TempDir, large: LargeRepo, scale: number): Promise<void> {
  const { path } = large
  await tempDir.run('git', ['init', '--quiet', '--bare', '--initial-branch=main', path])
  await tempDir.run('git', ['-c', 'core.compression=1', 'fast-import', '--quiet'], {
    cwd: path,
    feed: (write) => writeHistory(write, listFileNames(scale), large),
  })
  await tempDir.run('git', ['branch', COMPARED.base, `main~${APART}`], { cwd: path })
  await tempDir.run('git', ['commit-graph', 'write', '--reachable', '--changed-paths', '--no-progress'], { cwd: path })
}

type Write = (chunk: string | Uint8Array) => Promise<void>
type Size = Pick<LargeRepo, 'commits' | 'branches' | 'tags'>

async function writeHistory(write: Write, names: readonly string[], size: Size): Promise<void> {
  const text = createText()
  const choose = createChooser(names)
  const put = (name: string, bytes: number): string => `M 100644 inline ${name}\n${data(text(bytes))}`
  await write(header(1, 'main', []))
  for (const [i, name] of names.entries()) await write(put(name, fileSize(i)))
  const commit = async (mark: number, branch: string, from: readonly number[]): Promise<void> =>
    write(`${header(mark, branch, from)}${put(choose(), CHANGED_BYTES)}\n`)
  let tip = 1
  for (let mark = 2; mark <= size.commits; mark++) {
    if (mark % MERGE_EVERY === 0 && mark < size.commits) {
      await commit(mark, 'side', [tip])
      await commit(mark + 1, 'main', [tip, mark])
      tip = ++mark
    } else {
      await commit(mark, 'main', [tip])
      tip = mark
    }
  }
  await writeRefs(write, size)
}

/** The first lines of a commit; its changes follow. */
function header(mark: number, branch: string, from: readonly number[]): string {
  const parents = from.map((parent, i) => `${i === 0 ? 'from' : 'merge'} :${parent}\n`).join('')
  const message = `Change ${mark}\n\nThe body of a message says why, in some lines like this one.\n`
  return `commit refs/heads/${branch}\nmark :${mark}\ncommitter ${person(mark)}\n${data(message)}${parents}`
}

/** `main`, `side` and the one to compare with are three of the branches; half of the tags are annotated. */
async function writeRefs(write: Write, { commits, branches, tags }: Size): Promise<void> {
  const spread = (i: number, of: number): number => 1 + Math.floor((i * (commits - 1)) / of)
  for (let i = 0; i < branches - 3; i++) await write(`reset refs/heads/branch-${i}\nfrom :${spread(i, branches)}\n\n`)
  for (let i = 0; i < tags; i++) {
    const target = spread(i, tags)
    if (i % 2 === 0) await write(`reset refs/tags/v${i}\nfrom :${target}\n\n`)
    else await write(`tag v${i}\nfrom :${target}\ntagger ${person(target)}\n${data(`Release ${i}`)}`)
  }
}

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`
const person = (mark: number): string =>
  `Author ${mark % 50} <author${mark % 50}@example.org> ${EPOCH_SECONDS + mark * 60} +0000`

import { createCipheriv } from 'node:crypto'
import { join } from 'node:path'
import type { TempDir } from './processes.ts'

export interface LargeRepo {
  /** A bare repository on disk. */
  readonly path: string
  readonly commits: number
  readonly files: number
  readonly directories: number
  readonly branches: number
  readonly tags: number
  /** A file in its tree. */
  readonly file: string
  /** Branches: `head` is fifty commits ahead of `base`. */
  readonly compared: { readonly base: string; readonly head: string }
}

const FULL = { commits: 80_000, files: 5_000, directories: 400, branches: 300, tags: 600 }
const COMPARED = { base: 'fifty-back', head: 'main' }
const APART = 50
const EPOCH_SECONDS = 1_500_000_000
const BLOB_BYTES = 3_600
const FIRST_BLOB_BYTES = 300
/** Every so many commits a side branch of one commit is merged. */
const MERGE_EVERY = 10

/** The same at each run with the same scale. */
export function planLargeRepo(tempDir: TempDir, scale: number): LargeRepo {
  const of = (full: number): number => Math.max(1, Math.round(full * scale))
  const size = {
    commits: Math.max(MERGE_EVERY, of(FULL.commits)),
    files: of(FULL.files),
    branches: of(FULL.branches),
    tags: of(FULL.tags),
  }
  return {
    path: join(tempDir.dir, 'large.git'),
    ...size,
    directories: of(FULL.directories),
    file: fileName(0, of(FULL.directories)),
    compared: COMPARED,
  }
}

/**
 * The commit graph is what a well-kept repository has: without it the commands that endpoints are held against would be
 * slower.
 */
export async function makeLargeRepo(tempDir: TempDir, large: LargeRepo): Promise<void> {
  const { path, files, directories } = large
  const names = Array.from({ length: files }, (_, i) => fileName(i, directories))
  await tempDir.run('git', ['init', '--quiet', '--bare', '--initial-branch=main', path])
  await tempDir.run('git', ['fast-import', '--quiet'], {
    cwd: path,
    feed: (write) => writeHistory(write, names, large),
  })
  await tempDir.run('git', ['branch', COMPARED.base, `main~${APART}`], { cwd: path })
  await tempDir.run('git', ['commit-graph', 'write', '--reachable', '--changed-paths', '--no-progress'], { cwd: path })
}

function fileName(i: number, directories: number): string {
  const two = (n: number): string => String(n).padStart(2, '0')
  const directory = i % directories
  return `area-${two(Math.floor(directory / 20))}/part-${two(directory % 20)}/file-${two(Math.floor(i / directories))}.txt`
}

type Write = (chunk: string | Uint8Array) => Promise<void>

async function writeHistory(
  write: Write,
  names: readonly string[],
  size: Pick<LargeRepo, 'commits' | 'branches' | 'tags'>,
): Promise<void> {
  const text = createText()
  const commit = (
    mark: number,
    { branch, from, changes }: { branch: string; from: readonly number[]; changes: readonly string[] },
  ): string => {
    const message = `Change ${mark}: ${changes[0] ?? 'merge'}`
    const parents = from.map((parent, i) => `${i === 0 ? 'from' : 'merge'} :${parent}\n`).join('')
    const bodies = changes
      .map((name) => `M 100644 inline ${name}\n${data(text(mark === 1 ? FIRST_BLOB_BYTES : BLOB_BYTES))}`)
      .join('')
    return `commit refs/heads/${branch}\nmark :${mark}\ncommitter ${person(mark)}\n${data(message)}${parents}${bodies}\n`
  }
  await write(commit(1, { branch: 'main', from: [], changes: names }))
  let tip = 1
  for (let mark = 2; mark <= size.commits; mark++) {
    const change = names[(mark * 7919) % names.length]!
    if (mark % MERGE_EVERY === 0 && mark < size.commits) {
      await write(commit(mark, { branch: 'side', from: [tip], changes: [change] }))
      await write(commit(mark + 1, { branch: 'main', from: [tip, mark], changes: [change] }))
      tip = ++mark
    } else {
      await write(commit(mark, { branch: 'main', from: [tip], changes: [change] }))
      tip = mark
    }
  }
  await writeRefs(write, size)
}

/** `main`, `side` and the one to compare with are three of the branches; half of the tags are annotated. */
async function writeRefs(
  write: Write,
  { commits, branches, tags }: Pick<LargeRepo, 'commits' | 'branches' | 'tags'>,
): Promise<void> {
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

/** Deterministic lines that compress about as little as base64 does. */
function createText(): (bytes: number) => string {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, 1), Buffer.alloc(16))
  return (bytes) =>
    cipher
      .update(Buffer.alloc(bytes))
      .toString('base64')
      .replace(/(.{76})/g, '$1\n')
}

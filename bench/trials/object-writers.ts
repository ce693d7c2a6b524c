/**
 * Writes the objects of one commit (blobs, a tree, the commit) with this server's writer and with isomorphic-git, both
 * durably, and prints the median time and the processor time of a commit. Run it alone: `node
 * bench/trials/object-writers.ts`. It is no trial of `npm run bench`: it measures no server.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promises as fs } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import isomorphicGit from 'isomorphic-git'
import { createObjectWriter } from '../../src/core/git/engine/write/tree-edit.ts'
import { syncDirectory, writeSynced } from '../../src/core/platform/files/durable.ts'
import { drawTable, shortNumber } from '../table.ts'

interface File {
  readonly name: string
  readonly content: Buffer
}

/** Writes the files as one commit into a bare repository; returns the id of the commit. */
type WriteCommit = (gitdir: string, files: readonly File[]) => Promise<string>

const SIZES = [
  { files: 3, bytes: 300 },
  { files: 100, bytes: 5_000 },
  { files: 20, bytes: 200_000 },
]
const ROUNDS = 25
const WARM_UP_ROUNDS = 5
const SECONDS = 1_700_000_000
const NAME = 'Ann'
const EMAIL = 'ann@example.com'

const own: WriteCommit = async (gitdir, files) => {
  const writer = createObjectWriter({ directory: join(gitdir, 'objects'), format: 'sha1', readTree: async () => [] })
  const entries = files.map(({ name, content }) => {
    return { mode: '100644', name, oid: writer.blob(content), type: 'blob' } as const
  })
  const identity = { name: NAME, email: EMAIL, time: SECONDS, offset: 0 }
  const tree = writer.tree(entries)
  const commit = writer.commit({ tree, parents: [], author: identity, committer: identity, message: 'x\n' })
  await writer.flush()
  return commit
}

type Each = <In, Out>(items: readonly In[], work: (item: In) => Promise<Out>) => Promise<Out[]>

const oneByOne: Each = async (items, work) => {
  const results = []
  for (const item of items) results.push(await work(item))
  return results
}
/** The best case: the calls wait for the disk at the same time. */
const together: Each = (items, work) => Promise.all(items.map(work))

/** Like `own`: each object is written under another name, synced and renamed; the directories are synced at the end. */
const isomorphic =
  (each: Each): WriteCommit =>
  async (gitdir, files) => {
    const directories = new Set<string>()
    const writeFile = async (path: string, data: Uint8Array): Promise<void> => {
      const temporary = `${path}.${randomBytes(6).toString('hex')}`
      await writeSynced(temporary, data, 0o444)
      await fs.rename(temporary, path)
      directories.add(dirname(path))
    }
    const durable = { promises: { ...fs, writeFile } }
    const entries = await each(files, async ({ name, content }) => {
      const oid = await isomorphicGit.writeBlob({ fs: durable, gitdir, blob: content })
      return { mode: '100644', path: name, oid, type: 'blob' } as const
    })
    const identity = { name: NAME, email: EMAIL, timestamp: SECONDS, timezoneOffset: 0 }
    const tree = await isomorphicGit.writeTree({ fs: durable, gitdir, tree: entries })
    const commit = { tree, parent: [], author: identity, committer: identity, message: 'x\n' }
    const oid = await isomorphicGit.writeCommit({ fs: durable, gitdir, commit })
    await Promise.all([...directories].map((directory) => syncDirectory(directory)))
    return oid
  }

const WRITERS: readonly (readonly [name: string, write: WriteCommit])[] = [
  ['src/core/git/engine/write/object-writer.ts', own],
  ['isomorphic-git, blob by blob', isomorphic(oneByOne)],
  ['isomorphic-git, all blobs together', isomorphic(together)],
]

interface Sample {
  readonly wallMs: number
  readonly cpuMs: number
}

/** One commit into a new repository, which git checks when `isChecked`. */
async function measure(root: string, write: WriteCommit, files: readonly File[], isChecked: boolean): Promise<Sample> {
  const gitdir = await fs.mkdtemp(join(root, 'repo-'))
  execFileSync('git', ['init', '-q', '--bare', gitdir])
  const cpuBefore = process.cpuUsage()
  const begin = performance.now()
  const commit = await write(gitdir, files)
  const wallMs = performance.now() - begin
  const { user, system } = process.cpuUsage(cpuBefore)
  if (isChecked) execFileSync('git', ['-C', gitdir, 'fsck', '--strict', commit], { stdio: 'pipe' })
  await fs.rm(gitdir, { recursive: true })
  return { wallMs, cpuMs: (user + system) / 1000 }
}

/** Text that compresses about as well as source code, different in each file. */
function makeFiles(count: number, bytes: number): File[] {
  return Array.from({ length: count }, (_, index) => {
    const line = `${index} ${randomBytes(64).toString('hex')}\n`
    const content = Buffer.from(line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes))
    return { name: `f${String(index).padStart(4, '0')}`, content }
  })
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!

/** The samples of each writer. NOTE: the writers take turns, so that a busy moment of the machine hits all of them. */
async function sampleWriters(root: string, files: number, bytes: number): Promise<Sample[][]> {
  const samples = WRITERS.map((): Sample[] => [])
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    for (const [index, [, write]] of WRITERS.entries()) {
      const sample = await measure(root, write, makeFiles(files, bytes), round === 0)
      if (round >= WARM_UP_ROUNDS) samples[index]!.push(sample)
    }
  }
  return samples
}

const root = await fs.mkdtemp(join(tmpdir(), 'ingot-object-writers-'))
try {
  const rows: string[][] = []
  for (const { files, bytes } of SIZES) {
    const samples = await sampleWriters(root, files, bytes)
    for (const [index, [name]] of WRITERS.entries()) {
      const wallMs = median(samples[index]!.map((sample) => sample.wallMs))
      const cpuMs = median(samples[index]!.map((sample) => sample.cpuMs))
      rows.push([`${files} x ${bytes} B, ${name}`, shortNumber(wallMs), shortNumber(cpuMs)])
    }
  }
  console.log(drawTable(['one commit', 'median ms', 'CPU ms'], rows))
} finally {
  await fs.rm(root, { recursive: true, force: true })
}

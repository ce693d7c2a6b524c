import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type GitRepo, isGitError } from '../../../git/index.ts'
import { invalid } from '../../../platform/errors.ts'
import { createMatchBudget, MAX_PATTERN_LENGTH, MAX_MATCHING } from '../../../platform/patterns/match-budget.ts'
import type { FileOperation } from './file-operations.ts'
import { type AttributesFile, compilePattern } from '../../languages/index.ts'
import { type LfsObjects, type LfsPointer, parseLfsPointer, pointerText } from '../../lfs/index.ts'
import type { Repo } from '../../repos/index.ts'

/** Operations with pointers in place of large files, and the objects to store. */
interface LargeFileChange {
  readonly operations: readonly FileOperation[]
  readonly objects: readonly (LfsPointer & { readonly content: Buffer })[]
}

const NAME = '.gitattributes'
const MAX_ATTRIBUTES = 256 * 1024
/** Matching steps for each file of a change: enough for a hundred usual lines. */
const MATCHING_PER_FILE = 12_000

/**
 * Replaces files that the attributes of the new tree assign to the LFS filter by pointers, as `git add` does
 * (behaviour/git-data-and-transport#writing-contents). `base` is the tree before the change.
 */
export async function withPointers(
  git: GitRepo,
  base: string | undefined,
  operations: readonly FileOperation[],
): Promise<LargeFileChange> {
  const attributes = createAttributeReader(git, base, operations)
  const budget = createMatchBudget(MAX_MATCHING + operations.length * MATCHING_PER_FILE)
  const objects: (LfsPointer & { content: Buffer })[] = []
  const changed: FileOperation[] = []
  for (const operation of operations) {
    const { kind, path, content } = operation
    const isLarge =
      content !== undefined &&
      content.length > 0 &&
      kind !== 'delete' &&
      kind !== 'rename' &&
      !parseLfsPointer(content) &&
      isLfsPath(path, await attributes(path), budget)
    if (!isLarge) {
      changed.push(operation)
      continue
    }
    const pointer = { oid: createHash('sha256').update(content).digest('hex'), size: content.length }
    objects.push({ ...pointer, content })
    changed.push({ ...operation, content: Buffer.from(pointerText(pointer)) })
  }
  return { operations: changed, objects }
}

/**
 * Stores the objects of the pointers. NOTE: before the commit exists, as clients do. After a refused commit the objects
 * stay in the repository.
 */
export async function storeLargeFiles(
  lfs: Pick<LfsObjects, 'upload'>,
  repo: Repo,
  { objects }: LargeFileChange,
): Promise<void> {
  for (const { oid, size, content } of objects) await lfs.upload(repo.id, { oid, size }, Readable.from([content]))
}

/**
 * Returns a function that reads the `.gitattributes` files above a path; files of the change replace those of the tree.
 */
function createAttributeReader(
  git: GitRepo,
  base: string | undefined,
  operations: readonly FileOperation[],
): (path: string) => Promise<AttributesFile[]> {
  const texts = new Map<string, string>()
  for (const { kind, path, fromPath, content } of operations) {
    if (fromPath !== undefined) texts.set(fromPath, '')
    if (kind === 'delete') texts.set(path, '')
    else if (content !== undefined) texts.set(path, content.toString('utf8'))
  }
  async function read(path: string): Promise<string> {
    const found = texts.get(path)
    if (found !== undefined) return found
    const entry = base === undefined ? undefined : await git.revisions.entryAt(base, path)
    const text = entry?.type === 'blob' ? await readText(git, entry.oid) : ''
    texts.set(path, text)
    return text
  }
  return async (path) => {
    const directories = path
      .split('/')
      .slice(0, -1)
      .map((_, index, parts) => `${parts.slice(0, index + 1).join('/')}/`)
    const files: AttributesFile[] = []
    for (const directory of ['', ...directories]) files.push({ directory, text: await read(directory + NAME) })
    return files
  }
}

async function readText(git: GitRepo, oid: string): Promise<string> {
  try {
    return (await git.objects.blob(oid, MAX_ATTRIBUTES)).toString('utf8')
  } catch (error) {
    if (isGitError(error, 'too-large')) return ''
    throw error
  }
}

/**
 * Whether `filter` is `lfs` for the path: the last line that matches wins, deeper files after those above
 * (gitattributes(5)). Throws Invalid when matching takes too long.
 */
export function isLfsPath(path: string, files: readonly AttributesFile[], budget = createMatchBudget()): boolean {
  let isLfs = false
  for (const { directory, text } of files) {
    for (const line of text.split('\n')) {
      const [pattern = '', ...words] = line.trim().split(/\s+/)
      const word = words.findLast((candidate) => /^[-!]?filter(?:=|$)/.test(candidate))
      if (word === undefined || /^[#!]|^\[attr\]/.test(pattern) || pattern.length > MAX_PATTERN_LENGTH) continue
      if (!budget.spend(pattern, path)) throw invalid('the patterns of .gitattributes are too many or too complex')
      // `git lfs track` writes a space as [[:space:]].
      if (compilePattern(pattern.replaceAll('[[:space:]]', '[ ]'), directory)(path)) isLfs = word === 'filter=lfs'
    }
  }
  return isLfs
}

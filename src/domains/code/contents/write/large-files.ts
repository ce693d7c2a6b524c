import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type GitRepo, isGitError, type PathLookup } from '../../../../core/git/index.ts'
import { invalid } from '../../../../core/platform/errors.ts'
import { createPauses } from '../../../../core/platform/concurrency/pauses.ts'
import type { Matcher } from '../../../../core/platform/patterns/glob.ts'
import {
  createMatchBudget,
  MAX_MATCHING,
  MAX_PATTERN_LENGTH,
  type MatchBudget,
} from '../../../../core/platform/patterns/match-budget.ts'
import type { FileOperation } from './file-operations.ts'
import { type AttributesFile, compilePattern } from '../../languages/classify.ts'
import type { LfsObjects } from '../../lfs/objects/lfs-objects.service.ts'
import { type LfsPointer, parseLfsPointer, pointerText } from '../../lfs/objects/pointer.ts'
import type { Repo } from '../../../repositories/index.ts'

/** Operations with pointers instead of large files, and the objects to store. */
interface LargeFileChange {
  readonly operations: readonly FileOperation[]
  readonly objects: readonly (LfsPointer & { readonly content: Buffer })[]
}

const NAME = '.gitattributes'
const MAX_ATTRIBUTES = 256 * 1024
/** The maximum length of all attributes files that one change reads, in characters. */
const MAX_ALL_ATTRIBUTES = 1024 * 1024
/** Matching steps for each file of a change: enough for a hundred usual lines. */
const MATCHING_PER_FILE = 20_000

/**
 * Replaces files that the attributes of the new tree assign to the LFS filter with pointers, as `git add` does
 * (behaviour/git-data-and-transport#writing-contents). `base` finds the entries of the tree before the change.
 */
export async function withPointers(
  git: GitRepo,
  base: PathLookup,
  operations: readonly FileOperation[],
): Promise<LargeFileChange> {
  const attributes = createAttributeReader(git, base, operations)
  const pause = createPauses()
  const budget = createMatchBudget(MAX_MATCHING + operations.length * MATCHING_PER_FILE)
  const objects: (LfsPointer & { content: Buffer })[] = []
  const changed: FileOperation[] = []
  for (const operation of operations) {
    await pause()
    const { kind, path, content } = operation
    const isLarge =
      content !== undefined &&
      content.length > 0 &&
      kind !== 'delete' &&
      kind !== 'rename' &&
      !parseLfsPointer(content) &&
      isLfsByLines(path, await attributes(path), budget)
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
 * Stores the objects of the pointers. NOTE: before the commit exists, as clients do. If the commit is refused, the
 * objects stay in the repository.
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
 * It throws Invalid if all of them together are too large.
 */
function createAttributeReader(
  git: GitRepo,
  base: PathLookup,
  operations: readonly FileOperation[],
): (path: string) => Promise<AttributeLines[]> {
  const texts = changedTexts(operations)
  const known = new Map<string, AttributeLines>()
  const pause = createPauses()
  let left = MAX_ALL_ATTRIBUTES
  async function read(directory: string): Promise<AttributeLines> {
    const path = directory + NAME
    const entry = texts.has(path) ? undefined : await base(path)
    const text = texts.get(path) ?? (entry?.type === 'blob' ? await readText(git, entry.oid) : '')
    left -= text.length
    if (left < 0) throw tooComplex()
    await pause()
    return parseLines({ directory, text })
  }
  return async (path) => {
    const found: AttributeLines[] = []
    for (let end = 0; ; end = path.indexOf('/', end) + 1) {
      const directory = path.slice(0, end)
      const lines = known.get(directory) ?? (await read(directory))
      known.set(directory, lines)
      if (lines.length > 0) found.push(lines)
      if (!path.includes('/', end)) return found
    }
  }
}

/** The texts of the attributes files of the change after it; empty for a deleted or moved file. */
function changedTexts(operations: readonly FileOperation[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  const set = (path: string, text: () => string): void => {
    if (path === NAME || path.endsWith(`/${NAME}`)) texts.set(path, text())
  }
  for (const { kind, path, fromPath, content } of operations) {
    if (fromPath !== undefined) set(fromPath, () => '')
    if (kind === 'delete') set(path, () => '')
    else if (content !== undefined) set(path, () => (content.length > MAX_ATTRIBUTES ? '' : content.toString('utf8')))
  }
  return texts
}

async function readText(git: GitRepo, oid: string): Promise<string> {
  try {
    return (await git.objects.blob(oid, MAX_ATTRIBUTES)).toString('utf8')
  } catch (error) {
    if (isGitError(error, 'too-large')) return ''
    throw error
  }
}

/** A line that sets or unsets the filter. */
interface FilterLine {
  readonly pattern: string
  readonly directory: string
  readonly isLfs: boolean
  /** The compiled pattern, once it has been used. */
  matches?: Matcher
}

type AttributeLines = readonly FilterLine[]

function parseLines({ directory, text }: AttributesFile): AttributeLines {
  return text.split('\n').flatMap((line): FilterLine[] => {
    const [pattern = '', ...words] = line.trim().split(/\s+/)
    const word = words.findLast((candidate) => /^[-!]?filter(?:=|$)/.test(candidate))
    if (word === undefined || /^[#!]|^\[attr\]/.test(pattern) || pattern.length > MAX_PATTERN_LENGTH) return []
    return [{ pattern, directory, isLfs: word === 'filter=lfs' }]
  })
}

/**
 * Whether `filter` is `lfs` for the path: the last matching line wins, and deeper files win over those above
 * (gitattributes(5)). Throws Invalid if matching takes too long.
 */
export const isLfsPath = (path: string, files: readonly AttributesFile[], budget = createMatchBudget()): boolean =>
  isLfsByLines(path, files.map(parseLines), budget)

const tooComplex = (): Error => invalid('the patterns of .gitattributes are too many or too complex')

function isLfsByLines(path: string, files: readonly AttributeLines[], budget: MatchBudget): boolean {
  let isLfs = false
  for (const line of files.flat()) {
    if (!budget.spend(line.pattern, path, line.matches !== undefined)) throw tooComplex()
    // `git lfs track` writes a space as [[:space:]].
    line.matches ??= compilePattern(line.pattern.replaceAll('[[:space:]]', '[ ]'), line.directory)
    if (line.matches(path)) isLfs = line.isLfs
  }
  return isLfs
}

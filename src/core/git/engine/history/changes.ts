import { isGitError } from '../../errors.ts'
import type { GitCommand } from '../command.ts'
import type { Memo } from '../memo.ts'
import { type ObjectFormat, zeroOid } from '../object/format.ts'
import type { Objects } from '../read/objects.ts'

type ChangeStatus = 'added' | 'removed' | 'modified'

interface FileChange {
  readonly path: string
  readonly status: ChangeStatus
  /** 0 for binary files. For a renamed file the number counts differences from its old version. */
  readonly additions: number
  readonly deletions: number
}

export interface ChangeSet {
  /** In path order; a rename is one removed and one added file. */
  readonly files: readonly FileChange[]
  readonly additions: number
  readonly deletions: number
}

const STATUS: Readonly<Record<string, ChangeStatus>> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  T: 'modified',
}

const weight = (set: ChangeSet): number => set.files.length * 400 + 60

export interface ChangesContext {
  readonly format: ObjectFormat
  readonly cacheKey: string
  readonly objects: Objects
  readonly command: GitCommand
  readonly memo: Memo
}

export type Changes = ReturnType<typeof createChanges>

export function createChanges({ format, cacheKey, objects, command, memo }: ChangesContext) {
  const idLength = zeroOid(format).length

  async function compute(oids: readonly string[]): Promise<Map<string, ChangeSet>> {
    const commits = await Promise.all(oids.map((oid) => objects.commit(oid)))
    const input = commits.map((commit) => `${commit.oid} ${commit.parents[0] ?? ''}`.trim()).join('\n')
    const args = ['diff-tree', '--stdin', '-r', '--root', '-M', '--raw', '--numstat', '--no-abbrev', '-z']
    const { stdout } = await command.run(args, { input: `${input}\n`, maxOutput: MAX_LISTED, maxMemory: MAX_MEMORY })
    return parseChanges(stdout.toString('utf8'), idLength)
  }

  /**
   * Computes one commit at a time, so that a commit that is too large does not prevent listing the others, for up to a
   * minute.
   */
  async function computeEach(
    oids: readonly string[],
    patience = performance.now() + PATIENCE_MS,
  ): Promise<Map<string, ChangeSet>> {
    try {
      return await compute(oids)
    } catch (error) {
      const isTooMuch = isGitError(error, 'too-large') || isGitError(error, 'timeout')
      if (!isTooMuch || performance.now() > patience) throw error
      if (oids.length === 1) return new Map([[oids[0]!, TOO_LARGE]])
    }
    const sets = new Map<string, ChangeSet>()
    for (const oid of oids) for (const [key, set] of await computeEach([oid], patience)) sets.set(key, set)
    return sets
  }

  return {
    /**
     * The changes of each commit relative to its first parent (a root: to the empty tree), by one process for all that
     * are not cached. A commit with too many changes to list has no entry.
     */
    async ofCommits(oids: readonly string[]): Promise<ReadonlyMap<string, ChangeSet>> {
      const unknown: string[] = []
      let computed: Promise<Map<string, ChangeSet>> | undefined
      const sets = await Promise.all(
        oids.map((oid) =>
          memo.get(`${cacheKey}changes ${oid}`, weight, async () => {
            unknown.push(oid)
            // NOTE: deferred until it is known which of them no other request is computing.
            computed ??= Promise.resolve().then(() => computeEach(unknown))
            return (await computed).get(oid) ?? NOTHING
          }),
        ),
      )
      return new Map(oids.map((oid, index) => [oid, sets[index]!] as const).filter(([, set]) => set !== TOO_LARGE))
    },
  }
}

const NOTHING: ChangeSet = { files: [], additions: 0, deletions: 0 }
const TOO_LARGE: ChangeSet = { files: [], additions: 0, deletions: 0 }

/** Maximum bytes of the list for one request's commits: some hundred thousand files of one commit. */
const MAX_LISTED = 24 * 1024 * 1024
/** Maximum memory of the git process for that, and of the file list itself. */
const MAX_MEMORY = 192 * 1024 * 1024
const PATIENCE_MS = 60_000

interface RawEntry extends Pick<FileChange, 'path' | 'status'> {
  /** Set for a rename. */
  readonly previousPath: string | undefined
}

interface Draft {
  readonly raw: RawEntry[]
  readonly numbers: (readonly [added: string, deleted: string])[]
}

/**
 * Parses `diff-tree --raw --numstat -z`: per commit its id, then the raw entries, then the numbers in the same order.
 */
function parseChanges(text: string, idLength: number): Map<string, ChangeSet> {
  const drafts = new Map<string, Draft>()
  let draft: Draft = { raw: [], numbers: [] }
  const tokens = text.split('\0')
  let at = 0
  while (at < tokens.length) {
    const token = tokens[at++]!
    const numbers = /^(\d+|-)\t(\d+|-)\t/.exec(token)
    if (token.startsWith(':')) {
      const entry = rawEntry(token, tokens.slice(at, at + 2))
      draft.raw.push(entry)
      at += entry.previousPath === undefined ? 1 : 2
    } else if (numbers) {
      draft.numbers.push([numbers[1]!, numbers[2]!])
      if (numbers[0].length === token.length) at += 2 // a rename: both paths follow
    } else if (token.length === idLength) {
      draft = { raw: [], numbers: [] }
      drafts.set(token, draft)
    }
  }
  return new Map([...drafts].map(([oid, made]) => [oid, changeSet(made)]))
}

/** `meta` is `:<old mode> <new mode> <old id> <new id> <status>`; a rename has two paths, other entries have one. */
function rawEntry(meta: string, [first = '', second = '']: readonly string[]): RawEntry {
  const letter = meta.slice(meta.lastIndexOf(' ') + 1)
  return letter.startsWith('R')
    ? { path: second, previousPath: first, status: 'added' }
    : { path: first, previousPath: undefined, status: STATUS[letter] ?? 'modified' }
}

/**
 * COMPAT: totals count the lines that differ between a renamed file's two versions, although the files are listed as
 * one removed and one added (behaviour/git-data-and-transport#commits; test/pulls/diffs.test.ts).
 */
function changeSet({ raw, numbers }: Draft): ChangeSet {
  const files: FileChange[] = []
  let [additions, deletions] = [0, 0]
  raw.forEach(({ previousPath, path, status }, index) => {
    const [added, deleted] = numbers[index] ?? ['0', '0']
    const lines = { additions: Number(added) || 0, deletions: Number(deleted) || 0 }
    additions += lines.additions
    deletions += lines.deletions
    if (previousPath === undefined) files.push({ path, status, ...lines })
    else {
      files.push({ path: previousPath, status: 'removed', additions: 0, deletions: lines.deletions })
      files.push({ path, status, additions: lines.additions, deletions: 0 })
    }
  })
  return { files: files.length === raw.length ? files : byPath(files), additions, deletions }
}

function byPath(files: readonly FileChange[]): FileChange[] {
  const keyed = files.map((file) => ({ file, key: Buffer.from(file.path) }))
  return keyed.sort((a, b) => Buffer.compare(a.key, b.key)).map(({ file }) => file)
}

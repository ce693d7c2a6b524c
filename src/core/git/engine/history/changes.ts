import { isGitError } from '../../errors.ts'
import type { GitCommand } from '../command.ts'
import type { Memo } from '../memo.ts'
import { type ObjectFormat, zeroOid } from '../object/format.ts'
import type { Objects } from '../read/objects.ts'

type ChangeStatus = 'added' | 'removed' | 'modified'

interface FileChange {
  readonly path: string
  readonly status: ChangeStatus
  readonly oldMode: string
  readonly newMode: string
  /** Zeros where there is none. */
  readonly oldOid: string
  readonly newOid: string
  /** 0 for binary files; of a renamed file the lines that differ from its old version, and from its new one. */
  readonly additions: number
  readonly deletions: number
  readonly binary: boolean
}

export interface ChangeSet {
  /** In the order of their paths; a rename is one file removed and one added. */
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
  const zero = zeroOid(format)

  async function compute(oids: readonly string[]): Promise<Map<string, ChangeSet>> {
    const commits = await Promise.all(oids.map((oid) => objects.commit(oid)))
    const input = commits.map((commit) => `${commit.oid} ${commit.parents[0] ?? ''}`.trim()).join('\n')
    const args = ['diff-tree', '--stdin', '-r', '--root', '-M', '--raw', '--numstat', '--no-abbrev', '-z']
    const { stdout } = await command.run(args, { input: `${input}\n`, maxOutput: MAX_LISTED, maxMemory: MAX_MEMORY })
    return parseChanges(stdout.toString('utf8'), zero)
  }

  /**
   * One commit that is too large does not keep the others from being listed, as long as that takes no more than a
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
     * What each commit changed against its first parent (a root: against nothing). One process for all that are new. A
     * commit that changes more than can be listed has no entry.
     */
    async ofCommits(oids: readonly string[]): Promise<ReadonlyMap<string, ChangeSet>> {
      const unknown: string[] = []
      let computed: Promise<Map<string, ChangeSet>> | undefined
      const sets = await Promise.all(
        oids.map((oid) =>
          memo.get(`${cacheKey}changes ${oid}`, weight, async () => {
            unknown.push(oid)
            // NOTE: once it is known which of them no other request computes just now.
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

/** Bytes of the list of a request's commits: some hundred thousand files of one commit. */
const MAX_LISTED = 24 * 1024 * 1024
/** Of git for that, and of what the files themselves take. */
const MAX_MEMORY = 192 * 1024 * 1024
const PATIENCE_MS = 60_000

interface RawEntry extends Omit<FileChange, 'additions' | 'deletions' | 'binary'> {
  /** Of a rename. */
  readonly previousPath: string | undefined
}

interface Draft {
  readonly raw: RawEntry[]
  readonly numbers: (readonly [added: string, deleted: string])[]
}

/**
 * Reads `diff-tree --raw --numstat -z`: per commit its id, then the raw entries, then the numbers in the same order.
 */
function parseChanges(text: string, zero: string): Map<string, ChangeSet> {
  const drafts = new Map<string, Draft>()
  let draft: Draft = { raw: [], numbers: [] }
  const tokens = text.split('\0')
  let at = 0
  while (at < tokens.length) {
    const token = tokens[at++]!
    const numbers = /^(\d+|-)\t(\d+|-)\t/.exec(token)
    if (token.startsWith(':')) {
      const entry = rawEntry(token, tokens.slice(at, at + 2), zero)
      draft.raw.push(entry)
      at += entry.previousPath === undefined ? 1 : 2
    } else if (numbers) {
      draft.numbers.push([numbers[1]!, numbers[2]!])
      if (numbers[0].length === token.length) at += 2 // a rename: both paths follow
    } else if (token.length === zero.length) {
      draft = { raw: [], numbers: [] }
      drafts.set(token, draft)
    }
  }
  return new Map([...drafts].map(([oid, made]) => [oid, changeSet(made, zero)]))
}

/** `meta` is `:<old mode> <new mode> <old id> <new id> <status>`; a rename has two paths, others one. */
function rawEntry(meta: string, [first = '', second = '']: readonly string[], zero: string): RawEntry {
  const [oldMode = '', newMode = '', oldOid = zero, newOid = zero, letter = ''] = meta.slice(1).split(' ')
  const ids = { oldMode, newMode, oldOid, newOid, status: STATUS[letter] ?? 'modified' }
  return letter.startsWith('R')
    ? { path: second, previousPath: first, ...ids }
    : { path: first, previousPath: undefined, ...ids }
}

const NO_MODE = '000000'

/**
 * COMPAT: sums count the lines that differ between the two names of a renamed file, though the files are listed as one
 * removed and one added (behaviour/git-data-and-transport#commits; test/pulls/diffs.test.ts).
 */
function changeSet({ raw, numbers }: Draft, zero: string): ChangeSet {
  const files: FileChange[] = []
  let [additions, deletions] = [0, 0]
  raw.forEach(({ previousPath, ...entry }, index) => {
    const [added, deleted] = numbers[index] ?? ['0', '0']
    const lines = { additions: Number(added) || 0, deletions: Number(deleted) || 0, binary: added === '-' }
    additions += lines.additions
    deletions += lines.deletions
    if (previousPath === undefined) files.push({ ...entry, ...lines })
    else {
      const removed = { path: previousPath, status: 'removed', newMode: NO_MODE, newOid: zero, additions: 0 } as const
      const made = { status: 'added', oldMode: NO_MODE, oldOid: zero, deletions: 0 } as const
      files.push({ ...entry, ...lines, ...removed }, { ...entry, ...lines, ...made })
    }
  })
  return { files: files.length === raw.length ? files : byPath(files), additions, deletions }
}

function byPath(files: readonly FileChange[]): FileChange[] {
  const keyed = files.map((file) => ({ file, key: Buffer.from(file.path) }))
  return keyed.sort((a, b) => Buffer.compare(a.key, b.key)).map(({ file }) => file)
}

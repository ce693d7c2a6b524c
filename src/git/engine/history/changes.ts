import { isGitError } from '../../errors.ts'
import type { GitCommand } from '../command.ts'
import type { Memo } from '../memo.ts'
import { type ObjectFormat, zeroOid } from '../object/format.ts'
import type { Objects } from '../read/objects.ts'

type ChangeStatus = 'added' | 'removed' | 'modified' | 'renamed' | 'copied'

interface FileChange {
  readonly path: string
  readonly status: ChangeStatus
  /** Of a rename or copy. */
  readonly previousPath: string | undefined
  readonly oldMode: string
  readonly newMode: string
  /** Zeros where there is none. */
  readonly oldOid: string
  readonly newOid: string
  /** 0 for binary files. */
  readonly additions: number
  readonly deletions: number
  readonly binary: boolean
}

export interface ChangeSet {
  readonly files: readonly FileChange[]
  readonly additions: number
  readonly deletions: number
}

export interface Changes {
  /**
   * What each commit changed against its first parent (a root: against nothing), without renames. One process for all
   * that are new. A commit that changes more than can be listed has no entry.
   */
  ofCommits(oids: readonly string[]): Promise<ReadonlyMap<string, ChangeSet>>
  /**
   * What differs between two commits or trees, with renames unless the options turn them off. The empty tree's id
   * works.
   */
  between(base: string, head: string, options?: { readonly renames?: boolean }): Promise<ChangeSet>
}

const STATUS: Readonly<Record<string, ChangeStatus>> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  T: 'modified',
  R: 'renamed',
  C: 'copied',
}

const weight = (set: ChangeSet): number => set.files.length * 400 + 60

export interface ChangesContext {
  readonly format: ObjectFormat
  readonly cacheKey: string
  readonly objects: Objects
  readonly command: GitCommand
  readonly memo: Memo
}

export function createChanges({ format, cacheKey, objects, command, memo }: ChangesContext): Changes {
  const zero = zeroOid(format)

  async function compute(oids: readonly string[]): Promise<Map<string, ChangeSet>> {
    const commits = await Promise.all(oids.map((oid) => objects.commit(oid)))
    const input = commits.map((commit) => `${commit.oid} ${commit.parents[0] ?? ''}`.trim()).join('\n')
    const args = ['diff-tree', '--stdin', '-r', '--root', '--no-renames', '--raw', '--numstat', '--no-abbrev', '-z']
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
    async ofCommits(oids) {
      const unknown = [...new Set(oids)].filter((oid) => memo.peek(`${cacheKey}changes ${oid}`) === undefined)
      const fresh = unknown.length === 0 ? undefined : computeEach(unknown)
      const sets = await Promise.all(
        oids.map((oid) =>
          memo.get(
            `${cacheKey}changes ${oid}`,
            weight,
            async () => (await (fresh ?? computeEach([oid]))).get(oid) ?? NOTHING,
          ),
        ),
      )
      await fresh
      return new Map(oids.map((oid, index) => [oid, sets[index]!] as const).filter(([, set]) => set !== TOO_LARGE))
    },
    async between(base, head, { renames = true } = {}) {
      return memo.get(`${cacheKey}between ${base} ${head} ${renames}`, weight, async () => {
        const args = [
          'diff-tree',
          '-r',
          renames ? '-M' : '--no-renames',
          '--raw',
          '--numstat',
          '--no-abbrev',
          '-z',
          '--end-of-options',
          base,
          head,
        ]
        const { stdout } = await command.run(args)
        return parseChanges(`${head}\0${stdout.toString('utf8')}`, zero).get(head) ?? NOTHING
      })
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

type RawEntry = Omit<FileChange, 'additions' | 'deletions' | 'binary'>

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
  return new Map([...drafts].map(([oid, made]) => [oid, changeSet(made)]))
}

/** `meta` is `:<old mode> <new mode> <old id> <new id> <status>`; a rename or copy has two paths, others one. */
function rawEntry(meta: string, [first = '', second = '']: readonly string[], zero: string): RawEntry {
  const [oldMode = '', newMode = '', oldOid = zero, newOid = zero, letter = ''] = meta.slice(1).split(' ')
  const status = STATUS[letter[0] ?? ''] ?? 'modified'
  const ids = { oldMode, newMode, oldOid, newOid }
  return status === 'renamed' || status === 'copied'
    ? { path: second, status, previousPath: first, ...ids }
    : { path: first, status, previousPath: undefined, ...ids }
}

function changeSet({ raw, numbers }: Draft): ChangeSet {
  const files = raw.map((file, index): FileChange => {
    const [added, deleted] = numbers[index] ?? ['0', '0']
    return { ...file, additions: Number(added) || 0, deletions: Number(deleted) || 0, binary: added === '-' }
  })
  const sum = (pick: (file: FileChange) => number): number => files.reduce((total, file) => total + pick(file), 0)
  return { files, additions: sum((file) => file.additions), deletions: sum((file) => file.deletions) }
}

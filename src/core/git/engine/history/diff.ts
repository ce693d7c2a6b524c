import { GitError } from '../../errors.ts'
import type { CommandOptions, GitCommand } from '../command.ts'
import { borrowing } from './ancestry.ts'
import { emptyTreeOid, isOid, type ObjectFormat } from '../object/format.ts'
import type { Objects } from '../read/objects.ts'

/** Ignored whitespace differences: all, changes in amount, or at line ends. */
export type Whitespace = 'all' | 'change' | 'eol'

interface DiffOptions {
  /** Only these files and directories, as literal paths. */
  readonly paths?: readonly string[]
  readonly whitespace?: Whitespace
  readonly contextLines?: number
  readonly signal?: AbortSignal
  /** The path of a repository whose objects git may also read. */
  readonly borrow?: string | undefined
}

const WHITESPACE = { all: '--ignore-all-space', change: '--ignore-space-change', eol: '--ignore-space-at-eol' } as const

/** The option of git's diff commands for a whitespace mode. */
export const whitespaceArgs = (whitespace: Whitespace | undefined): readonly string[] =>
  whitespace === undefined ? [] : [WHITESPACE[whitespace]]

/** The client may be slow; git may not. */
const DEADLINE = 10 * 60 * 1000
const FIRST_OUTPUT = 60 * 1000
/** Ten times the diff of a git release: a few small objects can expand to files of unlimited size. */
const MAX_OUTPUT = 256 * 1024 * 1024

const paced = (signal: AbortSignal | undefined, borrow?: string): CommandOptions => ({
  env: borrowing(borrow),
  deadline: DEADLINE,
  firstOutput: FIRST_OUTPUT,
  maxOutput: MAX_OUTPUT,
  paced: true,
  ...(signal && { signal }),
})

export type Diffs = ReturnType<typeof createDiffs>

/** Diff text, byte for byte as git prints it, streamed. Ids are full ids of commits or trees. */
export function createDiffs(format: ObjectFormat, objects: Objects, command: GitCommand) {
  const checked = (oid: string): string => {
    if (!isOid(oid, format)) throw new GitError('invalid', `bad object id: ${oid.slice(0, 80)}`)
    return oid
  }

  /** The patch between two trees with rename detection; `binary` includes binary files in full. */
  function patch(
    base: string,
    head: string,
    options: DiffOptions & { readonly binary?: boolean } = {},
  ): AsyncGenerator<Buffer, void, undefined> {
    const args = [
      'diff-tree',
      '-p',
      '-r',
      '-M',
      '--no-ext-diff',
      '--no-textconv',
      options.binary ? '--binary' : '--no-binary',
    ]
    args.push(...whitespaceArgs(options.whitespace))
    if (options.contextLines !== undefined) args.push(`--unified=${Math.trunc(options.contextLines)}`)
    args.push(checked(base), checked(head), '--', ...(options.paths ?? []))
    return command.stream(
      args.filter((arg) => arg !== '--no-binary'),
      paced(options.signal, options.borrow),
    )
  }

  return {
    patch,
    /** A commit relative to its first parent; a root relative to the empty tree. */
    async *commitDiff(oid: string, options?: DiffOptions): AsyncGenerator<Buffer, void, undefined> {
      const { parents } = await objects.commit(oid)
      yield* patch(parents[0] ?? emptyTreeOid(format), oid, options)
    },
    /**
     * Patches in mail form (git format-patch --stdout) of the commits that `head` has and `base` lacks, oldest first.
     */
    async *mails(
      base: string,
      head: string,
      { signal, borrow }: Pick<DiffOptions, 'borrow' | 'signal'> = {},
    ): AsyncGenerator<Buffer, void, undefined> {
      yield* command.stream(
        [
          'format-patch',
          '--stdout',
          '--no-ext-diff',
          '--no-textconv',
          '--binary',
          `${checked(base)}..${checked(head)}`,
        ],
        paced(signal, borrow),
      )
    },
    /** One commit in mail form. */
    async *commitMail(oid: string, signal?: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
      yield* command.stream(
        ['format-patch', '--stdout', '--no-ext-diff', '--no-textconv', '--binary', '-1', checked(oid)],
        paced(signal),
      )
    },
  }
}

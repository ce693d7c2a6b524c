import { GitError, isGitError } from '../../errors.ts'
import type { GitCommand } from '../command.ts'
import type { Memo } from '../memo.ts'
import { isOid, type ObjectFormat } from '../object/format.ts'

/** Consecutive lines that one commit changed last. Line numbers begin at 1. */
export interface BlameHunk {
  readonly commit: string
  /** The file's name in that commit. */
  readonly path: string
  readonly originalLine: number
  readonly line: number
  readonly lines: number
  /** Position of the lines before that commit; undefined if the commit added the file. */
  readonly previous: { readonly commit: string; readonly path: string } | undefined
}

interface BlamesContext {
  readonly format: ObjectFormat
  readonly cacheKey: string
  readonly command: GitCommand
  readonly memo: Memo
}

interface BlameOptions {
  /** The first and the last line. */
  readonly range?: readonly [first: number, last: number] | undefined
  /** Full ids of existing commits whose changes are attributed to the commits before them. */
  readonly ignored?: readonly string[]
}

const DEADLINE = 30_000
const LINE_DEADLINE = 5_000
/** Git's exit code if the file or the line does not exist. */
const NO_SUCH_LINE = 128
/** Bytes that a hunk takes in memory, about. */
const HUNK = 400
/** An answer of 2 MB, which takes 70 ms. */
const MAX_HUNKS = 10_000
/** Maximum bytes of the output of git; with long paths fewer hunks fit. */
const MAX_OUTPUT = 8 * 1024 * 1024

export type Blames = ReturnType<typeof createBlames>

export function createBlames({ format, cacheKey, command, memo }: BlamesContext) {
  const requireOid = (commit: string): void => {
    if (!isOid(commit, format)) throw new GitError('invalid', `bad commit id: ${commit.slice(0, 80)}`)
  }

  /** The hunks in line order; none if the file or the lines do not exist. */
  async function run(
    commit: string,
    path: string,
    { range, ignored = [], deadline }: BlameOptions & { readonly deadline: number },
  ): Promise<BlameHunk[]> {
    const lines = range === undefined ? [] : ['-L', range.join(',')]
    const skips = ignored.flatMap((oid) => ['--ignore-rev', oid])
    const { stdout } = await command.run(['blame', '--incremental', ...lines, ...skips, commit, '--', path], {
      deadline,
      maxOutput: MAX_OUTPUT,
      codes: range === undefined ? [0] : [0, NO_SUCH_LINE],
    })
    const hunks = parseIncremental(stdout.toString('utf8'))
    if (hunks.length > MAX_HUNKS) throw new GitError('too-large', `more than ${MAX_HUNKS} hunks`)
    return hunks.toSorted((a, b) => a.line - b.line)
  }

  async function findLine(commit: string, path: string, line: number): Promise<string> {
    const [hunk] = await run(commit, path, { range: [line, line], deadline: LINE_DEADLINE })
    return hunk?.commit ?? ''
  }

  async function readFile(commit: string, path: string, options: BlameOptions): Promise<readonly BlameHunk[]> {
    const hunks = await run(commit, path, { ...options, deadline: DEADLINE })
    if (options.range !== undefined && hunks.length === 0) throw new GitError('invalid', 'the file has no such lines')
    return hunks
  }

  return {
    /**
     * The commit that last changed one line, counted from 1, as of a commit. Undefined if the file or the line does not
     * exist, or if a long history takes more than seconds: a request may be waiting.
     */
    async ofLine(commit: string, path: string, line: number): Promise<string | undefined> {
      requireOid(commit)
      if (!Number.isSafeInteger(line) || line < 1) return undefined
      const key = `${cacheKey}blame ${commit} ${line} ${path}`
      try {
        return (
          (await memo.get(
            key,
            () => 64,
            () => findLine(commit, path, line),
          )) || undefined
        )
      } catch (error) {
        if (isGitError(error, 'timeout') || isGitError(error, 'too-large')) return undefined
        throw error
      }
    },
    /**
     * The commit that last changed each line of a file as of a commit, in line order. The file must exist. Throws
     * GitError `invalid` for lines beyond its end, `too-large` for too many hunks.
     */
    ofFile(commit: string, path: string, options: BlameOptions = {}): Promise<readonly BlameHunk[]> {
      requireOid(commit)
      const { range = [], ignored = [] } = options
      const key = `${cacheKey}blame ${commit} ${range.join(',')}:${ignored.join(' ')} ${path}`
      return memo.get<readonly BlameHunk[]>(
        key,
        (hunks) => hunks.length * HUNK,
        () => readFile(commit, path, options),
      )
    },
  }
}

/**
 * Parses `git blame --incremental`: a line with id and numbers, then headers that end with the file name. Git prints
 * only id and numbers of a commit's later hunks with the file name, and `previous` each time.
 */
function parseIncremental(text: string): BlameHunk[] {
  const hunks: BlameHunk[] = []
  let open: Omit<BlameHunk, 'path'> | undefined
  for (const line of text.split('\n')) {
    const start = /^([0-9a-f]{40,64}) (\d+) (\d+) (\d+)$/.exec(line)
    if (start) {
      const [, commit = '', original, at, lines] = start
      open = { commit, originalLine: Number(original), line: Number(at), lines: Number(lines), previous: undefined }
    } else if (open && line.startsWith('previous ')) {
      const [, commit = '', path = ''] = /^previous ([0-9a-f]+) (.*)$/.exec(line) ?? []
      open = { ...open, previous: { commit, path: unquote(path) } }
    } else if (open && line.startsWith('filename ')) {
      hunks.push({ ...open, path: unquote(line.slice('filename '.length)) })
      open = undefined
    }
  }
  return hunks
}

const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/** A path as git prints it: names with control characters, quotes or backslashes are quoted as in C. */
const unquote = (path: string): string =>
  path.startsWith('"') && path.endsWith('"')
    ? path
        .slice(1, -1)
        .replaceAll(/\\(?:([0-7]{3})|(.))/gs, (_, octal: string | undefined, letter: string) =>
          octal === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(octal, 8)),
        )
    : path

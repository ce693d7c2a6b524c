import { GitError, isGitError } from '../../errors.ts'
import type { GitCommand } from '../command.ts'
import type { Memo } from '../memo.ts'
import { isOid, type ObjectFormat } from '../object/format.ts'

interface BlameHunk {
  readonly commit: string
  /** The file's name in that commit. */
  readonly path: string
  /** Line numbers from 1. */
  readonly originalLine: number
  readonly line: number
  readonly lines: number
}

interface BlamesContext {
  readonly format: ObjectFormat
  readonly cacheKey: string
  readonly command: GitCommand
  readonly memo: Memo
}

const DEADLINE = 120_000
const LINE_DEADLINE = 5_000
/** Git's exit code if there is no such file or line. */
const NO_SUCH_LINE = 128

export type Blames = ReturnType<typeof createBlames>

export function createBlames({ format, cacheKey, command, memo }: BlamesContext) {
  const requireOid = (commit: string): void => {
    if (!isOid(commit, format)) throw new GitError('invalid', `bad commit id: ${commit.slice(0, 80)}`)
  }

  /** Undefined if the line does not exist. */
  async function findLine(commit: string, path: string, line: number): Promise<string> {
    const range = `${line},${line}`
    const { stdout } = await command.run(['blame', '--incremental', '-L', range, commit, '--', path], {
      deadline: LINE_DEADLINE,
      codes: [0, NO_SUCH_LINE],
    })
    return parseIncremental(stdout.toString('utf8'))[0]?.commit ?? ''
  }

  return {
    /**
     * The commit that last changed one line, counted from 1, as of a commit. Undefined if there is no such file or
     * line, or if a long history gives no answer within seconds: a request may be waiting.
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
    /** The commit that last changed each line of a file as of a commit, in line order. */
    async blame(commit: string, path: string, signal?: AbortSignal): Promise<BlameHunk[]> {
      requireOid(commit)
      const options = { deadline: DEADLINE, ...(signal && { signal }) }
      const { stdout } = await command.run(['blame', '--incremental', commit, '--', path], options)
      return parseIncremental(stdout.toString('utf8')).toSorted((a, b) => a.line - b.line)
    },
  }
}

/** Parses `git blame --incremental`: a line with id and numbers, then headers that end with the file name. */
function parseIncremental(text: string): BlameHunk[] {
  const hunks: BlameHunk[] = []
  let open: Omit<BlameHunk, 'path'> | undefined
  for (const line of text.split('\n')) {
    const start = /^([0-9a-f]{40,64}) (\d+) (\d+) (\d+)$/.exec(line)
    if (start) {
      open = { commit: start[1]!, originalLine: Number(start[2]), line: Number(start[3]), lines: Number(start[4]) }
    } else if (open && line.startsWith('filename ')) {
      hunks.push({ ...open, path: line.slice(9) })
      open = undefined
    }
  }
  return hunks
}

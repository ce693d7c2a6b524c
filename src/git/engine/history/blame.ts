import { GitError } from '../../errors.ts'
import type { GitCommand } from '../command.ts'
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

export interface Blames {
  /** Who last changed each line of a file as of a commit, in line order. */
  blame(commit: string, path: string, signal?: AbortSignal): Promise<BlameHunk[]>
}

const DEADLINE = 120_000

export function createBlames(format: ObjectFormat, command: GitCommand): Blames {
  return {
    async blame(commit, path, signal) {
      if (!isOid(commit, format)) throw new GitError('invalid', `bad commit id: ${commit.slice(0, 80)}`)
      const options = { deadline: DEADLINE, ...(signal && { signal }) }
      const { stdout } = await command.run(['blame', '--incremental', commit, '--', path], options)
      return parseIncremental(stdout.toString('utf8')).toSorted((a, b) => a.line - b.line)
    },
  }
}

/** Reads `git blame --incremental`: a line with id and numbers, then headers that end with the file name. */
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

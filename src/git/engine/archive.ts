import { GitError } from '../errors.ts'
import type { GitCommand } from './command.ts'
import { isOid, type ObjectFormat } from './object/format.ts'

export interface ArchiveOptions {
  readonly format: 'zip' | 'tar' | 'tar.gz'
  /** Full id of a commit (its time is the entries' time) or a tree. */
  readonly oid: string
  /** Leading directory of every entry, ending in a slash. */
  readonly prefix?: string
  readonly paths?: readonly string[]
  readonly signal?: AbortSignal
}

export interface Archives {
  archive(options: ArchiveOptions): AsyncGenerator<Buffer, void, undefined>
  /** A git bundle of one ref with its history. */
  bundle(ref: string, signal?: AbortSignal): AsyncGenerator<Buffer, void, undefined>
}

const DEADLINE = 60 * 60 * 1000

export function createArchives(format: ObjectFormat, command: GitCommand): Archives {
  return {
    archive({ format: kind, oid, prefix, paths = [], signal }) {
      if (!isOid(oid, format)) throw new GitError('invalid', `bad object id: ${oid.slice(0, 80)}`)
      const lead = prefix === undefined ? [] : [`--prefix=${prefix}`]
      const options = { deadline: DEADLINE, paced: true, ...(signal && { signal }) }
      return command.stream(['archive', `--format=${kind}`, ...lead, oid, '--', ...paths], options)
    },
    bundle(ref, signal) {
      if (!ref.startsWith('refs/')) throw new GitError('invalid', `bad ref name: ${ref.slice(0, 80)}`)
      return command.stream(['bundle', 'create', '--quiet', '-', ref], { deadline: DEADLINE, paced: true, ...(signal && { signal }) })
    },
  }
}

import { GitError } from '../errors.ts'
import type { GitCommand } from './command.ts'
import { isOid, type ObjectFormat } from './object/format.ts'

interface ArchiveOptions {
  readonly format: 'zip' | 'tar' | 'tar.gz'
  /** Full id of a commit, whose time is used for the entries, or of a tree. */
  readonly oid: string
  /** Leading directory of every entry, ending in a slash. */
  readonly prefix?: string
  readonly paths?: readonly string[]
  readonly signal?: AbortSignal
}

interface BundleOptions {
  /** Full id of a commit; the bundle contains its whole history. */
  readonly oid: string
  /** The names of the bundle's heads, such as `refs/heads/bundle` and `HEAD`. */
  readonly names: readonly string[]
  readonly signal?: AbortSignal
}

const DEADLINE = 60 * 60 * 1000

export type Archives = ReturnType<typeof createArchives>

export function createArchives(format: ObjectFormat, command: GitCommand) {
  const requireOid = (oid: string): void => {
    if (!isOid(oid, format)) throw new GitError('invalid', `bad object id: ${oid.slice(0, 80)}`)
  }
  return {
    archive({
      format: kind,
      oid,
      prefix,
      paths = [],
      signal,
    }: ArchiveOptions): AsyncGenerator<Buffer, void, undefined> {
      requireOid(oid)
      const lead = prefix === undefined ? [] : [`--prefix=${prefix}`]
      const options = { deadline: DEADLINE, paced: true, ...(signal && { signal }) }
      return command.stream(['archive', `--format=${kind}`, ...lead, oid, '--', ...paths], options)
    },
    /** A git bundle (gitformat-bundle(5)) without prerequisites. */
    async *bundle({ oid, names, signal }: BundleOptions): AsyncGenerator<Buffer, void, undefined> {
      requireOid(oid)
      const version = format === 'sha1' ? '# v2 git bundle\n' : `# v3 git bundle\n@object-format=${format}\n`
      yield Buffer.from(`${version}${names.map((name) => `${oid} ${name}\n`).join('')}\n`)
      const options = { input: `${oid}\n`, deadline: DEADLINE, paced: true, ...(signal && { signal }) }
      yield* command.stream(['pack-objects', '--revs', '--stdout', '--delta-base-offset', '--quiet'], options)
    },
  }
}

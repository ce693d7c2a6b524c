import type { CommandOptions, GitCommand } from '../command.ts'
import { type Commit, parseCommit } from '../object/commit.ts'
import { type ObjectFormat, oidLength } from '../object/format.ts'

export interface IncomingCommit {
  readonly commit: Commit
  /** The bytes as stored. */
  readonly content: Buffer
}

const BATCH = 200
const DEADLINE = 120_000

/**
 * What a ref update would add, computed before the ref moves. `from` is the ref's current value; undefined for a new
 * ref, where only commits that no branch has count.
 */
export type Incoming = ReturnType<typeof createIncoming>

/** `env` is the environment in which git sees objects that are still in quarantine. */
export function createIncoming(format: ObjectFormat, command: GitCommand, env: Readonly<Record<string, string>> = {}) {
  const options: CommandOptions = { env, deadline: DEADLINE }

  async function* read(oids: readonly string[]): AsyncGenerator<readonly IncomingCommit[], void, undefined> {
    for (let at = 0; at < oids.length; at += BATCH) {
      const input = oids
        .slice(at, at + BATCH)
        .map((oid) => `${oid}\n`)
        .join('')
      yield parseBatch((await command.run(['cat-file', '--batch'], { ...options, input })).stdout)
    }
  }

  return {
    /** Every path that differs; for a new ref every path that one of the new commits changes. */
    async changedFiles(from: string | undefined, to: string): Promise<readonly string[]> {
      const tree = ['diff-tree', '-r', '--no-renames', '--name-only', '-z', '--end-of-options', from ?? '', to]
      // NOTE: of a merge only changes that no parent has: the parents' own commits are listed where they are new.
      const log = ['log', '-z', '--format=', '--name-only', '--no-renames', '-c', '--root', to, '--not', '--branches']
      const files = new Set<string>()
      for await (const name of fields(command.stream(from === undefined ? log : tree, options)))
        if (name !== '') files.add(name)
      return [...files]
    },
    /** Newest first, in batches; leaving the loop early ends the read. */
    async *newCommits(
      from: string | undefined,
      to: string,
    ): AsyncGenerator<readonly IncomingCommit[], void, undefined> {
      const range = from === undefined ? [to, '--not', '--branches'] : [to, `^${from}`]
      const width = oidLength(format)
      let oids: string[] = []
      for await (const line of fields(command.stream(['rev-list', ...range], options), '\n')) {
        if (line.length === width) oids.push(line)
        if (oids.length < BATCH) continue
        yield* read(oids)
        oids = []
      }
      yield* read(oids)
    },
  }
}

/** Yields the parts of a stream between separators. */
async function* fields(stream: AsyncIterable<Buffer>, separator = '\0'): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split(separator)
    rest = parts.pop()!
    yield* parts
  }
  if (rest !== '') yield rest
}

/** Parses `cat-file --batch`: `<oid> <type> <size>`, the bytes, a newline. */
function parseBatch(output: Buffer): IncomingCommit[] {
  const found: IncomingCommit[] = []
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(0x0a, at)
    const [oid = '', , size = '0'] = output.toString('latin1', at, end).split(' ')
    const content = output.subarray(end + 1, end + 1 + Number(size))
    found.push({ commit: parseCommit(oid, content), content })
    at = end + 2 + Number(size)
  }
  return found
}

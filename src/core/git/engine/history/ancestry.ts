import { join } from 'node:path'
import { GitError } from '../../errors.ts'
import type { GitCommand } from '../command.ts'
import { lines } from '../read/lines.ts'
import type { GraphReader, GraphRepo } from '../graph/graph-thread.ts'
import type { Memo } from '../memo.ts'
import { isOid, type ObjectFormat } from '../object/format.ts'

export interface AncestryContext extends GraphRepo {
  readonly cacheKey: string
  readonly command: GitCommand
  readonly memo: Memo
  readonly graph: GraphReader
}

export type Ancestry = ReturnType<typeof createAncestry>

/** Relations between commits. Ids must be full commit ids; others throw GitError `invalid`. */
export function createAncestry(context: AncestryContext) {
  const { format, cacheKey, command, memo, graph } = context

  /** All merge bases, that of `mergeBase` first: merges in both directions (criss-cross) create several. */
  async function mergeBases(a: string, b: string, borrow?: string): Promise<readonly string[]> {
    requireOids(format, a, b)
    if (a === b) return [a]
    return memo.get(
      `${cacheKey}bases ${a} ${b} ${borrow ?? ''}`,
      (bases) => bases.length * 80,
      async () => {
        const known = borrow === undefined && (await graph.ask(context, 'mergeBases', { left: a, right: b }))
        if (known) return known
        const { stdout } = await command.run(['merge-base', '--all', a, b], { codes: [0, 1], env: borrowing(borrow) })
        return stdout.toString('latin1').split('\n').slice(0, -1)
      },
    )
  }

  return {
    mergeBases,
    /**
     * The best common ancestor; undefined for unrelated histories. `borrow` is the path of a repository whose objects
     * git may also read.
     */
    mergeBase: async (a: string, b: string, borrow?: string): Promise<string | undefined> =>
      (await mergeBases(a, b, borrow))[0],
    async isAncestor(ancestor: string, descendant: string): Promise<boolean> {
      requireOids(format, ancestor, descendant)
      if (ancestor === descendant) return true
      const code = await memo.get(
        `${cacheKey}within ${ancestor} ${descendant}`,
        () => 8,
        async () => {
          const found = await graph.ask(context, 'within', { base: descendant, tips: [ancestor] })
          if (found) return found.length === 1 ? 0 : 1
          return (await command.run(['merge-base', '--is-ancestor', ancestor, descendant], { codes: [0, 1] })).code
        },
      )
      return code === 0
    },
    /** The tips that are not in the history of `base`, by one process for all. */
    async notWithin(base: string, tips: readonly string[]): Promise<ReadonlySet<string>> {
      requireOids(format, base, ...tips)
      const candidates = new Set(tips)
      const inside = await graph.ask(context, 'within', { base, tips: [...candidates] })
      if (inside) return candidates.difference(new Set(inside))
      const outside = new Set<string>()
      const input = `^${base}\n${[...candidates].map((oid) => `${oid}\n`).join('')}`
      // NOTE: git lists exactly the commits that the base lacks, so a listed tip is outside.
      for await (const oid of lines(command.stream(['rev-list', '--stdin'], { input })))
        if (candidates.has(oid)) outside.add(oid)
      return outside
    },
  }
}

/** Throws GitError `invalid` unless every id is a full id of the format. */
export function requireOids(format: ObjectFormat, ...oids: readonly string[]): void {
  for (const oid of oids) if (!isOid(oid, format)) throw new GitError('invalid', `bad commit id: ${oid.slice(0, 80)}`)
}

/** The environment of a git process that may also read the objects of another repository, by its path. */
export const borrowing = (borrow: string | undefined): Record<string, string> =>
  borrow === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: join(borrow, 'objects') }

/** Returns the output of `git rev-list`; `borrow` is the path of a repository whose objects it may also read. */
export async function revList(command: GitCommand, args: readonly string[], borrow?: string): Promise<string> {
  const env = borrowing(borrow)
  return (await command.run(['rev-list', ...args], { env })).stdout.toString('latin1').trim()
}

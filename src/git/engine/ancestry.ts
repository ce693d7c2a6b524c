import { join } from 'node:path'
import { GitError } from '../errors.ts'
import type { GitCommand } from './command.ts'
import { lines } from './lines.ts'
import type { Memo } from './memo.ts'
import { isOid, type ObjectFormat } from './object/format.ts'

interface AheadBehind {
  /** Commits of the first that the second lacks. */
  readonly ahead: number
  readonly behind: number
}

/** How commits are related. All ids are full commit ids; others throw GitError `invalid`. */
export interface Ancestry {
  /** The best common ancestor; undefined for unrelated histories. */
  mergeBase(a: string, b: string): Promise<string | undefined>
  isAncestor(ancestor: string, descendant: string): Promise<boolean>
  /** Those of the tips that are not in the history of `base`: one process for all. */
  notWithin(base: string, tips: readonly string[]): Promise<ReadonlySet<string>>
  aheadBehind(head: string, base: string): Promise<AheadBehind>
}

export interface AncestryContext {
  readonly format: ObjectFormat
  readonly cacheKey: string
  readonly command: GitCommand
  readonly memo: Memo
}

export function createAncestry({ format, cacheKey, command, memo }: AncestryContext): Ancestry {
  return {
    async mergeBase(a, b) {
      requireOids(format, a, b)
      if (a === b) return a
      const text = await memo.get(
        `${cacheKey}base ${a} ${b}`,
        () => 64,
        async () => (await command.run(['merge-base', a, b], { codes: [0, 1] })).stdout.toString('latin1').trim(),
      )
      return text === '' ? undefined : text
    },
    async isAncestor(ancestor, descendant) {
      requireOids(format, ancestor, descendant)
      if (ancestor === descendant) return true
      const code = await memo.get(
        `${cacheKey}within ${ancestor} ${descendant}`,
        () => 8,
        async () => (await command.run(['merge-base', '--is-ancestor', ancestor, descendant], { codes: [0, 1] })).code,
      )
      return code === 0
    },
    async notWithin(base, tips) {
      requireOids(format, base, ...tips)
      const asked = new Set(tips)
      const outside = new Set<string>()
      const input = `^${base}\n${[...asked].map((oid) => `${oid}\n`).join('')}`
      // NOTE: git lists exactly the commits that the base lacks, so a tip is outside when it is listed.
      for await (const oid of lines(command.stream(['rev-list', '--stdin'], { input })))
        if (asked.has(oid)) outside.add(oid)
      return outside
    },
    async aheadBehind(head, base) {
      requireOids(format, head, base)
      if (head === base) return { ahead: 0, behind: 0 }
      return memo.get(
        `${cacheKey}ahead ${head} ${base}`,
        () => 16,
        async () => {
          const counts = await revList(command, ['--count', '--left-right', `${head}...${base}`])
          const [ahead, behind] = counts.split('\t')
          return { ahead: Number(ahead), behind: Number(behind) }
        },
      )
    },
  }
}

/** Throws GitError `invalid` when one of the ids is not a full one of the format. */
export function requireOids(format: ObjectFormat, ...oids: readonly string[]): void {
  for (const oid of oids) if (!isOid(oid, format)) throw new GitError('invalid', `bad commit id: ${oid.slice(0, 80)}`)
}

/** What `git rev-list` prints; `borrow` is the path of a repository whose objects it may read too. */
export async function revList(command: GitCommand, args: readonly string[], borrow?: string): Promise<string> {
  const env = borrow === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: join(borrow, 'objects') }
  return (await command.run(['rev-list', ...args], { env })).stdout.toString('latin1').trim()
}

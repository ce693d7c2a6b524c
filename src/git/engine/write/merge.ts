import { GitError } from '../../errors.ts'
import type { GitCommand } from '../command.ts'
import { isOid, type ObjectFormat } from '../object/format.ts'

interface MergeResult {
  /** The merged tree; with conflicts, one with conflict markers. Its objects are in the repository. */
  readonly tree: string
  /** Paths that could not be merged; none for a clean merge. */
  readonly conflicts: readonly string[]
}

export interface Merges {
  /** Three-way merge of two commits with renames, from their own merge base; touches no ref and no file. */
  mergeTrees(ours: string, theirs: string): Promise<MergeResult>
}

const DEADLINE = 120_000

export function createMerges(format: ObjectFormat, command: GitCommand): Merges {
  return {
    async mergeTrees(ours, theirs) {
      for (const oid of [ours, theirs])
        if (!isOid(oid, format)) throw new GitError('invalid', `bad commit id: ${oid.slice(0, 80)}`)
      const args = [
        'merge-tree',
        '--write-tree',
        '--allow-unrelated-histories',
        '--name-only',
        '--no-messages',
        '-z',
        ours,
        theirs,
      ]
      const { stdout } = await command.run(args, { codes: [0, 1], deadline: DEADLINE })
      const [tree, ...names] = stdout.toString('utf8').split('\0')
      if (!tree || !isOid(tree.trim(), format)) throw new GitError('failed', 'git merge-tree gave no tree')
      return { tree: tree.trim(), conflicts: [...new Set(names.filter((name) => name !== ''))] }
    },
  }
}

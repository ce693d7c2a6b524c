import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GitError } from '../../errors.ts'
import type { CommandOptions, GitCommand } from '../command.ts'
import { isOid, type ObjectFormat } from '../object/format.ts'

export type Patches = ReturnType<typeof createPatches>

/** NOTE: uses its own index in its own folder; no work tree is touched. */
export function createPatches(format: ObjectFormat, command: GitCommand) {
  return {
    /**
     * Applies a diff (in the form of git or `diff -u`) to a tree and returns the new tree, whose objects are in the
     * repository. Throws GitError `invalid` with git's message if the diff is empty, malformed, leaves the tree or does
     * not apply. Use within `writing`.
     */
    async apply(tree: string, patch: Uint8Array): Promise<string> {
      const folder = await mkdtemp(join(tmpdir(), 'ingot-index-'))
      const run = (args: readonly string[], options: CommandOptions = {}) =>
        command.run(args, { ...options, env: { GIT_INDEX_FILE: join(folder, 'index') } })
      try {
        await run(['read-tree', tree])
        const { code, stderr } = await run(['apply', '--cached', '--whitespace=nowarn', '-'], {
          input: patch,
          codes: [0, 1, 128],
        })
        if (code !== 0)
          throw new GitError(
            'invalid',
            stderr
              .trim()
              .replaceAll(/^error: /gm, '')
              .slice(0, 500),
          )
        const made = (await run(['write-tree'])).stdout.toString('latin1').trim()
        if (!isOid(made, format)) throw new GitError('failed', 'git write-tree gave no tree')
        return made
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

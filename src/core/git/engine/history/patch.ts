import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GitError } from '../../errors.ts'
import type { CommandOptions, GitCommand } from '../command.ts'
import { isOid, type ObjectFormat } from '../object/format.ts'

export type Patches = ReturnType<typeof createPatches>

/** NOTE: an index of its own in a folder of its own; no work tree is ever touched. */
export function createPatches(format: ObjectFormat, command: GitCommand) {
  return {
    /**
     * The tree that a diff (as git or `diff -u` writes them) makes of another; its objects are in the repository.
     * GitError `invalid` with git's words when the diff is empty, broken, leaves the tree or does not apply. Use within
     * `writing`.
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

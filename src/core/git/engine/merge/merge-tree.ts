import { GitError } from '../../errors.ts'
import type { CommandOptions, GitCommand } from '../command.ts'
import { isOid, type ObjectFormat } from '../object/format.ts'

export interface MergeTree {
  /** The merged tree; with conflicts, one with conflict markers. */
  readonly tree: string
  /** Paths that could not be merged; none for a clean merge. */
  readonly conflicts: readonly string[]
  /** What git prints about the conflicts, a line each, cut after 8,000 characters. */
  readonly messages: string
}

const MAX_OUTPUT = 16 * 1024 * 1024
const MAX_MESSAGES = 8_000

type MergeTreeOptions = Required<Pick<CommandOptions, 'env' | 'settings' | 'deadline'>>

/**
 * Three-way merge of two commits with renames, from their own merge bases; touches no ref and no file. Unrelated
 * histories are merged from the empty tree. The result's objects are where `env` makes git write them.
 */
export async function runMergeTree(
  command: GitCommand,
  format: ObjectFormat,
  sides: { readonly ours: string; readonly theirs: string },
  options: MergeTreeOptions,
): Promise<MergeTree> {
  const { ours, theirs } = sides
  for (const oid of [ours, theirs])
    if (!isOid(oid, format)) throw new GitError('invalid', `bad commit id: ${oid.slice(0, 80)}`)
  const args = ['merge-tree', '--write-tree', '--allow-unrelated-histories', '--name-only', '--messages', '-z']
  const { stdout } = await command.run([...args, ours, theirs], {
    codes: [0, 1],
    maxOutput: MAX_OUTPUT,
    ...options,
  })
  return parseMergeTree(stdout.toString('utf8'), format)
}

/**
 * `tree\0`, conflicting paths, an empty field, and for each message: the number of its paths, the paths, kind, text.
 */
function parseMergeTree(output: string, format: ObjectFormat): MergeTree {
  const fields = output.split('\0')
  const tree = fields[0] ?? ''
  if (!isOid(tree, format)) throw new GitError('failed', 'git merge-tree gave no tree')
  const end = fields.indexOf('', 1)
  const names = fields.slice(1, end === -1 ? fields.length : end)
  if (names.length === 0) return { tree, conflicts: [], messages: '' }
  let messages = ''
  for (let at = end + 1; at < fields.length && messages.length < MAX_MESSAGES;) {
    const paths = Number(fields[at])
    if (fields[at] === '' || !Number.isInteger(paths)) break
    const text = fields[at + paths + 2] ?? ''
    messages += text.endsWith('\n') ? text : `${text}\n`
    at += paths + 3
  }
  return { tree, conflicts: [...new Set(names)], messages: messages.slice(0, MAX_MESSAGES) }
}

import { GitError } from '../../errors.ts'
import type { GitCommand } from '../command.ts'
import { emptyTreeOid } from '../object/format.ts'
import { type Identity, formatIdentity, parseCommit, serializeCommit } from '../object/commit.ts'
import type { Objects } from '../read/objects.ts'
import { trivialMerge } from './apply-commit.ts'
import type { MergeSpace, TreeMerge, MergeTree } from './merge-tree.ts'

interface ReplayedCommit {
  readonly tree: string
  readonly parent: string
  readonly committer: Identity
  /** A new message; if absent, the stored bytes stay. */
  readonly message: string | undefined
}

/**
 * The content of a commit that replays another: its author line, encoding and message are copied byte for byte;
 * signatures and other headers, which belong to the original, are dropped. The commit is converted to UTF-8 if its
 * encoding may not represent the committer's name.
 */
function replayedContent(original: Buffer, { tree, parent, committer, message }: ReplayedCommit): Buffer {
  const end = original.indexOf('\n\n')
  const headers = original.toString('latin1', 0, end === -1 ? original.length : end).split('\n')
  const encoding = headers.find((line) => line.startsWith('encoding '))
  const committerLine = formatIdentity(committer)
  if (message !== undefined || (encoding !== undefined && !isAscii(committerLine))) {
    const parsed = parseCommit('', original)
    const { author } = parsed
    return serializeCommit({ tree, parents: [parent], author, committer, message: message ?? parsed.message })
  }
  const author = headers.find((line) => line.startsWith('author ')) ?? `author ${committerLine}`
  return Buffer.concat([
    Buffer.from(`tree ${tree}\nparent ${parent}\n${author}\n`, 'latin1'),
    Buffer.from(`committer ${committerLine}\n`, 'utf8'),
    Buffer.from(encoding === undefined ? '\n' : `${encoding}\n\n`, 'latin1'),
    original.subarray(end === -1 ? original.length : end + 2),
  ])
}

// oxlint-disable-next-line no-control-regex
const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

/** Adds an armored signature to the headers of the content. */
function withSignature(content: Buffer, header: 'gpgsig' | 'gpgsig-sha256', signature: string): Buffer {
  const end = content.indexOf('\n\n')
  const folded = signature.trimEnd().replaceAll('\n', '\n ')
  return Buffer.concat([content.subarray(0, end + 1), Buffer.from(`${header} ${folded}\n`), content.subarray(end + 1)])
}

export interface Replaying {
  /** The commit to build on. */
  readonly base: string
  readonly head: string
  readonly committer: Identity
  /** Returns the armored signature of each new commit. */
  readonly sign: ((payload: Buffer) => Promise<string>) | undefined
  /** Derives the message of the last commit from its original message. */
  readonly reword: ((message: string) => string) | undefined
  /** The maximum number of commits to replay. */
  readonly maxCommits: number
  /** Time in milliseconds, as returned by `performance.now()`. */
  readonly deadline: number
}

export type Replayed =
  | { readonly kind: 'replayed'; readonly commit: string; readonly tree: string }
  | { readonly kind: 'conflict'; readonly commit: string; readonly result: MergeTree }
  | { readonly kind: 'too-many' }

interface Sources {
  readonly objects: Objects
  readonly command: GitCommand
}

/**
 * Replays the commits that `head` has and `base` lacks on top of `base`, as `git rebase` does: in topological order,
 * without merges, commits that `base` has under another id, and commits that become empty. A commit that already has
 * the right parent stays unchanged. Runs one process for the list and one for each commit that needs a merge of
 * contents.
 */
export async function replay({ objects, command }: Sources, space: MergeSpace, plan: Replaying): Promise<Replayed> {
  const listed = await listReplayed(command, plan)
  if (listed === undefined) return { kind: 'too-many' }
  let tip = { oid: plan.base, tree: (await objects.commit(plan.base)).tree }
  for (const [index, { oid, isInBase }] of listed.entries()) {
    if (performance.now() > plan.deadline) throw new GitError('timeout', 'replaying the commits took too long')
    const commit = await objects.commit(oid)
    const reword = index === listed.length - 1 ? plan.reword : undefined
    if (commit.parents[0] === tip.oid && reword === undefined) {
      tip = { oid, tree: commit.tree }
      continue
    }
    const [parent] = commit.parents
    const base = parent === undefined ? emptyTreeOid(space.format) : (await objects.commit(parent)).tree
    const isEmpty = commit.tree === base
    if (isInBase && !isEmpty) continue
    const result = await mergeOnto(space, { base, ours: tip.tree, theirs: commit.tree })
    if (result.conflicts.length > 0) return { kind: 'conflict', commit: oid, result }
    const { tree } = result
    if (tree === tip.tree && !isEmpty) continue
    const { content } = await objects.raw(oid)
    const next = { tree, parent: tip.oid, committer: plan.committer, message: reword?.(commit.message) }
    tip = { oid: await writeReplayed(space, replayedContent(content, next), plan.sign), tree }
  }
  return { kind: 'replayed', commit: tip.oid, tree: tip.tree }
}

async function mergeOnto(space: MergeSpace, trees: TreeMerge): Promise<MergeTree> {
  const tree = await trivialMerge(space, trees)
  return tree === undefined ? space.mergeTrees(trees) : { tree, conflicts: [], messages: '' }
}

async function writeReplayed(space: MergeSpace, content: Buffer, sign: Replaying['sign']): Promise<string> {
  if (!sign) return space.writer.stored('commit', content)
  const header = space.format === 'sha1' ? 'gpgsig' : 'gpgsig-sha256'
  return space.writer.stored('commit', withSignature(content, header, await sign(content)))
}

interface Listed {
  readonly oid: string
  /** True if the base has a commit with the same changes; also true for empty commits, which are replayed anyway. */
  readonly isInBase: boolean
}

/** The commits in replay order; undefined if there are more than the plan allows. */
async function listReplayed(command: GitCommand, plan: Replaying): Promise<readonly Listed[] | undefined> {
  const { base, head, maxCommits, deadline } = plan
  const args = ['rev-list', '--topo-order', '--reverse', '--no-merges', '--right-only', '--cherry-mark']
  const { stdout } = await command.run([...args, `--max-count=${maxCommits + 1}`, `${base}...${head}`, '--'], {
    deadline: Math.max(1, Math.round(deadline - performance.now())),
  })
  const lines = stdout.toString('latin1').split('\n').slice(0, -1)
  if (lines.length > maxCommits) return undefined
  return lines.map((line) => ({ oid: line.slice(1), isInBase: line.startsWith('=') }))
}

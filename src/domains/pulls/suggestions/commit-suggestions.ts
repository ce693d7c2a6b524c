import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import {
  applyChanges,
  createPathLookup,
  type GitRepo,
  MODE,
  type ObjectWriter,
  type TreeChange,
  type TreeEntry,
} from '../../../core/git/index.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import { invalid, tooLarge, unauthenticated } from '../../../core/platform/errors.ts'
import { type CommitSigner, appendTrailers, writeCommit } from '../../repositories/index.ts'
import { commitIdentity, findUserById, listUsersByIds } from '../../accounts/index.ts'
import type { Suggestion } from './load-suggestions.ts'
import { applySuggestions } from './suggestion-blocks.ts'

export interface CommitDeps {
  readonly clock: Clock
  readonly signer: CommitSigner | undefined
  readonly noReplyDomain: string
}

interface NewCommit {
  readonly git: GitRepo
  /** The parent. */
  readonly tip: string
  readonly suggestions: readonly Suggestion[]
  readonly message: string
}

/** Of the files that are changed by one commit, before and after. */
const MAX_BYTES = 32 * 1024 * 1024

/**
 * Writes the commit and moves no ref. Returns its id. Throws Invalid when suggestions overlap or change nothing, and
 * for what is no regular file; TooLarge for files of more than 32 MiB in all.
 */
export async function commitSuggestions(
  deps: CommitDeps & { readonly read: Db },
  actor: SignedIn,
  { git, tip, suggestions, message }: NewCommit,
): Promise<string> {
  const writer = git.writer()
  const { tree: base } = await git.objects.commit(tip)
  const tree = await applyChanges(writer, base, await editFiles(git, writer, { base, suggestions }))
  if (tree === base) throw invalid('the suggestions change nothing')
  const who = await identify(deps, actor, suggestions)
  const text = message.trim() || defaultMessage(suggestions)
  const commit = { tree, parents: [tip], ...who.identities, message: appendTrailers(text, who.trailers) }
  const oid = await writeCommit(writer, commit, deps.signer)
  await writer.flush()
  return oid
}

interface Edits {
  readonly base: string
  readonly suggestions: readonly Suggestion[]
}

async function editFiles(git: GitRepo, writer: ObjectWriter, { base, suggestions }: Edits): Promise<TreeChange[]> {
  const find = createPathLookup((oid) => git.objects.tree(oid), base)
  const changes: TreeChange[] = []
  let size = 0
  for (const [path, some] of Map.groupBy(suggestions, (each) => each.path)) {
    const { oid, mode } = requireFile(path, await find(path))
    const before = await git.objects.blob(oid)
    const after = applySuggestions(
      before,
      some.map(({ edit }) => edit),
    )
    size += before.length + after.length
    if (size > MAX_BYTES) throw tooLarge('the files of the suggestions are larger than 32 MiB in all')
    changes.push({ path, mode, oid: writer.blob(after) })
  }
  return changes
}

function requireFile(path: string, entry: TreeEntry | undefined): TreeEntry {
  if (entry === undefined) throw invalid(`${path} does not exist`)
  if (entry.type !== 'blob' || entry.mode === MODE.symlink) throw invalid(`${path} is no regular file`)
  return entry
}

/** The actor is author and committer; the authors of the comments are named in trailers, unless they are gone. */
async function identify(
  { read, clock, noReplyDomain }: CommitDeps & { readonly read: Db },
  actor: SignedIn,
  suggestions: readonly Suggestion[],
) {
  const caller = await findUserById(read, actor.account.id)
  if (caller === undefined) throw unauthenticated()
  const others = new Set(suggestions.map(({ entry }) => entry.actorId).filter((id) => id !== caller.id))
  const authors = await listUsersByIds(read, [...others])
  const author = { ...commitIdentity(caller, noReplyDomain), time: Math.floor(clock.now() / 1000), offset: 0 }
  return {
    identities: { author, committer: author },
    trailers: authors
      .toSorted((a, b) => a.id - b.id)
      .map((user) => commitIdentity(user, noReplyDomain))
      .map(({ name, email }) => `Co-authored-by: ${name.replaceAll(/[<>\p{Cc}]/gu, '')} <${email}>`),
  }
}

function defaultMessage(suggestions: readonly Suggestion[]): string {
  const [path, ...others] = new Set(suggestions.map((suggestion) => suggestion.path))
  const word = suggestions.length === 1 ? 'suggestion' : 'suggestions'
  return `Apply ${word} ${others.length === 0 ? `to ${path!.replaceAll(/\p{Cc}/gu, '?')}` : 'from review'}`
}

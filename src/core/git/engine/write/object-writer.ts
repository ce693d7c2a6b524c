import { forEachPausing } from '../../../platform/concurrency/pauses.ts'
import { GitError } from '../../errors.ts'
import { type NewCommit, serializeCommit } from '../object/commit.ts'
import { hashObject, type ObjectFormat, type ObjectType } from '../object/format.ts'
import { type NewTag, serializeTag } from '../object/tag.ts'
import { parseTree, serializeTree, type TreeEntry } from '../object/tree.ts'
import { type NewObject, writeLoose } from './loose-writer.ts'
import { writePack } from './pack-writer.ts'

export interface WriterContext {
  /** The objects directory to write to. */
  readonly directory: string
  readonly format: ObjectFormat
  readonly readTree: (oid: string) => Promise<readonly TreeEntry[]>
  /** Called after a flush for each object that is in the repository now. */
  readonly written?: (object: NewObject) => void
}

/** A pack is faster than loose objects from about five on, but every small pack slows the reads until maintenance. */
const MIN_PACKED_OBJECTS = 24
/** A pack without offsets of 64 bits has less than 2 GiB; what is larger is written as loose objects. */
const MAX_PACKED_BYTES = 1024 ** 3

export type ObjectWriter = ReturnType<typeof createObjectWriter>

/**
 * Makes objects in memory and writes them together. Ids are computed at once; nothing is on disk before `flush`, and an
 * object is only reachable when a ref moves to it afterwards.
 */
export function createObjectWriter({ directory, format, readTree, written }: WriterContext) {
  const made = new Map<string, NewObject>()
  const add = (type: ObjectType, content: Buffer): string => {
    const oid = hashObject(format, type, content)
    made.set(oid, { oid, type, content })
    return oid
  }
  const serialize = (commit: NewCommit): Buffer =>
    serializeCommit(commit, format === 'sha1' ? 'gpgsig' : 'gpgsig-sha256')
  return {
    /** NOTE: the bytes of a Buffer are not copied; do not change them before `flush`. */
    blob: (content: string | Uint8Array): string =>
      add('blob', Buffer.isBuffer(content) ? content : Buffer.from(content)),
    /** Entries in any order. */
    tree(entries: readonly TreeEntry[]): string {
      checkNames(entries)
      return add('tree', serializeTree(entries))
    },
    commit: (commit: NewCommit): string => add('commit', serialize(checkText(commit))),
    tag: (tag: NewTag): string => add('tag', serializeTag(checkText(tag))),
    /** An object whose bytes are in order already. NOTE: they are not copied, as those of a blob. */
    stored: add,
    /** What a signer signs for this tag. */
    tagPayload: ({ object, type, name, tagger, message }: NewTag): Buffer =>
      serializeTag(checkText({ object, type, name, tagger, message })),
    /** What a signer signs for this commit; put the armored result into `signature`. */
    payload: ({ tree, parents, author, committer, message }: NewCommit): Buffer =>
      serialize({ tree, parents, author, committer, message }),
    /** Reads a tree made here or one of the repository. */
    async readTree(oid: string): Promise<readonly TreeEntry[]> {
      const own = made.get(oid)
      return own?.type === 'tree' ? parseTree(oid, own.content, format) : readTree(oid)
    },
    /** Writes and syncs everything made so far. */
    async flush(): Promise<void> {
      const objects = [...made.values()]
      made.clear()
      const bytes = objects.reduce((total, { content }) => total + content.length, 0)
      if (objects.length < MIN_PACKED_OBJECTS || bytes > MAX_PACKED_BYTES) await writeLoose(directory, objects)
      else await writePack(directory, format, objects)
      if (written) await forEachPausing(objects, written)
    },
  }
}

function checkNames(entries: readonly TreeEntry[]): void {
  const names = new Set(entries.map((entry) => entry.name))
  if (names.size !== entries.length) throw new GitError('invalid', 'a tree cannot contain a name twice')
}

/** NOTE: a NUL would cut the message for git; fsck refuses such commits. */
function checkText<T extends { readonly message: string }>(made: T): T {
  if (made.message.includes('\0')) throw new GitError('invalid', 'a message cannot contain a NUL character')
  return made
}

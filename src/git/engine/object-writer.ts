import { randomBytes } from 'node:crypto'
import { mkdir, rename, rm, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { constants, deflate } from 'node:zlib'
import { syncDirectory, writeSynced } from '../../platform/durable.ts'
import { GitError } from '../errors.ts'
import { loosePath } from './loose-object.ts'
import { type NewCommit, serializeCommit } from './object/commit.ts'
import { hashObject, type ObjectFormat, objectHeader, type ObjectType } from './object/format.ts'
import { type NewTag, serializeTag } from './object/tag.ts'
import { parseTree, serializeTree, type TreeEntry } from './object/tree.ts'

const deflateAsync = promisify(deflate)

/**
 * Makes objects in memory and writes them together. Ids are known at once; nothing is on disk before `flush`, and an
 * object is only reachable when a ref moves to it afterwards.
 */
export interface ObjectWriter {
  blob(content: string | Uint8Array): string
  /** Entries in any order. */
  tree(entries: readonly TreeEntry[]): string
  commit(commit: NewCommit): string
  tag(tag: NewTag): string
  /** What a signer signs for this commit; put the armored result into `signature`. */
  payload(commit: NewCommit): Buffer
  /** What a signer signs for this tag. */
  tagPayload(tag: NewTag): Buffer
  /** Reads a tree made here or one of the repository. */
  readTree(oid: string): Promise<readonly TreeEntry[]>
  /** Writes and syncs everything made so far. */
  flush(): Promise<void>
}

export interface WriterContext {
  /** The objects directory to write to. */
  readonly directory: string
  readonly format: ObjectFormat
  readonly readTree: (oid: string) => Promise<readonly TreeEntry[]>
}

interface Made {
  readonly type: ObjectType
  readonly content: Buffer
}

export function createObjectWriter({ directory, format, readTree }: WriterContext): ObjectWriter {
  const made = new Map<string, Made>()
  const add = (type: ObjectType, content: Buffer): string => {
    const oid = hashObject(format, type, content)
    made.set(oid, { type, content })
    return oid
  }
  const serialize = (commit: NewCommit): Buffer =>
    serializeCommit(commit, format === 'sha1' ? 'gpgsig' : 'gpgsig-sha256')
  return {
    blob: (content) => add('blob', typeof content === 'string' ? Buffer.from(content, 'utf8') : Buffer.from(content)),
    tree(entries) {
      checkNames(entries)
      return add('tree', serializeTree(entries))
    },
    commit: (commit) => add('commit', serialize(checkText(commit))),
    tag: (tag) => add('tag', serializeTag(checkText(tag))),
    tagPayload: ({ object, type, name, tagger, message }) =>
      serializeTag(checkText({ object, type, name, tagger, message })),
    payload: ({ tree, parents, author, committer, message }) =>
      serialize({ tree, parents, author, committer, message }),
    async readTree(oid) {
      const own = made.get(oid)
      return own?.type === 'tree' ? parseTree(oid, own.content, format) : readTree(oid)
    },
    async flush() {
      const objects = [...made]
      made.clear()
      await writeLoose(directory, objects)
    },
  }
}

function checkNames(entries: readonly TreeEntry[]): void {
  const names = new Set(entries.map((entry) => entry.name))
  if (names.size !== entries.length) throw new GitError('invalid', 'a tree cannot hold a name twice')
}

/** NOTE: a NUL would cut the message for git; fsck refuses such commits. */
function checkText<T extends { readonly message: string }>(made: T): T {
  if (made.message.includes('\0')) throw new GitError('invalid', 'a message cannot hold a NUL character')
  return made
}

const MAX_CONCURRENT_WRITES = 16

async function writeLoose(
  directory: string,
  objects: readonly (readonly [oid: string, object: Made])[],
): Promise<void> {
  const folders = new Set(objects.map(([oid]) => join(directory, oid.slice(0, 2))))
  const created = await Promise.all([...folders].map((folder) => mkdir(folder, { recursive: true })))
  for (let at = 0; at < objects.length; at += MAX_CONCURRENT_WRITES) {
    await Promise.all(
      objects.slice(at, at + MAX_CONCURRENT_WRITES).map(([oid, object]) => writeOne(loosePath(directory, oid), object)),
    )
  }
  const changed = created.some((path) => path !== undefined) ? [...folders, directory] : [...folders]
  await Promise.all(changed.map((folder) => syncDirectory(folder)))
}

async function writeOne(path: string, { type, content }: Made): Promise<void> {
  // NOTE: an object that is there may be unreachable and about to expire: touched, it is young again.
  const now = (performance.timeOrigin + performance.now()) / 1000
  const known = await utimes(path, now, now).then(
    () => true,
    () => false,
  )
  if (known) return
  const data = await deflateAsync(Buffer.concat([objectHeader(type, content.length), content]), {
    level: constants.Z_BEST_SPEED,
  })
  const temporary = join(dirname(path), `tmp_obj_${randomBytes(6).toString('hex')}`)
  try {
    await writeSynced(temporary, data, 0o444)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

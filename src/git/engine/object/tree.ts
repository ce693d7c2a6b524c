import { GitError } from '../../errors.ts'
import type { ObjectFormat } from './format.ts'

export type EntryType = 'blob' | 'tree' | 'commit'

export interface TreeEntry {
  /** Six octal digits: 100644 100755 120000 040000 160000. */
  readonly mode: string
  readonly type: EntryType
  readonly oid: string
  readonly name: string
  /** The bytes of a name that is not UTF-8, so that it survives an edit. */
  readonly rawName?: Buffer
}

export const MODE = {
  file: '100644',
  executable: '100755',
  symlink: '120000',
  tree: '040000',
  submodule: '160000',
} as const

export function entryType(mode: string): EntryType {
  if (mode === MODE.tree) return 'tree'
  return mode === MODE.submodule ? 'commit' : 'blob'
}

export function parseTree(oid: string, content: Buffer, format: ObjectFormat): TreeEntry[] {
  const idBytes = format === 'sha1' ? 20 : 32
  const entries: TreeEntry[] = []
  let at = 0
  while (at < content.length) {
    const space = content.indexOf(0x20, at)
    const nul = content.indexOf(0, space)
    if (space === -1 || nul === -1 || nul + 1 + idBytes > content.length) {
      throw new GitError('corrupt', `tree ${oid} is cut off`)
    }
    const mode = content.toString('latin1', at, space).padStart(6, '0')
    const name = content.toString('utf8', space + 1, nul)
    const entry = { mode, type: entryType(mode), oid: content.toString('hex', nul + 1, nul + 1 + idBytes), name }
    entries.push(name.includes('\uFFFD') ? withRawName(entry, content.subarray(space + 1, nul)) : entry)
    at = nul + 1 + idBytes
  }
  return entries
}

function withRawName(entry: TreeEntry, bytes: Buffer): TreeEntry {
  return Buffer.from(entry.name, 'utf8').equals(bytes) ? entry : { ...entry, rawName: Buffer.from(bytes) }
}

const nameBytes = (entry: TreeEntry): Buffer => entry.rawName ?? Buffer.from(entry.name, 'utf8')

/** Entries of a tree are in the order of these bytes: directories as if their name ended in a slash. */
function sortKey(entry: TreeEntry): Buffer {
  const name = nameBytes(entry)
  return entry.mode === MODE.tree ? Buffer.concat([name, SLASH]) : name
}

const SLASH = Buffer.from('/')
const NUL = Buffer.from([0])

/** Sorts and writes entries as a tree object's content. */
export function serializeTree(entries: readonly TreeEntry[]): Buffer {
  const parts: Buffer[] = []
  const keyed = entries.map((entry) => ({ entry, key: sortKey(entry) }))
  for (const { entry } of keyed.sort((a, b) => Buffer.compare(a.key, b.key))) {
    parts.push(
      Buffer.from(`${entry.mode.replace(/^0+/, '')} `, 'latin1'),
      nameBytes(entry),
      NUL,
      Buffer.from(entry.oid, 'hex'),
    )
  }
  return Buffer.concat(parts)
}

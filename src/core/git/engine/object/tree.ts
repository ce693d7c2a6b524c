import { GitError } from '../../errors.ts'
import type { ObjectFormat } from './format.ts'

export type EntryType = 'blob' | 'tree' | 'commit'

export interface TreeEntry {
  /** Six octal digits: 100644, 100755, 120000, 040000 or 160000. */
  readonly mode: string
  readonly type: EntryType
  readonly oid: string
  readonly name: string
  /** The bytes of a name that is not UTF-8, so that an edit preserves it. */
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

/** The usual modes, so that entries share their strings. */
const WRITTEN: ReadonlyMap<string, string> = new Map(Object.values(MODE).map((mode) => [withoutZeros(mode), mode]))

const modeOf = (written: string): string => WRITTEN.get(written) ?? written.padStart(6, '0')

export function parseTree(oid: string, content: Buffer, format: ObjectFormat): TreeEntry[] {
  const idBytes = format === 'sha1' ? 20 : 32
  const entries: TreeEntry[] = []
  let at = 0
  while (at < content.length) {
    const space = content.indexOf(0x20, at)
    const nul = content.indexOf(0, space)
    if (space === -1 || nul === -1 || nul + 1 + idBytes > content.length) {
      throw new GitError('corrupt', `tree ${oid} is truncated`)
    }
    const mode = modeOf(content.toString('latin1', at, space))
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

const ASCII = /^[\0-\x7f]*$/

/** One character per byte of a name: such strings sort as the bytes do. */
const byteText = ({ name, rawName }: TreeEntry): string =>
  rawName === undefined && ASCII.test(name) ? name : (rawName ?? Buffer.from(name, 'utf8')).toString('latin1')

/** Sorts entries and serializes them as a tree object's content. */
export function serializeTree(entries: readonly TreeEntry[]): Buffer {
  const written = entries.map((entry) => {
    const name = byteText(entry)
    // Entries are sorted by these bytes: directories as if their name ended in a slash.
    return { name, key: entry.mode === MODE.tree ? `${name}/` : name, mode: withoutZeros(entry.mode), oid: entry.oid }
  })
  written.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  const length = written.reduce((sum, { name, mode, oid }) => sum + mode.length + name.length + 2 + oid.length / 2, 0)
  // NOTE: one block, because a buffer for each of 10,000 entries leaves megabytes of garbage.
  const content = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const { name, mode, oid } of written) {
    at += content.write(`${mode} ${name}\0`, at, 'latin1')
    at += content.write(oid, at, 'hex')
  }
  return content.subarray(0, at)
}

function withoutZeros(mode: string): string {
  return mode.startsWith('0') ? mode.replace(/^0+/, '') : mode
}

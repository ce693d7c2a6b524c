import { GitError } from '../errors.ts'
import { type ObjectWriter, applyChanges, type TreeChange } from './write/tree-edit.ts'
import { isOid, type ObjectFormat, zeroOid } from './object/format.ts'
import type { Identity } from './object/commit.ts'
import { MODE, type TreeEntry } from './object/tree.ts'
import type { Objects } from './read/objects.ts'
import type { Refs } from './refs/refs.ts'
import type { Revisions } from './refs/revision.ts'

interface Note {
  readonly message: string
  /** Tip of the notes history that the note was read from. */
  readonly commit: string
  /** The path of the note in the notes tree, which leads to its last commit. */
  readonly path: string
}

interface NotesUpdate {
  readonly ref: string
  readonly oldOid: string
  readonly newOid: string
}

/** Notes in `refs/notes/commits`, with git's fan-out directories of two hex digits. */
export interface Notes {
  find(oid: string): Promise<Note | undefined>
  /**
   * Writes the commit that sets the note of an object, or removes it if `undefined` (GitError `missing` if there is
   * none), and returns the update of the ref to it, which the caller applies.
   */
  build(oid: string, message: string | undefined, who: Identity): Promise<NotesUpdate>
}

const NOTES_REF = 'refs/notes/commits'
const MAX_NOTE = 1024 * 1024

export interface NotesContext {
  readonly format: ObjectFormat
  readonly objects: Objects
  readonly refs: Refs
  readonly revisions: Revisions
  readonly writer: () => ObjectWriter
}

export function createNotes({ format, objects, refs, revisions, writer }: NotesContext): Notes {
  const tipOf = async (): Promise<string | undefined> => (await refs.snapshot()).get(NOTES_REF)?.oid

  async function locate(tip: string, oid: string): Promise<{ path: string; entry: TreeEntry } | undefined> {
    for (let depth = 0; depth <= 3; depth++) {
      const path = fanOut(oid, depth)
      const entry = await revisions.entryAt(tip, path)
      if (entry?.type === 'blob') return { path, entry }
    }
    return undefined
  }

  /** New notes use the depth of the existing tree: a root with only two-digit directories is fanned out. */
  async function placeFor(tip: string | undefined, oid: string): Promise<string> {
    for (let depth = 0; depth < 3 && tip !== undefined; depth++) {
      const folder = depth === 0 ? '' : fanOut(oid, depth).slice(0, depth * 3 - 1)
      const entry = await revisions.entryAt(tip, folder)
      const entries = entry?.type === 'tree' ? await objects.tree(entry.oid) : []
      if (!entries.some((candidate) => candidate.type === 'tree' && candidate.name.length === 2))
        return fanOut(oid, depth)
    }
    return oid
  }

  async function build(oid: string, message: string | undefined, who: Identity): Promise<NotesUpdate> {
    if (!isOid(oid, format)) throw new GitError('invalid', `bad object id: ${oid.slice(0, 80)}`)
    const tip = await tipOf()
    const there = tip === undefined ? undefined : await locate(tip, oid)
    if (message === undefined && !there) throw new GitError('missing', `no note for ${oid}`)
    const make = writer()
    const path = there?.path ?? (await placeFor(tip, oid))
    const change: TreeChange =
      message === undefined ? { path, delete: true } : { path, mode: MODE.file, oid: make.blob(message) }
    const base = tip === undefined ? undefined : await revisions.peel(tip, 'tree')
    const tree = await applyChanges(make, base, [change])
    const verb = message === undefined ? 'removed' : 'added'
    const parents = tip === undefined ? [] : [tip]
    const commit = make.commit({
      tree,
      parents,
      author: who,
      committer: who,
      message: `Notes ${verb} by 'git notes ${verb === 'added' ? 'add' : 'remove'}'\n`,
    })
    await make.flush()
    return { ref: NOTES_REF, oldOid: tip ?? zeroOid(format), newOid: commit }
  }

  return {
    async find(oid) {
      const commit = await tipOf()
      if (commit === undefined || !isOid(oid, format)) return undefined
      const there = await locate(commit, oid)
      return (
        there && { message: (await objects.blob(there.entry.oid, MAX_NOTE)).toString('utf8'), commit, path: there.path }
      )
    },
    build,
  }
}

/** `abcd…` at depth 1 is `ab/cd…`. */
function fanOut(oid: string, depth: number): string {
  const folders = Array.from({ length: depth }, (_, index) => oid.slice(index * 2, index * 2 + 2))
  return [...folders, oid.slice(depth * 2)].join('/')
}

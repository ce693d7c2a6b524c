import { GitError } from '../../errors.ts'
import { isOid, type ObjectFormat, type ObjectType } from '../object/format.ts'
import type { TreeEntry } from '../object/tree.ts'
import type { Objects } from '../read/objects.ts'
import type { RefSnapshot } from './ref-store.ts'
import { branchRef, tagRef, type Refs } from './refs.ts'

/** The result of resolving a client's ref text. `oid` is the object itself, not peeled. */
interface Resolved {
  readonly kind: 'branch' | 'tag' | 'oid' | 'other'
  /** Full ref name, for branches and tags. */
  readonly ref: string | undefined
  readonly oid: string
  readonly type: ObjectType
}

const MIN_SHORT = 4
/** A base without git's special characters; then any number of `~n`, `^n`, `^{type}`, and optionally `:path`. */
// oxlint-disable-next-line no-control-regex
const REVISION =
  /^([^\0-\x20\x7f~^:?*[\\-][^\0-\x20\x7f~^:?*[\\]*)((?:[~^]\d{0,6}|\^\{(?:commit|tree|tag|blob|object|)\})*(?::[^\0\n]*)?)$/

export interface RevisionContext {
  readonly format: ObjectFormat
  readonly objects: Objects
  readonly refs: Refs
}

export type Revisions = ReturnType<typeof createRevisions>

export function createRevisions({ format, objects, refs }: RevisionContext) {
  async function resolved(kind: Resolved['kind'], ref: string | undefined, oid: string): Promise<Resolved | undefined> {
    const info = await objects.findInfo(oid)
    // NOTE: a ref without its object is damage, such as a lost pack, and not a missing ref.
    if (!info && ref !== undefined) throw new GitError('corrupt', `the object ${oid} of ${ref} is missing`)
    return info && { kind, ref, oid, type: info.type }
  }

  /**
   * Finds a full id, else an exact branch, else an exact tag (behaviour/git-data-and-transport#common-rules, strict).
   * `findLoose` finds everything that this finds. Never starts a process for a ref.
   */
  async function findStrict(name: string): Promise<Resolved | undefined> {
    if (isOid(name, format)) return resolved('oid', undefined, name)
    const ref = findRef(await refs.snapshot(), name)
    if (ref === undefined || (ref.name !== branchRef(name) && ref.name !== tagRef(name))) return undefined
    return resolved(kindOf(ref.name), ref.name, ref.oid)
  }

  /**
   * Finds anything that git resolves to one object (behaviour/git-data-and-transport#common-rules, loose): full ids,
   * HEAD, full refs, branches, tags, short ids, each optionally followed by `~n`, `^`, `:path`. NOTE: git prefers a tag
   * to a branch of the same name.
   */
  async function findLoose(revision: string): Promise<Resolved | undefined> {
    if (isOid(revision, format)) return resolved('oid', undefined, revision)
    const snapshot = await refs.snapshot()
    const ref = findRef(snapshot, revision)
    if (ref) return resolved(kindOf(ref.name), ref.name || undefined, ref.oid)
    const [, base, suffix] = REVISION.exec(revision) ?? []
    if (base === undefined || revision.includes('..') || revision.includes('@{')) return undefined
    const start = isOid(base, format) ? undefined : findRef(snapshot, base)
    const answer = await objects.ask((start?.oid ?? base) + suffix)
    if (answer === 'ambiguous') throw new GitError('ambiguous', `${revision} is ambiguous`)
    return answer === 'missing' ? undefined : { kind: 'other', ref: undefined, oid: answer.oid, type: answer.type }
  }

  /**
   * Follows tags (and, for a tree, the commit). Throws GitError `wrong-type` if that leads to no object of the type.
   */
  async function peel(oid: string, type: 'commit' | 'tree'): Promise<string> {
    let current = oid
    for (let depth = 0; depth < 10; depth++) {
      const info = await objects.info(current)
      if (info.type === type) return current
      if (info.type === 'tag') current = (await objects.tag(current)).object
      else if (info.type === 'commit') current = (await objects.commit(current)).tree
      else break
    }
    throw new GitError('wrong-type', `${oid} is no ${type}`)
  }

  /**
   * The entry at a path of a tree-ish; the root is a tree entry with an empty name. Undefined if the path does not
   * exist.
   */
  async function entryAt(treeish: string, path: string): Promise<TreeEntry | undefined> {
    const root = await peel(treeish, 'tree')
    let entry: TreeEntry | undefined = { mode: '040000', type: 'tree', oid: root, name: '' }
    for (const part of path.split('/').filter((name) => name !== '')) {
      if (entry.type !== 'tree') return undefined
      entry = (await objects.tree(entry.oid)).find((candidate) => candidate.name === part)
      if (!entry) return undefined
    }
    return entry
  }

  return {
    findStrict,
    findLoose,
    peel,
    entryAt,
    /** The full id that begins with the given hex digits, or undefined. Throws GitError `ambiguous`. */
    async findShort(prefix: string): Promise<string | undefined> {
      if (!/^[0-9a-f]+$/.test(prefix) || prefix.length < MIN_SHORT) return undefined
      if (isOid(prefix, format)) return (await objects.findInfo(prefix))?.oid
      const answer = await objects.ask(prefix)
      if (answer === 'ambiguous') throw new GitError('ambiguous', `${prefix} is ambiguous`)
      // NOTE: git also finds a branch named like a short id, which is not an id.
      return answer === 'missing' || !answer.oid.startsWith(prefix) ? undefined : answer.oid
    },
  }
}

/**
 * The order in which a name that is not a full id is looked up. A branch takes precedence over a tag of the same name.
 */
function findRef(snapshot: RefSnapshot, name: string): { name: string; oid: string } | undefined {
  if (name === 'HEAD' || name === '@') {
    if (snapshot.detached !== undefined) return { name: '', oid: snapshot.detached }
    return snapshot.head === undefined ? undefined : snapshot.get(snapshot.head)
  }
  const full = name.startsWith('refs/') ? snapshot.get(name) : undefined
  return full ?? snapshot.get(branchRef(name)) ?? snapshot.get(tagRef(name)) ?? snapshot.get(`refs/${name}`)
}

function kindOf(ref: string): Resolved['kind'] {
  if (ref.startsWith('refs/heads/')) return 'branch'
  return ref.startsWith('refs/tags/') ? 'tag' : 'other'
}

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readLoose } from '../../engine/read/loose-object.ts'
import { parseCommit } from '../../engine/object/commit.ts'
import { parseTag } from '../../engine/object/tag.ts'
import { parseTree, type TreeEntry } from '../../engine/object/tree.ts'
import type { RefSnapshot } from '../../engine/refs/ref-store.ts'
import { isGitError } from '../../errors.ts'
import type { GitRepo } from '../../repo.ts'
import { startGit } from '../git-child.ts'

/**
 * Returns true if everything reachable from the tips certainly exists, found without a process: commits on top of refs,
 * whose trees contain only new objects or objects of the same directory in a parent. Returns false in all other cases,
 * where a git process has to decide. `quarantine` has the new objects, unpacked and checked by git; undefined if there
 * are none.
 */
export async function isPlainlyConnected(
  repo: GitRepo,
  tips: readonly string[],
  quarantine: string | undefined,
): Promise<boolean> {
  const fresh = quarantine === undefined ? new Set<string>() : await looseIds(quarantine)
  if (fresh === undefined) return false
  try {
    return await new PlainWalk(repo, tipsOf(await repo.refs.snapshot()), {
      fresh,
      directory: quarantine ?? '',
    }).isComplete(tips)
  } catch (error) {
    if (isGitError(error)) return false
    throw error
  }
}

/** Ids of the loose objects; undefined if there are packs. */
async function looseIds(directory: string): Promise<Set<string> | undefined> {
  if ((await readdir(join(directory, 'pack'))).length > 0) return undefined
  const folders = (await readdir(directory)).filter((name) => /^[0-9a-f]{2}$/.test(name))
  const names = await Promise.all(
    folders.map(async (folder) => (await readdir(join(directory, folder))).map((name) => folder + name)),
  )
  return new Set(names.flat())
}

const cachedTips = new WeakMap<RefSnapshot, ReadonlySet<string>>()

function tipsOf(snapshot: RefSnapshot): ReadonlySet<string> {
  const tips = cachedTips.get(snapshot) ?? new Set(snapshot.list('refs/').map((ref) => ref.oid))
  cachedTips.set(snapshot, tips)
  return tips
}

interface NewObjects {
  readonly fresh: ReadonlySet<string>
  readonly directory: string
}

class PlainWalk {
  readonly #repo: GitRepo
  /** The targets of refs, which git guarantees to be complete. */
  readonly #complete: ReadonlySet<string>
  readonly #new: NewObjects
  /** New commits and tags found complete, with the trees of commits. */
  readonly #seen = new Map<string, string | undefined>()
  /** New trees found complete. NOTE: a few nested trees can expand to billions of directories. */
  readonly #seenTrees = new Set<string>()

  constructor(repo: GitRepo, complete: ReadonlySet<string>, objects: NewObjects) {
    this.#repo = repo
    this.#complete = complete
    this.#new = objects
  }

  async isComplete(tips: readonly string[]): Promise<boolean> {
    for (const tip of tips) if (!(await this.#isTipComplete(tip))) return false
    return true
  }

  async #isTipComplete(oid: string): Promise<boolean> {
    if (this.#complete.has(oid) || this.#seen.has(oid)) return true
    const found = await this.#read(oid)
    if (found?.type === 'commit') return this.#isCommitComplete(oid, found.content)
    if (found?.type !== 'tag') return false
    if (!(await this.#isTipComplete(parseTag(oid, found.content).object))) return false
    this.#seen.set(oid, undefined)
    return true
  }

  /** NOTE: recursion is as deep as the number of new commits, which is small. */
  async #isCommitComplete(oid: string, content: Buffer): Promise<boolean> {
    const { tree, parents } = parseCommit(oid, content)
    const bases: string[] = []
    for (const parent of parents) {
      if (!(await this.#isTipComplete(parent))) return false
      bases.push(this.#seen.get(parent) ?? (await this.#repo.objects.commit(parent)).tree)
    }
    if (!(await this.#isTreeComplete(tree, bases))) return false
    this.#seen.set(oid, tree)
    return true
  }

  /** `bases` are complete trees at the same path. */
  async #isTreeComplete(oid: string, bases: readonly string[]): Promise<boolean> {
    if (bases.includes(oid) || this.#seenTrees.has(oid)) return true
    const found = await this.#read(oid)
    if (found?.type !== 'tree') return false
    const before = (await Promise.all(bases.map((base) => this.#tree(base)))).flat()
    const old = new Set(before.filter(({ type }) => type !== 'commit').map(({ type, oid: id }) => `${type} ${id}`))
    for (const entry of parseTree(oid, found.content, this.#repo.objectFormat)) {
      if (entry.type === 'commit' || old.has(`${entry.type} ${entry.oid}`)) continue
      if (
        entry.type === 'blob'
          ? !this.#new.fresh.has(entry.oid)
          : !(await this.#isTreeComplete(entry.oid, subtrees(before, entry.name)))
      )
        return false
    }
    this.#seenTrees.add(oid)
    return true
  }

  async #tree(oid: string): Promise<readonly TreeEntry[]> {
    const found = await this.#read(oid)
    return found ? parseTree(oid, found.content, this.#repo.objectFormat) : this.#repo.objects.tree(oid)
  }

  async #read(oid: string) {
    if (!this.#new.fresh.has(oid)) return undefined
    const found = await readLoose(this.#new.directory, oid)
    return found?.content && { type: found.type, content: found.content }
  }
}

const subtrees = (entries: readonly TreeEntry[], name: string): string[] =>
  entries.filter((entry) => entry.type === 'tree' && entry.name === name).map((entry) => entry.oid)

export interface ConnectivityOptions {
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly deadlineMs: number
}

/** True if everything reachable from these objects exists (rev-list stops at what the repository's refs reach). */
export async function isConnected(oids: readonly string[], options: ConnectivityOptions): Promise<boolean> {
  if (oids.length === 0) return true
  const child = startGit(['rev-list', '--objects', '--stdin', '--not', '--all', '--quiet'], options)
  await child.write(Buffer.from(oids.map((oid) => `${oid}\n`).join('')))
  child.closeInput()
  for await (const _ of child.stdout) continue
  return (await child.exited) === 0
}

/** True if moving a branch from one commit to the other loses commits. */
export async function losesCommits(oldOid: string, newOid: string, options: ConnectivityOptions): Promise<boolean> {
  const child = startGit(['merge-base', '--is-ancestor', oldOid, newOid], options)
  child.closeInput()
  for await (const _ of child.stdout) continue
  return (await child.exited) !== 0
}

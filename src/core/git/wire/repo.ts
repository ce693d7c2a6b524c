import { boundedCache } from '../../platform/lru.ts'
import type { RefSnapshot } from '../engine/refs/ref-store.ts'
import type { GitRepo } from '../repo.ts'

export interface WireRef {
  readonly name: string
  readonly oid: string
  /** The object that an annotated tag peels to. */
  readonly peeled?: string | undefined
}

/** A snapshot of all refs of a repository, sorted by name in byte order. */
export interface WireRefs {
  /** The branch HEAD names (`refs/heads/main`), whether or not it exists. */
  readonly head: string
  readonly refs: readonly WireRef[]
}

const cachedRefs = new WeakMap<RefSnapshot, Promise<WireRefs>>()

/** The current refs in the form the wire layer sends. Built once for each state of the repository. */
export async function readRefs(repo: GitRepo): Promise<WireRefs> {
  const snapshot = await repo.refs.snapshot()
  const found = cachedRefs.get(snapshot)
  if (found) return found
  const made = toWire(repo, snapshot)
  cachedRefs.set(snapshot, made)
  made.catch(() => cachedRefs.delete(snapshot))
  return made
}

async function toWire(repo: GitRepo, snapshot: RefSnapshot): Promise<WireRefs> {
  const refs = await Promise.all(
    snapshot.list('refs/').map(async (ref): Promise<WireRef> => {
      const peeled = ref.peeled ?? (ref.name.startsWith('refs/tags/') ? await peel(repo, ref.oid) : undefined)
      return { name: ref.name, oid: ref.oid, peeled }
    }),
  )
  return { head: snapshot.head ?? '', refs }
}

/** The object a tag peels to, or '' for other objects, by repository and id; never changes. */
const peeledTags = boundedCache<string, string>(20_000)
const MAX_DEPTH = 20

async function peel(repo: GitRepo, oid: string): Promise<string | undefined> {
  const key = `${repo.path} ${oid}`
  const cached = peeledTags.get(key)
  if (cached !== undefined) return cached === '' ? undefined : cached
  let target = oid
  for (let depth = 0; depth < MAX_DEPTH && (await repo.objects.findInfo(target))?.type === 'tag'; depth++) {
    target = (await repo.objects.tag(target)).object
  }
  peeledTags.set(key, target === oid ? '' : target)
  return target === oid ? undefined : target
}

/** True if a ref lies below one of the prefixes (each ends with a slash). */
export const isBelow = (name: string, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => name.startsWith(prefix))

import type { User } from '../../accounts/index.ts'
import type { FormatAnswer } from '../registry/format.ts'
import { type CopyDeps, createUpstreamCopies } from './upstream-copies.ts'
import { createUpstreamDocuments } from './upstream-documents.ts'
import { setUpstreamFileTimes, type UpstreamFile } from './upstream-file.store.ts'
import { createUpstreamFiles } from './upstream-files.ts'
import { findUpstreamFormat } from './upstream-formats.ts'
import { findUpstream } from './upstream.store.ts'

/** Longer paths are none of a package. */
const MAX_PATH = 1000

const DAY_MS = 24 * 60 * 60 * 1000

interface PullThroughDeps extends CopyDeps {
  /** False where the administrator allows no upstreams. */
  readonly enabled: boolean
}

interface RegistryRead {
  readonly owner: User
  readonly type: string
  /** Encoded, below the registry. */
  readonly path: string
  /** The header of the client. */
  readonly accept: string
  /** The address of the registry. */
  readonly base: string
}

export type PullThrough = ReturnType<typeof createPullThrough>

/** Answers reads of packages that an owner does not have from the upstream of the owner. */
export function createPullThrough({ enabled, ...deps }: PullThroughDeps) {
  const { database, clock, contents } = deps
  const copies = createUpstreamCopies(deps)
  const documentOf = createUpstreamDocuments(deps, copies)
  const fileOf = createUpstreamFiles(deps, copies, documentOf)

  /** Notes that a copy is used, once a day. */
  async function touch({ id, used_at: usedAt }: UpstreamFile): Promise<void> {
    const at = clock.now()
    if (at - usedAt > DAY_MS) await database.transaction((tx) => setUpstreamFileTimes(tx, id, { used_at: at }))
  }

  return {
    /**
     * Undefined without an upstream, for names that it may not serve and for paths that upstreams do not have. A name
     * that the owner has is never looked up in it. Throws NotFound, Unavailable, QuotaExceeded.
     */
    async answer({ owner, type, path, accept, base }: RegistryRead): Promise<FormatAnswer | undefined> {
      const format = enabled && path.length <= MAX_PATH ? findUpstreamFormat(type) : undefined
      const upstream = format && (await findUpstream(database.read, owner.id, type))
      const target = upstream && format.parse(path, accept)
      if (target === undefined || !isAllowed(upstream!.allowed, target.names[0]!)) return undefined
      for (const name of target.names)
        if ((await contents.findPackage(owner, type, name)) !== undefined) return undefined
      const place = { owner, upstream: upstream!, base }
      const isDocument = 'document' in target.source
      const copy = isDocument ? await documentOf(place, target.source.document) : await fileOf(place, target.source)
      await touch(copy)
      if (target.digest !== undefined) return { status: 200, body: copy[target.digest] }
      const { sha256, size } = copy
      const shownType = isDocument ? target.source.document.type : target.type
      return { file: { name: path, sha256, size }, ...(shownType !== undefined && { type: shownType }) }
    },
  }
}

const isAllowed = (patterns: readonly string[], name: string): boolean =>
  patterns.length === 0 || patterns.some((pattern) => matches(pattern.toLowerCase(), name.toLowerCase()))

/** Whether a name has the parts of a pattern between its stars, in their order: in linear time. */
function matches(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return name === first
  if (!name.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}

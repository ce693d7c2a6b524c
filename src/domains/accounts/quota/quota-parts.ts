import type { Db } from '../../../core/db/database.ts'
import type { RepoId, UserId } from '../../../core/platform/crypto/ids.ts'
import { createHook, createPort, type Hook, type Port } from '../../../core/platform/hook.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { User } from '../users/user.store.ts'
import type { QuotaUsage } from './quota.policy.ts'

/** A file of a release. */
export interface UsedAttachment {
  readonly id: number
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly repoId: RepoId
  readonly repoName: string
  readonly releaseId: number
  readonly tagName: string
}

/** A file that jobs left in a repository. */
export interface UsedArtifact {
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly repoName: string
  readonly runId: number
}

/** A version of a package with all its files. */
export interface UsedPackage {
  readonly name: string
  readonly type: string
  readonly version: string
  /** Bytes. */
  readonly size: number
}

/** Lists what an owner stores, the largest first. */
type ListUsed<Used> = (db: Db, ownerId: UserId, paging: Paging) => Promise<Page<Used>>

/** Hooks that modules which store bytes register, each for its own tables. */
export interface QuotaParts {
  /** The bytes that an owner uses; those that several modules give of one kind are added up. */
  readonly usage: Hook<[db: Db, ownerId: UserId], Partial<QuotaUsage>>
  readonly attachments: Port<ListUsed<UsedAttachment>>
  readonly artifacts: Port<ListUsed<UsedArtifact>>
  readonly packages: Port<ListUsed<UsedPackage>>
  /** The owner of a repository; undefined when the repository was deleted. */
  readonly ownerOf: Port<(db: Db, repoId: RepoId) => Promise<Pick<User, 'id' | 'name'> | undefined>>
}

export const createQuotaParts = (): QuotaParts => ({
  usage: createHook(),
  attachments: createPort('used attachments'),
  artifacts: createPort('used artifacts'),
  packages: createPort('used packages'),
  ownerOf: createPort('owners of repositories'),
})

const NOTHING: QuotaUsage = {
  reposPublic: 0,
  reposPrivate: 0,
  lfs: 0,
  issueAttachments: 0,
  releaseAttachments: 0,
  artifacts: 0,
  packages: 0,
}

/** The usage of an owner in all modules. */
export async function loadQuotaUsage({ usage }: QuotaParts, db: Db, ownerId: UserId): Promise<QuotaUsage> {
  const total: Record<keyof QuotaUsage, number> = { ...NOTHING }
  for (const part of await usage.run(db, ownerId))
    for (const [kind, bytes] of Object.entries(part)) total[kind as keyof QuotaUsage] += bytes
  return total
}

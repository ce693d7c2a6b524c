import { sql, type Expression } from 'kysely'
import type { Db } from '../../../core/db/database.ts'
import { selectPage } from '../../../core/db/page.ts'
import { asId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { QuotaUsage } from './quota.policy.ts'
import { sumPackages } from './used-package.store.ts'

/** A sum as a number on both databases; 0 for no rows. */
const total = (bytes: Expression<number>) => sql<number>`cast(coalesce(sum(${bytes}), 0) as bigint)`

/** The usage of an owner, by four queries. */
export async function loadQuotaUsage(db: Db, ownerId: UserId): Promise<QuotaUsage> {
  const repos = await db
    .selectFrom('repo')
    .select((eb) => ['is_private', total(eb.ref('git_size')).as('git'), total(eb.ref('lfs_size')).as('lfs')])
    .where('owner_id', '=', ownerId)
    .groupBy('is_private')
    .execute()
  const attachments = await ofOwner(db, ownerId)
    .select((eb) => [
      eb.case().when('attachment.release_id', '=', 0).then(0).else(1).end().as('of_release'),
      total(eb.ref('attachment.size')).as('size'),
    ])
    .groupBy('of_release')
    .execute()
  const { artifacts } = await artifactsOfOwner(db, ownerId)
    .select((eb) => total(eb.ref('action_artifact.size')).as('artifacts'))
    .executeTakeFirstOrThrow()
  const git = (isPrivate: number): number => repos.find((row) => row.is_private === isPrivate)?.git ?? 0
  const attached = (ofRelease: number): number =>
    attachments.find((row) => Number(row.of_release) === ofRelease)?.size ?? 0
  return {
    reposPublic: git(0),
    reposPrivate: git(1),
    lfs: repos.reduce((sum, row) => sum + row.lfs, 0),
    issueAttachments: attached(0),
    releaseAttachments: attached(1),
    artifacts,
    packages: await sumPackages(db, ownerId),
  }
}

/** The owner of a repository; undefined when the repository was deleted. */
export async function findRepoOwner(
  db: Db,
  repoId: RepoId,
): Promise<{ readonly id: UserId; readonly name: string } | undefined> {
  const row = await db
    .selectFrom('repo')
    .innerJoin('user', 'user.id', 'repo.owner_id')
    .select(['user.id', 'user.name'])
    .where('repo.id', '=', repoId)
    .executeTakeFirst()
  return row && { id: asId(row.id), name: row.name }
}

const ofOwner = (db: Db, ownerId: UserId) =>
  db.selectFrom('attachment').innerJoin('repo', 'repo.id', 'attachment.repo_id').where('repo.owner_id', '=', ownerId)

/** Stored artifacts; expired ones use no space. */
const artifactsOfOwner = (db: Db, ownerId: UserId) =>
  db
    .selectFrom('action_artifact')
    .innerJoin('repo', 'repo.id', 'action_artifact.repo_id')
    .where('repo.owner_id', '=', ownerId)
    .where('action_artifact.hash', '!=', '')

export interface UsedAttachment {
  readonly id: number
  readonly name: string
  readonly size: number
  readonly repoId: RepoId
  readonly repoName: string
  readonly releaseId: number
  readonly tagName: string
}

/** Files of the releases of an owner, largest first. */
export async function listUsedAttachments(db: Db, ownerId: UserId, paging: Paging): Promise<Page<UsedAttachment>> {
  const query = ofOwner(db, ownerId)
    .innerJoin('release', 'release.id', 'attachment.release_id')
    .select([
      'attachment.id',
      'attachment.name',
      'attachment.size',
      'repo.id as repo_id',
      'repo.name as repo_name',
      'release.id as release_id',
      'release.tag_name',
    ])
    .orderBy('attachment.size', 'desc')
    .orderBy('attachment.id')
  return selectPage(query, paging, (row): UsedAttachment => ({
    id: row.id,
    name: row.name,
    size: row.size,
    repoId: asId(row.repo_id),
    repoName: row.repo_name,
    releaseId: row.release_id,
    tagName: row.tag_name,
  }))
}

export interface UsedArtifact {
  readonly name: string
  readonly size: number
  readonly repoName: string
  readonly runId: number
}

/** Artifacts of workflow jobs in the repositories of an owner, largest first. */
export function listUsedArtifacts(db: Db, ownerId: UserId, paging: Paging): Promise<Page<UsedArtifact>> {
  const query = artifactsOfOwner(db, ownerId)
    .select(['action_artifact.name', 'action_artifact.size', 'repo.name as repo_name', 'action_artifact.run_id'])
    .orderBy('action_artifact.size', 'desc')
    .orderBy('action_artifact.id')
  return selectPage(query, paging, (row): UsedArtifact => ({
    name: row.name,
    size: row.size,
    repoName: row.repo_name,
    runId: row.run_id,
  }))
}

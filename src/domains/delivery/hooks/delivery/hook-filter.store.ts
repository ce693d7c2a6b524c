import type { Db } from '../../../../core/db/database.ts'
import { listEventsOfRepos } from '../../../../core/events/index.ts'
import type { EventSource, HookFilter } from './match-hooks.policy.ts'

const unique = (ids: readonly number[]): number[] => [...new Set(ids)].filter((id) => id > 0)

/**
 * The active webhooks that may receive events of these sources, and the owners of the repositories, including deleted
 * ones. Two queries for any number of sources, and one more if some are deleted.
 */
export async function listActiveFilters(
  db: Db,
  sources: readonly EventSource[],
  options: { siteOnly: boolean },
): Promise<{ hooks: HookFilter[]; owners: ReadonlyMap<number, number> }> {
  const repoIds = unique(sources.map(({ repoId }) => repoId))
  const owners = await loadOwners(
    db,
    repoIds,
    unique(sources.flatMap(({ repoId, ownerId }) => (ownerId > 0 ? [] : repoId))),
  )
  const ownerIds = unique([...sources.map(({ ownerId }) => ownerId), ...owners.values()])
  const rows = await db
    .selectFrom('webhook')
    .select(['id', 'scope', 'repo_id', 'owner_id', 'type', 'url', 'events', 'branch_filter', 'settings'])
    .where('is_active', '=', 1)
    .where((eb) =>
      eb.or([
        eb('scope', '=', 'system'),
        ...(repoIds.length > 0 && !options.siteOnly ? [eb('repo_id', 'in', repoIds)] : []),
        ...(ownerIds.length > 0 && !options.siteOnly ? [eb('owner_id', 'in', ownerIds)] : []),
      ]),
    )
    .orderBy('id')
    .execute()
  return {
    owners,
    hooks: rows.map((row) => ({
      id: row.id,
      scope: row.scope,
      repoId: row.repo_id ?? undefined,
      ownerId: row.owner_id ?? undefined,
      type: row.type,
      url: row.url,
      events: JSON.parse(row.events) as string[],
      branchFilter: row.branch_filter,
      settings: JSON.parse(row.settings) as Record<string, string>,
    })),
  }
}

/** The owners of repositories; for deleted repositories only those in `wanted`. */
async function loadOwners(
  db: Db,
  repoIds: readonly number[],
  wanted: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (repoIds.length === 0) return new Map()
  const repos = await db.selectFrom('repo').select(['id', 'owner_id']).where('id', 'in', repoIds).execute()
  const owners = new Map(repos.map((repo) => [repo.id, repo.owner_id]))
  const missing = wanted.filter((id) => !owners.has(id))
  if (missing.length === 0) return owners
  const deletions = await listEventsOfRepos(db, missing, 'repo.deleted')
  return new Map([...owners, ...deletions.map(({ repoId, payload }) => [repoId, payload.owner_id] as const)])
}

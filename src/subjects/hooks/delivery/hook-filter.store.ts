import type { Db } from '../../../db/database.ts'
import type { EventPlace, HookFilter } from './match-hooks.policy.ts'

const unique = (ids: readonly number[]): number[] => [...new Set(ids)].filter((id) => id > 0)

/**
 * The active webhooks that events at these places may reach, and the owners of the repositories that exist. Two
 * queries, whatever the number of places.
 */
export async function listActiveFilters(
  db: Db,
  places: readonly EventPlace[],
  options: { siteOnly: boolean },
): Promise<{ hooks: HookFilter[]; owners: ReadonlyMap<number, number> }> {
  const repoIds = unique(places.map(({ repoId }) => repoId))
  const repos =
    repoIds.length === 0
      ? []
      : await db.selectFrom('repo').select(['id', 'owner_id']).where('id', 'in', repoIds).execute()
  const ownerIds = unique([...places.map(({ ownerId }) => ownerId), ...repos.map((repo) => repo.owner_id)])
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
    owners: new Map(repos.map((repo) => [repo.id, repo.owner_id])),
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

import type { Insertable, Selectable } from 'kysely'
import type { Db, Tx } from '../../../core/db/database.ts'
import { flag } from '../../../core/db/flag.ts'
import { selectPage } from '../../../core/db/page.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import { listOf, parseJson, textOf } from '../../../core/platform/json-members.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { PackageUpstreamTable } from './upstream.table.ts'

/** The settings of an upstream that its owner chooses. */
export interface UpstreamSettings {
  /** The address, without a trailing slash. */
  readonly url: string
  /** Patterns of names; an empty list allows all. */
  readonly allowed: readonly string[]
  /** 0 for any age. */
  readonly minAgeDays: number
  readonly isOffline: boolean
}

export interface Upstream extends UpstreamSettings {
  readonly id: number
  readonly type: string
  /** Sealed; empty for none. */
  readonly credentials: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly updatedAt: number
}

const toUpstream = (row: Selectable<PackageUpstreamTable>): Upstream => ({
  id: row.id,
  type: row.type,
  url: row.url,
  credentials: row.credentials,
  allowed: listOf(parseJson(row.allowed)?.value).map((pattern) => textOf(pattern)),
  minAgeDays: row.min_age_days,
  isOffline: row.is_offline === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** Upstreams ordered by type. */
export const listUpstreams = (db: Db, ownerId: UserId, paging: Paging): Promise<Page<Upstream>> =>
  selectPage(
    db.selectFrom('package_upstream').selectAll().where('owner_id', '=', ownerId).orderBy('type'),
    paging,
    toUpstream,
  )

export async function findUpstream(db: Db, ownerId: UserId, type: string): Promise<Upstream | undefined> {
  const row = await db
    .selectFrom('package_upstream')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('type', '=', type)
    .executeTakeFirst()
  return row && toUpstream(row)
}

interface SavedUpstream extends UpstreamSettings {
  readonly ownerId: UserId
  readonly type: string
  readonly credentials: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** Inserts the upstream of a type, or replaces it. */
export async function saveUpstream(tx: Tx, upstream: SavedUpstream): Promise<Upstream> {
  const values: Insertable<PackageUpstreamTable> = {
    owner_id: upstream.ownerId,
    type: upstream.type,
    url: upstream.url,
    credentials: upstream.credentials,
    allowed: JSON.stringify(upstream.allowed),
    min_age_days: upstream.minAgeDays,
    is_offline: flag(upstream.isOffline),
    created_at: upstream.at,
    updated_at: upstream.at,
  }
  const { owner_id: _owner, type: _type, created_at: _created, ...changed } = values
  const row = await tx
    .insertInto('package_upstream')
    .values(values)
    .onConflict((on) => on.columns(['owner_id', 'type']).doUpdateSet(changed))
    .returningAll()
    .executeTakeFirstOrThrow()
  return toUpstream(row)
}

/** Deletes the upstream with its stored copies. Returns its address; undefined if there was none. */
export async function deleteUpstream(tx: Tx, ownerId: UserId, type: string): Promise<string | undefined> {
  const row = await tx
    .deleteFrom('package_upstream')
    .where('owner_id', '=', ownerId)
    .where('type', '=', type)
    .returning('url')
    .executeTakeFirst()
  return row?.url
}

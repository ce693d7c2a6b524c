import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db, Tx } from '../../../core/db/database.ts'
import { deleteInSteps } from '../../../core/db/delete-in-steps.ts'
import { selectPage } from '../../../core/db/page.ts'
import type { RepoId, UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { LaneStatus, HookScope, WebhookTable } from './hooks.table.ts'

export type { HookScope }

/** Webhooks belong to a repository, to an account, or to the site with one of these scopes. */
export type HookOwner =
  | { readonly scope: 'repository'; readonly repoId: RepoId }
  | { readonly scope: 'organization' | 'user'; readonly ownerId: UserId }
  | { readonly scope: 'site'; readonly scopes: readonly ('system' | 'default')[] }

/** Secret and header are encrypted. Times are epoch milliseconds. */
export interface Webhook {
  readonly id: number
  readonly scope: HookScope
  readonly type: string
  readonly name: string
  readonly url: string
  readonly contentType: 'json' | 'form'
  readonly sealedSecret: string
  readonly sealedHeader: string
  readonly events: readonly string[]
  readonly branchFilter: string
  readonly settings: Readonly<Record<string, string>>
  readonly isActive: boolean
  /** The outcome of the last attempt; empty before the first. */
  readonly lastStatus: LaneStatus
  /** Deliveries to its server are paused until this time; 0 if they are not paused. */
  readonly pausedUntil: number
  readonly createdAt: number
  readonly updatedAt: number
}

type WebhookRow = Selectable<WebhookTable> & {
  readonly last_status: LaneStatus | null
  readonly paused_until: number | null
}

function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    scope: row.scope,
    type: row.type,
    name: row.name,
    url: row.url,
    contentType: row.content_type,
    sealedSecret: row.secret,
    sealedHeader: row.authorization_header,
    events: JSON.parse(row.events) as string[],
    branchFilter: row.branch_filter,
    settings: JSON.parse(row.settings) as Record<string, string>,
    isActive: row.is_active === 1,
    lastStatus: row.last_status ?? '',
    pausedUntil: row.paused_until ?? 0,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function webhooksOf(db: Db, owner: HookOwner) {
  const hooks = db.selectFrom('webhook')
  if (owner.scope === 'site') return hooks.where('scope', 'in', [...owner.scopes])
  return owner.scope === 'repository'
    ? hooks.where('repo_id', '=', owner.repoId)
    : hooks.where('owner_id', '=', owner.ownerId)
}

/** Webhooks with the state of their deliveries. */
const withStatus = (db: Db, owner: HookOwner) =>
  webhooksOf(db, owner)
    .selectAll()
    .select((eb) => [
      eb
        .selectFrom('hook_lane')
        .select('hook_lane.last_status')
        .whereRef('hook_lane.hook_id', '=', 'webhook.id')
        .as('last_status'),
      eb
        .selectFrom('hook_lane')
        .innerJoin('hook_origin', 'hook_origin.origin', 'hook_lane.origin')
        .select('hook_origin.retry_at')
        .whereRef('hook_lane.hook_id', '=', 'webhook.id')
        .as('paused_until'),
    ])

/** Sorted by id. */
export const listWebhooks = (db: Db, owner: HookOwner, paging: Paging): Promise<Page<Webhook>> =>
  selectPage(withStatus(db, owner).orderBy('id'), paging, toWebhook)

/** Returns undefined also if the hook has another owner. */
export async function findWebhook(db: Db, owner: HookOwner, id: number): Promise<Webhook | undefined> {
  const row = await withStatus(db, owner).where('id', '=', id).executeTakeFirst()
  return row && toWebhook(row)
}

export async function countWebhooks(db: Db, owner: HookOwner): Promise<number> {
  const { count } = await webhooksOf(db, owner)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export async function insertWebhook(tx: Tx, values: Insertable<WebhookTable>): Promise<number> {
  const { id } = await tx.insertInto('webhook').values(values).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function updateWebhook(tx: Tx, id: number, values: Updateable<WebhookTable>): Promise<void> {
  await tx.updateTable('webhook').set(values).where('id', '=', id).execute()
}

export async function deleteWebhook(tx: Tx, id: number): Promise<void> {
  await deleteInSteps(tx, 'webhook', [id])
}

const COPIED_COLUMNS = [
  'type',
  'name',
  'url',
  'content_type',
  'secret',
  'authorization_header',
  'events',
  'branch_filter',
  'settings',
  'is_active',
] as const

/** Copies the site's default hooks to a new repository. */
export async function copyDefaultWebhooks(tx: Tx, repoId: RepoId, at: number): Promise<void> {
  await insertCopies(
    tx,
    await tx.selectFrom('webhook').select(COPIED_COLUMNS).where('scope', '=', 'default').orderBy('id').execute(),
    repoId,
    at,
  )
}

/** Copies the hooks of one repository to another, secrets included. */
export async function copyRepoWebhooks(tx: Tx, from: RepoId, repoId: RepoId, at: number): Promise<void> {
  await insertCopies(
    tx,
    await tx
      .selectFrom('webhook')
      .select(COPIED_COLUMNS)
      .where('scope', '=', 'repository')
      .where('repo_id', '=', from)
      .orderBy('id')
      .execute(),
    repoId,
    at,
  )
}

async function insertCopies(
  tx: Tx,
  rows: readonly Pick<Selectable<WebhookTable>, (typeof COPIED_COLUMNS)[number]>[],
  repoId: RepoId,
  at: number,
): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('webhook')
    .values(
      rows.map((row) => ({
        ...row,
        scope: 'repository' as const,
        repo_id: repoId,
        owner_id: null,
        created_at: at,
        updated_at: at,
      })),
    )
    .execute()
}

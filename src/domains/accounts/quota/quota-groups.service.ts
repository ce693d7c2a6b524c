import type { Actor } from '../../../core/access/viewer.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import type { EventPayload } from '../../../core/events/index.ts'
import { conflict, engineErrors, invalid, notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import type { User } from '../users/user.store.ts'
import { findOrInsertRule, type NewQuotaRule, type QuotaDeps, requireRule } from './quota-rules.service.ts'
import {
  deleteQuotaGroupsOf,
  deleteQuotaGroup,
  deleteQuotaGroupRule,
  deleteQuotaGroupUser,
  findQuotaRule,
  insertQuotaGroup,
  insertQuotaGroupRule,
  insertQuotaGroupUser,
  listQuotaGroups,
  listQuotaGroupUsers,
  type QuotaGroup,
} from './quota.store.ts'

export type QuotaGroups = ReturnType<typeof createQuotaGroups>

export function createQuotaGroups(deps: QuotaDeps) {
  const { database, clock, events } = deps
  const get = async (name: string, db: Db = database.read): Promise<QuotaGroup> => {
    const [group] = await listQuotaGroups(db, { names: [name] })
    if (group === undefined) throw errors.quotaGroupNotFound()
    return group
  }
  /** Runs a change of a group and appends its event. */
  const change = (
    actor: Actor,
    kind: GroupEvent,
    payload: EventPayload<GroupEvent>,
    work: (tx: Tx, group: QuotaGroup) => Promise<void>,
  ): Promise<void> =>
    database.transaction(async (tx) => {
      await work(tx, await get(payload.name, tx))
      await events.append(tx, kind, { actor, repoId: 0, at: clock.now() }, payload)
    })
  return {
    /** All groups, ordered by name. */
    list: (): Promise<readonly QuotaGroup[]> => listQuotaGroups(database.read, 'all'),
    /** Throws NotFound, like all functions with a group name. */
    get: (name: string): Promise<QuotaGroup> => get(name),
    /**
     * Existing rules are used unchanged; others are created. Throws Invalid without a name and for unknown subjects,
     * Conflict for a duplicate name.
     */
    async create(actor: Actor, name: string, rules: readonly NewQuotaRule[]): Promise<QuotaGroup> {
      if (name === '') throw engineErrors.fieldRequired('Name')
      return database.transaction(async (tx) => {
        if ((await listQuotaGroups(tx, { names: [name] })).length > 0) throw errors.quotaGroupExists(name)
        const id = await insertQuotaGroup(tx, name)
        for (const rule of rules) await insertQuotaGroupRule(tx, id, (await findOrInsertRule(deps, tx, actor, rule)).id)
        const made = await get(name, tx)
        const payload = { name, rules: made.rules.map((rule) => rule.name) }
        await events.append(tx, 'quota.group_created', { actor, repoId: 0, at: clock.now() }, payload)
        return made
      })
    },
    delete: (actor: Actor, name: string): Promise<void> =>
      change(actor, 'quota.group_deleted', { name }, (tx, { id }) => deleteQuotaGroup(tx, id)),
    /** Throws Conflict when the group has the rule. */
    addRule: (actor: Actor, name: string, rule: string): Promise<void> =>
      change(actor, 'quota.group_rule_added', { name, rule }, async (tx, { id }) => {
        if (!(await insertQuotaGroupRule(tx, id, requireRule(await findQuotaRule(tx, rule)).id)))
          throw conflict(`the quota group ${name} has the rule ${rule}`)
      }),
    deleteRule: (actor: Actor, name: string, rule: string): Promise<void> =>
      change(actor, 'quota.group_rule_removed', { name, rule }, async (tx, { id }) => {
        if (!(await deleteQuotaGroupRule(tx, id, requireRule(await findQuotaRule(tx, rule)).id)))
          throw notFound('the quota group does not have the rule')
      }),
    /** The members of a group, ordered by name. */
    listMembers: async (name: string): Promise<readonly User[]> =>
      listQuotaGroupUsers(database.read, (await get(name)).id),
    /** Throws Conflict when the account is in the group. */
    addMember: (actor: Actor, name: string, userId: UserId): Promise<void> =>
      change(actor, 'quota.member_added', { name, user_id: userId }, async (tx, { id }) => {
        if (!(await insertQuotaGroupUser(tx, id, userId))) throw conflict(`the user is in the quota group ${name}`)
      }),
    deleteMember: (actor: Actor, name: string, userId: UserId): Promise<void> =>
      change(actor, 'quota.member_removed', { name, user_id: userId }, async (tx, { id }) => {
        if (!(await deleteQuotaGroupUser(tx, id, userId))) throw notFound('the user is not in the quota group')
      }),
    /** Replaces the groups of the account. Throws Invalid for an unknown group. */
    setOf: (actor: Actor, userId: UserId, names: readonly string[]): Promise<void> =>
      database.transaction(async (tx) => {
        const groups = await listQuotaGroups(tx, { names })
        const missing = names.find((name) => !groups.some((group) => group.name === name))
        if (missing !== undefined) throw invalid(`quota group not found: [group: ${missing}]`)
        await deleteQuotaGroupsOf(tx, userId)
        for (const { id } of groups) await insertQuotaGroupUser(tx, id, userId)
        const payload = { user_id: userId, groups: groups.map((group) => group.name) }
        await events.append(tx, 'quota.groups_set', { actor, repoId: 0, at: clock.now() }, payload)
      }),
  }
}

type GroupEvent = `quota.${'group_deleted' | `group_rule_${'added' | 'removed'}` | `member_${'added' | 'removed'}`}`

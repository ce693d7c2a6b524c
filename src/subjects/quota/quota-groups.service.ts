import type { Database, Db } from '../../db/database.ts'
import { conflict, invalid, invalidField, notFound } from '../../platform/errors.ts'
import type { UserId } from '../../platform/crypto/ids.ts'
import type { User } from '../users/index.ts'
import { findOrInsertRule, type NewQuotaRule, requireRule } from './quota-rules.service.ts'
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

export interface QuotaGroups {
  /** By name. */
  list(): Promise<readonly QuotaGroup[]>
  /** Throws NotFound, as all functions with a group name do. */
  get(name: string): Promise<QuotaGroup>
  /**
   * Existing rules are used unchanged, others are created. Throws Invalid without a name and for unknown subjects,
   * Conflict for a name that is taken.
   */
  create(name: string, rules: readonly NewQuotaRule[]): Promise<QuotaGroup>
  delete(name: string): Promise<void>
  /** Throws Conflict when the group has the rule. */
  addRule(name: string, rule: string): Promise<void>
  deleteRule(name: string, rule: string): Promise<void>
  /** By name. */
  listMembers(name: string): Promise<readonly User[]>
  /** Throws Conflict when the account is in the group. */
  addMember(name: string, userId: UserId): Promise<void>
  deleteMember(name: string, userId: UserId): Promise<void>
  /** Replaces the groups of the account. Throws Invalid for an unknown one. */
  setOf(userId: UserId, names: readonly string[]): Promise<void>
}

export function createQuotaGroups({ database }: { database: Database }): QuotaGroups {
  const get = async (name: string, db: Db = database.read): Promise<QuotaGroup> => {
    const [group] = await listQuotaGroups(db, { names: [name] })
    if (group === undefined) throw notFound('quota group does not exist')
    return group
  }
  return {
    list: () => listQuotaGroups(database.read, 'all'),
    get: (name) => get(name),
    async create(name, rules) {
      if (name === '') throw invalidField('Name', 'Required')
      return database.transaction(async (tx) => {
        if ((await listQuotaGroups(tx, { names: [name] })).length > 0)
          throw conflict(`quota group already exists: [group: ${name}]`)
        const id = await insertQuotaGroup(tx, name)
        for (const rule of rules) await insertQuotaGroupRule(tx, id, (await findOrInsertRule(tx, rule)).id)
        return get(name, tx)
      })
    },
    delete: (name) => database.transaction(async (tx) => deleteQuotaGroup(tx, (await get(name, tx)).id)),
    addRule: (name, rule) =>
      database.transaction(async (tx) => {
        const { id } = await get(name, tx)
        if (!(await insertQuotaGroupRule(tx, id, requireRule(await findQuotaRule(tx, rule)).id)))
          throw conflict(`the quota group ${name} has the rule ${rule}`)
      }),
    deleteRule: (name, rule) =>
      database.transaction(async (tx) => {
        const { id } = await get(name, tx)
        if (!(await deleteQuotaGroupRule(tx, id, requireRule(await findQuotaRule(tx, rule)).id)))
          throw notFound('the quota group does not have the rule')
      }),
    listMembers: async (name) => listQuotaGroupUsers(database.read, (await get(name)).id),
    addMember: (name, userId) =>
      database.transaction(async (tx) => {
        if (!(await insertQuotaGroupUser(tx, (await get(name, tx)).id, userId)))
          throw conflict(`the user is in the quota group ${name}`)
      }),
    deleteMember: (name, userId) =>
      database.transaction(async (tx) => {
        if (!(await deleteQuotaGroupUser(tx, (await get(name, tx)).id, userId)))
          throw notFound('the user is not in the quota group')
      }),
    setOf: (userId, names) =>
      database.transaction(async (tx) => {
        const groups = await listQuotaGroups(tx, { names })
        const missing = names.find((name) => !groups.some((group) => group.name === name))
        if (missing !== undefined) throw invalid(`quota group not found: [group: ${missing}]`)
        await deleteQuotaGroupsOf(tx, userId)
        for (const { id } of groups) await insertQuotaGroupUser(tx, id, userId)
      }),
  }
}

import type { Database, Tx } from '../../db/database.ts'
import { conflict, invalid, invalidField, notFound } from '../../platform/errors.ts'
import { isQuotaSubject, type QuotaSubject } from './quota.policy.ts'
import {
  deleteQuotaRule,
  findQuotaRule,
  insertQuotaRule,
  listQuotaRules,
  type QuotaRule,
  updateQuotaRule,
} from './quota.store.ts'

export interface NewQuotaRule {
  readonly name?: string | undefined
  readonly limit?: number | undefined
  readonly subjects?: readonly string[] | undefined
}

export interface QuotaRules {
  /** By name. */
  list(): Promise<readonly QuotaRule[]>
  /** Throws NotFound. */
  get(name: string): Promise<QuotaRule>
  /** Throws Invalid without a name or a limit and for unknown subjects, Conflict for a name that is taken. */
  create(rule: NewQuotaRule): Promise<QuotaRule>
  /** Absent members do not change. Throws NotFound, and Invalid for unknown subjects. */
  edit(name: string, change: Pick<NewQuotaRule, 'limit' | 'subjects'>): Promise<QuotaRule>
  /** Deletes the rule from groups too. Throws NotFound. */
  delete(name: string): Promise<void>
}

export function createQuotaRules({ database }: { database: Database }): QuotaRules {
  return {
    list: () => listQuotaRules(database.read),
    get: async (name) => requireRule(await findQuotaRule(database.read, name)),
    async create(rule) {
      if (!rule.name) throw invalidField('Name', 'Required')
      if (rule.limit === undefined) throw invalidField('Limit', 'Required')
      const { name, limit } = rule
      const made = { name, limit: requireLimit(limit), subjects: (rule.subjects ?? []).map(requireSubject) }
      return database.transaction(async (tx) => {
        if (await findQuotaRule(tx, name)) throw conflict(`quota rule already exists: [rule: ${name}]`)
        return { ...made, id: await insertQuotaRule(tx, made) }
      })
    },
    edit: (name, { limit, subjects }) =>
      database.transaction(async (tx) => {
        const before = requireRule(await findQuotaRule(tx, name))
        const after = {
          ...before,
          ...(limit !== undefined && { limit: requireLimit(limit) }),
          ...(subjects !== undefined && { subjects: subjects.map(requireSubject) }),
        }
        await updateQuotaRule(tx, before.id, after)
        return after
      }),
    delete: (name) =>
      database.transaction(async (tx) => deleteQuotaRule(tx, requireRule(await findQuotaRule(tx, name)).id)),
  }
}

/** The rule of that name, else a new one; the limit is 0 by default. */
export async function findOrInsertRule(tx: Tx, { name, limit = 0, subjects = [] }: NewQuotaRule): Promise<QuotaRule> {
  if (!name) throw invalidField('Name', 'Required')
  const found = await findQuotaRule(tx, name)
  if (found) return found
  const made = { name, limit: requireLimit(limit), subjects: subjects.map(requireSubject) }
  return { ...made, id: await insertQuotaRule(tx, made) }
}

/** Throws Invalid for an unknown subject. */
export function requireSubject(text: string): QuotaSubject {
  if (!isQuotaSubject(text)) throw invalid(`unrecognized quota limit subject: [subject: ${text}]`)
  return text
}

/** Throws NotFound. */
export function requireRule(rule: QuotaRule | undefined): QuotaRule {
  if (rule === undefined) throw notFound('quota rule does not exist')
  return rule
}

function requireLimit(limit: number): number {
  if (limit < -1) throw invalidField('Limit', 'Range(-1)')
  return limit
}

import type { Core } from '../../../core/module.ts'
import type { Actor } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import { engineErrors, invalid, invalidField } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
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

export type QuotaDeps = Pick<Core, 'database' | 'clock' | 'events'>

export type QuotaRules = ReturnType<typeof createQuotaRules>

export function createQuotaRules(deps: QuotaDeps) {
  const { database, clock, events } = deps
  return {
    /** All rules, ordered by name. */
    list: (): Promise<readonly QuotaRule[]> => listQuotaRules(database.read),
    /** Throws NotFound. */
    get: async (name: string): Promise<QuotaRule> => requireRule(await findQuotaRule(database.read, name)),
    /** Throws Invalid without a name or a limit and for unknown subjects, Conflict for a duplicate name. */
    async create(actor: Actor, rule: NewQuotaRule): Promise<QuotaRule> {
      if (!rule.name) throw engineErrors.fieldRequired('Name')
      if (rule.limit === undefined) throw engineErrors.fieldRequired('Limit')
      const { name, limit } = rule
      const made = { name, limit: requireLimit(limit), subjects: (rule.subjects ?? []).map(requireSubject) }
      return database.transaction(async (tx) => {
        if (await findQuotaRule(tx, name)) throw errors.quotaRuleExists(name)
        return insertRule(deps, tx, actor, made)
      })
    },
    /** Absent members are unchanged. Throws NotFound, and Invalid for unknown subjects. */
    edit: (
      actor: Actor,
      name: string,
      { limit, subjects }: Pick<NewQuotaRule, 'limit' | 'subjects'>,
    ): Promise<QuotaRule> =>
      database.transaction(async (tx) => {
        const before = requireRule(await findQuotaRule(tx, name))
        const after = {
          ...before,
          ...(limit !== undefined && { limit: requireLimit(limit) }),
          ...(subjects !== undefined && { subjects: subjects.map(requireSubject) }),
        }
        await updateQuotaRule(tx, before.id, after)
        await events.append(tx, 'quota.rule_edited', { actor, repoId: 0, at: clock.now() }, payloadOf(after))
        return after
      }),
    /** Deletes the rule, also from groups. Throws NotFound. */
    delete: (actor: Actor, name: string): Promise<void> =>
      database.transaction(async (tx) => {
        await deleteQuotaRule(tx, requireRule(await findQuotaRule(tx, name)).id)
        await events.append(tx, 'quota.rule_deleted', { actor, repoId: 0, at: clock.now() }, { name })
      }),
  }
}

/** The rule of that name, or a new one; the limit is 0 by default. */
export async function findOrInsertRule(
  deps: QuotaDeps,
  tx: Tx,
  actor: Actor,
  { name, limit = 0, subjects = [] }: NewQuotaRule,
): Promise<QuotaRule> {
  if (!name) throw engineErrors.fieldRequired('Name')
  const found = await findQuotaRule(tx, name)
  if (found) return found
  return insertRule(deps, tx, actor, {
    name,
    limit: requireLimit(limit),
    subjects: subjects.map(requireSubject),
  })
}

async function insertRule(
  { clock, events }: QuotaDeps,
  tx: Tx,
  actor: Actor,
  rule: Omit<QuotaRule, 'id'>,
): Promise<QuotaRule> {
  const id = await insertQuotaRule(tx, rule)
  await events.append(tx, 'quota.rule_created', { actor, repoId: 0, at: clock.now() }, payloadOf(rule))
  return { ...rule, id }
}

const payloadOf = ({ name, limit, subjects }: Omit<QuotaRule, 'id'>) => ({ name, limit, subjects: [...subjects] })

/** Throws Invalid for an unknown subject. */
export function requireSubject(text: string): QuotaSubject {
  if (!isQuotaSubject(text)) throw invalid(`unrecognized quota limit subject: [subject: ${text}]`)
  return text
}

/** Throws NotFound. */
export function requireRule(rule: QuotaRule | undefined): QuotaRule {
  if (rule === undefined) throw errors.quotaRuleNotFound()
  return rule
}

function requireLimit(limit: number): number {
  if (limit < -1) throw invalidField('Limit', 'Range(-1)')
  return limit
}

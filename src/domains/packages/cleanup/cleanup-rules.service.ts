import { restrictionOf } from '../../../core/access/authorize.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Core } from '../../../core/module.ts'
import { forbidden, invalid, notFound } from '../../../core/platform/errors.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { type User, userQueries } from '../../accounts/index.ts'
import {
  type CleanupLimits,
  type CleanupRule,
  deleteRule,
  findRule,
  listRules,
  saveRule,
} from './cleanup-rule.store.ts'

interface RuleDeps extends Pick<Core, 'database' | 'clock'> {
  /** The types of all registries. */
  readonly packageTypes: readonly string[]
}

interface RuleView {
  readonly rule: CleanupRule
  readonly author: User | undefined
}

export type CleanupRules = ReturnType<typeof createCleanupRules>

/** The rules by which versions of packages are deleted: one for each type of an owner. Callers check permissions. */
export function createCleanupRules({ database, clock, packageTypes }: RuleDeps) {
  const { read } = database
  const viewsOf = async (rules: readonly CleanupRule[]): Promise<RuleView[]> => {
    const authors = await userQueries.listByIds(
      read,
      rules.map(({ authorId }) => authorId),
    )
    return rules.map((rule) => ({ rule, author: authors.find(({ id }) => id === rule.authorId) }))
  }
  return {
    /** Rules ordered by type. */
    async list(owner: User, paging: Paging): Promise<Page<RuleView>> {
      const page = await listRules(read, owner.id, paging)
      return { ...page, items: await viewsOf(page.items) }
    },

    /** Throws NotFound. */
    async get(owner: User, type: string): Promise<RuleView> {
      const rule = await findRule(read, owner.id, type)
      if (rule === undefined) throw noRule()
      return (await viewsOf([rule]))[0]!
    },

    /**
     * Creates the rule of a type, or replaces it. Throws NotFound for an unknown type, Invalid for limits that would
     * delete everything and for wrong patterns.
     */
    async save(actor: SignedIn, owner: User, type: string, limits: CleanupLimits): Promise<RuleView> {
      if (!packageTypes.includes(type)) throw notFound('there is no registry of this type')
      if (actor.job !== undefined) throw forbidden('a workflow job cannot save a cleanup rule')
      requireLimits(limits)
      const restriction = restrictionOf(actor)
      const rule = await database.transaction((tx) =>
        saveRule(tx, {
          ...limits,
          ownerId: owner.id,
          type,
          authorId: actor.account.id,
          restriction,
          at: clock.now(),
        }),
      )
      return (await viewsOf([rule]))[0]!
    },

    /** Throws NotFound. */
    async delete(owner: User, type: string): Promise<void> {
      if (!(await database.transaction((tx) => deleteRule(tx, owner.id, type)))) throw noRule()
    },
  }
}

const noRule = () => notFound('there is no cleanup rule of this type')

function requireLimits({ keepCount, keepPattern, removeDays, removePattern }: CleanupLimits): void {
  requirePattern('keep_pattern', keepPattern)
  requirePattern('remove_pattern', removePattern)
  if (keepCount === 0 && keepPattern === '' && removeDays === 0 && removePattern === '')
    throw invalid('keep_count, keep_pattern, remove_days or remove_pattern must be set')
}

function requirePattern(field: string, pattern: string): void {
  try {
    // NOTE: only compiled here, which takes linear time; it matches in a child process.
    new RegExp(pattern, 'iu')
  } catch (error) {
    throw invalid(`${field}: is not a regular expression`).causedBy(error)
  }
}

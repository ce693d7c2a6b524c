import type { Core } from '../../../../core/module.ts'
import type { Actor, SignedIn } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import { invalid } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { compileSafeRegExp } from '../../../../core/platform/patterns/safe-regexp.ts'
import type { Repo } from '../../../repositories/index.ts'
import { teamIdsOf, userIdsOf } from '../rule-names.ts'
import { requireRoom, tagExpression } from '../protections.policy.ts'
import {
  countTagRules,
  deleteTagRule,
  findTagRule,
  insertTagRule,
  listTagRules,
  loadTagRuleNames,
  replaceTagRuleTeams,
  replaceTagRuleUsers,
  type StoredTagRule,
  updateTagRule,
} from './tag-rule.store.ts'

export interface TagRuleView {
  readonly rule: StoredTagRule
  readonly users: readonly string[]
  readonly teams: readonly string[]
}

interface TagRuleChange {
  readonly pattern?: string | undefined
  readonly users?: readonly string[] | undefined
  readonly teams?: readonly string[] | undefined
}

/** Rules for tags (behaviour/repositories#tag-protections). */
export interface TagProtections {
  list(repo: Repo): Promise<TagRuleView[]>
  /** Throws NotFound. */
  get(repo: Repo, id: number): Promise<TagRuleView>
  /**
   * Throws Forbidden if a rule has the pattern, Invalid for unknown users and teams, an invalid expression or too many
   * rules.
   */
  create(actor: SignedIn, repo: Repo, change: TagRuleChange & { readonly pattern: string }): Promise<TagRuleView>
  /** Absent members are not changed. Throws NotFound, and the errors of `create`. */
  edit(actor: SignedIn, repo: Repo, id: number, change: TagRuleChange): Promise<TagRuleView>
  delete(actor: Actor, repo: Repo, id: number): Promise<void>
}

type TagProtectionDeps = Pick<Core, 'database' | 'clock' | 'events'>

export function createTagProtections({ database, clock, events }: TagProtectionDeps): TagProtections {
  const { read } = database

  const get: TagProtections['get'] = async (repo, id) =>
    (await withNames(read, repo, [await getRule(read, repo, id)]))[0]!

  /** Edits the rule `present`, or creates one if it is absent. Returns its id. */
  async function write(actor: SignedIn, repo: Repo, change: TagRuleChange, present?: StoredTagRule): Promise<number> {
    const pattern = change.pattern ?? present!.pattern
    await requirePattern(pattern)
    const users = change.users && (await userIdsOf(read, { viewer: actor, repo }, change.users))
    const teams = change.teams && (await teamIdsOf(read, repo, change.teams))
    const at = clock.now()
    try {
      return await database.transaction(async (tx) => {
        if (!present) requireRoom('tag', await countTagRules(tx, repo.id))
        const id = present?.id ?? (await insertTagRule(tx, repo.id, pattern, at))
        if (present) await updateTagRule(tx, id, pattern, at)
        if (users) await replaceTagRuleUsers(tx, id, users)
        if (teams) await replaceTagRuleTeams(tx, id, teams)
        const kind = present ? 'tag_protection.edited' : 'tag_protection.created'
        await events.append(tx, kind, { actor, repoId: repo.id, at }, { repo_id: repo.id, rule_id: id, name: pattern })
        return id
      })
    } catch (error) {
      throw database.dialect.isUniqueViolation(error) ? errors.tagProtectionExists() : error
    }
  }

  return {
    get,
    list: async (repo) => withNames(read, repo, await listTagRules(read, repo.id)),
    create: async (actor, repo, change) => get(repo, await write(actor, repo, change)),
    edit: async (actor, repo, id, change) => get(repo, await write(actor, repo, change, await getRule(read, repo, id))),
    async delete(actor, repo, id) {
      await database.transaction(async (tx) => {
        const rule = await getRule(tx, repo, id)
        if (!(await deleteTagRule(tx, id))) throw unknown(id)
        await events.append(
          tx,
          'tag_protection.deleted',
          { actor, repoId: repo.id, at: clock.now() },
          { repo_id: repo.id, rule_id: id, name: rule.pattern },
        )
      })
    },
  }
}

async function getRule(db: Db, repo: Repo, id: number): Promise<StoredTagRule> {
  const rule = await findTagRule(db, repo.id, id)
  if (rule === undefined) throw unknown(id)
  return rule
}

async function withNames(db: Db, repo: Repo, rules: readonly StoredTagRule[]): Promise<TagRuleView[]> {
  const names = await loadTagRuleNames(
    db,
    repo,
    rules.map((rule) => rule.id),
  )
  return rules.map((rule) => ({ rule, ...names.get(rule.id)! }))
}

async function requirePattern(pattern: string): Promise<void> {
  const expression = tagExpression(pattern)
  if (expression !== undefined && (await compileSafeRegExp(expression)) === undefined)
    throw invalid('[NamePattern]: invalid regular expression')
}

const unknown = (id: number): Error => errors.tagProtectionNotFound(id)

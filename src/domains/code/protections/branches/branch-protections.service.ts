import type { Core } from '../../../../core/module.ts'
import { AccessMode } from '../../../../core/access/repo-access.ts'
import type { Actor, SignedIn } from '../../../../core/access/viewer.ts'
import type { Db, Tx } from '../../../../core/db/database.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import { errors } from '../../../errors.ts'
import type { Repo, TemplateCopier } from '../../../repositories/index.ts'
import {
  type BranchRuleInput,
  editedRuleSettings,
  newRuleSettings,
  requireRoom,
  requireShortContexts,
} from '../protections.policy.ts'
import {
  copyBranchRules,
  countBranchRules,
  deleteBranchRule,
  findBranchRule,
  insertBranchRule,
  listBranchRules,
  loadRuleNames,
  maxBranchRulePriority,
  replaceRuleTeams,
  replaceRuleUsers,
  type RuleNames,
  type StoredBranchRule,
  updateBranchRule,
  updateBranchRulePriority,
} from './branch-rule.store.ts'
import { inRuleOrder, RULE_LISTS, type RuleList } from './branch-rules.policy.ts'
import { type Qualification, teamIdsOf, userIdsOf } from '../rule-names.ts'

export interface BranchRuleView {
  readonly rule: StoredBranchRule
  readonly names: RuleNames
}

export interface BranchRuleChange {
  readonly settings: BranchRuleInput
  /** Names by list. An absent list is not changed. */
  readonly users: { readonly [list in RuleList]?: readonly string[] | undefined }
  readonly teams: { readonly [list in RuleList]?: readonly string[] | undefined }
  /** 0 or less: the last position. */
  readonly priority?: number | undefined
}

/** Rules for branches (behaviour/repositories#branch-protections). Names are compared exactly. */
export interface BranchProtections {
  /** The rules in evaluation order. */
  list(repo: Repo): Promise<BranchRuleView[]>
  /** Throws NotFound. */
  get(repo: Repo, name: string): Promise<BranchRuleView>
  /**
   * Throws Forbidden if the name is in use, Invalid for unknown users and teams, too many rules or too long patterns.
   */
  create(actor: SignedIn, repo: Repo, name: string, change: BranchRuleChange): Promise<BranchRuleView>
  /** Throws NotFound, and Invalid for unknown users and teams and too long patterns. */
  edit(actor: SignedIn, repo: Repo, name: string, change: BranchRuleChange): Promise<BranchRuleView>
  /** Throws NotFound. */
  delete(actor: Actor, repo: Repo, name: string): Promise<void>
  /** Sets the evaluation order of these rules. Ids of rules of other repositories are ignored. */
  reorder(actor: Actor, repo: Repo, ids: readonly number[]): Promise<void>
}

type Kind = 'branch_protection.created' | 'branch_protection.edited' | 'branch_protection.deleted'
type Named = readonly {
  readonly list: RuleList
  readonly users: readonly number[] | undefined
  readonly teams: readonly number[] | undefined
}[]

const WRITERS: Qualification = { unit: 'repo.code', mode: AccessMode.write }
const REVIEWERS: Qualification = { unit: 'repo.pulls', mode: AccessMode.read }

type BranchProtectionDeps = Pick<Core, 'database' | 'clock' | 'events'>

export function createBranchProtections({ database, clock, events }: BranchProtectionDeps): BranchProtections {
  const { read } = database

  const get: BranchProtections['get'] = async (repo, name) =>
    (await withNames(read, repo, [await getRule(read, repo, name)]))[0]!

  const append = async (
    tx: Tx,
    kind: Kind,
    { repo, actor, rule }: { repo: Repo; actor: Actor; rule: { id: number; name: string } },
  ): Promise<void> =>
    events.append(
      tx,
      kind,
      { actor, repoId: repo.id, at: clock.now() },
      { repo_id: repo.id, rule_id: rule.id, name: rule.name },
    )

  return {
    get,
    list: async (repo) => withNames(read, repo, inRuleOrder(await listBranchRules(read, repo.id))),

    async create(actor, repo, name, change) {
      const exists = errors.branchProtectionExists()
      if ((await findBranchRule(read, repo.id, name)) !== undefined) throw exists
      const named = await resolveNames(read, { viewer: actor, repo }, change)
      requireShortContexts(change.settings.statusCheckContexts)
      const settings = newRuleSettings(change.settings)
      try {
        await database.transaction(async (tx) => {
          requireRoom('branch', await countBranchRules(tx, repo.id))
          const priority =
            change.priority !== undefined && change.priority > 0
              ? change.priority
              : (await maxBranchRulePriority(tx, repo.id)) + 1
          const id = await insertBranchRule(tx, repo.id, name, { priority, settings, at: clock.now() })
          await replaceLists(tx, id, named)
          await append(tx, 'branch_protection.created', { repo, actor, rule: { id, name } })
        })
      } catch (error) {
        throw database.dialect.isUniqueViolation(error) ? exists : error
      }
      return get(repo, name)
    },

    async edit(actor, repo, name, change) {
      await getRule(read, repo, name)
      requireShortContexts(change.settings.statusCheckContexts)
      const named = await resolveNames(read, { viewer: actor, repo }, change)
      await database.transaction(async (tx) => {
        const rule = await getRule(tx, repo, name)
        const priority = change.priority !== undefined && change.priority > 0 ? change.priority : rule.priority
        const { id, name: _, priority: __, createdAt: ___, updatedAt: ____, ...present } = rule
        await updateBranchRule(tx, id, {
          priority,
          settings: editedRuleSettings(present, change.settings),
          at: clock.now(),
        })
        await replaceLists(tx, id, named)
        await append(tx, 'branch_protection.edited', { repo, actor, rule })
      })
      return get(repo, name)
    },

    async delete(actor, repo, name) {
      await database.transaction(async (tx) => {
        const rule = await getRule(tx, repo, name)
        if (!(await deleteBranchRule(tx, rule.id))) throw unknown(name)
        await append(tx, 'branch_protection.deleted', { repo, actor, rule })
      })
    },

    reorder: (actor, repo, ids) => reorderRules({ database, clock, events }, actor, repo, ids),
  }
}

function reorderRules(
  { database, clock, events }: BranchProtectionDeps,
  actor: Actor,
  repo: Repo,
  ids: readonly number[],
): Promise<void> {
  return database.transaction(async (tx) => {
    const names = new Map((await listBranchRules(tx, repo.id)).map((rule) => [rule.id, rule.name]))
    const ordered = [...new Set(ids)].filter((id) => names.has(id))
    if (ordered.length === 0) return
    for (const [index, id] of ordered.entries()) await updateBranchRulePriority(tx, repo.id, id, index + 1)
    await events.append(
      tx,
      'branch_protection.reordered',
      { actor, repoId: repo.id, at: clock.now() },
      { repo_id: repo.id, names: ordered.map((id) => names.get(id)!) },
    )
  })
}

/** Copies the branch rules of a template to a repository generated from it. */
export const createBranchRuleCopier = (clock: Clock): TemplateCopier => ({
  item: 'protected_branch',
  copy: (tx, { template, repoId }) => copyBranchRules(tx, template.id, repoId, clock.now()),
})

async function getRule(db: Db, repo: Repo, name: string): Promise<StoredBranchRule> {
  const rule = await findBranchRule(db, repo.id, name)
  if (rule === undefined) throw unknown(name)
  return rule
}

async function withNames(db: Db, repo: Repo, rules: readonly StoredBranchRule[]): Promise<BranchRuleView[]> {
  const names = await loadRuleNames(
    db,
    repo,
    rules.map((rule) => rule.id),
  )
  return rules.map((rule) => ({ rule, names: names.get(rule.id)! }))
}

async function resolveNames(
  db: Db,
  place: { readonly viewer: SignedIn; readonly repo: Repo },
  { users, teams }: BranchRuleChange,
): Promise<Named> {
  const named: { list: RuleList; users: number[] | undefined; teams: number[] | undefined }[] = []
  for (const list of RULE_LISTS) {
    const [userNames, teamNames] = [users[list], teams[list]]
    const needed = list === 'approvals' ? REVIEWERS : WRITERS
    named.push({
      list,
      users: userNames && (await userIdsOf(db, place, userNames, needed)),
      teams: teamNames && (await teamIdsOf(db, place.repo, teamNames)),
    })
  }
  return named
}

async function replaceLists(tx: Tx, ruleId: number, named: Named): Promise<void> {
  for (const { list, users, teams } of named) {
    if (users) await replaceRuleUsers(tx, ruleId, list, users)
    if (teams) await replaceRuleTeams(tx, ruleId, list, teams)
  }
}

const unknown = (name: string): Error => errors.branchProtectionNotFound(name)

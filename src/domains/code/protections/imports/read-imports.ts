import { Value } from '@sinclair/typebox/value'
import { compileSafeRegExp } from '../../../../core/platform/patterns/safe-regexp.ts'
import { RULE_LISTS, type BranchRuleSettings, type RuleList } from '../branches/branch-rules.policy.ts'
import { readRuleChange } from '../branches/read-rule-change.ts'
import { CreateBranchProtectionOption, CreateTagProtectionOption } from '../protection.model.ts'
import { newRuleSettings, requireShortContexts, tagExpression } from '../protections.policy.ts'

/** A branch protection of another service; accounts and teams are named as there. */
export interface ClaimedBranchRule {
  readonly name: string
  /** 0 or less: the last position. */
  readonly priority: number
  readonly settings: BranchRuleSettings
  readonly users: ReadonlyMap<RuleList, readonly string[]>
  readonly hasTeams: boolean
}

export interface ClaimedTagRule {
  readonly pattern: string
  readonly users: readonly string[]
  readonly hasTeams: boolean
}

/** Other servers send null for lists that were never set. */
const withoutNulls = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
    : value

const isName = (name: string): boolean => name !== '' && !/\p{Cc}/u.test(name)

/**
 * Reads a BranchProtection of the contract; undefined if a request with these values would be refused. NOTE: the value
 * comes from another server.
 */
export function readImportedBranchRule(value: unknown): ClaimedBranchRule | undefined {
  const body = withoutNulls(value)
  if (!Value.Check(CreateBranchProtectionOption, body)) return undefined
  const name = body.rule_name?.trim() || body.branch_name?.trim() || ''
  const { settings, users, teams, priority = 0 } = readRuleChange(body)
  if (!isName(name) || !areShort(settings.statusCheckContexts)) return undefined
  return {
    name,
    priority,
    settings: newRuleSettings(settings),
    users: new Map(RULE_LISTS.map((list) => [list, users[list] ?? []])),
    hasTeams: RULE_LISTS.some((list) => (teams[list] ?? []).length > 0),
  }
}

function areShort(contexts: readonly string[] | undefined): boolean {
  try {
    requireShortContexts(contexts)
    return true
  } catch {
    return false
  }
}

/** Reads a TagProtection of the contract, as `readImportedBranchRule` does. */
export async function readImportedTagRule(value: unknown): Promise<ClaimedTagRule | undefined> {
  const body = withoutNulls(value)
  if (!Value.Check(CreateTagProtectionOption, body)) return undefined
  const { name_pattern: pattern = '', whitelist_usernames: users = [], whitelist_teams: teams = [] } = body
  const expression = tagExpression(pattern)
  if (!isName(pattern) || (expression !== undefined && (await compileSafeRegExp(expression)) === undefined))
    return undefined
  return { pattern, users, hasTeams: teams.length > 0 }
}

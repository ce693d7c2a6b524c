import { members, type Members } from '../../../../../core/platform/json-members.ts'
import type { SourceProtections } from '../../source.ts'
import { isTrue, lineOf, membersOf, countOf } from '../read.ts'
import type { Gitlab } from './gitlab.ts'

/** A repository has no more of either kind here. */
const MAX_RULES = 100
/** Accounts that are not maintainers get 403, of which the import warns. */
const ABSENT = [404]
/** Access level of developers, who may write; the next higher role, maintainer, corresponds to administrators here. */
const DEVELOPER = 30

/** Rules of branches and tags. Accounts and groups are named only by ids, and are omitted. */
export async function readProtections(gitlab: Gitlab, signal: AbortSignal): Promise<SourceProtections> {
  const rules = await readRules(gitlab, 'protected_branches', signal)
  const tags = await readRules(gitlab, 'protected_tags', signal)
  return {
    branches: rules.map(branchRule),
    // Here a rule of tags names who may create them, and without names nobody may.
    tags: tags.filter((rule) => !mayWrite(rule['create_access_levels'])).map(tagRule),
  }
}

async function readRules({ api, project }: Gitlab, list: string, signal: AbortSignal): Promise<readonly Members[]> {
  const rules: Members[] = []
  for await (const page of api.pages(`${project}/${list}`, signal, ABSENT)) {
    rules.push(...page.map(members))
    if (rules.length > MAX_RULES) break
  }
  return rules
}

/** The rule in the form of this server's API. */
function branchRule(rule: Members): object {
  const [push, merge] = [rule['push_access_levels'], rule['merge_access_levels']]
  return {
    rule_name: patternOf(rule),
    enable_push: mayWrite(push),
    enable_force_push: mayWrite(push) && isTrue(rule['allow_force_push']),
    enable_merge_whitelist: !mayWrite(merge),
    push_whitelist_teams: namesOf(push),
    merge_whitelist_teams: namesOf(merge),
  }
}

const tagRule = (rule: Members): object => ({
  name_pattern: patternOf(rule),
  whitelist_teams: namesOf(rule['create_access_levels']),
})

/** An asterisk stands for slashes too. */
const patternOf = ({ name }: Members): string => lineOf(name).replaceAll('*', '**')

const mayWrite = (levels: unknown): boolean =>
  membersOf(levels).some(
    (level) => !isNamed(level) && countOf(level['access_level']) > 0 && countOf(level['access_level']) <= DEVELOPER,
  )

const isNamed = (level: Members): boolean =>
  ['user_id', 'group_id', 'deploy_key_id'].some((member) => countOf(level[member]) > 0)

/** Names of accounts and groups in the rule, of which the import warns. */
const namesOf = (levels: unknown): readonly string[] =>
  membersOf(levels)
    .filter(isNamed)
    .map((level) => lineOf(level['access_level_description']))

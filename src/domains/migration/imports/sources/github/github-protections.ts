import { members } from '../../../../../core/platform/json-members.ts'
import type { SourceProtections } from '../../source.ts'
import { isTrue, lineOf, linesOf, present, countOf } from '../read.ts'
import type { Github } from './github-issues.ts'

/** A repository has no more here. */
const MAX_BRANCHES = 100
/** The rules are shown to administrators alone. */
const HIDDEN = [403, 404]

/** Classic rules of branches; nobody is named in them, because names need the right to read teams and apps. */
export async function readProtections(github: Github, signal: AbortSignal): Promise<SourceProtections> {
  const { api, repo, absent } = github
  const names: string[] = []
  for await (const page of api.pages(`${repo}/branches?protected=true`, signal, [...absent, ...HIDDEN])) {
    names.push(...page.map((branch) => lineOf(members(branch)['name'])).filter(Boolean))
    if (names.length > MAX_BRANCHES) break
  }
  const rules: (object | undefined)[] = []
  for (const name of names.slice(0, MAX_BRANCHES + 1)) {
    const found = await api.find(`${repo}/branches/${encodeURIComponent(name)}/protection`, signal, HIDDEN)
    rules.push(found === undefined ? undefined : ruleOf(name, found))
  }
  return { branches: present(rules), tags: [] }
}

/** The rule in the form of this server's API. */
function ruleOf(name: string, value: unknown): object {
  const rule = members(value)
  const [reviews, checks] = [rule['required_pull_request_reviews'], rule['required_status_checks']]
  const isOn = (member: string): boolean => isTrue(members(rule[member])['enabled'])
  return {
    rule_name: name,
    // Without a rule for reviews everyone who may write may push.
    enable_push: reviews === undefined || reviews === null,
    enable_force_push: isOn('allow_force_pushes'),
    required_approvals: countOf(members(reviews)['required_approving_review_count']),
    dismiss_stale_approvals: isTrue(members(reviews)['dismiss_stale_reviews']),
    enable_status_check: linesOf(members(checks)['contexts']).length > 0,
    status_check_contexts: linesOf(members(checks)['contexts']),
    block_on_outdated_branch: isTrue(members(checks)['strict']),
    require_signed_commits: isOn('required_signatures'),
    block_admin_merge_override: isOn('enforce_admins'),
  }
}

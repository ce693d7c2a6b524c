const PLAIN = [
  'create',
  'delete',
  'fork',
  'push',
  'wiki',
  'repository',
  'release',
  'package',
  'status',
  'workflow_run',
  'workflow_job',
] as const
const ISSUES = ['issues', 'issue_assign', 'issue_label', 'issue_milestone', 'issue_comment'] as const
const PULLS = [
  'pull_request',
  'pull_request_assign',
  'pull_request_label',
  'pull_request_milestone',
  'pull_request_comment',
  'pull_request_review',
  'pull_request_review_request',
  'pull_request_sync',
] as const

const FLAGS = [...PLAIN, ...ISSUES, ...PULLS]
type HookEvent = (typeof FLAGS)[number]

/** Names that enable several or other flags (behaviour/orgs-webhooks-actions#event-names). */
const GROUPS: Readonly<Record<string, readonly HookEvent[]>> = {
  issues: ISSUES,
  issues_only: ['issues'],
  pull_request: PULLS,
  pull_request_only: ['pull_request'],
  pull_request_review_approved: ['pull_request_review'],
  pull_request_review_rejected: ['pull_request_review'],
  pull_request_review_comment: ['pull_request_review'],
}

/** Flags that a request enables, in the order of FLAGS. Unknown names are ignored; an empty request enables `push`. */
export function readHookEvents(requested: readonly string[] | undefined): HookEvent[] {
  if (requested === undefined || requested.length === 0) return ['push']
  const set = new Set(requested.flatMap(flagsOf))
  return FLAGS.filter((flag) => set.has(flag))
}

export const isHookEvent = (name: string): boolean => flagsOf(name).length > 0

function flagsOf(name: string): readonly HookEvent[] {
  const known = name.trim().toLowerCase()
  return Object.hasOwn(GROUPS, known) ? GROUPS[known]! : FLAGS.filter((flag) => flag === known)
}

/** Returns the syntax error of a glob over branch names, or undefined: brackets and braces must be closed. */
export function branchFilterProblem(filter: string): string | undefined {
  const chars = [...filter]
  let braces = 0
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at]
    if (char === '\\') {
      if (++at >= chars.length) return 'nothing after the escape'
    } else if (char === '[') {
      at = chars.indexOf(']', at + 2)
      if (at < 0) return 'unterminated character class'
    } else if (char === '{') braces++
    else if (char === '}' && --braces < 0) return 'closing brace without an opening one'
  }
  return braces === 0 ? undefined : 'unterminated alternatives'
}

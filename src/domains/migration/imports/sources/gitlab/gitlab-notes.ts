import type { SourceChange } from '../../source.ts'
import { issueNumberOf } from '../read.ts'

type Read = (found: RegExpExecArray, offset: number) => SourceChange

/**
 * The sentences of notes that GitLab writes itself. References of other projects name the project, and are no match.
 */
const SENTENCES: readonly (readonly [RegExp, Read])[] = [
  [/^mentioned in issue #(\d{1,10})$/, ([, number]) => ({ kind: 'issue_ref', from: issueNumberOf(number) })],
  [
    /^mentioned in merge request !(\d{1,10})$/,
    ([, number], offset) => ({ kind: 'pull_ref', from: issueNumberOf(number) + offset }),
  ],
  [/^mentioned in commit ([0-9a-f]{40})$/, ([, oid]) => ({ kind: 'commit_ref', oid: oid! })],
  [
    /^changed title from \*\*(.*)\*\* to \*\*(.*)\*\*$/,
    ([, old, title]) => ({ kind: 'change_title', old: withoutMarks(old!), new: withoutMarks(title!) }),
  ],
  [
    /^changed target branch from `([^`]*)` to `([^`]*)`$/,
    ([, old, branch]) => ({ kind: 'change_target_branch', old: old!, new: branch! }),
  ],
  [/^locked (?:this|the discussion in this) (?:issue|merge request)$/, () => ({ kind: 'lock' })],
  [/^unlocked (?:this|the discussion in this) (?:issue|merge request)$/, () => ({ kind: 'unlock' })],
]

/** Changed parts of a title are between `{-` and `-}`, or `{+` and `+}`. */
const withoutMarks = (title: string): string => title.replaceAll(/\{[-+]|[-+]\}/g, '')

/** The events that a note of GitLab itself records; none if other lists have them, or this server does not. */
export function readSystemNote(body: string, offset: number): readonly SourceChange[] {
  for (const [pattern, read] of SENTENCES) {
    const found = pattern.exec(body)
    if (found !== null) return [read(found, offset)]
  }
  return ASSIGNED.test(body) ? readAssignees(body) : []
}

const ASSIGNED = /^(?:assigned to|unassigned) @/
const NAME = /@([\w.-]*\w)/g

/** Such as `assigned to @ann and @bob and unassigned @eve`, with names alone. */
function readAssignees(body: string): readonly SourceChange[] {
  const start = body.indexOf('unassigned @')
  return [...body.matchAll(NAME)].map(({ 1: login, index }) => ({
    kind: 'assignees',
    assignee: { id: 0, login: login!, email: '' },
    isRemoved: start !== -1 && index > start,
  }))
}

import { members, type Members } from '../../../../core/platform/json-members.ts'
import type { SourceAsset, SourceLabel, SourceMilestone, SourceRelease } from '../source.ts'
import { bodyOf, isTrue, lineOf, membersOf, parseTime, timesOf, userOf, countOf } from './read.ts'

/** Reads a label of any service; members that a service lacks are empty or false. */
export function readLabel(value: unknown): SourceLabel {
  const label = members(value)
  return {
    name: lineOf(label['name']),
    color: lineOf(label['color']),
    description: lineOf(label['description']),
    isExclusive: isTrue(label['exclusive']),
    isArchived: isTrue(label['is_archived']),
  }
}

/** Reads a milestone of GitHub, Gitea or Gogs; issues name it by the member `key`. */
export function readMilestone(value: unknown, key: 'id' | 'number'): SourceMilestone {
  const milestone = members(value)
  return {
    key: String(countOf(milestone[key])),
    title: lineOf(milestone['title']),
    description: bodyOf(milestone['description']),
    isClosed: milestone['state'] === 'closed',
    dueAt: parseTime(milestone['due_on']),
    createdAt: parseTime(milestone['created_at']),
    updatedAt: parseTime(milestone['updated_at']),
    closedAt: parseTime(milestone['closed_at']),
  }
}

/** Reads a release of GitHub or Gitea; their assets differ. */
export function readRelease(value: unknown, readAsset: (asset: Members) => SourceAsset | undefined): SourceRelease {
  const release = members(value)
  return {
    author: userOf(release['author']),
    tag: lineOf(release['tag_name']),
    target: lineOf(release['target_commitish']),
    title: lineOf(release['name']),
    body: bodyOf(release['body']),
    isDraft: isTrue(release['draft']),
    isPrerelease: isTrue(release['prerelease']),
    // At GitHub `created_at` is the time of the commit.
    createdAt: parseTime(release['published_at']) ?? parseTime(release['created_at']),
    assets: membersOf(release['assets'])
      .map(readAsset)
      .filter((asset) => asset !== undefined),
  }
}

/** The key of the milestone of an issue; undefined without one. */
export function milestoneOf(value: unknown, key: 'id' | 'number'): string | undefined {
  const number = countOf(members(value)[key])
  return number === 0 ? undefined : String(number)
}

/** What issues and pull requests of GitHub, Gitea and Gogs have in common. */
export function readIssueBasics(issue: Members, { now, milestone }: { now: number; milestone: 'id' | 'number' }) {
  return {
    author: userOf(issue['user']),
    title: lineOf(issue['title']),
    body: bodyOf(issue['body']),
    isClosed: issue['state'] === 'closed',
    ...timesOf(issue, now),
    labels: membersOf(issue['labels'])
      .map(({ name }) => lineOf(name))
      .filter(Boolean),
    milestone: milestoneOf(issue['milestone'], milestone),
  }
}

import { members, type Members } from '../../../../../core/platform/json-members.ts'
import type { Pages, SourceDependency, SourceItem } from '../../source.ts'
import { issueNumberOf, lineOf, countOf } from '../read.ts'
import { type Github, isPull, listed } from './github-issues.ts'

const NOT_FOUND = [404, 410]

type ReadDependencies = (of: SourceItem, signal: AbortSignal) => Pages<SourceDependency>

/** The list of issues shows which ones are blocked: it is read once, and further requests are for those alone. */
export function createDependencies(github: Github): ReadDependencies {
  let blocked: Promise<ReadonlySet<number>> | undefined
  return async function* ({ number, isPull }, signal) {
    if (isPull) return
    blocked ??= listBlocked(github, signal)
    if (!(await blocked).has(number)) return
    const { api, repo } = github
    for await (const page of api.pages(`${repo}/issues/${number}/dependencies/blocked_by`, signal, NOT_FOUND))
      yield page.map(members).map((issue) => ({ issue: number, dependsOn: nameOf(github, issue) }))
  }
}

async function listBlocked(github: Github, signal: AbortSignal): Promise<ReadonlySet<number>> {
  const blocked = new Set<number>()
  for await (const page of listed(github, github.issueLists, { after: 0, signal })) {
    const issues = page.filter((issue) => !isPull(issue))
    // Older servers have no dependencies.
    if (issues.length > 0 && issues.every((issue) => issue['issue_dependencies_summary'] === undefined)) break
    for (const issue of issues) {
      const summary = members(issue['issue_dependencies_summary'])
      if (countOf(summary['total_blocked_by']) + countOf(summary['blocked_by']) > 0)
        blocked.add(issueNumberOf(issue['number']))
    }
  }
  return blocked
}

/** The number of an issue of the same repository, otherwise such as `owner/name#3`. */
function nameOf({ repo }: Github, issue: Members): number | string {
  const own = decodeURIComponent(repo.replace('/repos/', ''))
  const address = lineOf(issue['repository_url'])
  const path = lineOf(members(issue['repository'])['full_name']) || address.split('/').slice(-2).join('/')
  const number = issueNumberOf(issue['number'])
  return path === '' || path.toLowerCase() === own.toLowerCase() ? number : `${path}#${number}`
}

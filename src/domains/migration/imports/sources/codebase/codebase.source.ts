import { members, type Members } from '../../../../../core/platform/json-members.ts'
import type { OpenSource } from '../../source-location.ts'
import type { Pages, SourceMilestone } from '../../source.ts'
import { readingBy } from '../connection.ts'
import { LACKING } from '../lacking.ts'
import { bodyOf, lineOf, parseTime, countOf } from '../read.ts'
import { type Codebase, createConnection, END } from './codebase.ts'
import { readComments, readEvents, readPulls } from './codebase-pulls.ts'
import { readIssues, readLabels } from './codebase-tickets.ts'

/** Codebase (support.codebasehq.com/kb, XML). Tickets belong to the project of the repository. */
export const openCodebase: OpenSource = (deps, location) => {
  const connect = createConnection(deps, location)
  const list = readingBy(connect)
  return {
    ...LACKING,
    async facts(signal) {
      const { api, repo } = await connect(signal)
      const facts = members(await api.get(repo, signal))
      return {
        description: bodyOf(facts['description']),
        website: '',
        topics: [],
        isPrivate: true,
        isArchived: false,
        defaultBranch: '',
      }
    },
    labels: list(readLabels),
    milestones: list(readMilestones),
    issues: list(readIssues),
    pulls: list(readPulls),
    comments: list(readComments),
    events: list(readEvents),
    download: async ({ url, headers }, signal, consume) =>
      (await connect(signal)).api.download(url, { headers, signal }, consume),
  }
}

async function* readMilestones({ api, project }: Codebase, signal: AbortSignal): Pages<SourceMilestone> {
  for await (const page of api.pages(`${project}/milestones`, signal, END)) yield page.map(members).map(readMilestone)
}

const readMilestone = (milestone: Members): SourceMilestone => ({
  key: String(countOf(milestone['id'])),
  title: lineOf(milestone['name']),
  description: bodyOf(milestone['description']),
  isClosed: milestone['status'] === 'completed' || milestone['status'] === 'cancelled',
  dueAt: parseTime(milestone['deadline']),
  createdAt: parseTime(milestone['start-at']),
  updatedAt: undefined,
  closedAt: undefined,
})

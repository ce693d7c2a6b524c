import { members, type Members } from '../../../../../core/platform/json-members.ts'
import type { OpenSource } from '../../source-location.ts'
import type { Pages, SourceMilestone } from '../../source.ts'
import { readingBy } from '../connection.ts'
import { filesInText } from '../files-in-text.ts'
import { LACKING } from '../lacking.ts'
import { outsideCode } from '../outside-code.ts'
import { bodyOf, isTrue, lineOf, countOf } from '../read.ts'
import { createConnection, type Onedev } from './onedev.ts'
import { readEvents, readLinks } from './onedev-events.ts'
import { readComments, readIssues, readLabels, readTimes } from './onedev-issues.ts'
import { readPulls, readReviews } from './onedev-pulls.ts'

const DAY = 86_400_000
const FILE = /\/~downloads\/projects\/\d{1,15}\/attachments\/[0-9a-f-]{36}\/([^\s"'()<>[\]\\/]{1,255})/g

/** A number alone is that of an issue. */
const PULL = /\bpull request #\d/i
const PULLS = /\b(pull request #)(\d{1,9})\b/gi

/** OneDev (the API documentation of its pages, `/~help/api`). */
export const openOnedev: OpenSource = (deps, location) => {
  const open = createConnection(deps, location)
  /** What is known once the first list was read, and no text is read before. */
  let offset = 0
  async function connect(signal: AbortSignal): Promise<Onedev> {
    const onedev = await open(signal)
    ;({ offset } = onedev)
    return onedev
  }
  const list = readingBy(connect)
  const { origin } = new URL(location.url)
  return {
    ...LACKING,
    async facts(signal) {
      const { api, project } = await connect(signal)
      const facts = members(await api.get(`/projects/${project}`, signal))
      return {
        description: bodyOf(facts['description']),
        website: '',
        topics: [],
        // The API does not report it.
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
    dependencies: list(readLinks),
    reviews: list(readReviews),
    trackedTimes: list(readTimes),
    download: async ({ url, headers }, signal, consume) =>
      (await connect(signal)).api.download(url, { headers, signal }, consume),
    filesIn: (text) =>
      filesInText(text, {
        pattern: FILE,
        prefixes: [origin],
        read: ([path, name]) => ({ url: `${origin}${path}`, name: name! }),
      }),
    rewriteReferences: (text) =>
      offset === 0 || !PULL.test(text)
        ? text
        : outsideCode(text, (part) =>
            part.replaceAll(PULLS, (_, words: string, number: string) => `${words}${Number(number) + offset}`),
          ),
  }
}

async function* readMilestones({ api, project }: Onedev, signal: AbortSignal): Pages<SourceMilestone> {
  for await (const page of api.pages(`/projects/${project}/iterations`, signal))
    yield page.map(members).map(readMilestone)
}

function readMilestone(iteration: Members): SourceMilestone {
  const dueDay = countOf(iteration['dueDay'])
  return {
    key: String(countOf(iteration['id'])),
    title: lineOf(iteration['name']),
    description: bodyOf(iteration['description']),
    isClosed: isTrue(iteration['closed']),
    // Days since 1970.
    dueAt: dueDay === 0 ? undefined : dueDay * DAY,
    createdAt: undefined,
    updatedAt: undefined,
    closedAt: undefined,
  }
}

// Makes the issues of `issueSize` through the API of a server that runs, in a process of its own:
// `node bench/data/post-issues.ts DATA_DIR SCALE URL`. Runs after fill-lists, whose users write them.
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { withCore } from '../../src/cli/with-core.ts'
import { loadConfig } from '../../src/core/config/index.ts'
import { commandLine, userQueries } from '../../src/domains/accounts/index.ts'
import { say } from '../run.ts'
import { issueLabel, issueMilestone, issueRepo, issueSize, issueText, type IssueSize } from './issue-size.ts'
import { listUser } from './list-size.ts'

const [dataDir, scale, url] = process.argv.slice(2)
const USERS = 20
const WRITERS = 16
const REPORT_EVERY = 100_000
const OWNER = 0
/** Requests that fail before the run gives up. */
const MAX_FAILURES = 10

interface Request {
  readonly method: 'POST' | 'PUT'
  /** The path after /api/v1. */
  readonly path: string
  /** Number of the user that sends it. */
  readonly user: number
  readonly body: object
}

interface Made {
  readonly labels: readonly number[]
  readonly milestones: readonly number[]
}

const agent = new Agent({ keepAlive: true, maxSockets: WRITERS })

const makeTokens = (): Promise<string[]> =>
  withCore(loadConfig({ environment: process.env, flags: { data_dir: dataDir } }), async ({ database, tokens }) => {
    const values: string[] = []
    for (let i = 0; i < USERS; i++) {
      const user = await userQueries.findByName(database.read, listUser(i))
      values.push((await tokens.create(commandLine, user!.id, { name: 'bench', scopes: ['all'] })).value)
    }
    return values
  })

/** The answer's body as JSON. Throws when it is no success. */
async function send(tokens: readonly string[], { method, path, user, body }: Request): Promise<{ id: number }> {
  const headers = { authorization: `token ${tokens[user]!}`, 'content-type': 'application/json' }
  const sent = request(`${url}/api/v1${path}`, { method, agent, headers })
  sent.end(JSON.stringify(body))
  const [answer] = await once(sent, 'response')
  const content = await text(answer)
  if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${content}`)
  return content === '' ? { id: 0 } : JSON.parse(content)
}

/** Sends `count` requests, WRITERS at once; gives the answers' ids in order. */
async function sendAll(
  tokens: readonly string[],
  name: string,
  count: number,
  of: (i: number) => Request,
): Promise<number[]> {
  const ids: number[] = []
  let [next, done, failures] = [0, 0, 0]
  const begin = performance.now()
  const write = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) {
      try {
        ids[i] = (await send(tokens, of(i))).id
      } catch (error) {
        if (++failures > MAX_FAILURES) throw error
        say(`${(error as Error).message}; sent again`)
        ids[i] = (await send(tokens, of(i))).id
      }
      if (++done % REPORT_EVERY === 0 || done === count)
        say(`${name}: ${done}, ${Math.round(done / ((performance.now() - begin) / 1000))}/s`)
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, write))
  return ids
}

async function post(size: IssueSize): Promise<void> {
  const tokens = await makeTokens()
  const first = `/repos/${listUser(OWNER)}/${issueRepo(0)}`
  const all = (name: string, count: number, of: (i: number) => Omit<Request, 'method'>): Promise<number[]> =>
    sendAll(tokens, name, count, (i) => ({ method: 'POST', ...of(i) }))
  await all('repositories', size.repos, (i) => ({
    path: '/user/repos',
    user: OWNER,
    body: { name: issueRepo(i), private: i % 2 === 1 },
  }))
  const labels = await all('labels', size.labels, (i) => ({
    path: `${first}/labels`,
    user: OWNER,
    body: { name: issueLabel(i), color: '#aabbcc' },
  }))
  const milestones = await all('milestones', size.milestones, (i) => ({
    path: `${first}/milestones`,
    user: OWNER,
    body: { title: issueMilestone(i) },
  }))
  await all('issues', size.issues, (i) => issueOf(i, size, { labels, milestones }))
  const numbers = size.ofFirst
  await all('comments', size.comments, (i) => ({
    path: `${first}/issues/${1 + (i % numbers)}/comments`,
    user: i % USERS,
    body: { body: issueText(i * 7, 12) },
  }))
}

/** Issues of the first repository are spread over the others, of which every second one is private. */
function issueOf(i: number, size: IssueSize, { labels, milestones }: Made): Omit<Request, 'method'> {
  const every = Math.max(1, Math.floor(size.issues / size.ofFirst))
  const nth = Math.floor(i / every)
  const plain = { title: issueText(i, 6), body: issueText(i + 1, 20), closed: i % 3 === 0 }
  if (i % every !== 0) {
    const repo = 1 + (i % (size.repos - 1))
    const path = `/repos/${listUser(OWNER)}/${issueRepo(repo)}/issues`
    return { path, user: repo % 2 === 1 ? OWNER : (i * 31) % USERS, body: plain }
  }
  const body = {
    ...plain,
    body: `${plain.body} @${listUser((i + 1) % USERS)}`,
    labels: [labels[nth % labels.length], labels[(nth * 13) % labels.length]],
    milestone: milestones[nth % milestones.length],
    assignees: [listUser(OWNER)],
  }
  // NOTE: only who may write assigns and labels.
  return { path: `/repos/${listUser(OWNER)}/${issueRepo(0)}/issues`, user: OWNER, body }
}

await post(issueSize(Number(scale)))
agent.destroy()

import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { commitOn } from '../data/commits.ts'
import type { TempDir } from '../system/processes.ts'
import type { Balancer, Reply } from './balancer.ts'
import type { Cluster } from './cluster.ts'
import type { Journal } from './journal.ts'

export interface Stage {
  readonly tempDir: TempDir
  readonly cluster: Cluster
  readonly journal: Journal
  readonly balancer: Balancer
  readonly login: string
  /** Names of the repositories, each of which has a first commit on `main` and issue 1. */
  readonly repos: readonly string[]
}

/** Workers of each kind: each sends a request as soon as the one before it is answered and a pause is over. */
const WORKERS = { readers: 4, issues: 2, editors: 2, pushers: 2, files: 1 } as const
const PAUSE_MS = 10
const PUSH_PAUSE_MS = 200
const FILE_BYTES = 50_000
const RETRY_MS = 100

/** Sends the mixed load until `isOver` says so. */
export async function applyMixedLoad(stage: Stage, isOver: () => boolean): Promise<void> {
  const many = (count: number, work: (stage: Stage, worker: number, isOver: () => boolean) => Promise<void>) =>
    Array.from({ length: count }, (_, worker) => work(stage, worker, isOver))
  await Promise.all([
    ...many(WORKERS.readers, keepReading),
    ...many(WORKERS.issues, keepMakingIssues),
    ...many(WORKERS.editors, keepEditing),
    ...many(WORKERS.pushers, keepPushing),
    ...(stage.cluster.s3 ? many(WORKERS.files, keepAttaching) : []),
  ])
}

async function keepReading({ balancer, login, repos }: Stage, worker: number, isOver: () => boolean): Promise<void> {
  const paths = ['', '/issues?limit=20', '/contents/README.md', '/commits?limit=20&sha=main', '/branches', '/issues/1']
  for (let i = worker; !isOver(); i++) {
    await balancer.send('read', { path: `/repos/${login}/${repos[i % repos.length]!}${paths[i % paths.length]!}` })
    await sleep(PAUSE_MS)
  }
}

async function keepMakingIssues(stage: Stage, worker: number, isOver: () => boolean): Promise<void> {
  const { balancer, journal, login, repos } = stage
  for (let i = 0; !isOver(); i++) {
    const repo = repos[(i + worker) % repos.length]!
    const title = `issue ${worker}-${i}`
    const made = await makeIssue(stage, repo, title)
    if (made !== undefined) {
      const text = `comment ${worker}-${i}`
      const path = `/repos/${login}/${repo}/issues/${made.json.number as number}/comments`
      const comment = await balancer.send('comment', { method: 'POST', path, body: { body: text } })
      if (comment !== undefined) journal.acknowledge({ kind: 'comment', repo, id: comment.json.id as number, text })
    }
    await backOff(made)
  }
}

async function makeIssue({ balancer, journal, login }: Stage, repo: string, title: string): Promise<Reply | undefined> {
  const path = `/repos/${login}/${repo}/issues`
  const made = await balancer.send('issue', { method: 'POST', path, body: { title } })
  if (made !== undefined) journal.acknowledge({ kind: 'issue', repo, id: made.json.number as number, text: title })
  return made
}

/** Commits by the API to `main`, which all editors share. */
async function keepEditing(stage: Stage, worker: number, isOver: () => boolean): Promise<void> {
  const { balancer, journal, repos } = stage
  for (let i = 0; !isOver(); i++) {
    const repo = repos[(i + worker) % repos.length]!
    const made = await balancer.send('edit', editRequest(stage, repo, `edits/${worker}-${i}`))
    if (made !== undefined)
      journal.acknowledge({ kind: 'edit', repo, branch: 'main', oid: made.json.commit.sha as string })
    await backOff(made)
  }
}

/** The request that makes a commit with a new file on `main`. */
export const editRequest = ({ login }: Pick<Stage, 'login'>, repo: string, file: string) => ({
  method: 'POST',
  path: `/repos/${login}/${repo}/contents/${file}.txt`,
  body: { content: Buffer.from(file).toString('base64'), message: file, branch: 'main' },
})

const backOff = (made: Reply | undefined): Promise<void> => sleep(made === undefined ? RETRY_MS : PAUSE_MS)

/** One more commit with each push, to a branch of the pusher's own in each repository in turn. */
async function keepPushing(stage: Stage, worker: number, isOver: () => boolean): Promise<void> {
  const { tempDir, cluster, journal, balancer, login, repos } = stage
  const branch = `p${worker}`
  const path = join(tempDir.dir, branch)
  await tempDir.run('git', ['init', '--quiet', '--bare', `--initial-branch=${branch}`, path])
  await makeRoot(tempDir, path, branch)
  const env = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: ${balancer.authorization}`,
  }
  for (let i = 0; !isOver(); i++) {
    const repo = repos[(i + worker) % repos.length]!
    const oid = await commitOn(tempDir, path, { file: `f${i % 50}`, text: `push ${worker} ${i}`, branch })
    const node = await balancer.pick()
    const from = performance.now()
    const url = `${cluster.nodes[node]!.url}/${login}/${repo}.git`
    try {
      await tempDir.run('git', ['push', '--quiet', url, `${branch}:${branch}`], { cwd: path, env })
      journal.times.push.push(performance.now() - from)
      journal.acknowledge({ kind: 'push', repo, branch, oid })
    } catch (error) {
      const text = (error as Error).message
      const reason = /error: (\d{3})/.exec(text)?.[1] ?? 'git'
      journal.failures.push({ kind: 'push', node, from, until: performance.now(), reason, text })
    }
    await sleep(PUSH_PAUSE_MS)
  }
}

async function makeRoot(tempDir: TempDir, path: string, branch: string): Promise<void> {
  const stream = `commit refs/heads/${branch}\ncommitter Author <author@example.org> 1900000000 +0000\ndata 4\nroot\nM 100644 inline README\ndata 2\n${branch.slice(0, 2)}\n`
  await tempDir.run('git', ['fast-import', '--quiet'], { cwd: path, feed: (write) => write(stream) })
}

async function keepAttaching(stage: Stage, _worker: number, isOver: () => boolean): Promise<void> {
  for (let i = 0; !isOver(); i++) await backOff(await attach(stage, stage.repos[i % stage.repos.length]!))
}

/** Attaches a new file to issue 1. */
async function attach({ balancer, journal, login }: Stage, repo: string): Promise<Reply | undefined> {
  const bytes = new Uint8Array(randomBytes(FILE_BYTES))
  const path = `/repos/${login}/${repo}/issues/1/assets`
  const made = await balancer.send('file', { method: 'POST', path, file: { name: 'a.log', bytes } })
  if (made !== undefined)
    journal.acknowledge({
      kind: 'file',
      url: new URL(made.json.browser_download_url as string).pathname,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })
  return made
}

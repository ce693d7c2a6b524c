import { callApi, basicHeaders, requireApi, tokenHeaders } from '../api.ts'
import { inParallel } from '../load/in-parallel.ts'
import type { Run } from '../run.ts'

const READERS = 5
const SIDE_REPOS = 60
const ISSUES = 1000
const COMMENTS_OF_ISSUE = 2
const LABELS = 20
const PULLS = 20

/** What the mix reads: one busy tracker, small repositories, and the accounts that read them. */
export interface MixData {
  /** Login of the owner of everything. */
  readonly owner: string
  /** Path of the tracker in the API. */
  readonly tracker: string
  /** Paths of the small repositories. */
  readonly repos: readonly string[]
  /** Tokens of the accounts that read; the first one also writes. */
  readonly tokens: readonly string[]
  readonly issues: number
  readonly labels: readonly string[]
  /** Numbers of pull requests. */
  readonly pulls: readonly number[]
}

/** Makes the data of the mix through the API; `share` of the issues and pull requests of the full size. */
export async function makeMixData(run: Run, share: number): Promise<MixData> {
  const { target, seed } = run
  const owner = target.login
  const post = <T>(path: string, body: unknown): Promise<T> =>
    requireApi<T>(target.url, { method: 'POST', path, headers: tokenHeaders(target), body })
  const create = async (name: string): Promise<string> => {
    seed.made.push(name)
    await post('/user/repos', { name, auto_init: true, default_branch: 'main' })
    return `/repos/${owner}/${name}`
  }
  const tracker = await create(`${seed.prefix}-tracker`)
  const repos = await inParallel(SIDE_REPOS, (i) => create(`${seed.prefix}-side-${i}`))
  const labels = await inParallel(LABELS, async (i) => {
    const { id } = await post<{ id: number }>(`${tracker}/labels`, { name: `area/${i}`, color: '#0969da' })
    return id
  })
  const issues = Math.round(ISSUES * share)
  await inParallel(issues, async (i) => {
    const assignees = i % 3 === 0 ? [target.login] : []
    const issue = { title: `Problem ${i}`, body: textOf(i), labels: [labels[i % LABELS]], assignees }
    const { number } = await post<{ number: number }>(`${tracker}/issues`, issue)
    for (let n = 0; n < COMMENTS_OF_ISSUE; n++)
      await post(`${tracker}/issues/${number}/comments`, { body: textOf(i + n) })
  })
  const pulls: number[] = []
  for (let i = 0; i < Math.max(1, Math.round(PULLS * share)); i++) pulls.push(await makePull(post, tracker, i))
  const tokens = [target.token]
  for (let i = 1; i <= READERS; i++) tokens.push(await tokenOf(run, `bench-${i}`))
  return { owner, tracker, repos, tokens, issues, labels: labels.map((_, i) => `area/${i}`), pulls }
}

async function makePull(
  post: <T>(path: string, body: unknown) => Promise<T>,
  tracker: string,
  i: number,
): Promise<number> {
  const branch = `change-${i}`
  const content = Buffer.from(textOf(i)).toString('base64')
  await post(`${tracker}/contents/change-${i}.md`, { content, message: `Change ${i}`, new_branch: branch })
  const pull = { title: `Change ${i}`, body: textOf(i), head: branch, base: 'main' }
  return (await post<{ number: number }>(`${tracker}/pulls`, pull)).number
}

async function tokenOf({ target: { url, password } }: Run, login: string): Promise<string> {
  const body = { name: `mix-${Math.round(performance.now())}`, scopes: ['all'] }
  const request = { method: 'POST', path: `/users/${login}/tokens`, headers: basicHeaders(login, password!), body }
  return (await requireApi<{ sha1: string }>(url, request)).sha1
}

/** Comments and edits of issues, `perSecond` of them, until the work is over. Returns how many were refused. */
export async function writeDuring(
  { target }: Run,
  { tracker, issues }: MixData,
  { perSecond, work }: { readonly perSecond: number; readonly work: Promise<unknown> },
): Promise<number> {
  if (perSecond === 0) return 0
  let [n, refused] = [0, 0]
  const sent: Promise<void>[] = []
  const write = async (): Promise<void> => {
    const issue = `${tracker}/issues/${1 + ((n * 37) % Math.min(issues, 300))}`
    const isEdit = n % 3 === 0
    const { status } = await callApi(target.url, {
      method: isEdit ? 'PATCH' : 'POST',
      path: isEdit ? issue : `${issue}/comments`,
      headers: tokenHeaders(target),
      body: { body: `Text ${n++}, see #1.` },
    })
    if (status !== 200 && status !== 201) refused++
  }
  const timer = setInterval(() => sent.push(write()), 1000 / perSecond)
  await work.finally(() => clearInterval(timer))
  await Promise.all(sent)
  return refused
}

const textOf = (i: number): string =>
  `The ${i}th text has **some** words, \`code\` and a list:\n\n- one\n- two\n\nSee #${(i % 90) + 1}.`

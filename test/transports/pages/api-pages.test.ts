import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createActionsFactory } from '../../harness/actions.ts'
import { addPackageVersion } from '../../harness/packages.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

/** Below a repository with issue 1, pull request 2 and the milestone. */
const pagesOf = (milestone: number) => [
  '/issues/new',
  '/pulls/new/feat/oars',
  '/compare/main...feat/oars',
  '/compare/feat/oars',
  '/labels',
  '/milestones',
  `/milestone/${milestone}`,
  '/actions',
  '/_new/main/hull',
  '/_edit/main/README.md',
  '/_delete/feat/oars/oar.txt',
]

describe('pages at addresses that only the API serves', () => {
  let server: TestServer
  let ann: Person
  let run: number
  let shown: string[]
  let secret: string[]
  let authorization: string

  const open = async (path: string, authorization?: string) => {
    const url = path.startsWith('http') ? path : server.url + path
    const headers = authorization === undefined ? {} : { authorization }
    const answer = await fetch(url, { headers, redirect: 'manual' })
    return { status: answer.status, location: answer.headers.get('location'), text: await answer.text() }
  }

  /** Returns its pages. */
  async function repoOf(name: string, isPrivate: boolean): Promise<string[]> {
    await server.world.repo({ owner: ann, name, isPrivate, autoInit: true, defaultBranch: 'main' })
    const file = { content: btoa('x'), branch: 'main', new_branch: 'feat/oars', message: 'Add oars' }
    const made = [
      await ann.client.post(`/repos/ann/${name}/contents/oar.txt`, file),
      await ann.client.post(`/repos/ann/${name}/milestones`, { title: 'Spring' }),
      await ann.client.post(`/repos/ann/${name}/issues`, { title: 'It leaks', milestone: 0 }),
      await ann.client.post(`/repos/ann/${name}/pulls`, { title: 'Oars', head: 'feat/oars', base: 'main' }),
      await ann.client.post(`/repos/ann/${name}/issues/1/comments`, { body: 'see #2' }),
      await ann.client.post(`/repos/ann/${name}/pulls/2/reviews`, { event: 'COMMENT', body: 'fine' }),
    ]
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 200])
    return pagesOf(made[1]!.json.id)
  }

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
    shown = await repoOf('boat', false)
    secret = await repoOf('secret', true)
    authorization = `token ${await ann.token('all')}`
    const { id } = (await ann.client.get('/repos/ann/boat')).json
    run = (
      await createActionsFactory(server.app).run(id, { actorId: ann.user.id, jobs: { build: { status: 'success' } } })
    ).run.id
    await addPackageVersion(server.app, {
      ownerId: ann.user.id,
      creatorId: ann.user.id,
      name: '@ann/sail',
      version: '1.0',
    })
  }, 60_000)
  afterAll(() => server.close())

  it('show operations that exist', async () => {
    for (const page of shown) {
      const { status, text } = await open(`/ann/boat${page}`)
      expect([page, status]).toEqual([page, 200])
      const links = [...text.matchAll(/GET <a href="([^"]+)">/g)].map(([, url]) => url!)
      expect([page, links.length > 0 || page.startsWith('/_new')]).toEqual([page, true])
      for (const url of links) expect([page, url, (await open(url, authorization)).status]).toEqual([page, url, 200])
    }
    const edit = (await open('/ann/boat/_edit/feat/oars/oar.txt')).text
    expect(edit).toContain(`PUT ${server.url}/api/v1/repos/ann/boat/contents/oar.txt<`)
  })

  it('are at the html_url of issues, pull requests, comments, reviews, runs, jobs and packages', async () => {
    const urls = new Set<string>()
    for (const path of [
      '/repos/ann/boat/issues?type=issues',
      '/repos/ann/boat/issues/1/comments',
      '/repos/ann/boat/pulls',
      '/repos/ann/boat/pulls/2/reviews',
      `/repos/ann/boat/actions/runs/${run}`,
      `/repos/ann/boat/actions/runs/${run}/jobs`,
      '/packages/ann',
    ])
      for (const [, url] of JSON.stringify((await ann.client.get(path)).json).matchAll(/"html_url":"([^"]+)"/g))
        urls.add(url!)
    for (const part of ['/issues/1', '/pulls/2', '#issuecomment-', '/actions/runs/', '/jobs/', '/-/packages/npm/'])
      expect([part, [...urls].some((url) => url.includes(part))]).toEqual([part, true])
    for (const url of urls) expect([url, (await open(url)).status]).toEqual([url, 200])
  })

  it('are hidden like the repository and the unit', async () => {
    for (const page of secret) {
      expect([page, (await open(`/ann/secret${page}`)).status]).toEqual([page, 404])
      expect([page, (await open(`/ann/secret${page}`, authorization)).status]).toEqual([page, 200])
    }
    const little = await repoOf('little', false)
    const off = { has_issues: false, has_pull_requests: false, has_actions: false, has_code: false }
    expect((await ann.client.patch('/repos/ann/little', off)).status).toBe(200)
    // Labels and milestones belong to issues and pull requests alike: the API shows them to readers of the repository.
    for (const page of little.filter((path) => !/^\/(?:labels|milestone)/.test(path)))
      expect([page, [404, 307]]).toEqual([page, expect.arrayContaining([(await open(`/ann/little${page}`)).status])])
  })

  it('do not exist for missing objects', async () => {
    for (const path of [
      '/ann/boat/issues/9',
      '/ann/boat/issues/1/files',
      '/ann/boat/pulls/1',
      '/ann/boat/pulls/9',
      '/ann/boat/pulls/2/nothing',
      '/ann/boat/milestone/9',
      '/ann/boat/milestone/Spring',
      '/ann/boat/actions/runs/99',
      '/ann/boat/_edit/nothing/README.md',
      '/ann/-/packages/npm/sail/1.0',
      '/nobody/-/packages/npm/sail/1.0',
    ])
      expect([path, (await open(path)).status]).toEqual([path, 404])
  })

  it('redirect from the number of a pull request to its address', async () => {
    expect(await open('/ann/boat/issues/2')).toMatchObject({ status: 307, location: '/ann/boat/pulls/2' })
  })
})

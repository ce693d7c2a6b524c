import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

/** Below a repository with issue 1 and pull request 2. */
const PAGES = [
  '/issues/new',
  '/pulls/new/feat/oars',
  '/compare/main...feat/oars',
  '/compare/feat/oars',
  '/_new/main/hull',
  '/_edit/main/README.md',
  '/_delete/feat/oars/oar.txt',
]

describe('pages at addresses that only the API serves', () => {
  let server: TestServer
  let ann: Person
  let authorization: string

  const open = async (path: string, authorization?: string) => {
    const url = path.startsWith('http') ? path : server.url + path
    const headers = authorization === undefined ? {} : { authorization }
    const answer = await fetch(url, { headers, redirect: 'manual' })
    return { status: answer.status, location: answer.headers.get('location'), text: await answer.text() }
  }

  async function makeRepo(name: string, isPrivate: boolean): Promise<void> {
    await server.world.repo({ owner: ann, name, isPrivate, autoInit: true, defaultBranch: 'main' })
    const file = { content: btoa('x'), branch: 'main', new_branch: 'feat/oars', message: 'Add oars' }
    const made = [
      await ann.client.post(`/repos/ann/${name}/contents/oar.txt`, file),
      await ann.client.post(`/repos/ann/${name}/issues`, { title: 'It leaks' }),
      await ann.client.post(`/repos/ann/${name}/pulls`, { title: 'Oars', head: 'feat/oars', base: 'main' }),
    ]
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201])
  }

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
    await makeRepo('boat', false)
    await makeRepo('secret', true)
    authorization = `token ${await ann.token('all')}`
  }, 60_000)
  afterAll(() => server.close())

  it('show operations that exist', async () => {
    for (const page of PAGES) {
      const { status, text } = await open(`/ann/boat${page}`)
      expect([page, status]).toEqual([page, 200])
      const links = [...text.matchAll(/GET <a href="([^"]+)">/g)].map(([, url]) => url!)
      expect([page, links.length > 0 || page.startsWith('/_new')]).toEqual([page, true])
      for (const url of links) expect([page, url, (await open(url, authorization)).status]).toEqual([page, url, 200])
    }
    const edit = (await open('/ann/boat/_edit/feat/oars/oar.txt')).text
    expect(edit).toContain(`PUT ${server.url}/api/v1/repos/ann/boat/contents/oar.txt<`)
  })

  it('are hidden like the repository and the unit', async () => {
    for (const page of PAGES) {
      expect([page, (await open(`/ann/secret${page}`)).status]).toEqual([page, 404])
      expect([page, (await open(`/ann/secret${page}`, authorization)).status]).toEqual([page, 200])
    }
    await makeRepo('little', false)
    const off = { has_issues: false, has_pull_requests: false, has_actions: false, has_code: false }
    expect((await ann.client.patch('/repos/ann/little', off)).status).toBe(200)
    for (const page of PAGES) expect([page, (await open(`/ann/little${page}`)).status]).toEqual([page, 404])
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

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser, type Browser } from '../../harness/browser.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'

/** Below a repository with a first commit, a release and a wiki. */
const PAGES = ['', '/src/branch/main', '/commits/branch/main', '/branches', '/tags', '/releases', '/wiki/Home']

async function signIn(server: TestServer, name: string): Promise<Browser> {
  const browser = createBrowser(server.url)
  await browser.open('/user/login')
  await browser.send({ user_name: name, password: PASSWORD })
  return browser
}

async function repoOf(server: TestServer, owner: Person, name: string, isPrivate: boolean): Promise<void> {
  await server.world.repo({ owner, name, isPrivate, autoInit: true, defaultBranch: 'main' })
  const page = { title: 'Home', content_base64: btoa('x') }
  expect((await owner.client.post(`/repos/${owner.name}/${name}/wiki/new`, page)).status).toBe(201)
}

describe('access to pages', () => {
  let server: TestServer
  let ann: Person

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
    await server.world.user('bob')
    await server.world.user('shy', { visibility: 'private' })
    await repoOf(server, ann, 'open', false)
    await repoOf(server, ann, 'secret', true)
  }, 60_000)
  afterAll(() => server.close())

  it('a private repository has pages only for its owner, by session and by token', async () => {
    const [anonymous, owner, other] = [
      createBrowser(server.url),
      await signIn(server, 'ann'),
      await signIn(server, 'bob'),
    ]
    const authorization = `token ${await ann.token('read:repository')}`
    for (const page of PAGES) {
      const path = `/ann/secret${page}`
      expect([path, (await anonymous.open(path)).status]).toEqual([path, 404])
      expect([path, (await other.open(path)).status]).toEqual([path, 404])
      expect([path, (await owner.open(path)).status]).toEqual([path, 200])
      expect([path, (await fetch(server.url + path, { headers: { authorization } })).status]).toEqual([path, 200])
    }
    for (const path of ['/', '/ann']) {
      expect((await anonymous.open(path)).text).not.toContain('secret')
      expect((await other.open(path)).text).not.toContain('secret')
    }
    expect((await owner.open('/ann')).text).toContain('ann/secret')
    expect((await owner.open('/')).text).not.toContain('ann/secret')
  })

  it('wrong credentials and insufficient scopes give no access', async () => {
    const get = async (authorization: string) =>
      (await fetch(`${server.url}/ann/secret`, { headers: { authorization } })).status
    expect(await get('token 0123')).toBe(401)
    expect(await get(`token ${await ann.token('read:user')}`)).toBe(404)
    expect(await get(`token ${await ann.token('public-only', 'all')}`)).toBe(404)
  })

  it('hidden accounts look missing', async () => {
    const browser = createBrowser(server.url)
    const page = await browser.open('/shy')
    expect(page.status).toBe(404)
    expect(page.text.replaceAll('shy', 'nobody')).toBe((await browser.open('/nobody')).text)
    expect((await (await signIn(server, 'shy')).open('/shy')).status).toBe(200)
  })

  it('disabled units have no pages', async () => {
    await repoOf(server, ann, 'little', false)
    const off = { has_wiki: false, has_releases: false, has_code: false }
    expect((await ann.client.patch('/repos/ann/little', off)).status).toBe(200)
    const browser = createBrowser(server.url)
    for (const page of PAGES.slice(1))
      expect([page, (await browser.open(`/ann/little${page}`)).status]).toEqual([page, 404])
    const { status, text } = await browser.open('/ann/little')
    expect(status).toBe(200)
    for (const part of ['README.md', '/branches', '/releases']) expect(text).not.toContain(part)
  })

  it('old names redirect to new ones, for viewers who may see these', async () => {
    await repoOf(server, ann, 'before', true)
    await ann.client.patch('/repos/ann/before', { name: 'after' })
    expect((await createBrowser(server.url).open('/ann/before/branches')).status).toBe(404)
    const owner = await signIn(server, 'ann')
    expect((await owner.open('/ann/before/branches?page=1')).url).toBe(`${server.url}/ann/after/branches?page=1`)
    const old = await fetch(`${server.url}/ann/open.git/src/branch/main`, { redirect: 'manual' })
    expect([old.status, old.headers.get('location')]).toEqual([301, '/ann/open/src/branch/main'])
    const admin = await server.world.admin()
    await server.world.user('cyd')
    expect((await admin.client.post('/admin/users/cyd/rename', { new_username: 'dee' })).status).toBe(204)
    expect((await createBrowser(server.url).open('/cyd?page=1')).url).toBe(`${server.url}/dee?page=1`)
  })

  it('pages of renamed branches remain reachable by the old name', async () => {
    await repoOf(server, ann, 'twigs', false)
    expect((await ann.client.patch('/repos/ann/twigs/branches/main', { name: 'trunk' })).status).toBe(204)
    const page = await createBrowser(server.url).open('/ann/twigs/src/branch/main/README.md')
    expect([page.status, page.text.includes('/raw/branch/trunk/README.md')]).toEqual([200, true])
  })
})

describe('a server on which all must sign in', () => {
  it('redirects anonymous visitors to the sign-in page and back', async () => {
    const server = await startServer({ settings: { 'service.require_signin_view': 'true' } })
    try {
      await repoOf(server, await server.world.user('ann'), 'open', false)
      for (const path of ['/', '/ann', '/ann/open', '/ann/open/src/branch/main', '/ann/missing']) {
        const page = await createBrowser(server.url).open(path)
        expect(page.url).toBe(`${server.url}/user/login?redirect_to=${encodeURIComponent(path)}`)
      }
      const ann = createBrowser(server.url)
      await ann.open('/ann/open')
      const page = await ann.send({ user_name: 'ann', password: PASSWORD })
      expect([page.status, page.url]).toEqual([200, `${server.url}/ann/open`])
    } finally {
      await server.close()
    }
  })

  it('lists no repositories to anonymous visitors when exploring requires an account', async () => {
    const server = await startServer({ settings: { 'service.explore_require_signin_view': 'true' } })
    try {
      await repoOf(server, await server.world.user('ann'), 'open', false)
      const [anonymous, ann] = [createBrowser(server.url), await signIn(server, 'ann')]
      for (const path of ['/', '/ann']) {
        expect((await anonymous.open(path)).text).not.toContain('ann/open')
        expect((await ann.open(path)).text).toContain('ann/open')
      }
    } finally {
      await server.close()
    }
  })
})

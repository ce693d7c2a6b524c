import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

describe('creating repositories', () => {
  let server: TestServer
  let ann: Person
  let bob: Person
  let root: Person

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann', { fullName: 'Ann Arbor' })
    bob = await server.world.user('bob')
    root = await server.world.admin()
  })
  afterAll(() => server.close())

  it('rejects anonymous requests before it reads the body', async () => {
    for (const path of ['/user/repos', '/orgs/ann/repos', '/admin/users/ann/repos'])
      expect((await server.anonymous.post(path, '{')).status).toBe(401)
  })

  it('lets only administrators create for others, for known and unknown names', async () => {
    for (const name of ['ann', 'nobody'])
      expect((await bob.client.post(`/admin/users/${name}/repos`, { name: 'x' })).status).toBe(403)
    expect((await root.client.post('/admin/users/nobody/repos', { name: 'x' })).status).toBe(404)
    const gift = await root.client.post('/admin/users/ann/repos', { name: 'gift', private: true })
    expect(gift.json).toMatchObject({
      full_name: 'ann/gift',
      private: true,
      permissions: { admin: true, push: true, pull: true },
    })
  })

  it('returns 422 on the old path and 404 on the new one for a missing organization', async () => {
    expect((await ann.client.post('/org/nowhere/repos', { name: 'x' })).status).toBe(422)
    expect((await ann.client.post('/orgs/nowhere/repos', { name: 'x' })).status).toBe(404)
    expect((await ann.client.post('/orgs/bob/repos', { name: 'x' })).status).toBe(404)
  })

  it('creates an empty repository that its creator watches', async () => {
    const made = await ann.client.post('/user/repos', { name: 'Plain', description: 'About it' })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({
      full_name: 'ann/Plain',
      description: 'About it',
      empty: true,
      private: false,
      default_branch: 'main',
      watchers_count: 1,
      branch_count: 0,
      owner: { login: 'ann', is_admin: false, active: false, email: 'ann@example.test' },
      object_format_name: 'sha1',
      parent: null,
      repo_transfer: null,
    })
    const read = await bob.client.get('/repos/ANN/plain')
    expect(read.json).toMatchObject({
      id: made.json.id,
      name: 'Plain',
      permissions: { admin: false, push: false, pull: true },
    })
  })

  it('adds watches of organization owners to repositories that others create there', async () => {
    const { owner } = await server.world.org('crowd')
    expect((await root.client.post('/orgs/crowd/repos', { name: 'shared' })).json).toMatchObject({ watchers_count: 2 })
    expect((await owner.client.post('/orgs/crowd/repos', { name: 'own' })).json).toMatchObject({ watchers_count: 1 })
  })

  it('creates a first commit as the acting user on request', async () => {
    const made = await ann.client.post('/user/repos', {
      name: 'started',
      description: 'What it is for',
      auto_init: true,
      default_branch: 'trunk/one',
    })
    expect(made.json).toMatchObject({ empty: false, branch_count: 1, default_branch: 'trunk/one' })
    const { repo } = await server.app.repos.getInView({ kind: 'anonymous' }, 'ann', 'started')
    const git = server.app.git.open(repo)
    const { oid } = (await git.refs.snapshot()).get('refs/heads/trunk/one')!
    expect(await git.objects.commit(oid)).toMatchObject({
      message: 'Initial commit\n',
      author: { name: 'Ann Arbor', email: 'ann@example.test' },
      parents: [],
    })
  })

  it('treats an unknown trust model as the default, with a warning that names it', async () => {
    const made = await ann.client.post('/user/repos', { name: 'trusting', trust_model: 'everybody' })
    expect([made.status, made.headers.get('x-ingot-warning')]).toEqual([
      201,
      'trust_model: unknown and ignored: everybody',
    ])
    const known = await ann.client.post('/user/repos', { name: 'careful', trust_model: 'committer' })
    expect([known.status, known.headers.get('x-ingot-warning')]).toEqual([201, null])
  })

  it('names the member that is too long', async () => {
    for (const [member, length, message] of [
      ['license', 100, '[License]: MaxSize (at most 100 characters)'],
      ['description', 2048, '[Description]: MaxSize (at most 2048 characters)'],
      ['default_branch', 100, '[DefaultBranch]: MaxSize (at most 100 characters)'],
      ['name', 100, '[Name]: MaxSize (at most 100 characters)'],
    ] as const) {
      const answer = await ann.client.post('/user/repos', { name: 'toolong', [member]: 'x'.repeat(length + 1) })
      expect([answer.status, answer.json.message]).toEqual([422, message])
    }
  })

  it('supports SHA-256 repositories and rejects other formats', async () => {
    expect(
      (await ann.client.post('/user/repos', { name: 'wide', object_format_name: 'sha256', auto_init: true })).json,
    ).toMatchObject({ object_format_name: 'sha256' })
    expect((await ann.client.post('/user/repos', { name: 'odd', object_format_name: 'md5' })).json.message).toBe(
      'unsupported object format: md5',
    )
  })

  it('rejects an existing name in any case, also for concurrent requests, and leaves no directory', async () => {
    const before = folders(server.dataDir)
    const answers = await Promise.all(['Race', 'race', 'RACE'].map((name) => ann.client.post('/user/repos', { name })))
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([201, 409, 409])
    expect((await ann.client.post('/user/repos', { name: 'rACE' })).json.message).toBe(
      'The repository with the same name already exists.',
    )
    expect(folders(server.dataDir)).toBe(before + 1)
  })

  it.each([
    [{}, '[Name]: Required'],
    [{ name: 'two words' }, '[Name]: AlphaDashDot'],
    [{ name: 'n'.repeat(101) }, '[Name]: MaxSize (at most 100 characters)'],
    [{ name: '-' }, 'name is reserved [name: -]'],
    [{ name: 'a.git' }, 'name pattern is not allowed [pattern: *.git]'],
    [{ name: 'a..b' }, 'name is invalid [a..b]: must be valid alpha or numeric or dash(-_) or dot characters'],
    [{ name: 'ok', default_branch: 'no..good' }, '[DefaultBranch]: GitRefName'],
    [{ name: 'ok', description: 'd'.repeat(2049) }, '[Description]: MaxSize (at most 2048 characters)'],
  ])('reports the error in the body: %#', async (body, message) => {
    const answer = await ann.client.post('/user/repos', body)
    expect([answer.status, answer.json.message]).toEqual([422, message])
  })

  it('rejects an unknown README template', async () => {
    expect((await ann.client.post('/user/repos', { name: 'readme', auto_init: true, readme: 'None' })).status).toBe(400)
    expect((await ann.client.get('/repos/ann/readme')).status).toBe(404)
  })

  it('returns the same for a hidden and for a missing repository', async () => {
    await ann.client.post('/user/repos', { name: 'secret', private: true })
    const secret = (await ann.client.get('/repos/ann/secret')).json
    for (const client of [server.anonymous, bob.client]) {
      const [hidden, missing] = await Promise.all([client.get('/repos/ann/secret'), client.get('/repos/ann/nothing')])
      expect([hidden.status, hidden.text, hidden.headers.get('x-ingot-message')]).toEqual([
        404,
        missing.text,
        missing.headers.get('x-ingot-message'),
      ])
    }
    expect((await bob.client.get(`/repositories/${secret.id}`)).status).toBe(404)
    expect((await ann.client.get(`/repositories/${secret.id}`)).json.full_name).toBe('ann/secret')
    expect((await root.client.get('/repos/ann/secret')).status).toBe(200)
  })

  it('stops at the limit, except for administrators', async () => {
    const bounded = await startServer({ settings: { 'repository.max_creation_limit': '1' } })
    const [eve, boss] = [await bounded.world.user('eve'), await bounded.world.admin()]
    expect((await eve.client.post('/user/repos', { name: 'one' })).status).toBe(201)
    const refused = await eve.client.post('/user/repos', { name: 'two' })
    expect([refused.status, refused.json.message]).toEqual([
      403,
      'user has reached maximum limit of repositories [limit: 1]',
    ])
    expect((await boss.client.post('/admin/users/eve/repos', { name: 'two' })).status).toBe(201)
    await bounded.close()
  })
})

function folders(dataDir: string): number {
  const repos = join(dataDir, 'git/repos')
  return existsSync(repos)
    ? readdirSync(repos).reduce((sum, name) => sum + readdirSync(join(repos, name)).length, 0)
    : 0
}

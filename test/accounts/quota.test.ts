import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Any, Client } from '../harness/client.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Organization, Person } from '../harness/world.ts'
import { git, tempDir, tryGit } from '../core/git/wire/client.ts'

let server: TestServer
let root: Person
let ann: Person
let bob: Person
let firm: Organization
const dir = tempDir()
const RULES = '/admin/quota/rules'
const GROUPS = '/admin/quota/groups'
afterAll(() => dir.remove())

/** The block has a server, accounts and repositories of its own. */
function useWorld(): void {
  beforeAll(async () => {
    server = await startServer({ settings: { 'quota.enabled': 'true' } })
    const { world } = server
    root = await world.admin()
    ann = await world.user('ann')
    bob = await world.user('bob')
    firm = await world.org('firm', { owner: ann })
    await world.repo({ owner: ann, name: 'r', autoInit: true, defaultBranch: 'main' })
    await world.repo({ owner: ann, name: 'shut', autoInit: true, isPrivate: true })
  })
  afterAll(() => server.close())
}

const make = async (path: string, body: object): Promise<Any> => {
  const answer = await root.client.post(path, body)
  expect(answer.status, JSON.stringify(answer.json)).toBe(201)
  return answer.json
}
/** Puts accounts under one rule, for as long as `work` takes. */
async function under(
  rule: { limit: number; subjects: string[] },
  accounts: string[],
  work: () => Promise<void>,
): Promise<void> {
  await make(GROUPS, { name: 'tight', rules: [{ name: 'tight', ...rule }] })
  for (const name of accounts) expect((await root.client.put(`${GROUPS}/tight/users/${name}`)).status).toBe(204)
  try {
    await work()
  } finally {
    expect((await root.client.delete(`${GROUPS}/tight`)).status).toBe(204)
    expect((await root.client.delete(`${RULES}/tight`)).status).toBe(204)
  }
}

describe('quota rules and groups', () => {
  useWorld()

  it('are for site administrators', async () => {
    for (const path of [RULES, GROUPS, '/admin/users/ann/quota', `${GROUPS}/x/users`]) {
      expect((await server.anonymous.get(path)).status).toBe(401)
      expect((await ann.client.get(path)).status).toBe(403)
    }
    expect((await server.anonymous.get('/user/quota')).status).toBe(401)
    expect((await bob.client.get('/orgs/firm/quota')).json.message).toBe('Must be an organization owner')
  })

  it('rules are created, changed and deleted', async () => {
    for (const [body, message] of [
      [{ limit: 1 }, '[Name]: Required'],
      [{ name: 'x' }, '[Limit]: Required'],
      [
        { name: 'x', limit: 1, subjects: ['size:everything'] },
        'unrecognized quota limit subject: [subject: size:everything]',
      ],
      [{ name: 'x', limit: -2 }, '[Limit]: Range(-1)'],
    ] as const)
      expect(await root.client.post(RULES, body), JSON.stringify(body)).toMatchObject({
        status: 422,
        json: { message },
      })
    const rule = { name: 'small', limit: 1000, subjects: ['size:all'] }
    expect(await make(RULES, rule)).toEqual(rule)
    expect((await root.client.post(RULES, rule)).status).toBe(409)
    expect((await root.client.patch(`${RULES}/small`, { limit: 0 })).json).toEqual({ ...rule, limit: 0 })
    expect((await root.client.patch(`${RULES}/small`, { subjects: ['none'] })).json).toEqual({
      name: 'small',
      limit: 0,
      subjects: ['none'],
    })
    expect((await root.client.patch(`${RULES}/small`, { subjects: ['x'] })).status).toBe(422)
    expect((await root.client.get(RULES)).json).toEqual([{ name: 'small', limit: 0, subjects: ['none'] }])
    expect((await root.client.delete(`${RULES}/small`)).status).toBe(204)
    for (const answer of [
      await root.client.get(`${RULES}/small`),
      await root.client.patch(`${RULES}/small`, {}),
      await root.client.delete(`${RULES}/small`),
    ])
      expect(answer.status).toBe(404)
  })

  it('rules and accounts are added to and deleted from groups', async () => {
    await make(RULES, { name: 'known', limit: 5, subjects: ['size:git:lfs'] })
    expect(await make(GROUPS, { name: 'g', rules: [{ name: 'known', limit: 9 }, { name: 'new' }] })).toEqual({
      name: 'g',
      rules: [
        { name: 'known', limit: 5, subjects: ['size:git:lfs'] },
        { name: 'new', limit: 0, subjects: [] },
      ],
    })
    expect((await root.client.post(GROUPS, { name: 'g' })).status).toBe(409)
    for (const body of [
      {},
      { name: 'h', rules: [{ limit: 1 }] },
      { name: 'h', rules: [{ name: 'r', subjects: ['x'] }] },
    ])
      expect((await root.client.post(GROUPS, body)).status).toBe(422)
    expect((await root.client.get(GROUPS)).json.map((group: Any) => group.name)).toEqual(['g'])
    expect((await root.client.put(`${GROUPS}/g/rules/known`)).status).toBe(409)
    expect((await root.client.delete(`${GROUPS}/g/rules/known`)).status).toBe(204)
    expect((await root.client.delete(`${GROUPS}/g/rules/known`)).status).toBe(404)
    expect((await root.client.put(`${GROUPS}/g/rules/known`)).status).toBe(204)
    for (const name of ['bob', 'firm']) expect((await root.client.put(`${GROUPS}/g/users/${name}`)).status).toBe(204)
    expect((await root.client.put(`${GROUPS}/g/users/bob`)).status).toBe(409)
    expect((await root.client.get(`${GROUPS}/g/users`)).json.map((user: Any) => user.login)).toEqual(['bob', 'firm'])
    expect((await root.client.delete(`${GROUPS}/g/users/firm`)).status).toBe(204)
    expect((await root.client.delete(`${GROUPS}/g/users/firm`)).status).toBe(404)
    for (const path of [`${GROUPS}/x/users`, `${GROUPS}/x`]) expect((await root.client.get(path)).status).toBe(404)
    for (const path of [
      `${GROUPS}/x/users/bob`,
      `${GROUPS}/g/users/nobody`,
      `${GROUPS}/g/rules/x`,
      `${GROUPS}/x/rules/known`,
    ])
      expect((await root.client.put(path)).status, path).toBe(404)
    await root.client.delete(`${RULES}/new`)
    expect((await root.client.get('/admin/users/bob/quota')).json.groups).toEqual([
      { name: 'g', rules: [{ name: 'known', limit: 5, subjects: ['size:git:lfs'] }] },
    ])
    expect((await bob.client.get('/user/quota')).json.groups).toEqual([
      { rules: [{ limit: 5, subjects: ['size:git:lfs'] }] },
    ])
    await make(GROUPS, { name: 'other' })
    expect((await root.client.post('/admin/users/bob/quota/groups', { groups: ['other', 'none'] })).status).toBe(422)
    expect((await root.client.post('/admin/users/bob/quota/groups', { groups: ['other'] })).status).toBe(204)
    expect((await root.client.get('/admin/users/bob/quota')).json.groups).toEqual([{ name: 'other', rules: [] }])
    for (const name of ['g', 'other']) expect((await root.client.delete(`${GROUPS}/${name}`)).status).toBe(204)
    expect((await bob.client.get('/user/quota')).json.groups).toEqual([])
  })
})

describe('the usage', () => {
  useWorld()

  it('is returned by kind, with the largest attachments first', async () => {
    const release = (await ann.client.post('/repos/ann/r/releases', { tag_name: 'v/1' })).json.id as number
    const ids: number[] = []
    for (const [name, size] of [
      ['little', 10],
      ['big', 300],
    ] as const) {
      const form = new FormData()
      form.set('attachment', new Blob(['x'.repeat(size)]), name)
      const sent = await fetch(`${server.url}/api/v1/repos/ann/r/releases/${release}/assets`, {
        method: 'POST',
        body: form,
        headers: { authorization: `token ${await ann.token('all')}` },
      })
      expect(sent.status).toBe(201)
      ids.push(((await sent.json()) as Any).id)
    }
    const { size } = (await ann.client.get('/user/quota')).json.used
    expect(size.repos.public).toBeGreaterThan(0)
    expect(size.repos.private).toBeGreaterThan(0)
    expect([size.git, size.assets]).toEqual([
      { LFS: 0 },
      { attachments: { issues: 0, releases: 310 }, artifacts: 0, packages: { all: 0 } },
    ])
    const page = await ann.client.get('/user/quota/attachments?limit=1')
    expect([page.headers.get('x-total-count'), page.headers.get('link')?.includes('rel="next"')]).toEqual(['2', true])
    const home = `${server.url}/api/v1/repos/ann/r/releases/${release}`
    expect(page.json).toEqual([
      {
        name: 'big',
        size: 300,
        api_url: `${home}/assets/${ids[1]}`,
        contained_in: { api_url: home, html_url: `${server.url}/ann/r/releases/tag/v%2F1` },
      },
    ])
    for (const list of ['attachments', 'artifacts', 'packages']) {
      const none = await ann.client.get(`/orgs/firm/quota/${list}`)
      expect([none.status, none.json, none.headers.get('x-total-count')]).toEqual([200, [], '0'])
      expect((await server.anonymous.get(`/orgs/firm/quota/${list}`)).status).toBe(401)
      expect((await server.anonymous.get(`/user/quota/${list}`)).status).toBe(401)
    }
    await server.app.database.transaction(async (tx) => {
      const made = { owner_id: ann.user.id, type: 'npm', name: '@x/tool', lower_name: '@x/tool' }
      const { id } = await tx.insertInto('package').values(made).returning('id').executeTakeFirstOrThrow()
      const version = { package_id: id, creator_id: ann.user.id, version: '1', lower_version: '1', created_at: 1 }
      await tx.insertInto('package_version').values(version).execute()
    })
    const html_url = `${server.url}/ann/-/packages/npm/%40x%2Ftool/1`
    const used = { name: '@x/tool', type: 'npm', version: '1', size: 0, html_url }
    expect((await ann.client.get('/user/quota/packages')).json).toEqual([used])
    expect((await ann.client.get('/orgs/firm/quota')).json.used.size.repos).toEqual({ public: 0, private: 0 })
  })

  it('is compared with the rules by subject', async () => {
    const asks = async (subject: string) => (await ann.client.get(`/user/quota/check?subject=${subject}`)).json
    expect(await asks('size:all')).toBe(true)
    await under({ limit: 309, subjects: ['size:assets:attachments:releases'] }, ['ann', 'firm'], async () => {
      expect(await asks('size:assets:attachments:releases')).toBe(false)
      expect(await asks('size:all')).toBe(false)
      expect(await asks('size:git:lfs')).toBe(false)
      expect((await ann.client.get('/orgs/firm/quota/check?subject=size:assets:attachments:releases')).json).toBe(true)
    })
    for (const query of ['', '?subject=', '?subject=size'])
      expect((await ann.client.get(`/user/quota/check${query}`)).status, query).toBe(422)
  })
})

describe('owners that exceed their quota', () => {
  useWorld()

  const refused = async (client: Client, path: string, body: object, account: Person): Promise<void> => {
    const answer = await client.post(path, body)
    expect([answer.status, answer.json], path).toEqual([
      413,
      { message: 'quota exceeded', user_id: account.user.id, username: account.name },
    ])
  }

  it('cannot create repositories or write to existing ones', async () => {
    await under({ limit: 0, subjects: ['size:repos:all', 'size:git:all'] }, ['ann'], async () => {
      const content = { content: 'YQ==', message: 'm' }
      const name = { name: 'more' }
      await refused(ann.client, '/user/repos', name, ann)
      await refused(root.client, '/admin/users/ann/repos', name, ann)
      await refused(ann.client, '/repos/migrate', { clone_addr: 'http://127.0.0.1:1/x.git', repo_name: 'x' }, ann)
      await refused(ann.client, '/repos/ann/r/contents/a', content, ann)
      await refused(ann.client, '/repos/ann/r/branches', { new_branch_name: 'b' }, ann)
      await refused(ann.client, '/repos/ann/r/tags', { tag_name: 't' }, ann)
      await refused(ann.client, '/repos/ann/r/releases', { tag_name: 't' }, ann)
      expect((await ann.client.get('/repos/ann/r/branches')).json).toHaveLength(1)
      expect((await ann.client.get('/user/repos')).json).toHaveLength(2)
      // The quota is that of the owner of the new rows, and missing rights are refused first.
      expect((await bob.client.post('/repos/ann/r/forks', { name: 'mine' })).status).toBe(202)
      expect((await bob.client.post('/repos/ann/r/contents/a', content)).status).toBe(403)
      expect((await ann.client.post('/orgs/firm/repos', name)).status).toBe(201)
      expect((await ann.client.patch('/repos/ann/r', { description: 'still' })).status).toBe(200)
    })
  })

  it('are limited as recipients, owners of forks and copies, and organizations', async () => {
    await server.world.repo({ owner: bob, name: 'gift', autoInit: true })
    await server.world.repo({ owner: bob, name: 'offer', autoInit: true })
    await server.world.repo({ owner: bob, name: 'tpl', autoInit: true, isTemplate: true })
    expect((await bob.client.post('/repos/bob/offer/transfer', { new_owner: 'ann' })).status).toBe(201)
    await server.world.repo({ owner: firm.org, by: ann, name: 'heavy', autoInit: true })
    const org = { user: firm.org, name: 'firm' } as Person
    await under({ limit: 0, subjects: ['size:repos:all'] }, ['ann', 'firm'], async () => {
      await refused(bob.client, '/repos/bob/gift/transfer', { new_owner: 'ann' }, ann)
      await refused(ann.client, '/repos/bob/offer/transfer/accept', {}, ann)
      await refused(ann.client, '/repos/bob/gift/forks', {}, ann)
      await refused(ann.client, '/repos/bob/gift/forks', { organization: 'firm' }, org)
      await refused(ann.client, '/repos/bob/tpl/generate', { owner: 'firm', name: 'copy', git_content: true }, org)
      await refused(ann.client, '/orgs/firm/repos', { name: 'x' }, org)
      await refused(ann.client, '/repos/firm/heavy/contents/a', { content: 'YQ==', message: 'm' }, org)
    })
    expect((await ann.client.post('/repos/bob/offer/transfer/accept')).status).toBe(202)
  })

  it('cannot merge until they are below the quota again', async () => {
    const file = { content: 'eA==', message: 'x', branch: 'main', new_branch: 'later' }
    expect((await ann.client.post('/repos/ann/r/contents/later.txt', file)).status).toBe(201)
    const pull = { head: 'later', base: 'main', title: 'Later' }
    const { json } = await ann.client.post('/repos/ann/r/pulls', pull)
    const merge = async (): Promise<number> =>
      (await ann.client.post(`/repos/ann/r/pulls/${json.number}/merge`, { Do: 'merge' })).status
    await under({ limit: 0, subjects: ['size:repos:all'] }, ['ann'], async () => expect(await merge()).toBe(413))
    expect(await merge()).toBe(200)
  })

  it('cannot upload attachments', async () => {
    const { id } = (await ann.client.post('/repos/ann/r/releases', { tag_name: 'v1' })).json
    const { number } = (await ann.client.post('/repos/ann/r/issues', { title: 'With files' })).json
    const upload = async (path: string): Promise<unknown[]> => {
      const form = new FormData()
      form.set('attachment', new Blob(['x'.repeat(100_000)]), 'file.txt')
      const sent = await fetch(`${server.url}/api/v1/repos/ann/r/${path}/assets`, {
        method: 'POST',
        body: form,
        headers: { authorization: `token ${await ann.token('all')}` },
      })
      return [sent.status, ((await sent.json()) as Any).message]
    }
    for (const [kind, path] of [
      ['releases', `releases/${id}`],
      ['issues', `issues/${number}`],
    ] as const) {
      expect(await upload(path)).toEqual([201, undefined])
      await under({ limit: 0, subjects: [`size:assets:attachments:${kind}`] }, ['ann'], async () => {
        expect(await upload(path)).toEqual([413, 'quota exceeded'])
      })
    }
  })

  it('can push only deletions, and no LFS objects', async () => {
    const url = `http://ann:${await ann.token('all')}@${new URL(server.url).host}/ann/r.git`
    const work = join(dir.path, 'work')
    await git(dir.path, ['clone', '-q', url, work])
    writeFileSync(join(work, 'more'), 'more')
    await git(work, ['add', 'more'])
    await git(work, ['-c', 'user.name=a', '-c', 'user.email=a@x.test', 'commit', '-qm', 'more'])
    await git(work, ['push', '-q', 'origin', 'HEAD:refs/heads/gone'])
    await under({ limit: 0, subjects: ['size:repos:all', 'size:git:lfs'] }, ['ann'], async () => {
      const pushed = await tryGit(work, ['push', '-q', 'origin', 'HEAD:refs/heads/new'])
      expect([pushed.code === 0, pushed.stderr.includes('Quota exceeded')]).toEqual([false, true])
      await git(work, ['push', '-q', 'origin', ':refs/heads/gone'])
      const type = 'application/vnd.git-lfs+json'
      const batch = await fetch(`${server.url}/ann/r.git/info/lfs/objects/batch`, {
        method: 'POST',
        headers: {
          accept: type,
          'content-type': type,
          authorization: `Basic ${btoa(`ann:${await ann.token('all')}`)}`,
        },
        body: JSON.stringify({ operation: 'upload', objects: [{ oid: 'a'.repeat(64), size: 1 }] }),
      })
      expect(batch.status).toBe(413)
    })
  })
})

it('the defaults apply to owners without a group', async () => {
  const tight = await startServer({
    settings: { 'quota.enabled': 'true', 'quota.default_total': '10', 'quota.default_groups': 'base' },
  })
  try {
    const cat = await tight.world.user('cat')
    const admin = await tight.world.admin()
    expect((await cat.client.post('/user/repos', { name: 'first', auto_init: true })).status).toBe(201)
    expect((await cat.client.post('/user/repos', { name: 'second' })).status).toBe(413)
    expect((await admin.client.post(GROUPS, { name: 'base', rules: [{ name: 'free', limit: -1 }] })).status).toBe(201)
    expect((await cat.client.post('/user/repos', { name: 'second' })).status).toBe(201)
    expect((await cat.client.get('/user/quota')).json.groups).toEqual([{ rules: [{ limit: -1, subjects: [] }] }])
  } finally {
    await tight.close()
  }
})

it('all quota operations respond with 404 when quotas are disabled', async () => {
  const off = await startServer()
  try {
    const admin = await off.world.admin()
    for (const path of [
      RULES,
      GROUPS,
      '/user/quota',
      '/user/quota/check?subject=size:all',
      '/admin/users/root/quota',
    ]) {
      for (const client of [off.anonymous, admin.client]) expect((await client.get(path)).status, path).toBe(404)
    }
  } finally {
    await off.close()
  }
})

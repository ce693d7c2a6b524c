import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { answers } from './forge-world.ts'
import { migrate } from './import-world.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const API = 'GET /api/v1/repos/o/app'

const logins = (users: Any[] | null): string[] => (users ?? []).map(({ login }): string => login).toSorted()

describeOnBoth('accounts that an administrator maps', (kind) => {
  let upstream: Upstream
  let target: TestServer
  let root: Person
  let tom: Person
  let mails = 0

  beforeAll(async () => {
    upstream = await startUpstream()
    await upstream.create('o/app')
    await upstream.run('o/app', 'push', '-q', 'origin', 'HEAD:refs/pull/2/head')
    target = await startServer({ on: kind })
    root = await target.world.admin()
    tom = await target.world.user('tom')
    for (const name of ['ann', 'mia']) await target.world.user(name)
    const org = await target.world.org('crew', { owner: tom })
    const team = await tom.client.post(`/orgs/${org.name}/teams`, {
      name: 'all',
      permission: 'read',
      includes_all_repositories: true,
      units: ['repo.code', 'repo.issues', 'repo.pulls'],
    })
    await tom.client.put(`/teams/${team.json.id}/members/mia`)
  })
  afterAll(async () => {
    await target.close()
    await upstream.close()
  })
  beforeEach(() => {
    const { routes } = upstream
    routes.clear()
    const users = ['ann', 'mia'].map((login, id) => ({ id: id + 1, login }))
    const item = { title: 't', body: '', state: 'open', user: { id: 3, login: 'zoe' }, assignees: users }
    routes.set(API, answers({ description: '', archived: true }))
    routes.set(
      `${API}/issues?state=all&type=issues&sort=oldest&page=1&limit=50`,
      answers([{ ...item, number: 1 }], { 'x-total-count': '1' }),
    )
    const pull = { ...item, number: 2, base: { ref: 'main' }, head: { ref: 'side' }, requested_reviewers: users }
    routes.set(`${API}/pulls?state=all&sort=oldest&page=1&limit=50`, answers([pull], { 'x-total-count': '1' }))
  })

  const importTo = async (name: string, isPrivate: boolean): Promise<Any> => {
    const answer = await migrate(root, {
      clone_addr: `${upstream.url}/o/app.git`,
      repo_name: name,
      repo_owner: 'crew',
      service: 'gitea',
      private: isPrivate,
      issues: true,
      pull_requests: true,
      users: { ann: 'ann', mia: 'mia' },
    })
    expect([answer.status, answer.json.message]).toEqual([201, undefined])
    return { archived: answer.json.archived, warning: answer.headers.get('x-ingot-warning') }
  }
  const named = async (name: string): Promise<string[][]> => {
    const [issue, pull] = [
      (await root.client.get(`/repos/crew/${name}/issues/1`)).json,
      (await root.client.get(`/repos/crew/${name}/pulls/2`)).json,
    ]
    return [logins(issue.assignees), logins(pull.assignees), logins(pull.requested_reviewers)]
  }

  it('are assigned and asked to review in a public repository', async () => {
    const { warning } = await importTo('open', false)
    expect(await named('open')).toEqual([
      ['ann', 'mia'],
      ['ann', 'mia'],
      ['ann', 'mia'],
    ])
    expect(warning).not.toContain('left out')
  })

  it('are left out with a warning where they may not see the new repository', async () => {
    const { warning } = await importTo('closed', true)
    expect(await named('closed')).toEqual([['mia'], ['mia'], ['mia']])
    expect(warning).toContain('assignments of ann were left out')
    expect(warning).toContain('requested reviews of ann were left out')
    const [latest] = (await root.client.get('/repos/migrations')).json
    expect(latest.warnings.filter((text: string) => text.includes('ann'))).toHaveLength(2)
  })

  it('are not the authors of what the source has imported from elsewhere', async () => {
    const issue = { number: 1, title: 't', state: 'open', user: { id: 1, login: 'ann' } }
    const elsewhere = { ...issue, number: 2, original_author: 'ann', original_author_id: 9 }
    upstream.routes.set(
      `${API}/issues?state=all&type=issues&sort=oldest&page=1&limit=50`,
      answers([issue, elsewhere], { 'x-total-count': '2' }),
    )
    upstream.routes.delete(`${API}/pulls?state=all&sort=oldest&page=1&limit=50`)
    await importTo('elsewhere', false)
    const read = async (number: number): Promise<string[]> => {
      const { user, original_author } = (await root.client.get(`/repos/crew/elsewhere/issues/${number}`)).json
      return [user.login, original_author]
    }
    expect([await read(1), await read(2)]).toEqual([
      ['ann', ''],
      [root.user.name, 'ann'],
    ])
  })

  it('may be more than ten thousand', async () => {
    const list = Array.from({ length: 10_001 }, (_, i) => `user${i} ann\n`).join('')
    const answer = await migrate(root, {
      clone_addr: `${upstream.url}/o/app.git`,
      repo_name: 'many',
      service: 'gitea',
      issues: true,
      user_list: `${list}ann ann\n`,
    })
    expect(answer.status, answer.json.message).toBe(201)
    expect(logins((await root.client.get(`/repos/${root.user.name}/many/issues/1`)).json.assignees)).toEqual(['ann'])
  })

  it('are refused in a list with a line that does not have two names', async () => {
    const body = { clone_addr: `${upstream.url}/o/app.git`, repo_name: 'lines', user_list: 'ann\n' }
    const answer = await migrate(root, body)
    expect([answer.status, answer.json.message]).toEqual([422, 'user_list: a line does not have two names'])
  })

  it('may change nothing in the copy of an archived repository, which is archived', async () => {
    const { archived, warning } = await importTo('archived', false)
    expect([archived, warning]).toEqual([true, expect.stringContaining('the new repository is archived')])
    expect((await tom.client.post('/repos/crew/archived/issues', { title: 'x' })).status).toBe(423)
    expect((await tom.client.patch('/repos/crew/archived', { archived: false })).status).toBe(200)
  })

  it('are found by confirmed e-mail addresses only if an administrator requests it', async () => {
    const email = 'zoe@example.test'
    await target.world.user('known', { email })
    const author = (shown: string) => ({ user: { id: 3, login: 'zoe', email: shown }, title: 't', state: 'open' })
    upstream.routes.set(
      `${API}/issues?state=all&type=issues&sort=oldest&page=1&limit=50`,
      answers([
        { ...author('Zoe@Example.test'), number: 1 },
        { ...author('other@example.test'), number: 3 },
      ]),
    )
    const authors = async (more: object, person = root): Promise<Any> => {
      const body = {
        clone_addr: `${upstream.url}/o/app.git`,
        repo_name: `mail${++mails}`,
        service: 'gitea',
        issues: true,
      }
      const made = await migrate(person, { ...body, ...more })
      if (made.status !== 201) return made.status
      const issues: Any[] = (await person.client.get(`/repos/${made.json.full_name}/issues?sort=oldest`)).json
      return issues.map(({ user, original_author }) => [user.login, original_author ?? ''])
    }
    expect(await authors({ users_by_email: true })).toEqual([
      ['known', ''],
      ['root', 'zoe'],
    ])
    expect(await authors({})).toEqual([
      ['root', 'zoe'],
      ['root', 'zoe'],
    ])
    expect(await authors({ users_by_email: true }, tom)).toBe(403)
    expect(await authors({ keep_assignees: true }, tom)).toBe(403)
  })

  it('are not all found where more than 200,000 addresses are confirmed, of which the import warns', async () => {
    await target.app.database.transaction((tx) =>
      sql`insert into email_address (user_id, email, lower_email, is_activated, is_primary)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)
        select ${root.user.id}, 'm' || i || '@many.test', 'm' || i || '@many.test', 1, 0 from n`.execute(tx),
    )
    const made = await migrate(root, {
      clone_addr: `${upstream.url}/o/app.git`,
      repo_name: 'addresses',
      service: 'gitea',
      issues: true,
      users_by_email: true,
    })
    expect([made.status, made.headers.get('x-ingot-warning')]).toEqual([
      201,
      expect.stringContaining('only the 200000 confirmed e-mail addresses that were added first were mapped'),
    ])
  })
})

import { generateKey } from 'openpgp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { findWrongCounters } from '../harness/rows.ts'
import { newKey } from '../harness/ssh-keys.ts'
import { type ServerWorld, startServerWorld } from './server-world.ts'

const TIMEOUT = 120_000
const base64 = (text: string): string => Buffer.from(text).toString('base64')

describeOnBoth('a second ingot import server', (on) => {
  let world: ServerWorld
  const ours = async (path: string): Promise<Any> => (await world.admin.client.get(path)).json
  const must = async (method: 'delete' | 'patch' | 'post' | 'put', path: string, body?: object): Promise<Any> => {
    const { status, json, text } = await world.ann.client[method](path, body)
    expect(status, `${method} ${path}: ${text}`).toBeLessThan(400)
    return json
  }
  const desk = (method: 'delete' | 'patch' | 'post' | 'put', path: string, body?: object): Promise<Any> =>
    must(method, `/repos/ann/desk${path}`, body)
  const propose = async (branch: string): Promise<Any> => {
    await desk('post', '/contents/' + branch, { content: base64(branch), branch: 'main', new_branch: branch })
    return desk('post', '/pulls', { title: `from ${branch}`, head: branch, base: 'main' })
  }
  const verify = async (): Promise<string> => (await world.run('verify')).stdout

  beforeAll(async () => {
    world = await startServerWorld(on)
    await propose('early')
    for (let number = 4; number < 30; number++) await desk('post', '/issues', { title: `issue ${number}` })
    await desk('post', '/issues/4/comments', { body: 'to be deleted' })
    await desk('patch', '/milestones/1', { due_on: '2030-01-01T00:00:00Z' })
    expect((await world.run('server')).code).toBe(0)
  }, TIMEOUT)
  afterAll(() => world.close())

  it(
    'imports issues, comments, labels, pull requests, releases and commits that are new or have changed',
    async () => {
      const before = await ours('/repos/ann/desk')
      const untouched = await ours('/repos/ann/desk/issues/20')
      await desk('patch', '/issues/1', { title: 'renamed', body: 'another text' })
      await desk('patch', '/issues/2', { state: 'closed', milestone: 1 })
      const [comment] = (await world.ann.client.get('/repos/ann/desk/issues/1/comments')).json
      await desk('patch', `/issues/comments/${comment.id}`, { body: 'an edited answer' })
      await desk('post', '/issues/1/comments', { body: 'a new answer' })
      const label = await desk('post', '/labels', { name: 'new', color: '#0000ff' })
      await desk('post', '/issues/5/labels', { labels: [label.id] })
      await desk('put', '/contents/README.md', {
        content: base64('pushed'),
        sha: (await world.ann.client.get('/repos/ann/desk/contents/README.md')).json.sha,
      })
      await desk('post', '/pulls/3/merge', { Do: 'merge' })
      const { number } = await propose('late')
      await desk('post', `/pulls/${number}/reviews`, {
        event: 'COMMENT',
        body: 'seen',
        comments: [{ path: 'late', body: 'here', new_position: 1 }],
      })
      const release = await desk('post', '/releases', { tag_name: 'v2', name: 'Two', target_commitish: 'main' })
      const form = new FormData()
      form.set('attachment', new Blob(['bytes']), 'a.txt')
      const token = await world.ann.token('all')
      const uploaded = await fetch(`${world.source.url}/api/v1/repos/ann/desk/releases/${release.id}/assets`, {
        method: 'POST',
        headers: { authorization: `token ${token}` },
        body: form,
      })
      expect(uploaded.status).toBe(201)
      const eve = await world.source.world.user('eve')
      const [team] = (await world.ann.client.get('/orgs/guild/teams/search?q=makers')).json.data
      await must('put', `/teams/${team.id}/members/eve`)
      expect((await eve.client.put('/user/starred/ann/desk')).status).toBe(204)

      await world.source.drain()
      const { code, stdout } = await world.run('server')
      expect([code, stdout], stdout).toEqual([0, expect.stringContaining('repository: 4 read, 1 written')])
      // Of 29 issues, those that have changed.
      expect(stdout).toContain('issues: 0 read, 3 written')
      expect(stdout).toContain('pulls: 0 read, 2 written')
      expect(await verify()).toContain(' 0 differences')

      expect((await ours('/repos/ann/desk')).id).toBe(before.id)
      expect(await ours('/repos/ann/desk/issues/20')).toEqual(untouched)
      expect(await ours('/repos/ann/desk/pulls/3')).toMatchObject({ merged: true, merged_by: { login: 'ann' } })
      expect(await ours(`/repos/ann/desk/pulls/${number}`)).toMatchObject({ state: 'open', mergeable: true })
      expect(await ours(`/repos/ann/desk/pulls/${number}/reviews`)).toMatchObject([{ body: 'seen', comments_count: 1 }])
      expect(await ours('/repos/ann/desk/issues/2')).toMatchObject({ state: 'closed', milestone: { title: 'Spring' } })
      expect((await ours('/repos/ann/desk/issues/1/comments')).map(({ body }: Any) => body)).toEqual([
        'an edited answer',
        'a new answer',
      ])
      expect(
        (await ours('/repos/ann/desk/releases')).map(({ tag_name, assets }: Any) => [tag_name, assets.length]),
      ).toEqual([
        ['v2', 1],
        ['v1', 0],
      ])
      expect((await ours('/users/eve/starred')).map(({ full_name }: Any) => full_name)).toEqual(['ann/desk'])
      await world.target.drain()
      expect(await findWrongCounters(world.target.app.database.read)).toEqual([])
      for (const name of ['ann', 'bob', 'boss'])
        expect([name, await ours(`/notifications?all=true&sudo=${name}`)]).toEqual([name, []])
    },
    TIMEOUT,
  )

  it(
    'deletes what was deleted, and reports it',
    async () => {
      const [comment] = (await world.ann.client.get('/repos/ann/desk/issues/4/comments')).json
      await desk('delete', `/issues/comments/${comment.id}`)
      expect((await world.boss.client.delete('/repos/ann/desk/issues/6')).status).toBe(204)
      const labels: Any[] = (await world.ann.client.get('/repos/ann/desk/labels')).json
      await desk('patch', `/labels/${labels.find(({ name }) => name === 'bug').id}`, { name: 'fault' })
      await desk('delete', '/branches/late')
      await desk('delete', '/releases/tags/v1')
      const { code, stdout } = await world.run('server')
      expect(code, stdout).toBe(0)
      for (const line of ['issue 6 of ann/desk', 'label bug of ann/desk', 'release v1 of ann/desk'])
        expect(stdout).toContain(line)
      expect(await verify()).toContain(' 0 differences')
      expect((await world.admin.client.get('/repos/ann/desk/issues/6')).status).toBe(404)
      expect((await ours('/repos/ann/desk/issues/2')).labels.map(({ name }: Any) => name)).toEqual(['fault'])
      await world.target.drain()
      expect(await findWrongCounters(world.target.app.database.read)).toEqual([])
    },
    TIMEOUT,
  )

  it(
    'renames, describes, unarchives and gives topics as at the other server',
    async () => {
      await desk('patch', '', { description: 'of wood', website: 'https://desk.test', name: 'table' })
      await must('put', '/repos/ann/table/topics', { topics: ['wood'] })
      await must('patch', '/repos/ann/old', { archived: false })
      const { code, stdout } = await world.run('server')
      expect(code, stdout).toBe(0)
      expect(await verify()).toContain(' 0 differences')
      expect(await ours('/repos/ann/table')).toMatchObject({ description: 'of wood', topics: ['wood'] })
      expect((await ours('/repos/ann/old')).archived).toBe(false)
    },
    TIMEOUT,
  )

  it('changes nothing when nothing has changed', async () => {
    const { code, stdout } = await world.run('server')
    expect([code, stdout], stdout).toEqual([0, expect.stringContaining('repository: 4 read, 0 written')])
  })

  it(
    'imports changed protections of branches and tags, and deletes deleted ones',
    async () => {
      const rules = (rule: object): Promise<Any> => must('post', '/repos/ann/table/branch_protections', rule)
      const [makers] = (await world.ann.client.get('/orgs/guild/teams/search?q=makers')).json.data
      await must('put', `/teams/${makers.id}/repos/guild/tools`)
      await rules({ rule_name: 'main', required_approvals: 1 })
      await rules({ rule_name: 'release/*', enable_push: true })
      await must('post', '/repos/guild/tools/branch_protections', {
        rule_name: 'main',
        enable_push: true,
        enable_push_whitelist: true,
        push_whitelist_teams: ['makers'],
        push_whitelist_usernames: ['ann'],
      })
      const tag = await must('post', '/repos/ann/table/tag_protections', {
        name_pattern: 'v*',
        whitelist_usernames: ['ann'],
      })
      const before = await verify()
      for (const line of [
        'ann/table: protection of branches main is missing',
        'ann/table: protection of tags v* is missing',
      ])
        expect(before).toContain(line)
      const first = await world.run('server')
      expect(first.code, first.stdout).toBe(0)
      expect(await verify()).toContain(' 0 differences')
      expect(await ours('/repos/guild/tools/branch_protections')).toMatchObject([
        { rule_name: 'main', push_whitelist_teams: ['makers'], push_whitelist_usernames: ['ann'] },
      ])

      const own = await world.admin.client.post('/repos/ann/table/branch_protections', { rule_name: 'own' })
      expect(own.status).toBe(201)
      await must('patch', '/repos/ann/table/branch_protections/main', { required_approvals: 2 })
      await must('delete', '/repos/ann/table/branch_protections/release/*')
      await must('patch', `/repos/ann/table/tag_protections/${tag.id}`, { whitelist_usernames: [] })
      const between = await verify()
      for (const line of [
        'protection of branches main differs',
        'protection of branches release/* is not at the other server',
        'protection of branches own is not at the other server',
        'protection of tags v* differs',
      ])
        expect(between).toContain(`ann/table: ${line}`)
      const { code, stdout } = await world.run('server')
      expect([code, stdout.split('Deleted, as at the other server:')[1]], stdout).toEqual([
        0,
        expect.stringContaining('  protection of branches release/* of ann/table\n'),
      ])
      expect(await ours('/repos/ann/table/branch_protections')).toMatchObject([
        { rule_name: 'main', required_approvals: 2 },
        { rule_name: 'own' },
      ])
      expect(await ours('/repos/ann/table/tag_protections')).toMatchObject([{ whitelist_usernames: [] }])
      expect((await world.admin.client.delete('/repos/ann/table/branch_protections/own')).status).toBe(204)
      expect(await verify()).toContain(' 0 differences')
    },
    TIMEOUT,
  )

  it('allows only administrators to import changes into a repository', async () => {
    const body = {
      clone_addr: `${world.source.url}/ann/table.git`,
      repo_name: 'table',
      service: 'gitea',
      changes: { numbers: [1] },
    }
    const plain = await world.target.world.user('plain')
    expect((await plain.client.post('/repos/migrate?async=true', body)).status).toBe(403)
    const missing = await world.admin.client.post('/repos/migrate?async=true', { ...body, repo_name: 'none' })
    expect([missing.status, missing.json.message]).toEqual([422, expect.stringContaining('changes: ')])
  })

  it(
    'removes access that was removed at the other server, and not what was added on this one',
    async () => {
      const { boss, admin, source, target } = world
      await source.world.user('carl')
      const [makers] = (await world.ann.client.get('/orgs/guild/teams/search?q=makers')).json.data
      const gone = await must('post', '/orgs/guild/teams', { name: 'gone', permission: 'read', units: ['repo.code'] })
      const left = await must('post', '/orgs/guild/teams', { name: 'left', permission: 'read', units: ['repo.code'] })
      for (const path of [
        `/teams/${gone.id}/members/carl`,
        `/teams/${left.id}/members/carl`,
        `/teams/${left.id}/repos/guild/tools`,
      ])
        await must('put', path)
      await must('put', '/repos/ann/table/collaborators/carl', { permission: 'write' })
      const extra = await must('post', '/user/keys', { title: 'extra', key: newKey() })
      const { publicKey } = await generateKey({ userIDs: [{ email: 'ann@example.test' }] })
      const gpg = await must('post', '/user/gpg_keys', { armored_public_key: publicKey })
      const rights = newKey()
      const deploy = await must('post', '/repos/ann/table/keys', { title: 'rights', key: rights, read_only: false })
      const solo = await must('post', '/orgs/guild/teams', { name: 'solo', permission: 'read', units: ['repo.code'] })
      const dan = await source.world.user('dan')
      expect((await dan.client.post('/user/keys', { title: 'dan', key: newKey() })).status).toBe(201)
      const first = await world.run('server')
      expect(first.code, first.stdout).toBe(0)
      expect(await verify()).toContain(' 0 differences')

      // Of this server alone.
      await target.world.user('own')
      const teams: Any[] = await ours('/orgs/guild/teams')
      const teamOf = (name: string): number => teams.find((team) => team.name === name)!.id
      const here = async (method: 'post' | 'put', path: string, body?: object): Promise<void> => {
        const { status, text } = await admin.client[method](path, body)
        expect(status, `${path}: ${text}`).toBeLessThan(300)
      }
      await here('put', `/teams/${teamOf('makers')}/members/own`)
      await here('put', `/teams/${teamOf('left')}/members/own`)
      await here('put', '/repos/ann/table/collaborators/own', {})
      await here('post', '/admin/users/ann/keys', { title: 'here', key: newKey() })
      await here('post', '/repos/ann/table/keys', { title: 'here', key: newKey() })

      await must('delete', `/teams/${makers.id}/members/bob`)
      await must('delete', `/teams/${makers.id}/repos/guild/tools`)
      for (const team of [gone, left]) await must('delete', `/teams/${team.id}`)
      await must('patch', `/teams/${solo.id}`, { name: 'alone' })
      for (const name of ['bob', 'carl']) await must('delete', `/repos/ann/table/collaborators/${name}`)
      await must('delete', `/user/keys/${extra.id}`)
      await must('delete', `/user/gpg_keys/${gpg.id}`)
      await must('delete', `/repos/ann/table/keys/${deploy.id}`)
      await must('post', '/repos/ann/table/keys', { title: 'rights', key: rights, read_only: true })
      expect((await boss.client.delete('/admin/users/dan')).status).toBe(204)

      const before = await verify()
      for (const line of [
        'team makers of guild: members: bob is not at the other server',
        'team makers of guild: repositories: guild/tools is not at the other server',
        'ann/table: collaborators: carl (write) is not at the other server',
        'SSH keys of ann: SHA256:',
        `GPG keys of ann: ${gpg.key_id} is not at the other server`,
        ' (read only) is missing',
      ])
        expect(before).toContain(line)

      const { code, stdout } = await world.run('server')
      expect(code, stdout).toBe(3)
      expect(stdout).toContain('account dan: it is not at the other server any more')
      expect(stdout).toContain('team left of guild: it is not at the other server any more; it has members')
      for (const line of [
        'bob in team makers of guild',
        'carl in team gone of guild',
        'team gone of guild',
        'carl in team left of guild',
        'team makers of guild/tools',
        'team left of guild/tools',
        'collaborator bob of ann/table',
        'collaborator carl of ann/table',
        'SSH key "extra" of ann',
        'SSH key "dan" of dan',
        `GPG key ${gpg.key_id} of ann`,
        'deploy key "rights" of ann/table',
      ])
        expect(stdout.split('Deleted, as at the other server:')[1]).toContain(`  ${line}\n`)

      const names = async (path: string, member = 'login'): Promise<string[]> =>
        (await ours(path)).map((item: Any) => String(item[member])).toSorted()
      expect(await names('/orgs/guild/teams', 'name')).toEqual(['Owners', 'alone', 'left', 'makers'])
      expect(await names('/orgs/guild/members')).toEqual(['ann', 'eve', 'own'])
      expect(await names(`/teams/${teamOf('makers')}/members`)).toEqual(['eve', 'own'])
      expect(await names(`/teams/${teamOf('left')}/members`)).toEqual(['own'])
      for (const team of ['makers', 'left']) expect(await names(`/teams/${teamOf(team)}/repos`, 'name')).toEqual([])
      expect(await names('/repos/ann/table/collaborators')).toEqual(['own'])
      expect(await names('/users/ann/keys', 'title')).toEqual(['here', 'laptop'])
      expect(await names('/users/dan/keys', 'title')).toEqual([])
      expect(await names('/users/ann/gpg_keys', 'key_id')).toEqual([])
      expect(
        (await ours('/repos/ann/table/keys')).map(({ title, read_only }: Any) => [title, read_only]).toSorted(),
      ).toEqual([
        ['deploy', true],
        ['here', false],
        ['rights', true],
      ])
      await target.drain()
      expect(await findWrongCounters(target.app.database.read)).toEqual([])
    },
    TIMEOUT,
  )
})

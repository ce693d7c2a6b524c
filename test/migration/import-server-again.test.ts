import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { findWrongCounters } from '../harness/rows.ts'
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
    'brings issues, comments, labels, pull requests, releases and commits that are new or have changed',
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

  it('lets nobody but an administrator bring changes into a repository', async () => {
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
})
